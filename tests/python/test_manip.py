"""Shapes and axes, joining, cutting, repeating, padding, clipping, rounding."""
import numpy as np
import pytest
from support import check, rng
from twins import agree

import clary

A = np.arange(24).reshape(2, 3, 4)

CASES = {
    "reshape": [((6, 4),), ((-1,),), ((4, -1, 2),), (24,)],
    "ravel": [()],
    "transpose": [(), ((2, 0, 1),), ((-1, 0, 1),)],
    "permute_dims": [((1, 2, 0),)],
    "matrix_transpose": [()],
    "swapaxes": [(0, 2), (-1, 0)],
    "moveaxis": [(0, -1), ((0, 1), (-1, 0)), (2, 0)],
    "expand_dims": [(0,), (-1,), ((0, 2),)],
    "flip": [(), (1,), ((0, -1),)],
    "fliplr": [()],
    "flipud": [()],
    "rot90": [(), (2,), (3,), (-1, (1, 2))],
    "roll": [(1,), (-2, 1), ((1, 2), (0, 2)), (5, 2), (0, 0)],
    "diagonal": [(), (1, 0, 2), (-1, 1, 2)],
    "trace": [(), (1, 1, 2)],
    "tile": [(2,), ((2, 1, 3),), ((2, 2, 1, 1),), (0,)],
    "repeat": [(2,), (3, 1), ([1, 0, 2], 1), (0, 0)],
    "diff": [(), (1, 0), (2, 1)],
    "broadcast_to": [((5, 2, 3, 4),)],
    "around": [(-1,)],
}


@pytest.mark.parametrize("name", CASES)
def test_against_numpy(tier, name):
    for args in tier.sample(CASES[name], 2):
        if name == "permute_dims":
            expected = np.transpose(A, *args)
        else:
            expected = getattr(np, name)(A, *args)
        check(getattr(clary, name)(clary.array(A), *args), expected)
        check(getattr(clary, name)(clary.array(A)[:, ::-1], *args),
              np.transpose(A[:, ::-1], *args) if name == "permute_dims" else getattr(np, name)(A[:, ::-1], *args))


def test_methods(tier):
    x = clary.array(A)
    check(x.T, A.T)
    check(x.mT, A.swapaxes(-1, -2))
    check(x.reshape(4, 6), A.reshape(4, 6))
    check(x.reshape((4, 6)), A.reshape(4, 6))
    check(x.reshape(-1, order="F"), A.reshape(-1, order="F"))
    check(x.reshape(6, 4, order="F"), A.reshape((6, 4), order="F"))
    check(x.transpose(2, 0, 1), A.transpose(2, 0, 1))
    check(x.transpose((2, 0, 1)), A.transpose(2, 0, 1))
    check(x.transpose(), A.T)
    check(x.flatten(), A.flatten())
    check(x.ravel(order="F"), A.ravel(order="F"))
    check(x[:, :1].squeeze(), A[:, :1].squeeze())
    check(x[:, :1].squeeze(1), A[:, :1].squeeze(1))
    check(x[:1, :1].squeeze((0, 1)), A[:1, :1].squeeze((0, 1)))
    check(x.repeat(2, axis=0), A.repeat(2, axis=0))
    check(x.diagonal(), A.diagonal())
    check(x.swapaxes(0, 1), A.swapaxes(0, 1))
    assert x.reshape(6, 4, copy=False).shares_memory(x)
    assert not x.reshape(6, 4, copy=True).shares_memory(x)
    with pytest.raises(ValueError):
        x.T.reshape(-1, copy=False)


def test_errors(tier):
    x = clary.array(A)
    for call, error in ((lambda: x.reshape(5, 5), ValueError), (lambda: x.reshape(-1, -1), ValueError),
                        (lambda: x.reshape(-1, 7), ValueError), (lambda: x.transpose(0, 1), ValueError),
                        (lambda: x.transpose(0, 0, 1), ValueError), (lambda: x.squeeze(0), ValueError),
                        (lambda: x.swapaxes(0, 3), clary.AxisError), (lambda: clary.expand_dims(x, 5), clary.AxisError),
                        (lambda: clary.broadcast_to(x, (3, 4, 4)), ValueError), (lambda: clary.flip(x, 3), clary.AxisError),
                        (lambda: clary.moveaxis(x, 0, (1, 2)), ValueError), (lambda: clary.concat([]), ValueError),
                        (lambda: clary.concat([x, x[0]]), ValueError), (lambda: clary.stack([x, x[:1]]), ValueError),
                        (lambda: clary.repeat(x, [1, 2], 1), ValueError), (lambda: clary.repeat(x, -1), ValueError),
                        (lambda: clary.pad(x, -1), ValueError), (lambda: clary.pad(x, ((1, 2),) * 2), ValueError),
                        (lambda: clary.fliplr(clary.arange(2)), ValueError), (lambda: clary.arange(3).mT, ValueError),
                        (lambda: clary.broadcast_shapes((2,), (3,)), ValueError), (lambda: clary.split(x, 5), ValueError)):
        with pytest.raises(error):
            call()
    check(x + 1, A + 1)


