"""Every element-wise operation, on every dtype it knows and in every layout, against NumPy.

Operations that the table calls exact must agree bit for bit; the others stay within their ULP bound of a
result computed in a wider type. What NumPy refuses is refused.
"""
import math

import numpy as np
import pytest
from support import KIND, LAYOUTS, NAMES, check, counted, host, lay_out, make, same_bits, sample, ulps

import clary

COUNT = 61
OPS = {name: f for name, f in clary._ufunc.by_name.items() if isinstance(f, clary.ufunc) and f.rule != "BITS"
       and not name.startswith("random_")}


def _vector(function):
    def apply(x):
        x = np.asarray(x)
        if x.dtype.kind == "c":
            raise TypeError("math has real functions only")
        out = np.array([function(float(v)) for v in x.ravel()])
        kind = np.result_type(x.dtype, np.float16) if x.dtype.itemsize < 3 or x.dtype.kind == "f" else np.float64
        return out.reshape(x.shape).astype(kind)

    return apply


def _or(function, value):
    """function, with `value` where Python's math raises an error."""
    def apply(x):
        try:
            return function(x)
        except (ValueError, OverflowError):
            return value(x)

    return apply


def _fma(x, y, z):
    if np.result_type(x, y, z).kind != "f":
        return x * y + z
    wide = np.longdouble if np.result_type(x, y, z).itemsize > 4 else np.float64
    return (x.astype(wide) * y.astype(wide) + z.astype(wide)).astype(np.result_type(x, y, z))


def _spacing(x):
    """NumPy's, which has another sign for float16."""
    x = np.asarray(x)
    if np.spacing(x).dtype != np.float16:
        return np.spacing(x)
    x = x.astype(np.float16)
    return np.copysign(np.nextafter(np.abs(x), np.float16(np.inf)) - np.abs(x), np.where(x == 0, np.abs(x), x))


def _reciprocal(x):
    """NumPy's; of the integer 0 it is 0."""
    if x.dtype.kind in "fcb":
        return np.reciprocal(x)
    return np.where(x == 0, 0, np.reciprocal(np.where(x == 0, 1, x))).astype(x.dtype)


# NumPy's counterpart of the operations that it has under another name, or not at all.
COUNTERPARTS = {
    "fma": _fma,
    "spacing": _spacing,
    "reciprocal": _reciprocal,
    "erf": _vector(math.erf),
    "erfc": _vector(math.erfc),
    "lgamma": _vector(_or(math.lgamma, lambda x: math.inf)),
    "tgamma": _vector(_or(math.gamma, lambda x: math.inf)),
    "modf_fraction": lambda x: np.modf(x)[0],
    "modf_integer": lambda x: np.modf(x)[1],
    "frexp_mantissa": lambda x: np.frexp(x)[0],
    "frexp_exponent": lambda x: np.where(np.isfinite(x), np.frexp(x)[1], 0).astype(np.int32),
    "real": lambda x: np.real(x).copy(),
    "imag": lambda x: np.imag(x).copy(),
    "clip": lambda x, y, z: np.minimum(np.maximum(x, y), z),
}
# Where the meaning is ours: documented, and tested on its own.
OWN_DTYPES = {
    "clip": "b", "fma": "biuc", "sinc": "biuc", "angle": "biu", "real": "", "imag": "", "fmod": "b", "erf": "biu",
    "erfc": "biu", "lgamma": "biu", "tgamma": "biu", "ldexp": "", "reciprocal": "", "rint": "", "isposinf": "b",
    "isneginf": "b", "spacing": "", "conjugate": "", "where": "",
}
WIDER = {"f": {2: np.float64, 4: np.float64, 8: np.longdouble}, "c": {8: np.complex128, 16: np.clongdouble}}


def counterpart(name):
    return COUNTERPARTS.get(name) or getattr(np, name)


def inputs_of(function, name, layout):
    """Pairs (Clary, NumPy) for each input, in a layout."""
    pairs = []
    for i in range(function.nin):
        kind = "bool" if function.rule == "SELECT" and i == 0 else name
        if function.rule == "F_SHIFT" and i == 1:
            kind = "int32"
        domain = function.domain
        pairs.append(lay_out(sample(kind, COUNT, seed=i, domain=domain), layout, kind))
    return [p[0] for p in pairs], [p[1] for p in pairs]


