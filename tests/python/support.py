"""What the tests share: dtypes, operands in every layout, and comparison by bits, values and ULPs."""
import gc
import warnings

import numpy as np

import clary

NAMES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
         "float32", "float64", "complex64", "complex128"]
NUMPY_NAMES = [n for n in NAMES if n != "bfloat16"]
KIND = {n: ("f" if n == "bfloat16" else np.dtype(n).kind) for n in NAMES}
LAYOUTS = ["contiguous", "strided", "reversed", "transposed", "broadcast", "offset", "0-d", "empty"]


def rng(*seed):
    """A generator that depends on the words and numbers given alone."""
    return np.random.default_rng(list(repr(seed).encode()))


def sample(name, count, seed=0, domain="ANY"):
    """`count` elements of a dtype (bfloat16: as float32) from the domain of an operation."""
    g = rng(name, seed, domain)
    kind = KIND[name]
    if kind == "b":
        return g.integers(0, 2, count).astype(bool)
    if kind in "iu":
        info = np.iinfo(name)
        if domain == "SHIFT":
            out = g.integers(0, info.bits - 1 if info.bits < 32 else 31, count)
        elif domain == "SMALL":
            out = g.integers(0, 3 if info.bits == 8 else 6, count)
        else:
            out = g.integers(info.min, info.max, count, dtype=name, endpoint=True)
            near = g.integers(max(info.min, -9), 9, count)
            out = np.where(g.random(count) < 0.5, out, near.astype(name))
        out = out.astype(name)
        if domain == "NONZERO_Y":
            out[out == 0] = 1
        return out
    if kind == "c":
        real = np.float32 if name == "complex64" else np.float64
        parts = [sample(np.dtype(real).name, count, seed + 17 * i, domain) for i in (1, 2)]
        parts = [np.where(np.isfinite(p), p, real(1.5)) for p in parts]
        return (parts[0] + 1j * parts[1]).astype(name)
    low, high = {"UNIT": (-1, 1), "POSITIVE": (1e-3, 50), "GT1": (1, 40), "GTM1": (-0.99, 40), "SMALL": (-5, 5),
                 "SHIFT": (-10, 10), "NONZERO_Y": (-40, 40), "ANGLE": (-30, 30), "PROB": (0, 1)}.get(domain, (-60, 60))
    out = g.uniform(low, high, count).astype(np.float32 if name == "bfloat16" else name)
    if domain == "ANY" and count > 8:
        out[:8] = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5]
    if name == "bfloat16":
        out = (out.view(np.uint32) & 0xFFFF0000).view(np.float32)
    return out


def make(host, name):
    """A Clary array of a dtype from NumPy's elements."""
    return clary.asarray(host, dtype=clary.bfloat16 if name == "bfloat16" else name)


def lay_out(host, layout, name):
    """(Clary array, NumPy array) of equal elements in the layout asked for, from 1-D elements."""
    a = make(host, name)
    both = a, host
    if layout == "strided":
        both = a[1::3], host[1::3]
    elif layout == "reversed":
        both = a[::-1], host[::-1]
    elif layout == "transposed":
        n = len(host) // 4 * 4
        both = a[:n].reshape(4, -1).T, host[:n].reshape(4, -1).T
    elif layout == "broadcast":
        both = clary.broadcast_to(a[:7, None], (7, 5)), np.broadcast_to(host[:7, None], (7, 5))
    elif layout == "offset":
        both = a[3:], host[3:]
    elif layout == "0-d":
        both = a[5], host[5]
    elif layout == "empty":
        both = a[:0], host[:0]
    return both


def host(a):
    """A Clary array's elements for NumPy; bfloat16 as float32, which holds them exactly."""
    out = clary.asnumpy(a)
    return out.astype(np.float32) if out.dtype.kind == "V" else out


def ulps(actual, expected, dtype_name):
    """The largest distance in units in the last place of the dtype; NaN matches NaN, inf matches inf."""
    if np.iscomplexobj(expected):
        real = "float32" if dtype_name == "complex64" else "float64"
        scale = np.abs(expected)
        worst = 0.0
        for a, e in ((actual.real, expected.real), (actual.imag, expected.imag)):
            worst = max(worst, _ulps(a, e, real, scale))
        return worst
    return _ulps(actual, expected, dtype_name, None)