def test_joining(tier):
    a, b = np.arange(6).reshape(2, 3), np.arange(6.0, 12).reshape(2, 3)
    x, y = clary.array(a), clary.array(b)
    for axis in (0, 1, -1, None):
        check(clary.concatenate([x, y, x], axis=axis), np.concatenate([a, b, a], axis=axis))
    for axis in (0, 1, 2, -1):
        check(clary.stack([x, y], axis=axis), np.stack([a, b], axis=axis))
    for name in ("vstack", "hstack", "dstack", "column_stack"):
        for items in ((x, y), (x[0], y[0])):
            theirs = (a, b) if items[0].ndim == 2 else (a[0], b[0])
            check(getattr(clary, name)(items), getattr(np, name)(theirs))
    check(clary.concat([x.T, y.T[::-1]], axis=0), np.concatenate([a.T, b.T[::-1]]))
    check(clary.concat([x, [[7, 8, 9]]]), np.concatenate([a, [[7, 8, 9]]]))
    check(clary.concat([x, y], dtype="float32"), np.concatenate([a, b], dtype="float32"))
    check(clary.concat([x[:0], x]), np.concatenate([a[:0], a]))
    out = clary.zeros((4, 3))
    assert clary.concat([x, y], out=out) is out
    check(clary.concat([clary.array([True]), clary.array([2], dtype="int8")]), np.array([1, 2], "int8"))


def test_cutting(tier):
    a = np.arange(10)
    x = clary.array(a)
    for how in (3, [2, 5], [0, 20]):
        for ours, theirs in zip(clary.array_split(x, how), np.array_split(a, how)):
            check(ours, theirs)
    for ours, theirs in zip(clary.split(clary.array(A), 2, axis=2), np.split(A, 2, axis=2)):
        check(ours, theirs)
    for ours, theirs in zip(clary.unstack(clary.array(A), axis=1), np.unstack(A, axis=1)):
        check(ours, theirs)


def test_broadcasting(tier):
    ours = clary.broadcast_arrays(clary.arange(3), clary.zeros((2, 1)), 5)
    for a, b in zip(ours, np.broadcast_arrays(np.arange(3), np.zeros((2, 1)), 5)):
        check(a, b)
    assert clary.broadcast_shapes((2, 1), (3,), ()) == (2, 3)
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        for value in (5, [1, 2], A[0], A):
            check(getattr(clary, name)(value), getattr(np, name)(value))
        assert len(getattr(clary, name)(1, 2)) == 2


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_pad(tier, mode):
    a = np.arange(12).reshape(3, 4)
    x = clary.array(a)
    for width in tier.sample([1, (1, 2), ((1, 2), (0, 3)), 0, ((2, 0),), 5], 2):
        check(clary.pad(x, width, mode=mode), np.pad(a, width, mode=mode))
    check(clary.pad(x, {1: (1, 2)}, mode=mode), np.pad(a, ((0, 0), (1, 2)), mode=mode))
    if mode == "constant":
        check(clary.pad(x, 1, constant_values=9), np.pad(a, 1, constant_values=9))


def test_where(tier):
    a, b = np.arange(6).reshape(2, 3), -np.arange(3.0)
    check(clary.where(clary.array(a) > 2, clary.array(a), clary.array(b)), np.where(a > 2, a, b))
    check(clary.where(clary.array(a) > 2, 1, 0), np.where(a > 2, 1, 0))
    check(clary.where(clary.array(a) > 2, clary.array(a, dtype="int8"), 0), np.where(a > 2, a.astype("int8"), 0))
    check(clary.where(clary.array([True, False]).reshape(2, 1), clary.array(b), 5), np.where([[True], [False]], b, 5))
    check(clary.where(clary.array([1, 0]), 2.5, 3.5), np.where([1, 0], 2.5, 3.5))


def test_clip(tier):
    a = np.arange(-5, 6)
    x = clary.array(a)
    for bounds in ((-2, 3), (None, 2), (1, None), (3, -2), (None, None), (-1.5, 2), (np.arange(-5, 6) - 1, 3)):
        check(clary.clip(x, *bounds), np.clip(a, *bounds))
    check(x.clip(0, 3), a.clip(0, 3))
    check(clary.clip(clary.arange(5, dtype="uint8"), -1, 300), np.arange(5, dtype="uint8"))
    check(clary.clip(clary.array([1.5, np.nan]), 0, 1), [1.0, np.nan])
    out = clary.zeros(11, dtype=int)
    assert clary.clip(x, 0, 2, out=out) is out
    check(clary.clip(clary.arange(3, dtype="float32"), 1, 2), np.clip(np.arange(3, dtype="float32"), 1, 2))


