"""Linear algebra: numpy.linalg and the array API's extension.

Products, norms and powers are compositions of operations and run on the device. Factorisations and what
rests on them (solve, inv, det, svd, ...) are LAPACK's on the host, for matrices in the last two axes; they
take float32, float64 and complex, integers as float64, and refuse half precision as NumPy does.
"""
import math
import operator
from collections import namedtuple

import numpy

from ._array import wrap
from ._core import ArgumentError, AxisError, Error, ShapeError, lib
from ._create import eye
from ._host import on_host, refuse
from ._manip import broadcast_to, expand_dims, matrix_transpose, moveaxis
from ._manip import diagonal as _diagonal
from ._products import arrays_of, matmul, tensordot, vecdot
from ._products import cross as _cross
from ._products import outer as _outer
from ._reduce import all, axes_of, count_nonzero, max, min, sum
from ._ufunc import by_name, store

__all__ = ["EigResult", "EighResult", "LinAlgError", "QRResult", "SVDResult", "SlogdetResult", "cholesky", "cond", "cross",
           "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq", "matmul", "matrix_norm", "matrix_power",
           "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "slogdet", "solve", "svd",
           "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot", "vector_norm"]

EigResult = namedtuple("EigResult", ["eigenvalues", "eigenvectors"])
EighResult = namedtuple("EighResult", ["eigenvalues", "eigenvectors"])
QRResult = namedtuple("QRResult", ["Q", "R"])
SlogdetResult = namedtuple("SlogdetResult", ["sign", "logabsdet"])
SVDResult = namedtuple("SVDResult", ["U", "S", "Vh"])


class LinAlgError(Error, numpy.linalg.LinAlgError):
    """A matrix is singular, not square, not positive definite, or an iteration did not converge."""


def _lapack(function, *args, **kwargs):
    """A function of numpy.linalg, of Arrays and what can become one in `args` before the keywords."""
    refuse(function.__name__, args, ("float16",))
    try:
        return on_host(function, *args, **kwargs)
    except numpy.linalg.LinAlgError as error:
        raise LinAlgError(f"{function.__name__}: {error}") from None


def _one(x):
    return arrays_of(x)[0]


def _square(name, a):
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise LinAlgError(f"{name}: needs square matrices in the last two axes, shape is {a.shape}")


# ---- factorisations ----
def cholesky(a, /, *, upper=False):
    """The triangular L with L @ conj(L.mT) = a, for a positive definite a; upper: conj(L.mT) instead."""
    return _lapack(numpy.linalg.cholesky, _one(a), upper=upper)


def qr(a, mode="reduced"):
    """Orthonormal Q and upper triangular R with Q @ R = a; mode "reduced", "complete", "r" (R alone) or "raw"."""
    result = _lapack(numpy.linalg.qr, _one(a), mode=mode)
    return QRResult(*result) if mode in ("reduced", "complete") else result


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular value decomposition: U, S, Vh with (U * S) @ Vh = a, S falling; compute_uv=False: S alone."""
    result = _lapack(numpy.linalg.svd, _one(a), full_matrices=full_matrices, compute_uv=compute_uv, hermitian=hermitian)
    return SVDResult(*result) if compute_uv else result


def svdvals(x, /):
    """The singular values, falling."""
    return svd(x, compute_uv=False)


def _complex(values):
    return values if values.dtype.kind == "c" else values.astype("complex64" if values.dtype == "float32" else complex)


def eig(a):
    """Eigenvalues and right eigenvectors, in columns. Always complex, whatever the values are."""
    return EigResult(*map(_complex, _lapack(numpy.linalg.eig, _one(a))))


def eigvals(a):
    """Eigenvalues, in no order. Always complex, whatever the values are."""
    return _complex(_lapack(numpy.linalg.eigvals, _one(a)))


def eigh(a, UPLO="L"):
    """Eigenvalues, rising, and eigenvectors of a Hermitian matrix, of which one triangle is read."""
    return EighResult(*_lapack(numpy.linalg.eigh, _one(a), UPLO=UPLO))


def eigvalsh(a, UPLO="L"):
    """Eigenvalues, rising, of a Hermitian matrix, of which one triangle is read."""
    return _lapack(numpy.linalg.eigvalsh, _one(a), UPLO=UPLO)


# ---- equations ----
def solve(a, b):
    """The x with a @ x = b: vectors if b is 1-D, else matrices. LinAlgError where a is singular."""
    return _lapack(numpy.linalg.solve, *arrays_of(a, b))


def inv(a):
    """Inverse matrices. LinAlgError where one is singular."""
    return _lapack(numpy.linalg.inv, _one(a))


def pinv(a, rcond=None, hermitian=False, *, rtol=numpy._NoValue):
    """Pseudo-inverses; singular values up to rtol times the largest count as zero."""
    return _lapack(numpy.linalg.pinv, _one(a), rcond=rcond, hermitian=hermitian, rtol=rtol)


def lstsq(a, b, rcond=None):
    """The x that minimises |a @ x - b|, the squared residuals, a's rank and its singular values."""
    return _lapack(numpy.linalg.lstsq, *arrays_of(a, b), rcond=rcond)