def _ulps(actual, expected, name, scale):
    actual, expected = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    bits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[name]
    smallest = {"float16": -24, "bfloat16": -133, "float32": -149, "float64": -1074}[name]
    both_nan = np.isnan(actual) & np.isnan(expected)
    same = both_nan | (actual == expected)
    if same.all():
        return 0.0
    if not (np.isfinite(actual) == np.isfinite(expected))[~same].all() or np.isinf(actual[~same]).any():
        return np.inf
    with np.errstate(all="ignore"):
        magnitude = np.abs(expected) if scale is None else np.where(np.isfinite(scale), scale, np.abs(expected))
        exponent = np.floor(np.log2(np.where(magnitude == 0, 2.0**-1000, magnitude))) + 1 - bits
        unit = np.exp2(np.maximum(exponent, smallest))
        return float(np.max(np.abs(actual - expected)[~same] / unit[~same]))


def check(actual, expected, *, dtype=True, bits=False, rtol=0.0, atol=0.0):
    """A Clary array against NumPy's: shape, dtype, values; with bits also the sign of zero."""
    got = host(actual)
    expected = np.asarray(expected)
    assert got.shape == expected.shape, f"shape {got.shape}, NumPy has {expected.shape}"
    if dtype:
        assert got.dtype == expected.dtype, f"dtype {got.dtype}, NumPy has {expected.dtype}"
    if rtol or atol:
        np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)
    else:
        np.testing.assert_array_equal(got, expected)
    if bits and expected.dtype.kind == "f":
        number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(got)[number], np.signbit(expected)[number])


def same_bits(a, b):
    """Whether two NumPy arrays have the same bits; NaNs count as equal."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) and same_bits(a.imag, b.imag)
    if a.dtype.kind != "f":
        return bool((a == b).all())
    nan = np.isnan(a) & np.isnan(b)
    word = {2: np.uint16, 4: np.uint32, 8: np.uint64}[a.dtype.itemsize]
    return bool((nan | (np.ascontiguousarray(a).view(word).reshape(a.shape)
                        == np.ascontiguousarray(b).view(word).reshape(b.shape))).all())


def counted(function):
    """(result, counters) of a function run on evaluated inputs."""
    gc.collect()
    clary.synchronize()
    clary.reset_counters()
    result = function()
    results = result if isinstance(result, (tuple, list)) else [result]
    clary.eval(*results)
    clary.synchronize()
    return result, clary.counters()


def _attempt(text, names):
    """The value of an expression, NumPy's way with floating-point warnings; or the error it raised."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = eval(text, names)
        parts = value if isinstance(value, (tuple, list)) else [value]
        return [host(p) if isinstance(p, clary.Array) else np.asarray(p) for p in parts]
    except Exception as error:  # compared by class
        return error


def compare_calls(calls, arrays, rtol=None):
    """Evaluates each expression with `xp` as NumPy and as Clary, on the named arrays: results must agree in
    number, shape, dtype and value (inexact ones within rtol), errors in class."""
    ours = {"xp": clary, "np": np, **{k: clary.asarray(v) for k, v in arrays.items()}}
    theirs = {"xp": np, "np": np, **arrays}
    wrong = []
    for text in calls:
        expected = _attempt(text, dict(theirs))
        if isinstance(expected, AttributeError) and "module 'numpy' has no attribute" in str(expected):
            continue  # a name that this NumPy dropped, or does not have yet
        actual = _attempt(text, dict(ours))
        try:
            if isinstance(expected, Exception) or isinstance(actual, Exception):
                kinds = [k for k in type(expected).__mro__ if k.__module__ in ("builtins", "numpy.exceptions")]
                assert isinstance(actual, kinds[0]), f"NumPy: {expected!r}, Clary: {actual!r}"
                continue
            assert len(actual) == len(expected), f"{len(actual)} results, NumPy has {len(expected)}"
            for a, e in zip(actual, expected):
                exact = e.dtype.kind not in "fc"
                tolerance = rtol or {"e": 2e-3, "f": 2e-5, "F": 2e-5}.get(e.dtype.char, 1e-11)
                check(a, e, **{} if exact else {"rtol": tolerance, "atol": tolerance})
        except AssertionError as error:
            wrong.append(f"{text}\n    {' '.join(str(error).split())[:400]}")
    assert not wrong, f"{len(wrong)} of {len(calls)} calls differ:\n" + "\n".join(wrong[:10])
