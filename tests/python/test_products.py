"""Products of vectors, matrices and tensors against NumPy: shapes, dtypes, layouts, empty arrays, errors."""
import itertools
import warnings

import numpy as np
import pytest
from support import check, counted, host, make, rng

import clary

DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128"]
TOLERANCE = {"float16": 2e-3, "float32": 1e-5, "complex64": 1e-5}


def draw(shape, name="float64", seed=0):
    g = rng("products", shape, name, seed)
    if name == "bool":
        return g.random(shape) < 0.4
    if np.dtype(name).kind in "iu":
        return g.integers(0 if name[0] == "u" else -9, 9, shape).astype(name)
    a = g.normal(size=shape)
    return (a + 1j * g.normal(size=shape) if name[0] == "c" else a).astype(name)


def compare(ours, theirs):
    """Ours against NumPy's."""
    theirs = np.asarray(theirs)
    rtol = TOLERANCE.get(theirs.dtype.name, 1e-12)
    if theirs.dtype.kind in "fc":
        check(ours, theirs, rtol=rtol, atol=rtol * 4)
    else:
        check(ours, theirs)


def both(name, *arrays, **kwargs):
    """Runs the function of both libraries: they agree on the result, or on the class of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            theirs = getattr(np, name)(*arrays, **kwargs)
        except (ValueError, TypeError, IndexError) as error:
            kind = next(k for k in (TypeError, ValueError, IndexError) if isinstance(error, k))
            with pytest.raises(kind):
                getattr(clary, name)(*map(ours_of, arrays), **kwargs)
            return
    compare(getattr(clary, name)(*map(ours_of, arrays), **kwargs), theirs)


def interface_only(tier):
    """Whether a test of arguments can be left out: the kernels are those of other tests."""
    return tier.compiled and not tier.long


def ours_of(a):
    return clary.array(a) if isinstance(a, (np.ndarray, np.generic)) else a


MATMUL = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)),
          ((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((5, 1, 2, 3), (4, 3, 2)), ((0, 2, 3), (1, 3, 4)), ((2, 0), (0, 3)),
          ((3, 2, 0), (3, 0, 3)), ((0, 3), (3, 2)), ((1, 1), (1, 1)), ((17, 33), (33, 9)), ((2, 3), (4, 5)),
          ((3,), (4,)), ((2, 2, 3), (3, 3, 4)), ((), (3,)), ((2, 3), ())]


def test_matmul_shapes(tier):
    """BL-160, BL-162, BL-164, BL-166."""
    for one, two in tier.sample(MATMUL, 4):
        both("matmul", draw(one), draw(two))
    assert clary.matmul(clary.arange(3), clary.arange(3)).item() == 5
    assert clary.matmul(clary.ones((3, 2)), clary.ones((5, 2, 4))).flags.c_contiguous
    with pytest.raises(ValueError):
        clary.matmul(2.0, clary.ones(3))
    with pytest.raises(ValueError, match=r"matmul.*\(2, 3\).*\(4, 5\)"):
        clary.matmul(clary.ones((2, 3)), clary.ones((4, 5)))


def test_nothing_to_sum_gives_zeros(tier):
    """BL-160: with memory about that held NaN before."""
    for _ in range(3):
        nan = clary.full((2, 3), np.nan) * 1
        clary.eval(nan)
        del nan
    check(clary.ones((2, 0)) @ clary.ones((0, 3)), np.zeros((2, 3)))
    check(clary.matmul(clary.ones((3, 2, 0)), clary.ones((3, 0, 3))), np.zeros((3, 2, 3)))
    check(clary.tensordot(clary.ones((2, 0)), clary.ones((0,)), 1), np.zeros(2))
    check(clary.einsum("ij->i", clary.ones((2, 0), "float32")), np.zeros(2, "float32"))


def test_matmul_dtypes(tier):
    for i, one in enumerate(tier.sample(DTYPES, 7)):
        for two in tier.sample(DTYPES[i % 2 :: 2], 9):
            both("matmul", draw((4, 7), one), draw((7, 3), two, 1))
            both("vecdot", draw((4, 7), one), draw((7,), two, 1))
    both("matmul", np.full((3, 300), 100, "int8"), np.full((300, 2), 3, "int8"))  # wraps


def test_half_is_rounded_once(tier):
    """A sum of 4096 ones and tiny numbers: rounding each step to half would lose the tiny ones."""
    a = np.full((2, 4096), 2.0**-12, "float16")
    a[:, 0] = 1
    check(clary.matmul(make(a, "float16"), clary.ones(4096, "float16")), np.full(2, 2, "float16"), atol=2e-3)
    x = make(a.astype("float32"), "bfloat16")
    result = clary.einsum("ij,kj->ik", x, clary.ones((1, 4096), clary.bfloat16))
    assert result.dtype == clary.bfloat16
    assert host(result).tolist() == [[2.0], [2.0]]
    both("einsum", "ij->i", a)


def test_layouts(tier):
    """BL-104 and views of every kind: strided, reversed, transposed, broadcast, offset."""
    a, b = draw((12, 256)), draw((12, 256, 64), seed=1)
    x, w = clary.array(a), clary.array(b)
    check(clary.matmul(x[:, None, :], w), np.matmul(a[:, None, :], b), rtol=1e-11, atol=1e-12)
    a, b = draw((9, 10, 11)), draw((11, 10, 9), seed=1)
    x, y = clary.array(a), clary.array(b)
    views = [lambda m: m.T, lambda m: m[::-1, ::-1, ::-1], lambda m: m[:, ::2, 1::3], lambda m: m.swapaxes(0, 2)]
    for f in tier.sample(views, 3):
        compare(clary.matmul(f(x), clary.matrix_transpose(f(x))), np.matmul(f(a), f(a).swapaxes(1, 2)))
        compare(clary.matmul(f(x)[..., 0], y[:, 0, 0][: f(x).shape[1]]), np.matmul(f(a)[..., 0], b[:, 0, 0][: f(a).shape[1]]))
    shape = (4, 10, 11)
    compare(clary.matmul(clary.broadcast_to(x[:1], shape), y[:, 0]), np.matmul(np.broadcast_to(a[:1], shape), b[:, 0]))


@pytest.mark.parametrize("name", ["complex64", "float32"])
def test_every_size(tier, name):
    """BL-168: sizes around every power of two, each operand plain and transposed."""
    for n in tier.sample([*range(1, 10), 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 130], 3):
        a, b = draw((n, n), name), draw((n, n), name, 1)
        x, y = clary.array(a), clary.array(b)
        scale = np.abs(a) @ np.abs(b)
        for p, q, c, d in ((x, y, a, b), (x.T, y, a.T, b), (x, y.T, a, b.T), (x.T, y.T, a.T, b.T)):
            error = np.abs(host(clary.matmul(p, q)) - (c.astype("complex128") @ d)) / np.max(scale)
            assert error.max() < 1e-6, n


def test_operands_are_computed_once(tier):
    """An operand that is an expression runs before the product, not for each of its points."""
    x, y = clary.ones((64, 64)), clary.ones((64, 64))
    clary.eval(x, y)
    result, counts = counted(lambda: clary.matmul(clary.sin(x), clary.exp(y).T))
    assert counts.launches <= 3
    compare(result, np.sin(np.ones((64, 64))) @ np.exp(np.ones((64, 64))))


def test_generalised_arguments(tier):
    """out=, dtype=, casting=, axes=, axis=, keepdims=."""
    if interface_only(tier):
        return
    a, b, v = draw((2, 3)), draw((3, 2), seed=1), draw(3)
    x, y, u = map(clary.array, (a, b, v))
    for name, arrays, cases in (
            ("matmul", (a, b), [{"dtype": "float32"}, {"dtype": "int32"}, {"axes": [(0, 1), (0, 1), (1, 0)]},
                                {"axes": [(1, 0), (1, 0), (0, 1)]}, {"axes": [(0, 1), (0, 1)]}, {"axis": 0},
                                {"keepdims": True}, {"axes": [(0,), (0, 1), (0, 1)]}]),
            ("matmul", (v, b), [{"axes": [(0,), (0, 1), (0,)]}, {"axes": [0, (0, 1), 0]}]),
            ("matmul", (draw((3, 5, 2)), draw((2, 3, 5))), [{"axes": [(0, 2), (0, 1), (0, 2)]}]),
            ("vecdot", (a, v), [{"axis": -1}, {"keepdims": True}, {"axes": [1, 0]}, {"axes": [1, 0, ()]},
                                {"axis": -1, "keepdims": True}, {"axis": 0}, {"axis": 5}]),
            ("vecdot", (draw((3, 4)), draw((3, 4), seed=2)), [{"axis": 0}, {"axis": 0, "keepdims": True}])):
        for kwargs in cases:
            both(name, *arrays, **kwargs)
    out = clary.zeros((2, 2), "float32")
    assert clary.matmul(x, y, out=out) is out
    check(out, (a @ b).astype("float32"), rtol=1e-6, atol=1e-6)
    many = clary.zeros((5, 2, 2))
    clary.matmul(x, y, many)
    compare(many, np.broadcast_to(a @ b, (5, 2, 2)))
    for bad in (clary.zeros((2, 2), int), clary.zeros((3, 3)), clary.zeros(2)):
        with pytest.raises((TypeError, ValueError)):
            clary.matmul(x, y, out=bad)
    square = clary.array(a[:, :2])
    clary.matmul(square, square, out=square)  # as if computed first
    compare(square, a[:, :2] @ a[:, :2])
    if hasattr(np, "matvec"):  # NumPy 2.2
        c, w = draw((4, 3, 2), "complex64"), draw((4, 3), "complex64", 1)
        both("matvec", c, w[:, :2])
        both("vecmat", w, c)
        both("matvec", c, w)
        both("vecmat", w[:, :2], c)
        both("matvec", a, v, axes=[(0, 1), 0, 0])
        both("matvec", v, v)
        both("matvec", a, v, axis=0)


def test_products_of_two(tier):
    vectors = [draw(()), draw(3), draw((2, 3)), draw((4, 2, 3)), draw((3, 2), seed=1), draw((4, 3, 2), seed=1),
               draw(0), draw((3, 3), "complex64"), draw((3,), "int8")]
    names = ["dot", "inner", "outer", "kron", "vdot"]
    for case in tier.sample(itertools.product(names, vectors, vectors), 51):
        both(*case)
    both("dot", np.float32([1, 2]), 2.0)
    both("vdot", draw((2, 3), "complex128"), draw((3, 2), "complex128", 1))
    x = clary.array(vectors[2])
    for bad in (clary.zeros((), "float32"), clary.zeros(3)):
        with pytest.raises(ValueError):
            clary.dot(x[0], x[1], out=bad)
    out = clary.zeros((6, 3), "float32")
    assert clary.outer(x, x[0], out=out) is out
    compare(out, np.outer(vectors[2], vectors[2][0]).astype("float32"))


def test_tensordot(tier):
    a, b = draw((2, 3, 4)), draw((4, 3, 2), seed=1)
    for axes in (0, 1, 2, 3, 4, ([0], [2]), ([0, 1], [2, 1]), (1, 1), ([-1], [0]), ([0, 0], [2, 2]), ([0], [0, 1]),
                 ((), ()), ([2, 0, 1], [0, 2, 1]), ([7], [0])):
        both("tensordot", a, b, axes=axes)
    both("tensordot", np.zeros((3, 0)), np.zeros((0, 4)), axes=1)
    both("tensordot", draw((3, 4), "bool"), draw((4, 5), "bool", 1), axes=1)
    with pytest.raises(ValueError):  # never stretched
        clary.tensordot(clary.ones((2, 1)), clary.ones((3, 2)), 1)


def test_cross(tier):
    shapes = [((3,), (3,)), ((2, 1, 3), (5, 3)), ((2,), (2,)), ((3,), (2,)), ((2,), (3,)), ((4, 2), (4, 3)), ((4,), (4,)),
              ((0, 3), (3,)), ((2, 3), (1, 2))]
    for one, two in tier.sample(shapes, 5):
        if 2 in (one[-1], two[-1]) and np.lib.NumpyVersion(np.__version__) >= "2.3.0":
            continue  # NumPy's newer ones take three-dimensional vectors alone
        both("cross", draw(one), draw(two, seed=1))
    if interface_only(tier):
        return
    both("cross", draw((2, 3)), draw(3), axisc=0)
    both("cross", draw((3, 2)), draw((3, 2), seed=1), axis=0)
    both("cross", draw((3, 2)), draw((2, 3), seed=1), axisa=0)
    both("cross", draw(3, "uint16"), draw(3, "uint16", 1))
    both("cross", draw(3, "bool"), draw(3, "bool", 1))
    both("cross", draw(3, "complex64"), draw(3, "int8"))


EINSUM = [
    ("i->", 3), ("i", 3), ("ij->ji", (2, 3)), ("ba", (2, 3)), ("Ba,ac", (2, 3), (3, 4)), ("ii", (3, 3)), ("ii->i", (3, 3)),
    ("iij->ji", (3, 3, 2)), ("i,i", 3, 3), ("i,j", 3, 4), ("ij,jk", (2, 3), (3, 4)), ("ij,jk->ki", (2, 3), (3, 4)),
    ("i,->i", 3, ()), (",", (), ()), ("->", ()), ("", ()), ("...", (3, 2)), ("i...->...", (3, 2)), ("...i->i", 3),
    (" i j , j k -> i k ", (2, 3), (3, 4)), ("...ij,...jk->...ik", (5, 1, 2, 3), (4, 3, 2)),
    ("ij...,jk->ik...", (2, 3, 4), (3, 2)),
    ("...ij,...j", (2, 1, 3, 3), (2, 4, 3)), ("tiijj->ij", (2, 3, 3, 4, 4)), ("...,...", (2, 1), 3),
    ("ij,jk->...", (2, 3), (3, 4)), ("i,i", 3, 1), ("i,i->i", 3, 1), ("i,i->i", 0, 1), ("i,i", 0, 1),
    ("ij,ij->", (2, 1), (1, 3)), ("ij,ij->j", (2, 1), (1, 3)),
    ("ij,jk,kl", (2, 3), (3, 4), (4, 5)), ("ij,jk,kl,lm->mi", (2, 3), (3, 4), (4, 5), (5, 2)), ("i,j,ij->", 3, 4, (3, 4)),
    ("ii,ij,jj->j", (3, 3), (3, 4), (4, 4)), ("...a,...b,ab->...", (2, 3), (5, 1, 4), (3, 4)), ("i,i,i->i", 4, 4, 4),
    ("abc,bd,ce,df->aef", (2, 3, 4), (3, 2), (4, 3), (2, 5)), ("ijk,k->ij", (2, 3, 4), 4), ("ij,kj->", (2, 3), (4, 3)),
    # refused
    ("...i->i", (2, 3)), ("i->ii", 3), ("i->j", 3), ("ij", 3), ("i", (3, 2)), ("i,i", 3), ("i", 3, 3), ("ii", (3, 1)),
    ("ii", (1, 3)), ("i,i", 3, 2), (".i", (2, 2)), ("..i", (2, 2)), ("......", 3), ("i1", (2, 2)), ("", 3), ("i-i", 3),
    ("i>i", 3),
    ("i->i->i", 3), ("ij->->", (2, 2)), ("i->-", 3), ("i,i->i,", 3, 3), ("é", 3), ("i,i", 0, 3),
]


def test_einsum(tier):
    """BL-174, BL-176, BL-178 and every rule of the notation."""
    for subscripts, *shapes in tier.sample(EINSUM, 7):
        arrays = [draw(shape, seed=i) for i, shape in enumerate(shapes)]
        both("einsum", subscripts, *arrays)


def test_einsum_dtypes(tier):
    for name in tier.sample(DTYPES, 6):
        a, b = draw((4, 5), name), draw((5, 6), name, 1)
        both("einsum", "ij,jk->ik", a, b)
        both("einsum", "ij->j", a)
        both("einsum", "ij,jk,k->", a, b, b[0])
        both("einsum", "ij,ij->j", a, draw((4, 5), "float32"))


def test_einsum_arguments(tier):
    if interface_only(tier):
        return
    a, b = draw((2, 3)), draw((3, 4), seed=1)
    x, y = clary.array(a), clary.array(b)
    compare(clary.einsum(x, [0, 1], y, [1, 2]), a @ b)
    compare(clary.einsum(x, [0, 1], y, [1, 2], [2, 0]), (a @ b).T)
    compare(clary.einsum(x, [Ellipsis, 1], y, [1, 2], [2, Ellipsis]), (a @ b).T)
    compare(clary.einsum(x, [51, 0]), np.einsum(a, [51, 0]))
    for bad, error in (([0, 52], ValueError), ([-1, 0], ValueError), ([None, 0], TypeError)):
        with pytest.raises(error):
            clary.einsum(x, bad)
    with pytest.raises(ValueError):
        clary.einsum()
    both("einsum", "ij,jk", a.astype("float32"), b.astype("float32"), dtype="float64")
    both("einsum", "ij,jk", a, b, dtype="float32")
    both("einsum", "ij,jk", a, b, dtype="float32", casting="same_kind")
    both("einsum", "ij,j", a, [1, 2, 3])
    for subscripts in ("ij", "ji", "ij->i"):
        both("einsum", subscripts, a.astype("float32"), dtype="float64")
        both("einsum", subscripts, a, dtype="float32")  # a view stays what it is; a sum is refused
    out = clary.zeros((2, 4))
    assert clary.einsum("ij,jk", x, y, out=out, optimize="optimal") is out
    compare(out, a @ b)
    with pytest.raises(TypeError):  # safe casting only
        clary.einsum("ij,jk", x, y, out=clary.zeros((2, 4), "float32"))
    clary.einsum("ii->i", out[:, :2])[...] = 9  # a view
    assert host(out)[0, 0] == host(out)[1, 1] == 9
    path, text = clary.einsum_path("ij,jk,kl->il", x, y, clary.ones((4, 5)))
    assert path[0] == "einsum_path" and len(path) == 3 and "scaling" in text


def test_einsum_keeps_intermediates_small(tier):
    """A chain whose product, taken at once, would have 10^12 points."""
    n = 100
    vectors = [draw(n, seed=i) for i in range(6)]
    compare(clary.einsum("a,b,c,d,e,f->", *map(clary.array, vectors)), np.prod([v.sum() for v in vectors]))
    a = draw((n, n))
    x = clary.array(a)
    compare(clary.einsum("ab,bc,cd,de,ef->af", x, x, x, x, x[:, :2]), a @ (a @ (a @ (a @ a[:, :2]))))


def test_arrays_of_two_devices():
    with clary.device("reference"):
        x = clary.ones(3)
    others = [d for d in clary.devices() if d.usable and d.backend != "reference"]
    if others:
        with pytest.raises(ValueError, match="device|on"):
            clary.vdot(x, x.to_device(others[0].name))


def test_numpys_functions_run_here(tier):
    """NumPy's products and transforms, given our arrays, and its @."""
    a = draw((3, 3))
    x = clary.array(a)
    for function in (lambda v: np.matmul(v, a), lambda v: np.vecdot(v, v, axis=0), lambda v: a @ v, lambda v: v @ a,
                     lambda v: np.einsum("ij,kj", v, v), lambda v: np.dot(v, v), lambda v: np.tensordot(v, v, 1),
                     lambda v: np.linalg.inv(v), lambda v: np.fft.rfft(v), lambda v: np.fft.fftshift(v)):
        result = function(x)
        assert isinstance(result, clary.Array)
        compare(result, function(a))
    out = clary.zeros((3, 3))
    assert np.matmul(x, x, out=out) is out
    compare(out, a @ a)
    target = np.zeros((3, 3))
    assert np.matmul(x, a, out=target) is target
    np.testing.assert_allclose(target, a @ a)


