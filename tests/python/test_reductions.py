"""Reductions over any axes, and the exactness of sums."""
import itertools
import math
import warnings

import numpy as np
import pytest
from support import KIND, NUMPY_NAMES, check, host, rng, same_bits, sample

import clary

SHAPE = (3, 5, 7)
AXES = [None, 0, 1, -1, (0, 1), (0, 2), (1, 2), (0, 1, 2), ()]
PLAIN = ["sum", "prod", "max", "min", "any", "all", "mean", "ptp", "argmax", "argmin", "count_nonzero"]
NAN = ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanargmax", "nanargmin"]


def data(name, finite=True):
    a = sample(name, math.prod(SHAPE), domain="SMALL").reshape(SHAPE)
    return np.clip(a, -2, 2) if KIND[name] in "iuf" and name != "uint64" else a


def tolerance(name):
    return {"float16": 2e-3, "float32": 2e-6, "complex64": 4e-6}.get(name, 1e-13)


def compare(ours, theirs, name):
    theirs = np.asarray(theirs)
    if theirs.dtype.kind in "fc":
        check(ours, theirs, rtol=tolerance(theirs.dtype.name) * 4, atol=tolerance(theirs.dtype.name))
    else:
        check(ours, theirs)


@pytest.mark.parametrize("function", PLAIN)
@pytest.mark.parametrize("name", NUMPY_NAMES)
def test_against_numpy(tier, function, name):
    if tier.compiled and not tier.long and (NUMPY_NAMES.index(name) + PLAIN.index(function)) % 5:
        return
    a = data(name)
    x = clary.array(a)
    axes = AXES if function not in ("argmax", "argmin") else [None, 0, 1, 2, -1]
    for axis in tier.sample(axes, 3):
        for keepdims in (False, True):
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    expected = getattr(np, function)(a, axis=axis, keepdims=keepdims)
                except TypeError:
                    with pytest.raises(TypeError):
                        getattr(clary, function)(x, axis=axis, keepdims=keepdims)
                    continue
            compare(getattr(clary, function)(x, axis=axis, keepdims=keepdims), expected, name)


@pytest.mark.parametrize("function", NAN)
def test_nan_variants(tier, function):
    for name in tier.sample(["float32", "float64", "float16", "int32"], 2):
        a = data(name).copy()
        if KIND[name] == "f":
            a[:, 1] = np.nan
            a[0, 2, 3] = np.nan
        x = clary.array(a)
        for axis in (None, 0, 2) if function != "nanprod" else (None, 0):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = getattr(np, function)(a, axis=axis)
                except ValueError:  # an all-NaN slice of an arg function
                    with pytest.raises(ValueError):
                        host(getattr(clary, function)(x, axis=axis))
                    continue
            compare(getattr(clary, function)(x, axis=axis), expected, name)


@pytest.mark.parametrize("function", ["var", "std", "nanvar", "nanstd"])
def test_moments(tier, function):
    for name in tier.sample(["float64", "float32", "int16", "complex64", "bool", "float16"], 2):
        a = data(name)
        x = clary.array(a)
        for axis, ddof in itertools.product((None, 0, 2, (0, 1)), (0, 1)):
            if KIND[name] == "c" and function.startswith("nan"):
                continue
            expected = getattr(np, function)(a, axis=axis, ddof=ddof)
            compare(getattr(clary, function)(x, axis=axis, ddof=ddof), expected, name)
        compare(getattr(clary, function)(x, correction=1, keepdims=True),
                getattr(np, function)(a, ddof=1, keepdims=True), name)


def test_methods_and_arguments(tier):
    a = np.arange(24.0).reshape(4, 6) % 7
    x = clary.array(a)
    for name in ("sum", "prod", "min", "max", "mean", "var", "std", "ptp"):
        compare(getattr(x, name)(axis=1), getattr(np, name)(a, axis=1), "float64")
    check(x.argmax(1), a.argmax(1))
    check(x.argmin(), a.argmin())
    check(x.any(0), a.any(0))
    check(x.all(1, keepdims=True), a.all(1, keepdims=True))
    check(clary.sum(clary.array([200, 100], dtype="uint8")), np.uint64(300))
    check(clary.sum(clary.array([200, 100], dtype="uint8"), dtype="uint8"), np.uint8(44))
    check(clary.sum(x, dtype="float32"), np.sum(a, dtype="float32"))
    check(clary.mean(clary.arange(5, dtype="int8"), dtype="float32"), np.float32(2))
    check(clary.sum(x, initial=10), np.sum(a, initial=10))
    check(clary.max(x, initial=100), np.max(a, initial=100))
    check(clary.sum(x, where=x > 2), np.sum(a, where=a > 2))
    check(clary.max(x, where=x < 3, initial=-1), np.max(a, where=a < 3, initial=-1))
    check(clary.mean(x, where=x > 2), np.mean(a, where=a > 2))
    check(clary.mean(x, axis=0, where=x > 2), np.mean(a, axis=0, where=a > 2))
    out = clary.zeros(6)
    assert clary.sum(x, axis=0, out=out) is out
    check(out, a.sum(0))
    check(clary.sum([[1, 2], [3, 4]], axis=0), [4, 6])
    assert clary.amax is clary.max


