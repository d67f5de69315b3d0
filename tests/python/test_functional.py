"""Python functions along axes; splitting; padding in every mode."""
import numpy as np
from support import check, counted, host
from twins import agree

import clary

ARRAYS = {"v": np.arange(11), "m": np.arange(12).reshape(3, 4), "t": np.arange(48.0).reshape(2, 4, 6), "e": np.zeros((0, 3)),
          "z": np.array(3.0), "f": np.array([[1.5, -2, 4], [0.25, 7, -1]]), "u": np.array([[1, 3, 200], [9, 0, 4]], "uint8")}


def test_along_axes(tier):
    agree(tier, """
        np.apply_along_axis(lambda x: x.sum(), 0, m)
        np.apply_along_axis(lambda x: x.sum(), 1, m)
        np.apply_along_axis(lambda x: x[::-1], -1, t)
        np.apply_along_axis(lambda x: x[:2], 1, t)
        np.apply_along_axis(np.diag, 0, m)
        np.apply_along_axis(np.diag, -1, t[:, :2])
        np.apply_along_axis(lambda x, y, k=1: x * y + k, 1, m, 2, k=3)
        np.apply_along_axis(lambda x: 1, 0, v)
        np.apply_along_axis(np.cumsum, 0, v)
        np.apply_along_axis(np.sum, 0, e)
        np.apply_along_axis(np.sum, 1, e)
        np.apply_along_axis(np.sum, 3, m)
        np.apply_over_axes(np.sum, t, [0, 2])
        np.apply_over_axes(np.sum, t, -1)
        np.apply_over_axes(np.cumsum, m, (0, 1))
        np.apply_over_axes(lambda a, axis: a[0, 0, 0], t, [0])
    """, ARRAYS)


def test_piecewise(tier):
    agree(tier, """
        np.piecewise(v, [v < 3, v > 7], [-1, 1])
        np.piecewise(v, [v < 3, v > 7], [-1, 1, 50])
        np.piecewise(v, [v < 3, v > 7], [lambda x: -x, lambda x: x * x, 5])
        np.piecewise(f, [f < 0], [lambda x: x.mean()])
        np.piecewise(f, f < 0, [lambda x, a: a * x, 0], 3)
        np.piecewise(f, [f > 100], [lambda x: 1 / 0])
        np.piecewise(z, [z > 2, z < 2], [lambda x: -x, 7])
        np.piecewise(v, [v < 6, v > 2], [1, 2])
        np.piecewise(v, [v < 6], [1, 2, 3])
        np.piecewise(m, [m % 2 == 0, m % 3 == 0], [lambda x: x + 0.5, -1.5])
    """, ARRAYS)


def test_vectorize(tier):
    f = clary.vectorize(lambda x, y: x if x > y else y)
    check(f(clary.arange(4), 2), np.array([2, 2, 2, 3]))
    both = clary.vectorize(lambda x: (x, -x))(clary.arange(3))
    check(both[1], np.array([0, -1, -2]))


def test_split(tier):
    agree(tier, """
        np.split(v[:9], 3)
        np.split(v, 3)
        np.split(v, [2, 5])
        np.split(v, (3, 1, 20, -2))
        np.split(m, 2, axis=1)
        np.split(m, 3)
        np.split(m, 2, 2)
        np.split(z, 1)
        np.array_split(v, 4)
        np.array_split(v, 20)
        np.array_split(v, 0)
        np.array_split(v, -1)
        np.array_split(t, 4, axis=-1)
        np.array_split(t[:, ::-1], np.array([1, 3]), 1)
        np.array_split(v, [])
        np.hsplit(m, 2)
        np.hsplit(v, [3])
        np.hsplit(t, [1, 2])
        np.hsplit(z, 1)
        np.vsplit(m, 3)
        np.vsplit(m, [1])
        np.vsplit(v, 1)
        np.dsplit(t, 3)
        np.dsplit(t, [2, 3])
        np.dsplit(m, 2)
        np.unstack(t)
        np.unstack(t, axis=-1)
        np.unstack(v)
        np.unstack(z)
        np.unstack(e)
    """, ARRAYS)