def wide(a):
    """For a product without rounding, or overflow: float64, complex128, or wrapped as the integers are."""
    return a.astype({"f": "float64", "c": "complex128", "b": "int64"}.get(a.dtype.kind, a.dtype))


def compare_product(ours, a, b, depth):
    """Ours against the sum in a wider dtype; what is left out is the rounding of each step."""
    exact = wide(a) @ wide(b)
    if a.dtype.kind == "b":
        exact = exact > 0
    assert ours.dtype.name == a.dtype.name
    got = host(ours)
    if a.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, exact)
        return
    eps = {"float16": 1e-3, "float32": 1.2e-7, "complex64": 3e-7}.get(a.dtype.name, 5e-16)
    bound = np.abs(wide(a)) @ np.abs(wide(b)) * eps * (4 + depth**0.5) + 1e-30
    assert (np.abs(wide(got) - exact) <= bound).all()


@pytest.mark.parametrize("name", DTYPES)
def test_matrix_sizes(tier, name):
    """Sizes beside those of tiles and blocks, primes, and every way to lie in memory."""
    sizes = [(2, 2, 2), (31, 32, 33), (33, 1, 31), (65, 257, 129), (2, 300, 3), (127, 255, 2), (3, 256, 131), (64, 0, 5),
             (1, 9, 64)]
    for rows, inner, columns in tier.sample(sizes, 4):
        a, b = draw((rows, inner), name), draw((inner, columns), name, 1)
        x, y = clary.array(a), clary.array(b)
        xt, yt = clary.array(np.ascontiguousarray(a.T)).T, clary.array(np.ascontiguousarray(b.T)).T
        for one, two in ((x, y), (xt, y), (x, yt), (xt, yt)):
            compare_product(one @ two, a, b, inner)
        compare_product(x[::-1, ::-1] @ y[::-1], a[::-1, ::-1], b[::-1], inner)
        compare_product(x[:, ::2] @ y[::2, ::-2], a[:, ::2], b[::2, ::-2], inner)