def det(a):
    """Determinants."""
    return _lapack(numpy.linalg.det, _one(a))


def slogdet(a):
    """Signs of determinants and logarithms of their magnitudes."""
    return SlogdetResult(*_lapack(numpy.linalg.slogdet, _one(a)))


def cond(x, p=None):
    """Condition numbers: the norm of order p (None: 2) times that of the inverse; infinite where it has none."""
    return _lapack(numpy.linalg.cond, _one(x), p=p)


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """How many singular values exceed tol, or rtol times the largest; of a vector, whether it is not zero."""
    A = _one(A)
    if A.ndim < 2:
        return (~all(A == 0)).astype("int64")
    return _lapack(numpy.linalg.matrix_rank, A, tol=tol, hermitian=hermitian, rtol=rtol)


def tensorinv(a, ind=2):
    """The inverse of a as a map from its axes after the first `ind` to those: tensordot with it undoes a."""
    a = _one(a)
    if ind <= 0:
        raise ArgumentError(f"tensorinv: ind must be 1 or more, not {ind}")
    rows = math.prod(a.shape[:ind])
    return inv(a.reshape(rows, -1)).reshape(a.shape[ind:] + a.shape[:ind])


def tensorsolve(a, b, axes=None):
    """The x with tensordot(a, x, x.ndim) = b, after a's `axes` are moved to its end."""
    a, b = arrays_of(a, b)
    if axes is not None:
        a = moveaxis(a, tuple(axes), tuple(range(a.ndim - len(axes), a.ndim)))
    shape = a.shape[b.ndim:]
    if math.prod(shape) != b.size or a.size != b.size**2:
        raise LinAlgError(f"tensorsolve: shapes {a.shape} and {b.shape} are not a square system")
    return solve(a.reshape(b.size, b.size), b.reshape(-1)).reshape(shape)


