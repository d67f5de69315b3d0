"""More errors found in other array libraries: sorting, indexing, statistics, text, life.

As test_pitfalls.py: each a small input with its right answer, on every tier, step by step and as one expression.
"""
import gc

import numpy as np
import pytest
from support import check, rng
from test_pitfalls import run, views  # noqa: F401  (run is a fixture)

import clary

NAN, INF = np.nan, np.inf


def test_BL_032(tier, run):  # noqa: F811
    for table in views([-0.4, -0.3], "float32"):
        for side in ("left", "right"):
            check(run(clary.searchsorted(table, run(clary.asarray([NAN], dtype="float32")), side=side)), [2])


def test_BL_034(tier, run):  # noqa: F811
    for a in views([0, 1, NAN, NAN], "float16"):
        check(run(clary.unique(a)), np.float16([0, 1, NAN]))


def test_BL_036(tier, run):  # noqa: F811
    host = rng(36).random((3, 50, 1))
    check(run(clary.sort(clary.asarray(host), axis=-2)), np.sort(host, axis=-2))
    check(run(clary.sort(clary.asarray(host.T.copy()).T, axis=-2)), np.sort(host, axis=-2))


def test_BL_038(tier, run):  # noqa: F811
    for table in views([1, 2, 2, 2, 3, 5, 5], "int32"):
        check(run(clary.searchsorted(table, [2, 5])), [1, 5])
        check(run(clary.searchsorted(table, [2, 5], side="right")), [4, 7])


def test_BL_062(tier, run):  # noqa: F811
    x = 701389446541966656
    a = clary.asarray(np.array([x - 1, x, x + 1], "uint64"))
    check(run(clary.isin(a, clary.asarray(np.array([x], "int64")))), [False, True, False])


def test_BL_086(tier):
    check(clary.stack(clary.unravel_index(2**31 + 5, (65536, 65536))), [32768, 5])


def test_BL_092(tier, run):  # noqa: F811
    host = rng(92).random(4096 if not tier.compiled else 257)
    x = clary.asarray(host)
    x[...] = run(clary.convolve(x, [0.25, 0.5, 0.25], mode="same"))
    check(x, np.convolve(host, [0.25, 0.5, 0.25], mode="same"), rtol=1e-14)


def test_BL_094_to_098(tier, run):  # noqa: F811
    a = clary.ones(())
    assert run(a[run(a != 0)]).shape == (1,) and run(a[run(a == 0)]).shape == (0,)
    z = clary.zeros(0)
    with pytest.raises(IndexError):
        z[[6, 5, 1]] = 1
    assert float(run(clary.ones(3)).sum()) == 3
    for place in (clary.zeros(3), clary.zeros(6)[::2], clary.zeros(3)[::-1][::-1]):
        clary.add.at(place, [0, 0, 1], 1)
        check(run(place), [2.0, 1, 0])
    n = 1000000 if not tier.compiled else 10007
    one = clary.zeros(1, dtype="int64")
    clary.add.at(one, clary.zeros(n, dtype="int32"), 1)
    check(run(one), [n])


def test_BL_120(tier):
    """Positions past 2^31 of a view that is not stored: only its corners are read."""
    wide = clary.broadcast_to(clary.arange(1000, dtype="int32")[:, None], (1000, 5000000))
    picked = wide[:, clary.asarray([4999999, 0, 4399999])]
    check(picked[-2:], [[998] * 3, [999] * 3], dtype=False)


def test_BL_150_to_158(tier, run):  # noqa: F811
    for a in views([-INF, -INF, 3, 4], "float64"):
        assert float(run(clary.quantile(a, 0))) == -INF == float(run(clary.quantile(a, 0.0)))
    for a in views([1, 2, 2, 3, 3, 4, 4], "int64"):
        check(run(clary.histogram(a, bins=[1, 2, 3, 4])[0]), [1, 2, 4])
    check(run(clary.histogram(clary.arange(100), 100, range=(0, 100))[0]), np.ones(100, int))
    for a in views([1, 2, 1, 3, 4], "float32"):
        counts, edges = clary.histogram(a, 3)
        check(run(counts), [2, 1, 2])
        check(edges, [1.0, 2, 3, 4], dtype=False)
    with pytest.raises(ValueError):
        clary.bincount([0, -1])
    check(run(clary.bincount([], minlength=3)), [0, 0, 0])
    for a in views([1, 1, 5], "uint8"):
        check(run(clary.bincount(a)), [0, 2, 0, 0, 0, 1])


# BL-104, BL-160 to BL-178: test_products.py and test_linalg.py; BL-180 to BL-190: test_fft.py.


def test_BL_208_to_212(tier, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("0.5679e2,3000e-3,12.34e0,0.07e1,\n")
    check(clary.genfromtxt(path, delimiter=","), [56.79, 3, 12.34, 0.7, NAN])
    path.write_text('1,2\nabc"",4\n5,6\n')
    check(clary.genfromtxt(path, delimiter=","), [[1, 2], [NAN, 4], [5, 6]], dtype=False)
    path.write_text("# a\n# b\n0 1\n\n2 3\n\n\n")
    check(clary.loadtxt(path), [[0.0, 1], [2, 3]])


def test_BL_220(tier, run):  # noqa: F811
    n = 41000 if not tier.compiled else 4099
    v = clary.ones(n, dtype="int32")
    total, starts = run(clary.cumsum(v)), clary.arange(0, n, 1000)
    sums = run(clary.add.reduceat(v, clary.asnumpy(starts)))
    assert int(sums.sum()) == n == int(total[-1])
    check(v, np.ones(n, "int32"))


def test_BL_228(tier):
    x = clary.arange(1000.0) + 1
    consumer = np.from_dlpack(x) if x.__dlpack_device__() == (1, 0) else clary.asnumpy(x)
    del x
    gc.collect()
    clary.eval(*(clary.full(1000, -1.0) + k for k in range(4)))
    np.testing.assert_array_equal(consumer, np.arange(1000.0) + 1)
    producer = np.arange(7.0)
    y = clary.from_dlpack(producer)
    del producer
    gc.collect()
    check(y * 2, np.arange(7.0) * 2)
