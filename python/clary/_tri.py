"""Triangles and diagonals: matrices cut along a diagonal, and the indices of such parts."""
import operator

import clary

from ._array import Array, wrap
from ._core import ArgumentError, call, lib
from ._create import arange, asarray, empty, ones
from ._dtypes import promote_types
from ._manip import diagonal
from ._ufunc import multiply


def tril(m, k=0):
    """The array with zeros above diagonal k of its last two axes."""
    return wrap(call(lib.clary_tril, asarray(m), k))


def triu(m, k=0):
    """The array with zeros below diagonal k of its last two axes."""
    return wrap(call(lib.clary_triu, asarray(m), k))


def tri(N, M=None, k=0, dtype=float):
    """Ones at and below diagonal k, zeros above."""
    return tril(ones((N, N if M is None else M), dtype), k)


def diag(v, k=0):
    """A 1-D array as diagonal k of a matrix of zeros; of a matrix diagonal k."""
    return wrap(call(lib.clary_diag, asarray(v), k))


def diagflat(v, k=0):
    """The flattened elements as diagonal k of a matrix of zeros."""
    return diag(asarray(v).reshape(-1), k)


def fill_diagonal(a, val, wrap=False):
    """Writes val, a number or the elements in turn, along the main diagonal of `a`; with wrap, a tall
    matrix's diagonal begins anew after it left at the bottom of each square."""
    if not isinstance(a, Array):
        raise TypeError(f"fill_diagonal: a must be a Clary array, not {type(a).__name__}")
    if a.ndim < 2:
        raise ArgumentError(f"fill_diagonal: needs two axes at least, shape is {a.shape}")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ArgumentError(f"fill_diagonal: the extents must be equal, shape is {a.shape}")
    lines, period = [], a.shape[1] + 1
    if wrap and a.ndim == 2 and a.shape[0] >= period:
        squares = a.shape[0] // period
        head, tail = a[: squares * period], a[squares * period:]
        lines += [diagonal(head.reshape((squares, period, period - 1)), 0, 1, 2), diagonal(tail)]
    else:
        line = a
        while line.ndim > 1:
            line = diagonal(line, 0, 0, line.ndim - 1)
        lines.append(line)
    values = asarray(val, device=a._device)
    if values.ndim:
        count = sum(line.size for line in lines)
        values = _manip.resize(values, (count,))
        parts = [values[: lines[0].size].reshape(lines[0].shape), values[lines[0].size:]]
    else:
        parts = [val] * len(lines)
    for line, part in zip(lines, parts):
        line[...] = part


def diag_indices(n, ndim=2):
    """Indices of the main diagonal of an array with ndim axes of extent n."""
    return (arange(n),) * ndim


def diag_indices_from(arr):
    """Indices of the main diagonal of an array whose extents are equal."""
    if arr.ndim < 2:
        raise ArgumentError(f"diag_indices_from: needs two axes at least, shape is {arr.shape}")
    if len(set(arr.shape)) > 1:
        raise ArgumentError(f"diag_indices_from: the extents must be equal, shape is {arr.shape}")
    return diag_indices(arr.shape[0], arr.ndim)


def mask_indices(n, mask_func, k=0):
    """Indices where mask_func(ones((n, n)), k) is not zero."""
    return clary.nonzero(mask_func(ones((n, n), int), k))


def tril_indices(n, k=0, m=None):
    """Indices of the elements at and below diagonal k of an n x m array."""
    return clary.nonzero(tri(n, m, k, bool))


def triu_indices(n, k=0, m=None):
    """Indices of the elements at and above diagonal k of an n x m array."""
    return clary.nonzero(triu(ones((n, n if m is None else m), bool), k))


def _matrix(name, arr):
    if arr.ndim != 2:
        raise ArgumentError(f"{name}: needs two axes, shape is {arr.shape}")
    return arr.shape


def tril_indices_from(arr, k=0):
    """Indices of the elements at and below diagonal k of a matrix."""
    n, m = _matrix("tril_indices_from", arr)
    return tril_indices(n, k, m)


def triu_indices_from(arr, k=0):
    """Indices of the elements at and above diagonal k of a matrix."""
    n, m = _matrix("triu_indices_from", arr)
    return triu_indices(n, k, m)


def vander(x, N=None, increasing=False):
    """Columns of powers of x, the highest first unless increasing."""
    x = asarray(x)
    if x.ndim != 1:
        raise ArgumentError(f"vander: x must be 1-D, shape is {x.shape}")
    count = len(x) if N is None else operator.index(N)
    out = empty((len(x), count), promote_types(x.dtype, int), device=x._device)
    powers = out if increasing else out[:, ::-1]
    powers[:, :1] = 1
    powers[:, 1:] = x[:, None]
    if count > 2:
        powers[:, 1:] = multiply.accumulate(powers[:, 1:], axis=1)
    return out


public = {f.__name__: f for f in (
    tril, triu, tri, diag, diagflat, fill_diagonal, diag_indices, diag_indices_from, mask_indices, tril_indices,
    triu_indices, tril_indices_from, triu_indices_from, vander)}

from . import _manip  # noqa: E402