@pytest.mark.parametrize("name", ["int32", "float32", "float16", "complex128"])
def test_matrix_batches(tier, name):
    """Batches that are merged, stretched, transposed or packed."""
    a, b = draw((3, 4, 5, 6), name), draw((3, 4, 6, 7), name, 1)
    x, y = clary.array(a), clary.array(b)
    cases = [(lambda m: m, lambda m: m), (lambda m: m[:1], lambda m: m), (lambda m: m[0], lambda m: m),
             (lambda m: m.transpose(1, 0, 2, 3), lambda m: m.transpose(1, 0, 2, 3)),
             (lambda m: m[:, ::2], lambda m: m[::-1, :2]),
             (lambda m: m, lambda m: m[0, 0]), (lambda m: m[:, :1], lambda m: m[:1])]
    for f, g in tier.sample(cases, 3):
        compare_product(clary.matmul(f(x), g(y)), f(a), g(b), 6)
    for subscripts in ("abij,abjk->abik", "abij,abjk->kbai", "abij,cdjk->icbkad", "abij,abjk->ik", "baij,bajk->aki"):
        expected = np.einsum(subscripts, wide(a), wide(b))
        got = clary.einsum(subscripts, x, y)
        rtol = {"float16": 4e-3, "float32": 1e-5}.get(name, 1e-12)
        np.testing.assert_allclose(host(got).astype(expected.dtype), expected, rtol=rtol, atol=rtol * 40)