def test_round(tier):
    a = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 12.345, 0.125, 1e10])
    x = clary.array(a)
    for decimals in (0, 1, 2, -1):
        check(clary.round(x, decimals), np.round(a, decimals), bits=True)
    check(x.round(), a.round())
    check(clary.round(clary.array([15, 25, 14]), -1), np.round([15, 25, 14], -1))
    check(clary.round(clary.arange(3), 2), np.arange(3))
    check(clary.round(clary.array([1.25 + 2.75j]), 1), np.round([1.25 + 2.75j], 1), rtol=1e-15)
    assert round(float(x[0])) == 0


def test_comparing(tier):
    a = np.array([1.0, np.nan, np.inf, -np.inf, 1e-9, 100])
    b = np.array([1.0 + 1e-9, np.nan, np.inf, np.inf, 0, 101])
    for equal_nan in (False, True):
        with np.errstate(all="ignore"):
            expected = np.isclose(a, b, equal_nan=equal_nan)
        check(clary.isclose(clary.array(a), clary.array(b), equal_nan=equal_nan), expected)
    assert clary.allclose([1.0, 2], [1.0, 2 + 1e-9]) and not clary.allclose([1.0], [1.1])
    assert clary.array_equal([1, 2], [1, 2]) and not clary.array_equal([1, 2], [1, 2, 3])
    assert clary.array_equal([np.nan], [np.nan], equal_nan=True) and not clary.array_equal([np.nan], [np.nan])


def test_nan_to_num(tier):
    a = np.array([np.nan, np.inf, -np.inf, 1.5])
    check(clary.nan_to_num(clary.array(a)), np.nan_to_num(a))
    check(clary.nan_to_num(clary.array(a), nan=7, posinf=1, neginf=2), np.nan_to_num(a, nan=7, posinf=1, neginf=2))
    c = np.array([np.nan + 1j, 2 + np.inf * 1j])
    c.real[1] = 2
    check(clary.nan_to_num(clary.array(c)), np.nan_to_num(c))


def test_outer_and_questions(tier):
    check(clary.outer(clary.arange(3), clary.arange(1.0, 3)), np.outer(np.arange(3), np.arange(1.0, 3)))
    x = clary.array(A)
    assert clary.shape(x) == (2, 3, 4) and clary.ndim(x) == 3 and clary.size(x) == 24 and clary.size(x, 1) == 3
    assert clary.iscomplexobj(x + 1j) and clary.isrealobj(x) and clary.isscalar(3)
    check(clary.angle(clary.array([1 + 1j])), np.angle([1 + 1j]))


def test_shapes_of_every_size(tier):
    """Odd sizes around what kernels work in, joined and cut again."""
    g = rng("sizes")
    for n in tier.sample([1, 31, 33, 255, 257, 1021], 3):
        a = g.normal(size=(n, 3)).astype("float32")
        x = clary.array(a)
        check(clary.concat([x, x[::-1]], axis=1)[:, 3:], a[::-1])
        check(clary.pad(x, ((1, 1), (0, 0)))[1:-1], a)
        check(x.T.copy().T, a)
        check(clary.tile(x, (2, 1))[n:], a)


