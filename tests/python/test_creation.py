"""Creation: from objects, filled, ranges; and astype's rules."""
import numpy as np
import pytest
from support import NUMPY_NAMES, check, host, sample

import clary


@pytest.mark.parametrize("name", NUMPY_NAMES)
def test_from_numpy_and_back(tier, name):
    a = sample(name, 60)
    for view in (a, a[::2], a[::-1], a.reshape(5, 12).T, a.reshape(3, 4, 5)[:, 1:3, ::-2], a[:0], a[3], a.reshape(6, 10)):
        check(clary.asarray(view), np.asarray(view))
    check(clary.asarray(a.astype(a.dtype.newbyteorder(">"))), a)
    check(clary.asarray(np.broadcast_to(a[:3, None], (3, 4))), np.broadcast_to(a[:3, None], (3, 4)))
    check(clary.asarray(np.asfortranarray(a.reshape(6, 10))), a.reshape(6, 10))


def test_from_python(tier):
    for obj in (1, 2.5, True, 1j, [1, 2], [[1.0], [2.0]], (True, False), [], [[]], range(4), [1, 2.5], [True, 2]):
        check(clary.array(obj), np.array(obj))
    check(clary.array([1, 2], dtype="float32"), np.array([1, 2], "float32"))
    check(clary.array([clary.arange(3), clary.ones(3)]), np.array([np.arange(3), np.ones(3)]))
    check(clary.array([clary.array(1.0), 2.0]), np.array([1.0, 2.0]))
    check(clary.array([1, 2], ndmin=3), np.array([1, 2], ndmin=3))
    with pytest.raises(OverflowError):
        clary.array([300], dtype="int8")
    for bad in ("text", object(), None, {}, [object()]):
        with pytest.raises(TypeError):
            clary.array(bad)


def test_asarray_copies_only_when_asked(tier):
    a = clary.arange(3)
    assert clary.asarray(a) is a
    assert clary.asarray(a, dtype=int) is a
    assert not clary.array(a).shares_memory(a)
    assert clary.asarray(a, dtype=float).dtype == float
    with pytest.raises(ValueError):
        clary.asarray(a, dtype=float, copy=False)
    with pytest.raises(ValueError):
        clary.asarray([1], copy=False)
    source = np.arange(3)
    b = clary.asarray(source)
    source[0] = 9
    check(b, [0, 1, 2])


@pytest.mark.parametrize("name", NUMPY_NAMES)
def test_filled(tier, name):
    for shape in ((), 3, (2, 3), (0,), (2, 0, 3), [4, 1]):
        check(clary.zeros(shape, dtype=name), np.zeros(shape, name))
        check(clary.ones(shape, dtype=name), np.ones(shape, name))
        check(clary.full(shape, 1, dtype=name), np.full(shape, 1, name))
        assert clary.empty(shape, dtype=name).shape == np.empty(shape).shape
    like = clary.ones((2, 3), dtype=name)
    for ours, theirs in ((clary.zeros_like, np.zeros_like), (clary.ones_like, np.ones_like)):
        check(ours(like), theirs(np.ones((2, 3), name)))
        check(ours(like, dtype="float32", shape=(4,)), theirs(np.ones(1, name), dtype="float32", shape=(4,)))
    check(clary.full_like(like, 1), np.ones((2, 3), name))
    assert clary.empty_like(like).shape == (2, 3) and clary.empty_like(like).dtype == name


def test_full(tier):
    for value in (3, 2.5, True, 1j, np.float32(2), np.int8(3), 2**63):
        check(clary.full((2, 2), value), np.full((2, 2), value))
    check(clary.full((2, 3), [1, 2, 3]), np.full((2, 3), [1, 2, 3]))
    check(clary.full((2,), clary.array(5, dtype="int16")), np.full((2,), np.int16(5)))
    with pytest.raises(OverflowError):
        clary.full(2, 256, dtype="uint8")
    with pytest.raises(TypeError):
        clary.full(2, 1j, dtype="float32")
    with pytest.raises(ValueError):
        clary.zeros(-1)
    with pytest.raises(ValueError):
        clary.zeros((1,) * 33)


def test_arange(tier):
    for args in ((5,), (2, 9), (2, 9, 2), (9, 2, -2), (5.5,), (0, 1, 0.1), (0.5, 7), (3, 3), (9, 2), (-3, 3), (1, 2.5, 0.25),
                 (np.float32(4),), (0,), (-2.5, 2.5)):
        check(clary.arange(*args), np.arange(*args))
    for name in ("int8", "uint8", "float32", "float64", "int64", "complex64", "float16"):
        check(clary.arange(1, 20, 3, dtype=name), np.arange(1, 20, 3).astype(name))
    check(clary.arange(2**60, 2**60 + 3), np.arange(2**60, 2**60 + 3))
    with pytest.raises((ValueError, ZeroDivisionError)):
        clary.arange(0, 5, 0)


