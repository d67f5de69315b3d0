"""Methods and keywords of ufuncs against NumPy's, called as ours and through NumPy's protocol."""
import numpy as np
import pytest
from support import check, rng

import clary

ORDERED = ("subtract", "divide", "power", "floor_divide", "remainder", "arctan2", "copysign", "left_shift", "fmod")
FREE = ("add", "multiply", "maximum", "minimum", "fmax", "fmin", "hypot", "logaddexp", "bitwise_and", "bitwise_or",
        "bitwise_xor", "gcd", "lcm", "logical_and", "logical_or", "logical_xor")


def _input(name, shape):
    if name in ("left_shift", "bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm"):
        return rng(name).integers(1, 4, shape)
    return rng(name).uniform(0.8, 1.3, shape)


def _outcome(function, *args):
    try:
        return None, function(*args)
    except Exception as error:
        return error, None


def same(function, *arrays, **tolerance):
    """The function gives with our arrays what it gives with NumPy's: a result, or the class of the error."""
    wrong, expected = _outcome(function, np, *arrays)
    error, result = _outcome(function, clary, *map(clary.asarray, arrays))
    if wrong is not None:
        builtin = next(c for c in type(wrong).__mro__ if c.__module__ == "builtins")
        assert isinstance(error, builtin), f"{wrong!r} is wanted, not {error!r} or {result!r}"
        return
    assert error is None, repr(error)
    check(result, expected, **tolerance)


def method(name, which, *args, **kwargs):
    """A call of a ufunc's method on one array, for either library."""
    return lambda np, x: getattr(getattr(np, name), which)(x, *args, **kwargs)


def test_reduce(tier):
    for name in tier.sample(("subtract",) + FREE + ORDERED, 99):
        a = _input(name, (3, 5, 2))
        f = getattr(np, name)
        tolerance = {} if a.dtype.kind == "i" else {"rtol": 1e-13}
        for axis in tier.sample((0, 1, -1, None, (0, 2)), 3):
            if name != "lcm" or isinstance(axis, int):  # NumPy's lcm is for one axis only
                same(method(name, "reduce", axis=axis), a, **tolerance)
        same(method(name, "reduce", 1, keepdims=True), a, **tolerance)
        same(method(name, "reduce", 1, initial=2), a, **tolerance)
        same(method(name, "reduce"), a[:0], **tolerance)
        same(method(name, "reduce"), a[:1], **tolerance)
        same(method(name, "reduce", axis=None), np.array(a[0, 0, 0]), **tolerance)
        same(method(name, "reduce", 3), a)
        if a.dtype.kind == "f":
            same(method(name, "reduce", dtype="float32"), a, rtol=1e-5)
        x = clary.asarray(a)
        check(f.reduce(x, axis=1), f.reduce(a, axis=1), **tolerance)
    for function in tier.sample((lambda np, x: np.add.reduce(x, where=x > 1),
                     lambda np, x: np.maximum.reduce(x, where=x > 1, initial=0),
                     lambda np, x: np.maximum.reduce(x, where=x > 1), lambda np, x: np.add.reduce(x > 1),
                     lambda np, x: np.add.reduce((x * 9).astype("int8"), dtype="int16"), lambda np, x: np.sin.reduce(x),
                     lambda np, x: np.subtract.reduce(x, where=x > 1, initial=5.0), lambda np, x: np.modf.reduce(x),
                     lambda np, x: np.subtract.reduce(x > 1), lambda np, x: np.less.reduce(x)), 9):
        same(function, _input("", (4, 3)), rtol=1e-14)
    long = np.arange(1, 3000)
    same(lambda np, x: np.subtract.reduce(x), long)
    same(lambda np, x: np.subtract.reduce(x.astype("int8")), long)


def test_accumulate(tier):
    if tier.compiled and not tier.long:
        pytest.skip("test_scans.py has these kernels compiled")
    for name in tier.sample(("subtract",) + FREE + ORDERED, 99):
        a = _input(name, (4, 3))
        for axis in (0, -1):
            same(method(name, "accumulate", axis), a, rtol=1e-13)
        same(method(name, "accumulate"), a[:0])
    for function in tier.sample((lambda np, x: np.add.accumulate(x, dtype="float32"), lambda np, x: np.add.accumulate(x[0, 0]),
                     lambda np, x: np.add.accumulate(x, 2), lambda np, x: np.sin.accumulate(x),
                     lambda np, x: np.add.accumulate(x, out=np.zeros((4, 3))))):
        same(function, _input("", (4, 3)), rtol=1e-6)