def test_split_gives_views(tier):
    x = clary.zeros((4, 3))
    upper, lower = clary.vsplit(x, 2)
    upper[0] = 1
    clary.split(lower, 3, axis=1)[2][...] = 2
    check(x, [[1, 1, 1], [0, 0, 0], [0, 0, 2], [0, 0, 2]], dtype=False)


_WIDTHS = ["1", "(1, 2)", "((1, 2), (0, 3))", "0", "((2, 0),)", "7", "[[3, 0], [0, 1]]"]


def test_pad(tier):
    modes = ["'constant'", "'constant', constant_values=((1, 2), (3, 4))", "'constant', constant_values=(5, 6)", "'edge'",
             "'linear_ramp'", "'linear_ramp', end_values=((4, 9), (5, 1))", "'maximum'", "'maximum', stat_length=2",
             "'mean'", "'mean', stat_length=((1, 3), (2, 9))", "'minimum', stat_length=(1, 2)", "'reflect'",
             "'reflect', reflect_type='odd'", "'symmetric'", "'symmetric', reflect_type='odd'", "'wrap'"]
    agree(tier, "\n".join(f"np.pad({a}, {width}, mode={mode})" for a in ("m", "f", "u") for mode in modes
                          for width in _WIDTHS), ARRAYS, rtol=1e-14, keep=40)


def test_pad_median(tier):
    agree(tier, "\n".join(f"np.pad({a}, ((2, 1), (0, 3)), 'median'{more})" for a in ("m", "f", "u")
                          for more in ("", ", stat_length=2", ", stat_length=(1, 3)")), ARRAYS, keep=9)


def test_pad_corners(tier):
    agree(tier, """
        np.pad(v, 3, "reflect")
        np.pad(v[:1], 3, "reflect")
        np.pad(v[:1], 3, "reflect", reflect_type="odd")
        np.pad(v[:1], 3, "symmetric", reflect_type="odd")
        np.pad(v[:2], (5, 8), "reflect", reflect_type="odd")
        np.pad(v[:3], (9, 4), "symmetric", reflect_type="odd")
        np.pad(v[:3], (9, 4), "wrap")
        np.pad(v[::-2], 2, "linear_ramp", end_values=7)
        np.pad(t, ((0, 0), (1, 0), (2, 2)), "mean")
        np.pad(t, 1, constant_values=0.5)
        np.pad(m, 1, constant_values=7.9)
        np.pad(z, 3)
        np.pad(e, 1)
        np.pad(e, 1, "edge")
        np.pad(e, ((0, 0), (1, 1)), "edge")
        np.pad(e, ((0, 0), (1, 1)), "mean")
        np.pad(m, 1, "empty")[1:-1, 1:-1]
        np.pad(m, 1, "unknown")
        np.pad(m, 1, "edge", constant_values=3)
        np.pad(m, -1)
        np.pad(m, 1.5)
        np.pad(m, ((1, 2),) * 3)
        np.pad(m, 1, "maximum", stat_length=0)
        np.pad(m, 1, "maximum", stat_length=-1)
        np.pad(m > 3, 1)
        np.pad(f + 1j, 1, "mean")
        np.pad(f.astype("float32"), 2, "linear_ramp", end_values=1.5)
    """, ARRAYS, rtol=1e-7)


def test_pad_by_function(tier):
    def fill(vector, width, axis, kwargs):
        vector[: width[0]] = kwargs.get("value", 10) + axis
        if width[1]:
            vector[-width[1]:] = vector[width[0]]

    for a in (ARRAYS["m"], ARRAYS["t"]):
        check(clary.pad(clary.array(a), 2, fill), np.pad(a, 2, fill))
        check(clary.pad(clary.array(a), ((1, 0),) * a.ndim, fill, value=3), np.pad(a, ((1, 0),) * a.ndim, fill, value=3))


def test_parts_fuse(tier):
    """A split, a shift or a difference is views: what follows is computed with it, in one kernel."""
    x = clary.eval(clary.arange(4096.0).reshape(64, 64))
    total, counts = counted(lambda: clary.diff(clary.hsplit(x, 2)[1], axis=1).sum())
    assert counts.launches == 1
    assert float(total) == float(np.diff(host(x)[:, 32:], axis=1).sum())
