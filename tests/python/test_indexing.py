"""Basic indexing and views: the same elements, the same errors, and aliasing as in NumPy."""
import itertools

import numpy as np
import pytest
from support import check, rng

import clary

A = np.arange(120).reshape(4, 5, 6)


def test_keys(tier):
    x = clary.array(A)
    parts = [0, -1, 2, slice(None), slice(1, 3), slice(None, None, -1), slice(None, None, 2), slice(3, 0, -2),
             slice(10, 20), slice(-2, None), Ellipsis, None]
    for key in itertools.product(parts, repeat=2):
        if key.count(Ellipsis) > 1:
            continue
        check(x[key], A[key])
    for key in (0, -4, slice(None), Ellipsis, None, (), (1, 2, 3), (1, 2, -1), (Ellipsis, 1), (None, 1, None, 2),
                (slice(None), None, slice(1, 2), Ellipsis, 0), np.int64(2), (np.uint8(1), slice(None))):
        check(x[key], A[key])
    check(x[clary.array(2)], A[2])
    check(x[slice(-(2**70), 2**70)], A[slice(-(2**70), 2**70)])


def test_bad_keys(tier):
    x = clary.array(A)
    for key in (4, -5, (0, 5), (0, 0, 6), (0, 0, 0, 0), (Ellipsis, Ellipsis), 2**70):
        with pytest.raises(IndexError):
            x[key]
    for key in (1.5, "a", [0.5], {}):
        with pytest.raises(IndexError, match="ellipsis"):
            x[key]
    for key in (np.array([0.5]), np.array(["a"]), np.zeros(2, object), clary.array([0.5])):
        with pytest.raises(IndexError, match="arrays used as indices"):
            x[key]
    for key in ([[1, 1], 1], [[1], slice(1)]):
        with pytest.raises(ValueError):
            x[key]
        with pytest.raises(ValueError):
            x[key] = 1
    with pytest.raises(ValueError):
        x[::0]
    with pytest.raises(IndexError):
        clary.array(1.0)[0]
    check(x[0, 0, 0], A[0, 0, 0])  # the next call works


def test_random_chains(tier):
    g = rng("chains")
    for _ in range(tier.sample([30, 30, 30, 5])[-1] if tier.compiled else 60):
        a, x = A, clary.array(A)
        for _ in range(4):
            what = g.integers(0, 6)
            if what == 0 and a.ndim:
                n = a.shape[0]
                key = slice(int(g.integers(-n - 1, n + 1)), int(g.integers(-n - 1, n + 2)), int(g.choice([-2, -1, 1, 2, 3])))
                a, x = a[key], x[key]
            elif what == 1:
                a, x = a.T, x.T
            elif what == 2 and a.ndim and a.shape[-1]:
                i = int(g.integers(-a.shape[-1], a.shape[-1]))
                a, x = a[..., i], x[..., i]
            elif what == 3:
                a, x = a[None], x[None]
            elif what == 4:
                a, x = a[..., ::-1] if a.ndim else a, x[..., ::-1] if a.ndim else x
            elif what == 5:
                a, x = a.reshape(-1), x.reshape(-1)
        check(x, a)


def test_views_alias(tier):
    x, a = clary.zeros((4, 6)), np.zeros((4, 6))
    for name, view in {
        "slice": lambda v: v[1:3, ::2], "reversed": lambda v: v[::-1], "transposed": lambda v: v.T,
        "reshaped": lambda v: v.reshape(6, 4), "row": lambda v: v[2], "diagonal-like": lambda v: v[:, None, 3],
        "swapped": lambda v: v.swapaxes(0, 1)[2:], "raveled": lambda v: v.ravel(), "squeezed": lambda v: v[None].squeeze(),
    }.items():
        ours, theirs = view(x), view(a)
        assert ours.shares_memory(x), name
        ours += 1
        theirs += 1
        check(x, a)
        x[0] = 7
        a[0] = 7
        check(ours, theirs)
    assert not x.T.reshape(-1).shares_memory(x)
    assert not x.copy().shares_memory(x) and not x.flatten().shares_memory(x)


def test_strides_and_flags():
    x, a = clary.array(A, dtype="int32"), A.astype("int32")
    for view in (lambda v: v, lambda v: v[::2], lambda v: v.T, lambda v: v[1:, ::-1]):
        assert view(x).strides == view(a).strides
        assert view(x).c_contiguous == view(a).flags.c_contiguous
    assert x.nbytes == a.nbytes and x.itemsize == 4 and x.size == 120 and x.ndim == 3
    assert clary.broadcast_to(x[0], (3, 5, 6)).strides[0] == 0


def test_iteration(tier):
    x = clary.array(A)
    assert len(x) == 4
    for ours, theirs in zip(x, A):
        check(ours, theirs)
    assert [int(v) for v in clary.arange(4)] == [0, 1, 2, 3]
    assert 3 in clary.arange(4) and 9 not in clary.arange(4)
    assert [a for a in zip(*clary.arange(4).reshape(2, 2).tolist())] == [(0, 2), (1, 3)]
    with pytest.raises(TypeError):
        len(clary.array(1))
    with pytest.raises(TypeError):
        iter(clary.array(1))


def test_item_and_conversion(tier):
    x = clary.array(A)
    assert x.item(5) == 5 and x.item(1, 2, 3) == A[1, 2, 3] and x.item((0, 1, 1)) == A[0, 1, 1] and x.item(-1) == 119
    assert clary.array(2.5).item() == 2.5 and clary.array([[3]]).item() == 3
    for value, kind in ((True, bool), (3, int), (2.5, float), (1 + 2j, complex)):
        got = clary.array(value).item()
        assert type(got) is kind and got == value
    assert clary.array(2**63 + 5, dtype="uint64").item() == 2**63 + 5
    assert float(clary.array(2)) == 2.0 and int(clary.array(2.7)) == 2 and complex(clary.array(1.0)) == 1
    assert bool(clary.array([5])) and not clary.array(0.0)
    assert [10, 20, 30][clary.array(1)] == 20
    assert f"{clary.array(2.5):.3f}" == "2.500" and f"{clary.arange(2)}" == "[0 1]"
    for bad in (clary.arange(2), clary.zeros(0)):
        with pytest.raises(ValueError):
            bool(bad)
        with pytest.raises(ValueError):
            bad.item()
        with pytest.raises(TypeError):
            float(bad)
    with pytest.raises(TypeError):
        [1][clary.array(0.0)]
    assert x.tolist() == A.tolist()


def test_text():
    for a in (np.arange(3), np.arange(3.0), np.zeros((2, 2), "float32"), np.array(5), np.zeros(0), np.array([True]),
              np.arange(3, dtype="int8"), np.arange(2000), np.array([1 + 2j]), np.array(1.5, "float32")):
        assert repr(clary.array(a)) == repr(a)
        assert str(clary.array(a)) == str(a)


def test_read_only_views():
    view = clary.broadcast_to(clary.arange(3), (2, 3))
    assert not view.writeable and clary.arange(3).writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    with pytest.raises(ValueError):
        view += 1


def test_shape_setter():
    x = clary.arange(6)
    x.shape = (2, 3)
    check(x, np.arange(6).reshape(2, 3))
    with pytest.raises(ValueError):
        x.shape = 7
    y = x.T
    with pytest.raises(AttributeError):  # would need a copy
        y.shape = 6
    assert y.shape == (3, 2)