def test_outer_and_at(tier):
    a, b = _input("", (2, 3)), _input("b", 4)
    same(lambda np, x, y: np.subtract.outer(x, y), a, b)
    same(lambda np, x, y: np.add.outer(x[0, 0], y, dtype="float32"), a, b)
    same(lambda np, x, y: np.less.outer(y, x), a, b)
    for name in ("add", "subtract", "maximum", "multiply"):
        n, x = b.copy(), clary.asarray(b)
        getattr(np, name).at(n, [0, 0, 3, -1], [1, 2, 3, 4])
        getattr(clary, name).at(x, [0, 0, 3, -1], [1, 2, 3, 4])
        getattr(np, name).at(n, np.array([1, 1]), 2.0)
        getattr(np, name).at(x, clary.array([1, 1]), 2.0)  # NumPy's, on our array
        check(x, n)
    n, x = b.copy(), clary.asarray(b)
    np.negative.at(n, [1, 2])
    clary.negative.at(x, [1, 2])
    check(x, n)
    np.add.at(n, clary.array([0, 0]), clary.array([1.0, 2.0]))  # our arrays on NumPy's
    check(x + clary.array([3.0, 0, 0, 0]), n)
    for bad in (lambda: clary.add.at(x, [0]), lambda: clary.negative.at(x, [0], 1), lambda: clary.divmod.at(x, [0], 1),
                lambda: clary.add.at(x, [9], 1).item()):
        with pytest.raises((ValueError, AttributeError, IndexError)):
            bad()
            x.item(0)
    with pytest.raises(TypeError):
        clary.add.at([1, 2], [0], 1)


def test_reduceat(tier):
    a = np.arange(24.0).reshape(8, 3) + 1
    for indices in tier.sample(([0, 4, 1, 5], [0], [7, 0, 3], [0, 2, 4, 6], [2, 2, 2], [])):
        for name in tier.sample(("add", "multiply", "maximum", "subtract")):
            same(method(name, "reduceat", np.array(indices, int)), a, rtol=1e-14)
    same(lambda np, x: np.add.reduceat(x, [0, 1], axis=1), a)
    same(lambda np, x: np.add.reduceat(x > 3, [0, 4]), a)
    same(lambda np, x: np.logical_or.reduceat(x > 8, [0, 4]), a)
    same(lambda np, x: np.add.reduceat(x, [0, 2], dtype="float32"), a)
    for bad in ([0, 8], [-1], [[0]]):
        same(method("add", "reduceat", bad), a)
    check(np.add.reduceat(clary.asarray(a), [0, 3]), np.add.reduceat(a, [0, 3]))


