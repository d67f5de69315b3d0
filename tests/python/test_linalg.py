"""Linear algebra against NumPy: results, dtypes, batches, empty and singular matrices, views, errors."""
import itertools

import numpy as np
import pytest
from support import check, host, rng

import clary
from clary import linalg

TOLERANCE = {"float16": 2e-3, "float32": 2e-4, "complex64": 2e-4}


def draw(shape, name="float64", seed=0):
    g = rng("linalg", shape, name, seed)
    if np.dtype(name).kind in "iu":
        return g.integers(-9 if name[0] == "i" else 0, 9, shape).astype(name)
    if name == "bool":
        return g.random(shape) < 0.5
    a = g.normal(size=shape)
    return (a + 1j * g.normal(size=shape) if name[0] == "c" else a).astype(name)


def compare(ours, theirs):
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        assert getattr(ours, "_fields", None) == getattr(theirs, "_fields", None)
        for one, other in zip(ours, theirs):
            compare(one, other)
        return
    theirs = np.asarray(theirs)
    rtol = TOLERANCE.get(theirs.dtype.name, 1e-10)
    if theirs.dtype.kind in "fc":
        check(ours, theirs, rtol=rtol, atol=rtol)
    else:
        check(ours, theirs)


def ours_of(a):
    return clary.array(a) if isinstance(a, np.ndarray) else a


def both(name, *args, **kwargs):
    """Runs the function of both libraries: they agree on the result, or on the class of the error."""
    with np.errstate(all="ignore"):
        try:
            theirs = getattr(np.linalg, name)(*args, **kwargs)
        except Exception as error:
            kind = next(k for k in (np.linalg.LinAlgError, TypeError, ValueError, IndexError) if isinstance(error, k))
            with pytest.raises(kind):
                getattr(linalg, name)(*map(ours_of, args), **kwargs)
            return
    compare(getattr(linalg, name)(*map(ours_of, args), **kwargs), theirs)


def positive(shape, name="float64"):
    a = draw(shape, name)
    return (a @ a.conj().swapaxes(-1, -2) + 4 * np.eye(shape[-1])).astype(name)


SQUARE = ["det", "slogdet", "inv", "qr", "svd", "svdvals", "pinv", "matrix_rank", "cond"]


