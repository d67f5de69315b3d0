"""Rounding, bounds, phases, differences, windows; comparing arrays."""
import numpy as np
from support import NUMPY_NAMES, check, rng
from twins import agree

import clary

_PHASE = np.cumsum(rng("phase").uniform(0, 3, (3, 17)), axis=1)
ARRAYS = {"v": np.array([1, 4, 9, 16, 2, -3]), "f": np.array([0.5, -1.5, 2.5, np.nan, np.inf, -np.inf, -0.0]),
          "m": np.arange(24.0).reshape(4, 6) ** 2, "c": np.array([1 + 2j, -1 + 0j, 3 - 1e-17j, np.nan + 1j]),
          "b": np.array([True, False, False, True]), "z": np.array(-2.75), "e": np.zeros((0, 3)),
          "p": (_PHASE + np.pi) % (2 * np.pi) - np.pi, "q": np.array([0, 3, 6, 1, 4, 7, 2]),
          "u": np.array([1, 250, 3], "uint8")}


def test_diff(tier):
    agree(tier, """
        np.diff(v)
        np.diff(v, 2)
        np.diff(v, n=0)
        np.diff(v, 9)
        np.diff(v, -1)
        np.diff(z)
        np.diff(b)
        np.diff(b, 2)
        np.diff(u)
        np.diff(c)
        np.diff(m, axis=0)
        np.diff(m, 2, -2)
        np.diff(m.T[::2], axis=1)
        np.diff(m, axis=2)
        np.diff(e)
        np.diff(e, axis=0)
        np.diff(v, prepend=0)
        np.diff(v, append=[1.5, 2])
        np.diff(v, prepend=5, append=v[:1])
        np.diff(m, axis=0, prepend=-1)
        np.diff(m, axis=1, append=m[:, :2])
        np.diff(m, axis=1, append=m[:2])
        np.diff(m, n=2, axis=0, prepend=0, append=np.zeros((1, 6)))
        np.diff([1, 4, 9])
        np.ediff1d(v)
        np.ediff1d(m[:2])
        np.ediff1d(v, to_end=-99, to_begin=[88, 99])
        np.ediff1d(v, to_end=[1, 2])
        np.ediff1d(v, to_begin=1.5)
        np.ediff1d(u, to_end=np.array([7], "uint8"))
        np.ediff1d(z)
        np.ediff1d(e, to_begin=1)
    """, ARRAYS)


def test_rounding_and_bounds(tier):
    agree(tier, """
        np.round(f)
        np.around(f, 1)
        np.round(v, -1)
        np.round(v, decimals=2)
        np.round(b)
        np.round(c, 1)
        np.round(z)
        np.fix(f)
        np.fix(v)
        np.fix(z)
        np.fix([2.7, -2.7])
        np.clip(v, 0, 9)
        np.clip(v, min=2)
        np.clip(v, max=2)
        np.clip(v, None, 3)
        np.clip(f, -1, 1)
        np.clip(m, [0, 1, 2, 3, 4, 5], 30)
        np.clip(v, a_min=0, a_max=4.5)
        np.clip(v, 5, 1)
        np.clip(v, 1, 2, np.zeros(6, int))
        np.clip(m.T, 1, m[:, 0])
        np.nan_to_num(f)
        np.nan_to_num(f, nan=7, posinf=1, neginf=-1)
        np.nan_to_num(f, False, 3.0); f
        np.nan_to_num(c)
        np.nan_to_num(v)
        np.nan_to_num(f.astype("float32"))
        np.nan_to_num(f.astype("float16"))
        np.nan_to_num(np.nan)
        np.nan_to_num(f, nan=np.arange(7.0))
        np.nan_to_num(f, nan=np.zeros((2, 7)))
        np.nan_to_num(0.0, neginf=np.zeros(4))
        np.real_if_close(c[:3])
        np.real_if_close(c)
        np.real_if_close(c[1:3], tol=1)
        np.real_if_close(v)
        np.real_if_close(np.array([1 + 1e-13j]), tol=1000)
    """, ARRAYS)


def test_angles_and_phases(tier):
    agree(tier, """
        np.angle(c[:3])
        np.angle(c[:3], deg=True)
        np.angle(-1.0)
        np.angle(1 + 1j, True)
        np.angle(b)
        np.angle(True, deg=True)
        np.real(v) is v
        np.real(c)
        np.imag(c[:3])
        x = c.copy(); np.real(x)[...] = 7; x
        np.imag(u)
        np.real([1 + 2j, 3])
        np.unwrap(p)
        np.unwrap(p, axis=0)
        np.unwrap(p[:, ::-2])
        np.unwrap(p, discont=4)
        np.unwrap(p * 180 / np.pi, period=360)
        np.unwrap(q, period=8)
        np.unwrap(q, period=7)
        np.unwrap([0, 4, 0, -4], period=8)
        np.unwrap(p.astype("float32"))
        np.unwrap(p, axis=2)
        np.sinc(m[0] / 7)
        np.i0(m[0] / 30)
        np.i0(v)
        np.i0(c)
    """, ARRAYS, rtol=1e-6)


