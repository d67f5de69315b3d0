"""Distinct elements and set operations against NumPy, with its rules for NaN."""
import numpy as np
import pytest
from support import check, compare_calls, host, rng

import clary

NAMES = ["bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
ALL = "return_index=True,return_inverse=True,return_counts=True"


def arrays(name):
    g = rng("sets", name)

    def make(*shape):
        kind = np.dtype(name).kind
        if kind == "c":
            a = (g.integers(-2, 2, shape) + 1j * g.integers(-1, 2, shape)).astype(name)
        else:
            a = (g.integers(0, 7, shape) if kind in "biu" else g.integers(-4, 5, shape) / 2).astype(name)
        if kind in "fc" and a.ndim:
            a.reshape(-1)[::5] = np.nan
        return a

    return {"a": make(23), "b": make(14), "m": make(9, 2), "t": make(3, 4, 2), "s": make(), "e": make(0), "f": make(0, 3),
            "g": make(3, 0), "ints": g.integers(0, 7, 9), "floats": g.integers(-4, 5, 9).astype("float32") / 2}


def calls(name):
    for x in "abmtse":
        for keywords in ("", "return_index=True", "return_inverse=True", "return_counts=True", ALL, "equal_nan=False"):
            yield f"xp.unique({x},{keywords})"
        yield f"xp.sort(xp.unique_values({x}))"  # in no order in the newest NumPy
        yield f"xp.unique_counts({x})"
    if np.dtype(name).kind in "biu":
        for x in "atmfg":
            yield f"tuple(xp.unique_all({x}))"
            yield f"tuple(xp.unique_inverse({x}))"
            for axis in (0, 1, -1, 2):
                yield f"xp.unique({x},axis={axis})"
                yield f"xp.unique({x},{ALL},axis={axis})"
    for pair in ("a,b", "m,a", "t,a", "a,e", "e,a", "s,a", "a,s", "a,ints", "floats,b"):
        yield f"xp.isin({pair})"
        yield f"xp.isin({pair},invert=True)"
        yield f"xp.union1d({pair})"
        yield f"xp.intersect1d({pair})"
        yield f"xp.intersect1d({pair},return_indices=True)"
        yield f"xp.setdiff1d({pair})"
        yield f"xp.setxor1d({pair})"
    for kind in ("table", "sort", "none"):
        yield f"xp.isin(a,b,kind='{kind}')"
    yield "xp.in1d(m,a)"


@pytest.mark.parametrize("name", NAMES)
def test_against_numpy(tier, name):
    if tier.compiled and not tier.long and name != "float16":
        return
    compare_calls(tier.sample(calls(name), 30), arrays(name))


def test_distinct_nans(tier):
    if tier.compiled and not tier.long:
        return  # many kernels; the table above has compiled some of each kind
    x = clary.array([1.0, np.nan, 0, np.nan, 1])
    values, indices, inverse, counts = clary.unique_all(x)
    check(values, np.array([0.0, 1, np.nan, np.nan]))
    check(counts, np.array([1, 2, 1, 1]))
    np.testing.assert_array_equal(host(values)[host(inverse)], host(x))
    np.testing.assert_array_equal(host(x)[host(indices)], host(values))
    check(clary.unique(clary.array([0, 1, np.nan, np.nan], "float16")), np.array([0, 1, np.nan], "float16"))
    z = clary.array([complex(np.nan, 1), 1, complex(1, np.nan), 1])
    check(clary.unique(z, return_counts=True)[1], np.array([2, 2]))
    rows = np.array([[1, np.nan], [1, np.nan], [0, 2]])
    check(clary.unique(clary.array(rows), axis=0), np.unique(rows, axis=0))
    check(clary.isin(np.nan, [np.nan]), np.bool_(False))


def test_membership_is_exact_in_64_bits(tier):
    if tier.compiled and not tier.long:
        return  # many kernels; the table above has compiled some of each kind
    x = 701389446541966656
    signed, unsigned = clary.array([x - 1, x, x + 1, -1]), clary.array([x, 2**64 - 1], "uint64")
    check(clary.isin(clary.array([x - 1, x, x + 1], "uint64"), clary.array([x])), np.array([False, True, False]))
    check(clary.isin(signed, unsigned), np.array([False, True, False, False]))
    check(clary.isin(unsigned, signed), np.array([True, False]))
    check(clary.isin(unsigned, [-1, x]), np.array([True, False]))


def test_assume_unique_keeps_order(tier):
    if tier.compiled and not tier.long:
        return  # many kernels; the table above has compiled some of each kind
    a, b = [3, 1, 2, 5], [2, 3]
    for function in ("setdiff1d", "setxor1d", "intersect1d"):
        expected = getattr(np, function)(a, b, assume_unique=True)
        check(getattr(clary, function)(clary.array(a), clary.array(b), assume_unique=True), expected)
    for ours, theirs in zip(clary.intersect1d(a, b, True, True), np.intersect1d(a, b, True, True)):
        check(ours, theirs)


def test_slices_of_many_elements(tier):
    """Each is a key of lexsort."""
    a = rng("slices").integers(0, 2, (5, 200)).astype("int8")
    a[3] = a[1]
    check(clary.unique(clary.asarray(a), axis=0), np.unique(a, axis=0))


def test_long(tier):
    a = rng("long").integers(0, 500, 70001)
    for ours, theirs in zip(clary.unique(clary.array(a), True, True, True), np.unique(a, True, True, True)):
        check(ours, theirs)
