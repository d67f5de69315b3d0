"""Creation: from objects, filled, ranges; and astype's rules."""
import numpy as np
import pytest
from support import NUMPY_NAMES, check, host, sample
from twins import agree

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


def test_every_argument(tier):
    """Calls as NumPy's users write them; where NumPy keeps Fortran order, so do the strides here."""
    a = np.arange(24.0).reshape(2, 3, 4)
    agree(tier, """
        np.zeros(3, int)
        np.ones((2, 3), np.float32, "F").strides
        np.zeros((2, 3, 4), order="F").strides
        np.full((2, 3), [1, 2, 3], order="F").strides
        np.empty((2, 3), order="F").strides
        np.eye(3, 4, 1, int, "F")
        np.eye(N=3, M=2, k=-1)
        np.eye(3, 4, order="F").strides
        np.identity(3, dtype=np.int8)
        np.zeros_like(a.T).strides
        np.ones_like(a.transpose(1, 0, 2)).strides
        np.empty_like(a.T, order="C").strides
        np.full_like(a, 7, order="F").strides
        np.full_like(a.T, 7, dtype=int, order="A").strides
        np.zeros_like(a.T, shape=(4, 3)).strides
        np.full_like(a, np.arange(4))
        np.full_like(a, 2.5, int)
        np.full_like(a, [1, 2], shape=(3, 2))
        np.array(a.T).strides
        np.array(a.T, order="C").strides
        np.array(a, float, order="F").strides
        np.array(a.T, order="A").strides
        np.array([1, 2], ndmin=2)
        np.array(object=[1, 2], dtype="float32", copy=True)
        np.array([a[0], a[1]])
        np.array([[a[0, 0, 0], 1], [2, a[1, 1, 1]]])
        np.array([(a[0, 0], [5, 6, 7, 8])])
        np.asarray(a, None, "F").strides
        np.asarray(a.T, order="F").strides
        np.asarray([[1, 2], [3, 4]], order="F").strides
        np.asarray([1, 2], "int8", copy=True)
        np.asarray(a, order="X")
        np.asanyarray([1, 2])
        np.copy(a.T).strides
        np.copy(a.T, "C").strides
        np.ascontiguousarray(a.T)
        np.ascontiguousarray(5)
        np.asfortranarray(a).strides
        np.asfortranarray(5)
        np.isfortran(a)
        np.isfortran(a.T)
        np.isfortran(a[0, 0])
        np.ravel(a.T, "K")
        np.ravel(a.T, "A")
        np.ravel(a[:, ::-1], "K")
        np.reshape(a.T, (6, 4), "A")
        np.asarray_chkfinite(a)
        np.asarray_chkfinite([1, np.nan])
        np.asarray_chkfinite([1, 2], "float32")
        np.require(a, None, "F").strides
        np.require(a, int, ["C", "W"])
        np.require(a.T, requirements=["C_CONTIGUOUS"]).strides
        np.require(a, None, ["C", "F"])
        np.require(a, None, ["Q"])
        np.arange(start=1, stop=4)
        np.arange(stop=5)
        np.arange(1, 4, dtype="float32")
        np.arange(1, None)
        np.arange(3.0, None, 0.5)
        np.arange(2, dtype=bool)
        np.arange(3, dtype=bool)
        np.zeros((2, 3), order="f").strides
        np.zeros((2, 3), order="K")
        np.eye(3, 4, order="f").strides
        np.ones_like(a, order="Q")
        np.asarray(a, order="f").strides
        np.asarray(a, order=1)
        np.copy(a.T, "c").strides
        np.zeros(2.0)
        np.zeros((2.0, 3))
        np.zeros(np.array([2, 3]))
        np.linspace(0.0, 5e-324, 10)
    """, {"a": a})
    for order in "KAFC":  # NumPy's arrays keep the order they lie in
        for lying in (a, a.T, a.transpose(1, 2, 0), a[:, ::2], np.broadcast_to(a[:, :1], (2, 2, 4)), np.ones((1, 3, 1))):
            assert clary.array(lying, order=order).strides == np.array(lying, order=order).strides
            check(clary.array(lying, order=order), lying)
    x = clary.array(a)
    assert clary.require(x, None, "W") is x and clary.require(x, None, "O") is not x
    assert clary.require(clary.broadcast_to(x, (5, 2, 3, 4)), None, "W").writeable
    assert clary.asfortranarray(x.T) is not x and clary.asfortranarray(x.T).shares_memory(x)


def test_spaces(tier):
    arrays = {"s": np.array([1.0, 10, -3]), "t": np.array([[2.0], [5]]), "f": np.float32([1, 2]), "c": np.array([1 + 1j, 2j])}
    agree(tier, """
        np.linspace(s, 100, 4)
        np.linspace(s, t, 3, axis=-1)
        np.linspace(0, f, 3)
        np.linspace(c, 3, 4, endpoint=False)
        np.linspace(1j, 2, 3)
        np.linspace(s, 9, 5, dtype=int)
        np.linspace(s, 9, 2, retstep=True)
        np.linspace(0, 10, 5, True, True)
        np.linspace(0, 1, num=3, dtype=bool)
        np.logspace(0, 3, 4)
        np.logspace(0, 3, 4, endpoint=False, base=2)
        np.logspace(0, s, 5, base=2.0)
        np.logspace(0, 3, 4, base=[2, 3])
        np.logspace(0, 3, 4, base=[2, 3], axis=-1)
        np.logspace(0, 3, 4, dtype=int)
        np.logspace(0, 3, 4, dtype="float32")
        np.logspace(f, 2, 3)
        np.geomspace(1, 1000, 4)
        np.geomspace(1, 256, num=9)
        np.geomspace(-1000, -1, 4)
        np.geomspace(1000, 1, 4, endpoint=False)
        np.geomspace(1, 300, 9, dtype=int)
        np.geomspace(1j, 1000j, 4)
        np.geomspace(-1 + 0j, 1 + 0j, 5)
        np.geomspace(s, 100 * s, 3)
        np.geomspace([1, 2], [10, 200], 3, axis=1)
        np.geomspace(f, 8, 4)
        np.geomspace(1, 2, 1)
        np.geomspace(1, 2, 0)
        np.geomspace(0, 2, 3)
        np.geomspace(1, -2, -1)
    """, arrays, rtol=1e-6, keep=8)
