"""Dtypes of results: the whole table of pairs, weak Python scalars, and integers out of range."""
import operator

import numpy as np
import pytest
from support import NUMPY_NAMES, check

import clary


@pytest.mark.parametrize("first", NUMPY_NAMES)
def test_pairs(first):
    for second in NUMPY_NAMES:
        assert clary.promote_types(first, second) == np.promote_types(first, second)
        assert clary.result_type(first, second) == np.result_type(first, second)
        assert (clary.ones(2, dtype=first) + clary.ones(2, dtype=second)).dtype == np.result_type(first, second)
        for casting in ("no", "safe", "same_kind", "unsafe"):
            assert clary.can_cast(first, second, casting) == np.can_cast(first, second, casting), (second, casting)


def test_bfloat16_pairs():
    bf = clary.bfloat16
    assert clary.promote_types(bf, "float16") == "float32" == clary.promote_types("float16", bf)
    assert clary.promote_types(bf, "float32") == "float32"
    assert clary.promote_types(bf, "bool") == bf
    assert clary.result_type(bf, 1.5) == bf
    assert (clary.ones(2, dtype=bf) * 2).dtype == bf
    assert clary.bfloat16 == "bfloat16" and hash(clary.bfloat16) == hash("bfloat16")
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert clary.bfloat16 == np.dtype(ml_dtypes.bfloat16)
    a = clary.asarray(np.array([1.5, 2.5], ml_dtypes.bfloat16))
    assert a.dtype == bf and np.asarray(a).dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("name", NUMPY_NAMES)
@pytest.mark.parametrize("value", [True, 2, 2.5, 1 + 2j])
def test_weak_scalars(tier, name, value):
    a = np.ones(3, name)
    x = clary.array(a)
    for op in (operator.add, operator.mul, operator.truediv):
        expected = op(a, value)
        assert op(x, value).dtype == expected.dtype
        assert op(value, x).dtype == expected.dtype
    assert clary.result_type(x, value) == np.result_type(a, value)
    if not tier.compiled:
        check(x + value, a + value)


def test_result_type_of_scalars():
    assert clary.result_type(1) == np.int64
    assert clary.result_type(1, 2.0) == np.float64
    assert clary.result_type(np.float32, 1j) == np.complex64
    assert clary.result_type(clary.ones(1, dtype="int8"), np.int16(3), 7) == np.int16


def test_numpy_scalars_are_strong(tier):
    a = clary.ones(2, dtype="int8")
    assert (a + np.int32(1)).dtype == np.int32
    assert (np.float64(1) + a).dtype == np.float64
    assert (a * np.bool_(True)).dtype == np.int8
    assert (clary.ones(2, dtype="float32") + np.float64(1)).dtype == np.float64


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "uint32", "int64", "uint64"])
def test_integers_out_of_range(tier, name):
    x, a = clary.arange(3, dtype=name), np.arange(3, dtype=name)
    info = np.iinfo(name)
    for value in (info.max + 1, info.min - 1, 2**70, -(2**70)):
        for op in (operator.add, operator.mul, operator.floordiv, operator.and_):
            with pytest.raises(OverflowError):
                op(x, value)
            with pytest.raises(OverflowError):
                op(value, x)
        with pytest.raises(OverflowError):
            x += value
        with pytest.raises(OverflowError):
            clary.add(x, value)
        for op in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
            check(op(x, value), op(a, value))
            check(op(value, x), op(value, a))
        check(clary.less(x, value), np.less(a, value))
        for function in ("true_divide", "arctan2", "float_power"):  # floats of the integers: nothing is out of range
            ours, numpys = getattr(clary, function), getattr(np, function)
            with np.errstate(all="ignore"):
                check(ours(x + 1, value), numpys(a + 1, value), rtol=2e-3)
                check(ours(value, x + 1), numpys(value, a + 1), rtol=2e-3)
        check((x + 1) / value, (a + 1) / value)
    if not tier.compiled:
        for value in (info.max, info.min):
            check(x + value, a + value)


def test_big_integers_with_floats(tier):
    check(clary.ones(2) + 2**70, np.ones(2) + float(2**70))
    assert (clary.ones(2, dtype="float32") * 2**63).dtype == np.float32


def test_isdtype_and_limits():
    for name, kind in [("bool", "bool"), ("int8", "signed integer"), ("uint16", "unsigned integer"),
                       ("int64", "integral"), ("float16", "real floating"), ("complex64", "complex floating"),
                       ("float64", "numeric"), ("float32", np.float32), ("int8", ("bool", "integral"))]:
        assert clary.isdtype(np.dtype(name), kind)
    assert not clary.isdtype(np.dtype("bool"), "numeric")
    assert clary.isdtype(clary.bfloat16, "real floating")
    assert clary.finfo("float32").eps == np.finfo("float32").eps
    assert clary.finfo(clary.bfloat16).max > 3e38 and clary.finfo(clary.bfloat16).bits == 16
    assert clary.iinfo("int8").max == 127
    with pytest.raises(TypeError):
        clary.zeros(1, dtype="datetime64[s]")
    with pytest.raises(TypeError):
        clary.zeros(1, dtype=object)


def test_names_of_dtypes():
    for spelling in ("float32", "f4", "<f4", ">f4", np.float32, np.dtype("f4"), np.dtype(">f4")):
        assert clary.zeros(1, dtype=spelling).dtype == np.float32
    assert clary.zeros(1, dtype=int).dtype == np.int64
    assert clary.zeros(1, dtype=bool).dtype == np.bool_
    assert clary.zeros(1, dtype=np.longlong).dtype == np.int64