def test_parts_of_complex_numbers_are_multiplied(tier):
    a = draw((9, 9), "complex64")
    x = clary.array(a)
    compare(clary.matmul(x.real, x.imag.T), (a.real.astype("float64") @ a.imag.T).astype("float32"))


def test_epilogue_is_fused(tier):
    """What is done with the elements of a product runs in its own group, and casts once."""
    a, b, bias = draw((33, 65), "float32"), draw((65, 31), "float32", 1), draw(31, "float32", 2)
    x, y, z = map(clary.array, (a, b, bias))
    clary.eval(x, y, z)
    result = clary.astype(clary.maximum(x @ y + z, 0) * 2, "float16")
    compare(result, (np.maximum(a.astype("float64") @ b + bias, 0) * 2).astype("float16"))
    product = x @ y  # needed twice, and kept
    both_of = product + product.T[:1, :1] * 0 + clary.sum(product)
    exact = a.astype("float64") @ b
    check(both_of, (exact + exact.sum()).astype("float32"), rtol=1e-4, atol=1e-3)
    check(product, exact.astype("float32"), rtol=1e-5, atol=1e-4)
    chain = (x @ y) @ (y.T @ x.T) - (x @ y) @ (x @ y).T  # products of products
    check(chain, np.zeros((33, 33), "float32"), atol=1e-2)