def test_more_against_numpy(tier):
    agree(tier, """
        np.roll(m, 2)
        np.roll(m, (1, 2))
        np.roll(m, 1, axis=(0, 1))
        np.roll(m, (1, -2), (0, -1))
        np.roll(m, (3, 4), axis=1)
        np.roll(m[::-1, ::2].T, shift=-5, axis=0)
        np.roll(m, (1, 2, 3), (0, 1))
        np.roll(m, 1, 2)
        np.roll(m, 2**40 + 1, 0)
        np.roll(e, 3)
        np.roll(e, 3, 1)
        np.roll(z, 1)
        np.rollaxis(t, 2)
        np.rollaxis(t, 0, 3)
        np.rollaxis(t, 1, 2)
        np.rollaxis(t, -1, -2)
        np.rollaxis(t, 3)
        np.rot90(m, 5)
        np.rot90(t, k=-1, axes=(2, 1))
        np.rot90(t, axes=(0, 0))
        np.rot90(t, axes=(0, -3))
        np.rot90(t, axes=(0, 5))
        np.rot90(m[0])
        np.moveaxis(a=t, source=0, destination=-1)
        np.broadcast_to(array=m[0], shape=(3, 5))
        np.atleast_1d(3, m)
        np.atleast_3d(m[0], 2)
        np.hstack([3, m[0]])
        np.stack([m, m], axis=-1)
        np.concatenate([m, m], dtype=float, out=np.zeros((6, 5)))
        np.concatenate([m, m], out=np.zeros((5, 6)))
        np.concatenate([m, m + 0.5], dtype=int)
        np.concatenate([m, m + 0.5], dtype=int, casting="unsafe")
        np.stack([])
        o = np.zeros((3, 5)); np.copyto(o, m); o
        o = np.zeros((3, 5)); np.copyto(o, m[0], where=m > 6); o
        o = np.zeros((3, 5), int); np.copyto(o, m + 0.5); o
        o = np.zeros((3, 5), int); np.copyto(o, m + 0.5, casting="unsafe", where=[True, False, True, True, True]); o
        o = np.full(2, 2**53 + 1); np.copyto(o, np.array([0.0, 1]), "unsafe", where=[False, True]); o
        np.copyto(np.zeros(3), m)
        o = np.zeros((3, 5)); np.copyto(o, m[None, None]); o
        o = np.zeros((3, 5)); np.copyto(o, np.zeros((2, 1, 3, 5))); o
        o = np.zeros((3, 5)); np.copyto(o, m[None], where=(m > 3)[None]); o
        o = np.zeros((3, 5)); np.copyto(o, 1, where=m); o
        o = np.zeros((3, 5)); np.copyto(o, 1, where=[1, 0, 1, 0, 2]); o
        o = np.zeros(3, bool); np.copyto(o, 1); o
        o = np.zeros(3, bool); np.copyto(o, 1, "unsafe"); o
        o = np.zeros(3, "u1"); np.copyto(o, -4, where=[True, False, True]); o
        o = np.zeros(3, "u1"); np.copyto(o, 4, "safe"); o
        o = np.zeros(3, "u1"); np.copyto(o, [1, 2, 3]); o
        o = np.zeros(3, int); np.copyto(o, 3.2); o
        o = np.zeros(3, np.float32); np.copyto(o, 3.2, "safe"); o
        o = np.zeros(3); np.copyto(o, 1j); o
        o = np.zeros(3); np.copyto(o, 1, "odd"); o
        np.roll(m, np.array([1, 2]), (0, 1))
        np.roll(m, 1.5, 1)
        np.roll(m, "1", 1)
        np.roll(m, "a", 1)
        np.roll(m, 1, "a")
        np.roll(m, [[1], [2]], (0, 1))
        np.roll(m, (), 0)
        np.squeeze(z, 0)
        np.squeeze(z, -1)
        np.squeeze(z, 1)
        np.row_stack([m, m[0]])
        np.pad(m, [])
        np.pad(m, 1.5)
        np.pad(m, True)
        np.pad(m, [[1, 2], [1, 2], [1, 2]])
        np.reshape(m, (5, 3), order="K")
        np.reshape(m, (5, 3), order="f")
        np.reshape(m, (5, 3), copy="yes")
        np.reshape(m, (2.0, -1))
        np.repeat(m, [[1, 2, 3]], axis=0)
        np.broadcast_to(m[:, :1, None], (2, 3, 2, 4)).ravel("K")
        np.broadcast_to(m[:, :1, None], (2, 3, 2, 4)).T.flatten("K")
        np.broadcast_to(m[0, 0], 10).ravel().flags.c_contiguous
        m[:, ::2].ravel().flags.c_contiguous
        m[0, ::2].ravel("K").flags.c_contiguous
        t.transpose(1, 2, 0)[:, ::-1].ravel("K")
        np.shares_memory(m, m[1:])
        np.shares_memory(m[:, ::2], m[:, 1::2])
        np.shares_memory(m[:2], m[1:].T)
        np.shares_memory(m, m.copy())
        np.may_share_memory(m[:, ::2], m[:, 1::2])
        np.may_share_memory(m[:1], m[2:])
        np.may_share_memory(m[:2, ::-2], m[1::-1])
        np.may_share_memory(m[:, ::2], m[:, 1::2], max_work=1000)
        np.shares_memory(m[:, ::2], m[:, 1::2], None)
        np.may_share_memory(m, m[:0])
        np.shares_memory((m * 1j).real, m)
        x = m * 1j; np.may_share_memory(x.real, x.imag)
        x = m * 1j; np.shares_memory(x.real, x.imag)
        x = m * 1j; np.shares_memory(x[1].imag, x[:2])
    """, {"m": np.arange(15).reshape(3, 5), "t": A, "e": np.zeros((0, 3)), "z": np.array(5)})
