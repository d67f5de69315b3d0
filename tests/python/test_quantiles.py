"""Medians, quantiles and partitions against NumPy: every method, axes, NaNs, weights."""
import numpy as np
import pytest
from support import check, compare_calls, host, rng

import clary

NAMES = ["bool", "int8", "uint64", "float16", "float32", "float64", "complex64"]
METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
           "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest", "none"]


def arrays(name):
    g, kind = rng("quantiles", name), np.dtype(name).kind

    def make(*shape):
        if kind == "c":
            return (g.integers(-2, 2, shape) + 1j * g.integers(-1, 2, shape)).astype(name)
        return (g.integers(0, 17, shape) if kind in "biu" else g.integers(-8, 9, shape) / 2).astype(name)

    found = {"a": make(23), "b": make(14), "t": make(3, 4, 5), "s": make(), "o": make(1), "e": make(0), "f": make(0, 3)}
    missing = found["t"].copy()
    if kind in "fc":
        missing.reshape(-1)[::6] = np.nan
        missing[-1] = np.nan
    return {**found, "n": missing, "w": np.arange(4.0), "w_a": g.random(23)}


def calls():
    axes = ["", "axis=0", "axis=-1,keepdims=True", "axis=(0,1)", "axis=(1,0),keepdims=True", "axis=5", "keepdims=True"]
    for function in ("median", "nanmedian"):
        yield from (f"xp.{function}({x},{k})" for x in "abtsoefn" for k in axes)
    for function in ("quantile", "nanquantile"):
        for x in "abtn":
            for method in METHODS:
                yield f"xp.{function}({x},0.3,method='{method}')"
                yield f"xp.{function}({x},[0.1,0.5,0.77,1.0],axis=-1,method='{method}')"
            yield from (f"xp.{function}({x},0.3,{k})" for k in axes)
            yield from (f"xp.{function}({x},{q})" for q in ("0", "1", "[0,1]", "[[.1,.2],[.3,.4]]", "[]", "True", "[[[.5]]]"))
        yield from (f"xp.{function}({x},[.25,.5])" for x in "so")
    yield from (f"xp.quantile(t*1.0,{q})" for q in ("1.5", "-.1", "np.nan", "[.5,2]"))
    yield from (f"xp.quantile({x},.5)" for x in "ef")
    yield from (f"xp.{f}({x},{q})" for f in ("percentile", "nanpercentile") for x in "atn" for q in ("30", "[25,50.5]"))
    for q in (".35", "[0,.25,1.0]"):
        for keywords in ("weights=w,axis=1", "weights=w_a[:12].reshape(3,4),axis=1", "weights=-w,axis=1", "weights=w"):
            yield f"xp.quantile(t,{q},{keywords},method='inverted_cdf')"
        yield f"xp.quantile(a,{q},weights=w_a,method='inverted_cdf')"
        yield f"xp.nanquantile(n,{q},weights=n==n,method='inverted_cdf')"
        yield f"xp.quantile(t,{q},weights=w,axis=1)"
    for k in ("0", "-1", "[0,1]", "99", "1.5", "[[0]]"):
        yield f"xp.sort(xp.partition(t,{k}))"
    yield from ("xp.partition(t,0,axis=9)", "xp.partition(t,0,kind='none')", "xp.partition(t,0,axis=None)[0]",
                "xp.take_along_axis(t,xp.argpartition(t,2,axis=1),axis=1)[:,2]", "xp.argpartition(a,23)",
                "xp.sort_complex(a)", "xp.sort_complex(t)")


@pytest.mark.parametrize("name", NAMES)
def test_against_numpy(tier, name):
    if tier.compiled and not tier.long and name != "float32":
        return
    compare_calls(tier.sample(calls(), 80), arrays(name))


def test_results_lie_in_c_order(tier):
    x = clary.ones((2, 3, 4))
    for result in (clary.quantile(x, [0.1, 0.5], axis=1), clary.quantile(x, 0.1, axis=0), clary.percentile(x, [50], axis=-1)):
        assert result.flags.c_contiguous


def test_infinities(tier):
    if tier.compiled and not tier.long:
        return  # many kernels; the table above has compiled some of each kind
    x = clary.array([-np.inf, -np.inf, 3, 4])
    for q in (0, 0.0, 0.2):
        check(clary.quantile(x, q), np.float64(-np.inf))
    check(clary.quantile(clary.array([1, 2, np.inf, np.inf]), [0.4, 1.0]), np.array([np.inf, np.inf]))
    check(clary.median(clary.array([np.inf, np.inf])), np.float64(np.inf))


def test_weights_of_several_axes(tier):
    if tier.compiled and not tier.long:
        return  # many kernels; the table above has compiled some of each kind
    g = rng("weights")
    a, w = g.integers(0, 17, (3, 4, 5)), g.random((3, 4))
    expected = [np.quantile(a[:, :, i].ravel(), 0.35, weights=w.ravel(), method="inverted_cdf") for i in range(5)]
    check(clary.quantile(clary.array(a), 0.35, axis=(0, 1), weights=w, method="inverted_cdf"), np.array(expected))


def test_positions_are_computed_in_double_precision(tier):
    if tier.compiled and not tier.long:
        return  # many kernels; the table above has compiled some of each kind
    a = np.arange(5000) % 2048
    check(clary.quantile(clary.array(a, "float16"), 0.999), np.float16(np.quantile(a, 0.999)))
    check(clary.quantile(clary.array(a, "bfloat16"), 0.25, method="lower"), np.float32(416), dtype=False)


def test_out_and_top_k(tier):
    if tier.compiled and not tier.long:
        return  # many kernels; the table above has compiled some of each kind
    a = rng("top").permutation(40).reshape(4, 10) * 1.0
    x, out = clary.array(a), clary.zeros(4)
    assert clary.median(x, axis=1, out=out) is out
    check(out, np.median(a, axis=1))
    assert clary.quantile(x, 0.3, axis=1, out=out) is out
    check(out, np.quantile(a, 0.3, axis=1))
    with pytest.raises(ValueError, match="out has shape"):
        clary.median(x, axis=0, out=out)
    values, indices = clary.top_k(x, 3)
    check(values, -np.sort(-a, axis=1)[:, :3])
    check(clary.take_along_axis(x, indices, -1), host(values))
    check(clary.top_k(x, 2, axis=0, largest=False)[0], np.sort(a, axis=0)[:2])
    check(clary.top_k([7, 7, 1], 2)[1], np.array([0, 1]))
    with pytest.raises(ValueError):
        clary.top_k(x, 11)