# ---- products ----
def outer(x1, x2, /):
    """Products of every element of one vector with every element of another: a matrix."""
    x1, x2 = arrays_of(x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ShapeError(f"outer: needs two vectors, shapes are {x1.shape} and {x2.shape}")
    return _outer(x1, x2)


def cross(x1, x2, /, *, axis=-1):
    """Cross product of vectors of 3 elements."""
    x1, x2 = arrays_of(x1, x2)
    for x in (x1, x2):
        if not -x.ndim <= axis < x.ndim:
            raise AxisError(f"cross: axis {axis} is out of bounds for an array of dimension {x.ndim}")
        if x.shape[axis] != 3:
            raise ShapeError(f"cross: needs vectors of 3 elements along axis {axis}, shapes are {x1.shape} and {x2.shape}")
    return _cross(x1, x2, axis=axis)


def matrix_power(a, n):
    """Matrices multiplied by themselves n times; n = 0 gives identities, n < 0 powers of inverses."""
    a = _one(a)
    _square("matrix_power", a)
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError(f"matrix_power: the exponent must be an integer, not {n!r}") from None
    if n == 0:
        return broadcast_to(eye(a.shape[-1], dtype=a.dtype, device=a._device), a.shape).copy()
    if n < 0:
        a, n = inv(a), -n
    result = None
    while n:
        if n & 1:
            result = a if result is None else matmul(result, a)
        n >>= 1
        a = matmul(a, a) if n else a
    return result


def _chain(extents):
    """For the cheapest product of matrices of extents[i] x extents[i + 1]: where to cut each part (i, j)."""
    cost, cut = {}, {}
    count = len(extents) - 1
    for length in range(count):
        for i in range(count - length):
            j = i + length
            cost[i, j] = 0 if not length else math.inf
            for k in range(i, j):
                total = cost[i, k] + cost[k + 1, j] + extents[i] * extents[k + 1] * extents[j + 1]
                if total < cost[i, j]:
                    cost[i, j], cut[i, j] = total, k
    return cut


def multi_dot(arrays, *, out=None):
    """The product of two matrices or more in the order that costs least. The first and last may be vectors."""
    arrays = arrays_of(*arrays)
    if len(arrays) < 2:
        raise ArgumentError(f"multi_dot: needs at least two arrays, not {len(arrays)}")
    row, column = arrays[0].ndim == 1, arrays[-1].ndim == 1
    matrices = [arrays[0][None, :] if row else arrays[0], *arrays[1:-1], arrays[-1][:, None] if column else arrays[-1]]
    for m in matrices:
        if m.ndim != 2:
            raise LinAlgError(f"multi_dot: needs matrices, one has shape {m.shape}")
    cut = _chain([m.shape[0] for m in matrices] + [matrices[-1].shape[1]])

    def part(i, j):
        return matrices[i] if i == j else matmul(part(i, cut[i, j]), part(cut[i, j] + 1, j))

    result = part(0, len(matrices) - 1)[(0 if row else slice(None), 0 if column else slice(None))]
    return result if out is None else store(result, out)


# ---- diagonals ----
def diagonal(x, /, *, offset=0):
    """Views of the diagonals of the matrices in the last two axes."""
    return _diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """Sums along the diagonals of the matrices in the last two axes."""
    return sum(_diagonal(x, offset, -2, -1), axis=-1, dtype=dtype)


# ---- norms ----
def _float(x):
    x = _one(x)
    return x if x.dtype.kind in "fc" else x.astype(float)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of order `ord` of the elements along axes (None: of all)."""
    x = _float(x)
    if ord is None or ord == 2:
        return wrap(lib.clary_py_reduce(b"norm", x._h, *axes_of(axis, x), keepdims))
    if isinstance(ord, str):
        raise ArgumentError(f"vector_norm: {ord!r} is not an order of norms of vectors")
    magnitude = by_name["absolute"](x)
    if ord == math.inf:
        return max(magnitude, axis, keepdims=keepdims)
    if ord == -math.inf:
        return min(magnitude, axis, keepdims=keepdims)
    if ord == 0:
        return count_nonzero(x, axis, keepdims=keepdims).astype(magnitude.dtype)
    if ord == 1:
        return sum(magnitude, axis, keepdims=keepdims)
    return sum(magnitude ** float(ord), axis, keepdims=keepdims) ** (1 / float(ord))


_OF_SINGULAR_VALUES = {2: max, -2: min, "nuc": sum}


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norm of the matrices in the last two axes: "fro", "nuc", 1, -1, 2, -2, inf, -inf."""
    x = _float(x)
    if x.ndim < 2:
        raise ShapeError(f"matrix_norm: needs two axes at least, shape is {x.shape}")
    if ord in (None, "fro", "f"):
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord in _OF_SINGULAR_VALUES:
        result = _OF_SINGULAR_VALUES[ord](svdvals(x), -1)[..., None, None]
    elif ord in (1, -1, math.inf, -math.inf):
        along, across = (-2, -1) if abs(ord) == 1 else (-1, -2)
        sums = sum(by_name["absolute"](x), along, keepdims=True)
        result = (max if ord > 0 else min)(sums, across, keepdims=True)
    else:
        raise ArgumentError(f"matrix_norm: {ord!r} is not an order of norms of matrices")
    return result if keepdims else result[..., 0, 0]


def norm(x, ord=None, axis=None, keepdims=False):
    """numpy.linalg.norm: of vectors (axis a number), matrices (axis a pair), or of all elements."""
    x = _float(x)
    if axis is None and ord is None:
        return vector_norm(x, keepdims=keepdims)
    if axis is None:
        axis = tuple(range(x.ndim))
    axis = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    if len(axis) == 1:
        return vector_norm(x, axis=axis[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axis) != 2:
        raise ShapeError(f"norm: vectors have one axis and matrices two, not {len(axis)}; shape is {x.shape}")
    result = matrix_norm(moveaxis(x, axis, (-2, -1)), ord="fro" if ord is None else ord)
    return expand_dims(result, tuple(a % x.ndim for a in axis)) if keepdims else result