def test_logsumexp(tier):
    a = np.array([[1000.0, 1000.0], [-1e9, 3.0]])
    check(clary.logsumexp(clary.array(a), axis=1), [1000 + np.log(2), 3.0], rtol=1e-14)
    check(clary.logsumexp(clary.array(a)), 1000 + np.log(2), rtol=1e-14)


def test_empty(tier):
    x = clary.zeros((2, 0, 4))
    check(x.sum(1), np.zeros((2, 4)))
    check(x.prod(), 1.0)
    check(x.any(1), np.zeros((2, 4), bool))
    check(x.all(), True)
    with np.errstate(all="ignore"):
        check(x.mean(axis=1), np.full((2, 4), np.nan))
    check(clary.max(x, axis=0), np.zeros((0, 4)))
    check(clary.max(x, initial=3), np.float64(3))
    for function in (clary.max, clary.min, clary.argmax, clary.argmin):
        with pytest.raises(ValueError, match=r"(?i)identity|empty"):
            function(x)
        with pytest.raises(ValueError):
            function(x, axis=1)


def test_axes_errors(tier):
    x = clary.zeros((2, 3))
    for axis in (2, -3, (0, 5)):
        with pytest.raises(np.exceptions.AxisError):
            clary.sum(x, axis=axis)
        with pytest.raises(clary.AxisError):
            clary.sum(x, axis=axis)
    with pytest.raises(ValueError):
        clary.sum(x, axis=(0, 0))
    with pytest.raises((TypeError, AttributeError)):
        clary.sum(x, axis="x")


LENGTHS = [1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 16383, 16384, 16385, 32768, 40961]


@pytest.mark.parametrize("name", ["float32", "float64", "float16"])
def test_sums_have_one_order(tier, name):
    """The bits of a sum depend on its length alone: not on device, tier, layout or axis."""
    for n in tier.sample(LENGTHS, 3):
        values = rng("order", n, name).normal(size=n).astype(name)
        with clary.device("reference"):
            expected = host(clary.array(values).sum())
        x = clary.array(values)
        assert same_bits(host(x.sum()), expected), n
        spread = np.zeros(3 * n, name)
        spread[1::3] = values
        assert same_bits(host(clary.array(spread)[1::3].sum()), expected), n
        assert same_bits(host(clary.array(values[::-1].copy())[::-1].sum()), expected), n
        columns = clary.array(np.stack([values, values], 1))
        assert same_bits(host(columns.sum(0)), np.stack([expected, expected])), n
        assert same_bits(host(columns.T.sum(1)), np.stack([expected, expected])), n
        assert same_bits(host((x * 1).sum()), expected), n  # fused
        exact = math.fsum(values.astype(float))
        assert abs(float(expected) - exact) <= 1e-3 * n**0.5 if name == "float16" else True


def test_products_and_extremes_of_long_arrays(tier):
    for n in tier.sample([17000, 33000, 100003], 3):
        values = rng("long", n).normal(size=n)
        x = clary.array(values)
        check(x.max(), values.max())
        check(x.min(), values.min())
        check(x.argmax(), values.argmax())
        check((x > 4).any(), (values > 4).any())
        check(clary.count_nonzero(x > 0), np.count_nonzero(values > 0))
        check(x.mean(), values.mean(), rtol=1e-12, atol=1e-15)
        check(clary.arange(n).sum(), np.arange(n).sum())


def test_norms(tier):
    a = rng("norms").normal(size=(4, 5))
    x = clary.array(a)
    for kwargs in ({}, {"axis": 1}, {"axis": 0, "keepdims": True}, {"axis": 1, "ord": 1}, {"axis": 1, "ord": np.inf},
                   {"axis": 1, "ord": -np.inf}, {"axis": 1, "ord": 0}, {"axis": 1, "ord": 3}, {"ord": "fro"}, {"ord": 1},
                   {"ord": np.inf}, {"ord": -1}, {"axis": (1, 0)}, {"axis": (0, 1), "ord": 1, "keepdims": True}):
        check(clary.linalg.norm(x, **kwargs), np.linalg.norm(a, **kwargs), rtol=1e-13)
    check(clary.linalg.vector_norm(x), np.linalg.vector_norm(a), rtol=1e-13)
    check(clary.linalg.vector_norm(x, axis=(0, 1), ord=1), np.linalg.vector_norm(a, axis=(0, 1), ord=1), rtol=1e-13)
    check(clary.linalg.norm(clary.arange(4)), np.linalg.norm(np.arange(4)))