def test_factorisations(tier):
    if tier.compiled and not tier.long:
        return  # the host's work
    shapes = [(3, 3), (2, 3, 3), (1, 1), (0, 3, 3), (0, 0), (2, 3), (3, 2), (3,), ()]
    for shape, function in itertools.product(shapes, SQUARE):
        for name in ("float64", "float32", "complex64", "complex128", "int32", "bool", "float16"):
            if name == "float16" and shape != (3, 3):
                continue  # which of two errors comes first is no matter
            a = draw(shape, name)
            if name == "bool" and shape[-1:] == (3,) and len(shape) > 1:
                a[...] = np.tri(shape[-2], 3, dtype=bool)
            both(function, a)
    for name in ("float64", "float32", "complex64", "int8"):
        both("cholesky", positive((2, 3, 3), name))
        both("cholesky", positive((3, 3), name), upper=True)
        both("eigvalsh", positive((2, 3, 3), name))
        both("eigvalsh", positive((3, 3), name), UPLO="U")
        both("solve", positive((2, 3, 3), name), draw(3, name))
        both("solve", positive((2, 3, 3), name), draw((2, 3, 4), name))
        both("lstsq", draw((4, 3), name), draw(4, name))
        both("lstsq", draw((4, 3), name), draw((4, 2), name), rcond=1e-3)
    both("eigh", positive((3, 3)), UPLO="X")
    a = draw((4, 3))
    for mode in ("reduced", "complete", "r", "raw", "full of it"):
        both("qr", a, mode=mode)
    both("svd", a, full_matrices=False)
    both("svd", a, compute_uv=False)
    both("svd", positive((3, 3)), hermitian=True)
    both("pinv", a, 0.5)
    both("pinv", a, rtol=None)
    both("pinv", positive((3, 3)), hermitian=True)
    both("matrix_rank", np.diag([1, 1e-3, 0]), tol=1e-2)
    both("matrix_rank", np.diag([1, 1e-3, 0]), rtol=1e-2)
    both("matrix_rank", np.zeros(3))
    for p in (None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc", 3):
        both("cond", draw((3, 3)), p)


def test_eigenvectors(tier):
    """Up to the phase of each vector; of general matrices always complex."""
    wider = {"float64": "complex128", "float32": "complex64", "complex64": "complex64", "int16": "complex128"}
    for name, wide in wider.items():
        a = draw((2, 4, 4), name)
        x = clary.array(a)
        values, vectors = linalg.eig(x)
        assert values.dtype == vectors.dtype == wide
        w, v = host(values), host(vectors)
        assert np.abs(a @ v - v * w[:, None, :]).max() < 20 * TOLERANCE.get(wide, 1e-11)
        assert linalg.eigvals(x).dtype == wide
        np.testing.assert_allclose(np.sort_complex(host(linalg.eigvals(x))), np.sort_complex(w), rtol=1e-3, atol=1e-4)
        s = positive((2, 4, 4), name)
        result = linalg.eigh(clary.array(s))
        w, v = host(result.eigenvalues), host(result.eigenvectors)
        assert np.abs(s @ v - v * w[:, None, :]).max() < 200 * TOLERANCE.get(wide, 1e-11)
    assert linalg.eig(clary.eye(3)).eigenvalues.dtype == complex


def test_pitfalls(tier):
    """BL-170: factors of an empty matrix; BL-172: singular matrices."""
    u, s, vh = linalg.svd(clary.zeros((0, 2)))
    assert (u.shape, s.shape) == ((0, 0), (0,))
    check(vh, np.eye(2))
    batch = [[[1.0, 0], [0, 1]], [[1, 1], [1, 1]]]
    for function, *arrays in (("inv", [[0.0]]), ("solve", [[1.0, 2], [2, 4]], [1.0, 1]), ("inv", batch), ("cholesky", [[-1.0]]),
                              ("eig", [[np.nan]]), ("inv", [[1.0, 2, 3]]), ("det", [1.0, 2])):
        with pytest.raises(linalg.LinAlgError, match=function) as caught:
            getattr(linalg, function)(*map(clary.array, arrays))
        assert isinstance(caught.value, (np.linalg.LinAlgError, ValueError)) and isinstance(caught.value, clary.Error)
    for dtype in ("float16", clary.bfloat16):
        with pytest.raises(TypeError, match="inv"):
            linalg.inv(clary.eye(2, dtype=dtype))


def test_results_stay_on_the_device(tier):
    a = draw((3, 3))
    x = clary.array(a)
    for result in (linalg.inv(x), *linalg.svd(x), *linalg.lstsq(x, x[0]), linalg.det(x), linalg.matrix_rank(x[0])):
        assert isinstance(result, clary.Array) and result.device == x.device
    for view in (lambda m: m.T, lambda m: m[::-1, ::2], lambda m: m[None, 1:]):
        compare(linalg.pinv(view(x)), np.linalg.pinv(view(a)))
    compare(linalg.inv(clary.broadcast_to(x, (2, 3, 3))), np.linalg.inv(np.broadcast_to(a, (2, 3, 3))))
    compare(linalg.solve(a.tolist(), x[0]), np.linalg.solve(a, a[0]))
    compare(np.linalg.inv(x), np.linalg.inv(a))


def test_powers_and_chains(tier):
    a = draw((2, 3, 3))
    for n in tier.sample((0, 1, 2, 3, 7, -1, -3, np.int8(4), 1.5), 4):
        both("matrix_power", a, n)
    if tier.compiled and not tier.long:
        return
    for name in ("int8", "bool", "float16", "complex64"):
        both("matrix_power", draw((3, 3), name), 3)
    both("matrix_power", draw((3, 3), "int8"), 0)
    both("matrix_power", draw((2, 3)), 2)
    both("matrix_power", draw(3), 2)
    both("matrix_power", np.ones((2, 2)), -1)
    chains = [[(2, 3), (3, 4)], [(2, 3), (3, 4), (4, 1), (1, 5)], [3, (3, 2), 2], [3, (3, 2), (2, 4)], [(2, 3), (3, 2), 2],
              [3, 3], [(9, 1), (1, 9), (9, 2), (2, 9), (9, 3)], [(2, 3)], [(2, 3), (3, 4), (5, 5)], [(2, 3), (3, 4, 1), (5, 5)]]
    for shapes in chains:
        arrays = [draw(shape, seed=i) for i, shape in enumerate(shapes)]
        try:
            expected = np.linalg.multi_dot(arrays)
        except ValueError as error:
            with pytest.raises(type(error)):
                linalg.multi_dot([clary.array(m) for m in arrays])
            continue
        compare(linalg.multi_dot([clary.array(m) for m in arrays]), expected)
    out = clary.zeros((2, 4))
    assert linalg.multi_dot([draw((2, 3)), draw((3, 4))], out=out) is out
    compare(out, draw((2, 3)) @ draw((3, 4)))
    both("tensorinv", rng("tensorinv").normal(size=(4, 6, 8, 3)))
    both("tensorinv", rng("tensorinv").normal(size=(6, 2, 3)), 1)
    both("tensorinv", draw((4, 4)), 0)
    both("tensorsolve", rng("tensorsolve").normal(size=(6, 4, 2, 3, 4)), draw((6, 4)))
    both("tensorsolve", rng("tensorsolve").normal(size=(2, 3, 6, 4, 4)), draw((6, 4)), axes=(0, 1))
    both("tensorsolve", draw((2, 3, 4)), draw((2, 3)))


def test_products_of_the_extension(tier):
    if tier.compiled and not tier.long:
        return  # compositions of what other tests run
    a, b = draw((2, 3, 4)), draw((2, 4, 3), seed=1)
    both("matmul", a, b)
    both("vecdot", a, a)
    both("vecdot", a, b.swapaxes(1, 2), axis=-2)
    both("tensordot", a, b, axes=([2], [1]))
    both("matrix_transpose", a)
    both("matrix_transpose", a[0, 0])
    both("outer", a[0, 0], b[0, 0])
    both("outer", a[0], b[0, 0])
    both("cross", b, b[::-1])
    both("cross", a, a[::-1], axis=1)
    both("cross", a, a)
    both("cross", a, a, axis=5)
    for offset in (-4, -1, 0, 2):
        both("diagonal", a, offset=offset)
        both("trace", a, offset=offset)
    both("diagonal", a[0, 0])
    both("trace", a[0, 0])
    both("trace", draw((2, 3, 3), "int8"))
    both("trace", draw((2, 3, 3), "int8"), dtype="float32")


def test_norms(tier):
    orders = (None, "fro", "nuc", "f", "x", 0, 1, -1, 2, -2, 3, 0.5, np.inf, -np.inf)
    names = ("float64", "float32", "complex64", "int16", "bool", "float16")
    axes = (None, 0, -1, (0, 1), (2, 0), (-1, 1), (0, 0), (0, 1, 2), 7)
    cases = [(draw((2, 3, 4)), dict(ord=o, axis=a, keepdims=k)) for o in orders for a in axes for k in (False, True)]
    cases += [(draw(shape, n), dict(ord=o)) for n in names for shape in ((3,), (3, 4), (0,), (0, 3)) for o in orders]
    for a, kwargs in tier.sample(cases, 101):
        if a.size or np.lib.NumpyVersion(np.__version__) < "2.3.0":  # which gives 0 where it refused before
            both("norm", a + (a == 0), **kwargs)
    for ord, axis in tier.sample([(o, a) for o in (0, 1, 2, 3, np.inf, -np.inf) for a in (None, 1, (0, 2), ())], 14):
        both("vector_norm", draw((2, 3, 4)), ord=ord, axis=axis)
        both("vector_norm", draw((2, 3, 4), "complex64"), ord=ord, axis=axis, keepdims=True)
    for ord in tier.sample(orders, 13):
        both("matrix_norm", draw((2, 3, 4)), ord=ord)
        both("matrix_norm", draw((2, 3, 4), "complex64"), ord=ord, keepdims=True)
    both("matrix_norm", draw(3))
    both("norm", draw(()))
