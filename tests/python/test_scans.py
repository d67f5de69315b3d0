"""Cumulative sums, products, maxima and minima."""
import numpy as np
import pytest
from support import NUMPY_NAMES, check, host, rng, same_bits, sample

import clary


@pytest.mark.parametrize("name", NUMPY_NAMES)
def test_against_numpy(tier, name):
    if tier.compiled and not tier.long and NUMPY_NAMES.index(name) % 3:
        return
    a = sample(name, 60, domain="SMALL").reshape(3, 20)
    if a.dtype.kind in "fc":
        a = a.round(1)
    x = clary.array(a)
    rtol = {"float16": 2e-2, "float32": 1e-5, "complex64": 1e-5}.get(name, 1e-11)
    for axis in (0, 1, None):
        for function in ("cumsum", "cumprod"):
            with np.errstate(all="ignore"):
                if name == "float16":  # ours accumulates in float32
                    expected = getattr(np, function)(a.astype("float32"), axis=axis).astype(name)
                else:
                    expected = getattr(np, function)(a, axis=axis)
            if expected.dtype.kind in "fc":
                check(getattr(clary, function)(x, axis), expected, rtol=rtol, atol=rtol * 10)
            else:
                check(getattr(clary, function)(x, axis), expected)
    if a.dtype.kind != "c":
        check(clary.maximum.accumulate(x, axis=1), np.maximum.accumulate(a, axis=1))
        check(clary.minimum.accumulate(x, axis=0), np.minimum.accumulate(a, axis=0))


@pytest.mark.parametrize("n", [1, 15, 16, 17, 31, 32, 33, 255, 256, 257, 4095, 4096, 4097, 65537])
def test_lengths(tier, n):
    if tier.compiled and not tier.long and n not in (17, 256, 4097, 65537):
        return
    check(clary.cumsum(clary.arange(n)), np.cumsum(np.arange(n)))
    values = rng("scan", n).normal(size=n)
    check(clary.cumsum(clary.array(values)), np.cumsum(values), rtol=1e-10, atol=1e-9)
    check(clary.maximum.accumulate(clary.array(values)), np.maximum.accumulate(values))
    with clary.device("reference"):
        expected = host(clary.cumsum(clary.array(values)))
    assert same_bits(host(clary.cumsum(clary.array(values))), expected)
    assert same_bits(host(clary.cumsum(clary.array(values[::-1].copy())[::-1])), expected)


def test_arguments(tier):
    a = np.arange(6).reshape(2, 3)
    x = clary.array(a)
    check(x.cumsum(), a.cumsum())
    check(x.cumprod(axis=1), a.cumprod(axis=1))
    check(clary.cumsum(x, axis=0, dtype="float32"), np.cumsum(a, axis=0, dtype="float32"))
    check(clary.cumsum(clary.array([100, 100], dtype="int8"), dtype="int8"), np.cumsum(np.int8([100, 100]), dtype="int8"))
    out = clary.zeros((2, 3), dtype=int)
    assert clary.cumsum(x, axis=1, out=out) is out
    check(out, a.cumsum(1))
    check(clary.cumulative_sum(x, axis=1, include_initial=True), np.cumulative_sum(a, axis=1, include_initial=True))
    check(clary.cumulative_prod(x, axis=0, include_initial=True), np.cumulative_prod(a, axis=0, include_initial=True))
    check(clary.cumulative_sum(clary.arange(3)), np.cumulative_sum(np.arange(3)))
    check(clary.cumsum(clary.zeros((0, 3)), axis=0), np.zeros((0, 3)))
    check(clary.cumsum(clary.array(5)), np.cumsum(np.array(5)))
    check(clary.cumsum(x[:, ::-1].T, axis=0), np.cumsum(a[:, ::-1].T, axis=0))
    check(clary.cumsum(x * 2 + 1, axis=1), np.cumsum(a * 2 + 1, axis=1))
    with pytest.raises(ValueError):
        clary.cumulative_sum(x)
    with pytest.raises(clary.AxisError):
        clary.cumsum(x, axis=2)