KEYWORDS = {
    ("sum", "prod", "nansum", "nanprod"): [
        "axis=(0,2)", "axis=-1,keepdims=True", "dtype='float32'", "dtype='int16'", "dtype=bool", "where=w", "where=w[0]",
        "axis=1,where=w", "where=w[0,0].tolist()", "where=False", "initial=3", "initial=2.5", "axis=1,initial=2,where=w",
        "initial=2j", "axis=(0,-1),where=w,keepdims=True,dtype='float64'"],
    ("mean", "nanmean"): [
        "axis=(0,2)", "axis=()", "dtype='float64'", "dtype='int32'", "where=w", "axis=1,where=w[:1],keepdims=True",
        "where=False", "where=w,dtype='int32'"],
    ("max", "min", "nanmax", "nanmin"): [
        "axis=(0,2)", "axis=()", "keepdims=True", "initial=1", "initial=0.5", "where=w", "axis=1,where=w,initial=2",
        "where=False,initial=1"],
    ("any", "all"): ["axis=(0,2)", "axis=()", "where=w", "axis=1,where=w,keepdims=True"],
    ("var", "std", "nanvar", "nanstd"): [
        "axis=(0,2)", "ddof=1,axis=-1,keepdims=True", "axis=1,where=w", "where=w,correction=1", "where=w[0],ddof=1",
        "where=False", "ddof=1.5", "ddof=100", "ddof=1,correction=1", "axis=1,mean=a.mean(axis=1,keepdims=True)",
        "axis=0,where=w,mean=a.mean(axis=0,keepdims=True,where=w)", "axis=1,dtype='complex64'", "dtype='int32'"],
    ("cumsum", "cumprod", "nancumsum", "nancumprod"): [
        "axis=0", "", "axis=-1,dtype='float32'", "dtype='int8'", "axis=3", "axis=(0,1)"],
    ("cumulative_sum", "cumulative_prod"): ["axis=0", "axis=-1,include_initial=True", ""],
    ("argmax", "argmin", "nanargmax", "nanargmin"): ["axis=0", "keepdims=True", "axis=5", "axis=(0,1)"],
    ("count_nonzero", "ptp"): ["axis=0", "axis=(0,1),keepdims=True", "axis=()", "keepdims=True"],
}


@pytest.mark.parametrize("name", ["bool", "int8", "uint64", "float32", "float64", "complex128"])
def test_every_keyword(tier, name):
    if tier.compiled and not tier.long and name not in ("int8", "complex128"):
        return
    a = data(name)
    w = rng("where").random(SHAPE) < 0.6
    x, v = clary.array(a), clary.array(w)
    calls = [(f, k) for functions, keywords in KEYWORDS.items() for f in functions for k in keywords]
    for function, keywords in tier.sample(calls, 40):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                expected = eval(f"np.{function}(a, {keywords})", {"np": np, "a": a, "w": w})
            except (TypeError, ValueError, OverflowError):
                if function.endswith("std") and "dtype" in keywords:
                    continue  # NumPy has an integer root of a scalar only
                with pytest.raises((TypeError, ValueError)):
                    host(eval(f"clary.{function}(a, {keywords})", {"clary": clary, "a": x, "w": v}))
                continue
        result = eval(f"clary.{function}(a, {keywords})", {"clary": clary, "a": x, "w": v})
        try:
            compare(result, expected, name)
        except AssertionError as error:
            raise AssertionError(f"{function}({name}, {keywords})") from error


def test_out(tier):
    a = np.arange(6).reshape(2, 3)
    x = clary.array(a)
    for function in tier.sample(("sum", "prod", "max", "mean", "any", "nanmax", "var", "nanvar", "argmax"), 8):
        for dtype in ("int64", "int32") if function == "argmax" else ("float64", "float32", "int64", "int8"):
            out = clary.zeros(3, dtype)
            expected = getattr(np, function)(a, axis=0, out=np.zeros(3, dtype))
            assert getattr(clary, function)(x, axis=0, out=out) is out
            check(out, expected)
        for shape in ((1, 3), (4,), ()):
            with pytest.raises(ValueError, match="out has shape"):
                getattr(clary, function)(x, axis=0, out=clary.zeros(shape, "int64"))
    check(clary.sum(clary.array([1e8] + [1] * 4, "float32"), out=clary.zeros((), "float64")), 1e8 + 4)
    with pytest.raises(TypeError):
        clary.argmax(x, axis=0, out=clary.zeros(3))
    with pytest.raises(TypeError):
        clary.nanmean(x * 1.0, axis=0, out=clary.zeros(3, "int64"))


def test_scalars_and_axes(tier):
    check(clary.sum(3, axis=0), np.int64(3))
    check(clary.cumsum(3.0, axis=0), np.array([3.0]))
    check(clary.argmax(clary.array(7), axis=-1), np.int64(0))
    for axis in ("x", 1.0, [0]):
        with pytest.raises(TypeError):
            clary.sum(clary.zeros((2, 2)), axis=axis)
    with pytest.raises(np.exceptions.AxisError):
        clary.sum(3, axis=(0,))
    with pytest.raises(ValueError, match="empty"):
        host(clary.nanargmin(clary.zeros((0, 50))))
    x = clary.array([[np.nan, 1, 2], [np.nan] * 3])
    check(clary.nanvar(x, axis=1, ddof=2), np.array([np.nan, np.nan]))
    check(x.var(axis=1, where=clary.array([False, True, True])), np.array([0.25, np.nan]))
    check(clary.mean(clary.full(20000, 8, dtype="float16")), np.float16(8))
    check(clary.std(clary.full(20000, 8, dtype="float16")), np.float16(0))