def round_to_bfloat16(x):
    x = np.array(x, np.float32)
    bits = x.view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isnan(x), x, rounded)


def expected_of(function, name, arrays):
    """NumPy's answer: exact operations as they are, others computed wider and rounded once."""
    f = counterpart(function.__name__)
    with np.errstate(all="ignore"):
        plain = np.asarray(f(*arrays))
        if name == "bfloat16":
            return round_to_bfloat16(plain) if plain.dtype == np.float32 else plain
        if function.ulp == 0 or plain.dtype.kind not in "fc" or function.__name__ in ("erf", "erfc", "lgamma", "tgamma"):
            return plain
        wide = WIDER.get(np.result_type(*arrays, plain.dtype).kind, {}).get(
            np.result_type(*arrays, plain.dtype).itemsize)
        if wide is None:
            return plain
        compute = plain.dtype if function.rule not in ("REAL",) else np.result_type(*arrays)
        return np.asarray(f(*(a.astype(compute).astype(wide) for a in arrays))).astype(plain.dtype)


def bound(function, name):
    if KIND[name] == "c":
        return max(8, 4 * function.ulp)
    if name in ("float16", "bfloat16") or (KIND[name] in "biu" and name.endswith("8") and function.rule != "DIVIDE"):
        return 1
    # The table's bound is against the exact value; math's functions are not exact themselves.
    return function.ulp + (2 if function.__name__ in ("erf", "erfc", "tgamma") else 0.51)


def one_case(function, name, layout):
    ours, theirs = inputs_of(function, name, layout)
    if name != "bfloat16":
        try:
            with np.errstate(all="ignore"):
                refused = np.asarray(counterpart(function.__name__)(*theirs)).dtype.kind == "O"
        except TypeError:
            refused = True
        own = OWN_DTYPES.get(function.__name__)
        if refused and own is None:
            with pytest.raises(TypeError):
                function(*ours)
            return
        if refused or (own and KIND[name] in own):
            return
    elif function.__name__ in ("nextafter", "spacing"):
        return  # of bfloat16: test_neighbours_of_bfloat16
    elif "f" not in function.kinds:
        with pytest.raises(TypeError):
            function(*ours)
        return
    result = function(*ours)
    expected = expected_of(function, name, theirs)
    got = host(result)
    where = f"{function.__name__} of {name}, {layout}"
    assert got.shape == expected.shape, where
    if name == "bfloat16" and expected.dtype == np.float32:
        assert result.dtype == clary.bfloat16, where
    else:
        assert got.dtype == expected.dtype, where
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(got, expected, err_msg=where)
    elif function.ulp == 0 and KIND[name] != "c":
        wrong = np.flatnonzero(~((got == expected) | (np.isnan(got) & np.isnan(expected))).ravel())
        assert same_bits(got, expected), (where, got.ravel()[wrong[:3]], expected.ravel()[wrong[:3]],
                                          [np.ravel(t)[wrong[:3]] for t in theirs])
    elif function.ulp < 0:  # by its definition, whose parts may cancel
        eps = float(clary.finfo(result.dtype).eps)
        np.testing.assert_allclose(got, expected, rtol=64 * eps, atol=8 * eps, err_msg=where)
    else:
        word = "bfloat16" if name == "bfloat16" else expected.dtype.name
        distance = ulps(got, expected, word)
        assert distance <= bound(function, name), (where, distance)