def test_keywords(tier):
    a, b, m = np.arange(6.0).reshape(2, 3), np.array([1.0, -1, 2]), np.array([[True, False, True], [False, True, False]])
    for function in tier.sample((
            lambda np, a, b, m: np.add(a, b, where=m, out=np.full((2, 3), 9.0)),
            lambda np, a, b, m: np.sqrt(a, where=m, out=np.full((2, 3), 9.0)),
            lambda np, a, b, m: np.add(b, 1, where=m, out=np.full((2, 3), 9, dtype="float32")),
            lambda np, a, b, m: np.add(a, b, where=m, out=np.full((2, 3), 9)),
            lambda np, a, b, m: np.add(a, b, where=m, out=np.full((2, 3), 9), casting="unsafe"),
            lambda np, a, b, m: np.add(a, b, np.zeros((2, 3))), lambda np, a, b, m: np.add(a, b, out=(np.zeros((2, 3)),)),
            lambda np, a, b, m: np.add(a, b, out=np.zeros(3)), lambda np, a, b, m: np.add(b, b, out=np.zeros((2, 3))),
            lambda np, a, b, m: np.add(a, b, where=m, out=np.zeros(3)),
            lambda np, a, b, m: np.add(a, b, dtype="float32"), lambda np, a, b, m: np.add(a, b, dtype=int),
            lambda np, a, b, m: np.add(a, b, dtype=int, casting="unsafe"),
            lambda np, a, b, m: np.add(a, b, out=np.zeros((2, 3), int)),
            lambda np, a, b, m: np.add(a, b, out=np.zeros((2, 3), int), casting="unsafe"),
            lambda np, a, b, m: np.add(a, m, casting="safe"), lambda np, a, b, m: np.add(a, m, casting="no"),
            lambda np, a, b, m: np.add(a, b, casting="no"), lambda np, a, b, m: np.add(a, b, casting="sometimes"),
            lambda np, a, b, m: np.less(a, b, dtype=bool), lambda np, a, b, m: np.less(a, b, dtype=float),
            lambda np, a, b, m: np.add(a, b, signature="ff->f"), lambda np, a, b, m: np.add(a, b, order="F", subok=False),
            lambda np, a, b, m: np.add(a), lambda np, a, b, m: np.add(a, b, a, b), lambda np, a, b, m: np.add(a, b, nothing=1),
            lambda np, a, b, m: np.add(a, b, out=(a, b)), lambda np, a, b, m: np.add(a, b, out="text")), 12):
        same(function, a, b, m)
    for ours, numpys in zip(clary.where(clary.asarray(m)), np.where(m)):
        check(ours, numpys)
    assert clary.add(clary.asarray(b), 1, where=clary.asarray(m)).shape == (2, 3)
    out = np.full((2, 3), 9.0)
    assert np.add(clary.asarray(a), 1, where=m, out=out) is out
    np.testing.assert_array_equal(out, np.add(a, 1, where=m, out=np.full((2, 3), 9.0)))
    with pytest.raises(ValueError, match="both"):
        clary.where(clary.asarray(m), 1)
    with pytest.warns(np.exceptions.ComplexWarning):
        clary.add(clary.asarray(b), 1j, out=clary.zeros(3), casting="unsafe")
    target = clary.zeros((2, 3))
    assert np.add(clary.asarray(a), a, out=target) is target
    check(target, a + a)
    ints, rest = clary.zeros((2, 3)), clary.zeros((2, 3))
    assert clary.divmod(clary.asarray(a), 2, out=(ints, rest))[0] is ints
    check(rest, a % 2)


def test_attributes():
    for name in ("add", "sin", "divmod", "ldexp", "less", "modf", "conjugate"):
        ours, numpys = getattr(clary, name), getattr(np, name, None)
        assert ours.signature is None and ours.nargs == ours.nin + ours.nout
        if isinstance(numpys, np.ufunc):
            assert (ours.nin, ours.nout, ours.nargs) == (numpys.nin, numpys.nout, numpys.nargs)
    for name in ("add", "multiply", "maximum", "logical_and", "bitwise_and", "hypot", "subtract"):
        assert getattr(clary, name).identity == getattr(np, name).identity
    assert clary.add.ntypes == len(clary.add.types) > 10
    for name in ("add", "less", "sqrt", "bitwise_and", "ldexp"):
        numpys = set(getattr(np, name).types)
        assert {t for t in getattr(clary, name).types if "q" not in t} <= numpys, name


def test_foreign_classes_decide(tier):
    class Mine:
        def __array_ufunc__(self, *args, **kwargs):
            return "mine"

    class Function:
        def __array_function__(self, *args):
            return "mine"

    x = clary.arange(3)
    assert np.add(x, Mine()) == "mine" and np.concatenate([x, Function()]) == "mine"
    with pytest.raises(TypeError):
        np.spacing.at(x, [0], x, x)


def test_numpy_changes_its_own_arrays(tier):
    a = np.zeros(4)
    np.copyto(a, clary.arange(4.0))
    np.put(a, clary.array([0]), clary.array([7.0]))
    np.putmask(a, clary.array([False, True, False, False]), clary.array([8.0]))
    assert a.tolist() == [7, 8, 2, 3]
    x = clary.zeros(4)
    np.copyto(x, a)
    assert x.tolist() == a.tolist()