def test_linspace(tier):
    for args in ((0, 1), (0, 1, 5), (5, -3, 9), (0, 1, 0), (3, 7, 1), (0, 10, 2), (1e-9, 1e9, 7)):
        for endpoint in (True, False):
            check(clary.linspace(*args, endpoint=endpoint), np.linspace(*args, endpoint=endpoint), rtol=2e-16, atol=1e-25)
    check(clary.linspace(0, 1, 7, dtype="float32"), np.linspace(0, 1, 7, dtype="float32"))
    check(clary.linspace(0, 10, 7, dtype=int), np.linspace(0, 10, 7, dtype=int))
    ours, step = clary.linspace(0, 1, 5, retstep=True)
    assert step == 0.25
    check(clary.linspace(clary.array([0.0, 1]), 3, 4), np.linspace([0.0, 1], 3, 4), rtol=1e-15)
    check(clary.linspace(0, clary.array([1.0, 2]), 3, axis=1), np.linspace(0, [1.0, 2], 3, axis=1), rtol=1e-15)
    with pytest.raises(ValueError):
        clary.linspace(0, 1, -1)


def test_eye_and_triangles(tier):
    for args, kwargs in (((3,), {}), ((3, 5), {}), ((4, 2), {"k": 1}), ((3, 3), {"k": -2}), ((0,), {}), ((2, 3), {"k": 9})):
        check(clary.eye(*args, **kwargs), np.eye(*args, **kwargs))
    check(clary.eye(3, dtype="int8"), np.eye(3, dtype="int8"))
    check(clary.identity(2), np.identity(2))
    a = np.arange(24.0).reshape(2, 3, 4)
    for k in (-1, 0, 2):
        check(clary.tril(clary.array(a), k=k), np.tril(a, k))
        check(clary.triu(clary.array(a), k=k), np.triu(a, k))
    check(clary.tri(3, 4, 1), np.tri(3, 4, 1))


def test_meshgrid(tier):
    x, y, z = np.arange(3), np.arange(4.0), np.arange(2)
    for indexing in ("xy", "ij"):
        for sparse in (False, True):
            ours = clary.meshgrid(clary.array(x), clary.array(y), clary.array(z), indexing=indexing, sparse=sparse)
            for a, b in zip(ours, np.meshgrid(x, y, z, indexing=indexing, sparse=sparse)):
                check(a, b)


@pytest.mark.parametrize("source", NUMPY_NAMES)
def test_astype(tier, source):
    a = sample(source, 40)
    with np.errstate(all="ignore"):
        for target in tier.sample(NUMPY_NAMES, 5):
            kinds = np.dtype(source).kind, np.dtype(target).kind
            if kinds[0] == "c" and kinds[1] not in "cb":
                values = a.real
            else:
                values = a
            x = clary.array(a)
            got = x.astype(target)
            if kinds[0] in "fc" and kinds[1] in "iu":  # truncate; out of range saturates, NaN is 0
                info = np.iinfo(target)
                wide = np.trunc(values.astype(np.longdouble))
                expected = np.array([0 if np.isnan(v) else info.max if v > info.max else info.min if v < info.min
                                     else int(v) for v in wide], dtype=target)
            else:
                expected = values.astype(target)
            check(got, expected, bits=True)


def test_astype_rules(tier):
    a = clary.arange(3)
    assert a.astype(int, copy=False) is a
    assert a.astype(int) is not a and not a.astype(int).shares_memory(a)
    with pytest.raises(TypeError):
        a.astype("int8", casting="safe")
    with pytest.raises(TypeError):
        clary.ones(2).astype(int, casting="same_kind")
    with pytest.raises(ValueError):
        a.astype(int, casting="sometimes")
    check(clary.astype(a, "float32"), np.arange(3, dtype="float32"))


def test_bfloat16(tier):
    values = np.array([1, 1.00390625, 1.01171875, -2.5, 3e38, 1e-40, np.inf, np.nan, -0.0], np.float32)
    a = clary.array(values, dtype=clary.bfloat16)
    assert a.dtype == clary.bfloat16 and a.itemsize == 2
    expected = np.array([1, 1.0, 1.015625, -2.5], np.float32)
    np.testing.assert_array_equal(host(a)[:4], expected)
    np.testing.assert_array_equal(host(a.astype("float32"))[:4], expected)
    assert "bfloat16" in repr(a)
    assert float(clary.bfloat16(1.5)) == 1.5


def test_random(tier):
    a = clary.random.default_rng(7).random((100, 3))
    b = clary.random.default_rng(7).random((100, 3))
    c = clary.random.default_rng(8).random((100, 3))
    np.testing.assert_array_equal(host(a), host(b))
    assert not (host(a) == host(c)).any()
    assert a.dtype == np.float64 and 0 <= host(a).min() and host(a).max() < 1
    assert clary.random.default_rng(1).random(5, dtype="float32").dtype == np.float32
    assert clary.random.default_rng(1).random().shape == ()
    g = clary.random.default_rng(3)
    first, second = host(g.random(10)), host(g.random(10))
    assert not (first == second).any()
    one, two = clary.random.default_rng(3).spawn(2)
    assert not (host(one.random(10)) == host(two.random(10))).any()
    big = host(clary.random.default_rng(5).random(100000, dtype="float32"))
    assert abs(big.mean() - 0.5) < 0.01 and abs(big.var() - 1 / 12) < 0.01
    u = host(clary.random.default_rng(5).uniform(-2, 3, 1000))
    assert -2 <= u.min() < u.max() < 3
    with pytest.raises(TypeError):
        g.random(3, dtype=int)


def test_random_state():
    import copy
    import pickle

    g = clary.random.default_rng(3)
    g.random(7)
    for twin in (copy.copy(g), copy.deepcopy(g), pickle.loads(pickle.dumps(g))):
        state = g.__getstate__()[1:]
        np.testing.assert_array_equal(host(twin.random(5)), host(copy.copy(g).random(5)))
        assert g.__getstate__()[1:] == state