def test_methods_and_objects(tier):
    class Two:
        def __eq__(self, other):
            return other == 2

        __hash__ = None

    agree(tier, """
        np.angle(a > 2)
        np.angle([True, False])
        np.conjugate(a > 2)
        (a > 2).conj()
        a.conj()
        bytes(a)
        bytes(a[0, 2])
        bytes(-a[1, 2])
        bytes(a[1, 2] * 1.0)
        a == None
        None != a
        a != "text"
        a == ["a", "b", "c"]
        a == [1, [2], 3]
        a == ()
        a < None
        a.T.astype(float).strides
        a.T.astype(float, "C").strides
        a.T.astype(float, "A").strides
        a.astype(float, "F").strides
        a.astype(float, "Q").strides
        c = a.reshape(1, 2, 3).swapaxes(0, 1); c.astype("i1").strides
        a.T.copy().strides
        a.T.copy("K").strides
        a.copy("F").strides
        a.transpose(np.array([1, 0]))
        a.transpose(None)
        np.transpose(a, np.array([1, 0]))
        np.add.reduceat(a, [0, 1], axis=1).flags.c_contiguous
    """, {"a": np.arange(6).reshape(2, 3)})
    a = clary.arange(4)
    assert a.conj() is a
    check(a == Two(), np.arange(4) == Two())
    check(a != Two(), np.arange(4) != Two())


def test_windows(tier):
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        agree(tier, "\n".join(f"np.{name}({M})" for M in (0, 1, 2, 3, 12, 51, 4.5)), ARRAYS, rtol=1e-13)
    agree(tier, "\n".join(f"np.kaiser({M}, {beta})" for M in (0, 1, 2, 12, 51) for beta in (0, 5, 14.0)), ARRAYS, rtol=1e-13)


def test_comparing(tier):
    agree(tier, """
        np.isclose(f, f)
        np.isclose(f, f, equal_nan=True)
        np.isclose(v, v + 1e-9)
        np.isclose(v, v + 1, atol=1)
        np.isclose(v, v * (1 + 1e-4), rtol=[1e-3, 1e-5, 1e-3, 1e-5, 1e-3, 1e-5])
        np.isclose(u, u[::-1])
        np.isclose(b, True)
        np.isclose(c, c + 1e-10, equal_nan=True)
        np.isclose(1.0, 1.0 + 1e-9)
        np.isclose(np.float32(1e-7), 0)
        np.allclose(m, m + 1e-9)
        np.allclose(f, f)
        np.allclose([1.0, np.nan], [1.0, np.nan], equal_nan=True)
        np.allclose(e, e)
        np.allclose(v, v[:2])
        np.array_equal(v, v)
        np.array_equal(v, v[:2])
        np.array_equal(f, f)
        np.array_equal(f, f, equal_nan=True)
        np.array_equal(v, v, equal_nan=True)
        np.array_equal(e, e[:, :2])
        np.array_equal([1], "text")
        np.array_equiv(v, v)
        np.array_equiv([1, 2], [[1, 2], [1, 2]])
        np.array_equiv([1, 2], [[1, 2, 1, 2]])
        np.array_equiv(1, [1, 1])
        np.iscomplex(c)
        np.isreal(c)
        np.iscomplex(v)
        np.isreal(m)
        np.iscomplex(1j)
        np.iscomplexobj(c)
        np.iscomplexobj([1j])
        np.isrealobj(v)
        np.isscalar(3.0)
        np.isscalar(v)
        np.iterable(v)
        np.iterable(3)
    """, ARRAYS)


def test_every_dtype(tier):
    for name in tier.sample(NUMPY_NAMES, 5):
        agree(tier, """
            np.diff(a)
            np.diff(a, 2)
            np.ediff1d(a)
            np.round(a)
            np.clip(a, a[3], a[2])
            np.nan_to_num(a)
            np.isclose(a, a[::-1])
            np.array_equal(a, a)
            np.iscomplex(a)
            np.isreal(a)
        """, {"a": np.array([0, 1, 5, 2, 2, 1]).astype(name)}, keep=3)