@pytest.mark.parametrize("op", sorted(OPS))
def test_against_numpy(tier, op):
    function = OPS[op]
    cases = [(name, layout) for name in NAMES for layout in LAYOUTS]
    if tier.compiled and not tier.long:
        turn = sorted(OPS).index(op)
        names = [n for n in NAMES if KIND[n] in function.kinds]
        cases = [(names[(turn + i) % len(names)], LAYOUTS[(turn // 3 + 3 * i) % 6]) for i in range(2)]
    for name, layout in cases:
        one_case(function, name, layout)


@pytest.mark.parametrize("op", ["add", "divide", "multiply", "maximum", "less", "where", "floor_divide", "power"])
def test_mixed_layouts_broadcast(tier, op):
    function = OPS[op]
    for name in tier.sample(["float32", "int16", "float64", "complex64"], 4):
        if op == "floor_divide" and name == "complex64":
            continue
        x, y, z = (sample(name, 60, i, function.domain) for i in range(3))
        arrays = [x.reshape(12, 5).T[::-1], y.reshape(4, 5, 3)[1:, :, :1], z[3:15]]
        ours = [make(x, name).reshape(12, 5).T[::-1], make(y, name).reshape(4, 5, 3)[1:, :, :1], make(z, name)[3:15]]
        if op == "where":
            arrays[0], ours[0] = arrays[0] > 0, ours[0] > 0
        arrays, ours = arrays[: function.nin], ours[: function.nin]
        with np.errstate(all="ignore"):
            expected = counterpart(op)(*arrays)
        got = host(function(*ours))
        assert got.shape == expected.shape and got.dtype == expected.dtype
        if op == "power" or KIND[name] == "c":
            np.testing.assert_allclose(got, expected, rtol=1e-5)
        else:
            np.testing.assert_array_equal(got, expected)


def test_neighbours_of_bfloat16(tier):
    x = clary.array([1.0, -2.0, 0.0], dtype=clary.bfloat16)
    np.testing.assert_array_equal(host(clary.nextafter(x, clary.array(9.0, dtype=clary.bfloat16))),
                                  np.array([1.0078125, -1.9921875, 2.0**-133], np.float32))
    np.testing.assert_array_equal(host(clary.spacing(x)), np.array([2.0**-7, -(2.0**-6), 2.0**-133], np.float32))


def test_two_results(tier):
    x = np.array([7.5, -7.5, 0.0, -0.0, np.inf, 3.0])
    for ours, theirs in (clary.modf(clary.array(x)), np.modf(x)), (clary.frexp(clary.array(x)), np.frexp(x)):
        finite = np.isfinite(x)
        for a, b in zip(ours, theirs):
            check(a[:4], b[:4], bits=True)
            assert host(a)[5] == b[finite][-1]
    for ours, theirs in zip(clary.divmod(clary.array([7, -7]), 2), np.divmod([7, -7], 2)):
        check(ours, theirs)
    assert [int(v) for v in divmod(clary.array(-7), 2)] == [-4, 1]


def test_out(tier):
    a, b = clary.arange(6.0), clary.ones(6)
    out = clary.zeros(6)
    assert clary.add(a, b, out=out) is out
    check(out, np.arange(6.0) + 1)
    assert clary.add(a, b, out=(out,)) is out
    clary.multiply(out, out, out[::-1])  # out overlaps the inputs
    check(out, ((np.arange(6.0) + 1) ** 2)[::-1])
    narrow = clary.zeros(6, dtype="float32")
    clary.add(a, b, out=narrow)
    check(narrow, (np.arange(6.0) + 1).astype("float32"))
    wide = clary.zeros((2, 6))
    clary.add(a, b, out=wide)
    check(wide, np.broadcast_to(np.arange(6.0) + 1, (2, 6)))
    with pytest.raises(TypeError):
        clary.add(a, b, out=clary.zeros(6, dtype=int))
    with pytest.raises(ValueError):
        clary.add(a, clary.ones((2, 6)), out=out)
    into = np.zeros(6)
    assert clary.add(a, b, out=into) is into
    np.testing.assert_array_equal(into, np.arange(6.0) + 1)


def test_where_and_dtype(tier):
    a, mask = clary.arange(6), clary.arange(6) % 2 == 0
    out = clary.full(6, -1)
    clary.add(a, 10, out=out, where=mask)
    check(out, [10, -1, 12, -1, 14, -1])
    check(clary.add(a, 1, dtype="float32"), np.add(np.arange(6), 1, dtype="float32", casting="unsafe"))
    check(clary.sin(a, dtype="float32"), np.sin(np.arange(6), dtype="float32", casting="same_kind"), rtol=1e-6)
    with pytest.raises(TypeError):
        clary.add(clary.arange(6.0), 1, dtype="int32")


def test_ufunc_objects():
    assert clary.add.nin == 2 and clary.add.nout == 1 and clary.add.__name__ == "add"
    assert clary.sin.nargs == 2 and repr(clary.add) == "<ufunc 'add'>"
    assert clary.modf.nout == 2 and clary.divmod.nin == 2
    assert "Sum" in clary.add.__doc__
    for name in ("add", "multiply", "bitwise_and", "logical_or", "subtract", "maximum"):
        assert getattr(clary, name).identity == getattr(np, name).identity, name
    assert clary.abs is clary.absolute and clary.acos is clary.arccos and clary.pow is clary.power
    with pytest.raises(TypeError):
        clary.add(1)


def test_reduce_accumulate_outer(tier):
    a = np.arange(12.0).reshape(3, 4) % 5 + 1
    x = clary.array(a)
    for name in tier.sample(["add", "multiply", "maximum", "minimum", "logaddexp", "hypot", "fmax"], 3):
        for axis in (0, 1, -1, None):
            check(getattr(clary, name).reduce(x, axis=axis), getattr(np, name).reduce(a, axis=axis), rtol=1e-12)
        check(getattr(clary, name).accumulate(x, axis=1), getattr(np, name).accumulate(a, axis=1), rtol=1e-12)
    check(clary.add.reduce(x, keepdims=True), np.add.reduce(a, keepdims=True))
    check(clary.add.reduce(x, initial=5), np.add.reduce(a, initial=5))
    check(clary.add.reduce(x, where=x > 2), np.add.reduce(a, where=a > 2))
    check(clary.maximum.reduce(x, where=x > 2, initial=0), np.maximum.reduce(a, where=a > 2, initial=0))
    check(clary.maximum.reduce(clary.zeros((0, 3)), initial=7), np.maximum.reduce(np.zeros((0, 3)), initial=7))
    check(clary.logical_and.reduce(x), np.logical_and.reduce(a))
    check(clary.bitwise_xor.reduce(clary.arange(9)), np.bitwise_xor.reduce(np.arange(9)))
    check(clary.add.reduce(clary.array([200, 100], dtype="uint8")), np.add.reduce(np.array([200, 100], np.uint8)))
    check(clary.add.reduce(clary.array([200, 100], dtype="uint8"), dtype="uint8"), np.uint8(44))
    check(clary.subtract.outer(x[0], x[:, 0]), np.subtract.outer(a[0], a[:, 0]))
    with pytest.raises(ValueError):
        clary.sin.reduce(x)
    with pytest.raises(ValueError):
        clary.maximum.reduce(clary.zeros(0))


def test_scalars_and_sequences(tier):
    check(clary.add([1, 2], (3, 4)), np.add([1, 2], (3, 4)))
    check(clary.sin(0.5), np.sin(0.5), rtol=1e-15)
    check(clary.add(1, 2), np.add(1, 2))
    check(clary.maximum(clary.array([1, 5], dtype="int8"), 3), np.maximum(np.array([1, 5], np.int8), 3))
    check(clary.add(np.float32(1), clary.ones(2, dtype="float16")), np.add(np.float32(1), np.ones(2, np.float16)))


def test_power_shortcuts(tier):
    x = np.array([-3.0, -0.0, 0.5, 4.0, np.inf])
    a = clary.array(x)
    with np.errstate(all="ignore"):
        for exponent in (2, 2.0, 1, 0.5, -1):
            check(a**exponent, x**exponent, bits=True)
    check(clary.arange(5) ** 2, np.arange(5) ** 2)
    check(2 ** clary.arange(5), 2 ** np.arange(5))
    b = clary.arange(4.0)
    b **= 2
    check(b, np.arange(4.0) ** 2)


def test_one_kernel_for_each_expression(tier):
    a = clary.arange(1000, dtype="float32")
    _, counts = counted(lambda: clary.sqrt(a * a + 1) - a / 3)
    assert counts.launches == 1