def test_product_into_an_operand(tier):
    """x[...] = x @ x reads all of x before it writes any."""
    a = draw((40, 40))
    x = clary.array(a)
    x[...] = x @ x
    compare(x, a @ a)
    x[1:] = (x @ x.T)[:-1]
    theirs = a @ a
    theirs[1:] = (theirs @ theirs.T)[:-1]
    compare(x, theirs)


@pytest.mark.parametrize("engine", ["host", "reference"])
def test_engines(tier, engine, monkeypatch):
    """A BLAS, if there is one, and the loops here: operands that it can take as they lie, and others."""
    monkeypatch.setenv("CLARY_GEMM", engine)
    views = [lambda m: m, lambda m: m[..., ::-1, :], lambda m: m[..., ::-1], lambda m: m[:, ::2, ::3], lambda m: m[:1, :, 1:],
             lambda m: np.swapaxes(m, 1, 2) if isinstance(m, np.ndarray) else clary.swapaxes(m, 1, 2),
             lambda m: (np if isinstance(m, np.ndarray) else clary).broadcast_to(m[:, :1], m.shape)]
    for name in tier.sample(["float32", "float64", "complex64", "complex128"], 2):
        for rows, inner, columns in ((2, 2, 2), (33, 31, 65), (129, 127, 2), (3, 257, 50)):
            a, b = draw((2, rows, inner), name), draw((2, inner, columns), name, 1)
            x, y = clary.array(a), clary.array(b)
            for f in views:
                one, two = f(a), np.ascontiguousarray(b[:, :1].repeat(f(a).shape[2], 1) if f(a).shape[2] > inner
                                                     else b[:, :f(a).shape[2]])
                compare_product(f(x) @ clary.array(two), one, two, inner)
                one = np.ascontiguousarray(a[:, :, :1].repeat(f(b).shape[1], 2) if f(b).shape[1] > inner
                                           else a[:, :, :f(b).shape[1]])
                compare_product(clary.array(one) @ f(y), one, f(b), inner)
        compare((x @ y) * 2, (wide(a) @ wide(b) * 2).astype(name))
