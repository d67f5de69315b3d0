"""Norms of vectors and matrices, as reductions."""
import math

from ._array import wrap
from ._core import UnsupportedError, lib
from ._create import asarray
from ._reduce import axes_of, count_nonzero, max, min, sum
from ._ufunc import by_name

__all__ = ["matrix_norm", "norm", "vector_norm"]


def _float(x):
    x = asarray(x)
    return x if x.dtype.kind in "fcV" else x.astype(float)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of order `ord` of the elements along axes (None: of all)."""
    x = _float(x)
    if ord is None or ord == 2:
        return wrap(lib.clary_py_reduce(b"norm", x._h, *axes_of(axis, x), keepdims))
    magnitude = by_name["absolute"](x)
    if ord == math.inf:
        return max(magnitude, axis, keepdims=keepdims)
    if ord == -math.inf:
        return min(magnitude, axis, keepdims=keepdims)
    if ord == 0:
        return count_nonzero(x, axis, keepdims=keepdims).astype(magnitude.dtype)
    if ord == 1:
        return sum(magnitude, axis, keepdims=keepdims)
    return sum(magnitude ** float(ord), axis, keepdims=keepdims) ** (1 / ord)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norm of the matrices in the last two axes: "fro", 1, -1, inf, -inf."""
    x = _float(x)
    if x.ndim < 2:
        raise ValueError(f"matrix_norm: needs two axes at least, shape is {x.shape}")
    if ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord not in (1, -1, math.inf, -math.inf):
        raise UnsupportedError(f"matrix_norm: order {ord!r} needs a decomposition, which this version lacks")
    along, across = (-2, -1) if abs(ord) == 1 else (-1, -2)
    sums = sum(by_name["absolute"](x), along, keepdims=True)
    result = (max if ord > 0 else min)(sums, across, keepdims=True)
    return result if keepdims else result[..., 0, 0]


def norm(x, ord=None, axis=None, keepdims=False):
    """numpy.linalg.norm: of vectors (axis a number), matrices (axis a pair), or of all elements."""
    x = _float(x)
    if axis is None and ord is None:
        return vector_norm(x, keepdims=keepdims)
    if axis is None:
        if x.ndim not in (1, 2):
            raise ValueError(f"norm: order {ord!r} needs one or two axes; give axis= for shape {x.shape}")
        axis = (0,) if x.ndim == 1 else (0, 1)
    axis = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    if len(axis) == 1:
        return vector_norm(x, axis=axis[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axis) != 2:
        raise ValueError(f"norm: axis must be a number or a pair, not {axis}")
    from ._manip import expand_dims, moveaxis

    result = matrix_norm(moveaxis(x, axis, (-2, -1)), ord="fro" if ord is None else ord)
    return expand_dims(result, tuple(a % x.ndim for a in axis)) if keepdims else result
