"""Sorting, searching in what is sorted, counting. Every sort is stable; NaN comes last."""
import numpy

from ._array import Array, wrap
from ._core import NULL, ArgumentError, ShapeError, call, ffi, lib
from ._create import asarray
from ._manip import ravel
from ._select import take

_KINDS = ("quicksort", "mergesort", "heapsort", "stable", None)


def _line(a, axis):
    a = asarray(a)
    return (ravel(a), -1) if axis is None else (a, axis)


def _check(kind, order):
    if kind not in _KINDS and not (isinstance(kind, str) and kind[:1] in "qmhs"):
        raise ArgumentError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")
    if order is not None:
        raise ArgumentError("order= is for arrays with fields, which Clary does not have")


def sort(a, axis=-1, kind=None, order=None, *, descending=False, stable=True):
    """A sorted copy along an axis (None: of the flattened array)."""
    _check(kind, order)
    a, axis = _line(a, axis)
    return wrap(call(lib.clary_sort, a, axis, descending))


def argsort(a, axis=-1, kind=None, order=None, *, descending=False, stable=True):
    """The indices that sort along an axis (None: the flattened array)."""
    _check(kind, order)
    a, axis = _line(a, axis)
    if a.ndim == 0:
        a, axis = ravel(a), axis if axis in (-1, 0) else axis
    return wrap(call(lib.clary_argsort, a, axis, descending))


def lexsort(keys, axis=-1):
    """The order by the last key, ties by the one before it, and so on."""
    keys = [asarray(k) for k in keys]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if keys[0].ndim == 0:
        return ravel(argsort(keys[0])).reshape(())
    handles = ffi.new("clary_array *[]", [k._h for k in keys])
    return wrap(call(lib.clary_lexsort, handles, len(keys), axis))


def searchsorted(a, v, side="left", sorter=None):
    """Where the elements of v belong in the sorted a: before equal ones ("left") or behind ("right")."""
    if side not in ("left", "right"):
        raise ArgumentError(f"searchsorted: side must be 'left' or 'right', not {side!r}")
    a = asarray(a)
    if sorter is not None:
        sorter = asarray(sorter, device=a._device)
        if sorter.dtype.kind not in "iu":
            raise TypeError("sorter must only contain integers")
        if sorter.shape != a.shape:
            raise ArgumentError("sorter.size must equal the size of a")
        a = take(a, sorter)
    if not isinstance(v, Array):
        kind = type(v)
        dtype = None
        if kind in (int, float, bool) and (kind is not float or a.dtype.kind in "fc") and a.dtype.kind != "b":
            host = numpy.asarray(v)
            dtype = a.dtype if kind is not int or a.dtype.kind not in "iu" or _fits(v, a.dtype) else host.dtype
        v = asarray(v, dtype=dtype, device=a._device)
    return wrap(call(lib.clary_searchsorted, a, v, side == "right"))


def _fits(value, dtype):
    info = numpy.iinfo(dtype)
    return info.min <= value <= info.max


def bincount(x, /, weights=None, minlength=0):
    """How often each of 0, 1, 2, … occurs in x; or the sums of the weights of its occurrences."""
    if not isinstance(x, Array):
        x = numpy.asarray(x)
        x = asarray(x.astype(numpy.intp) if x.size == 0 else x)
    if x.ndim != 1:
        raise ShapeError(f"bincount: x must be 1-D, shape is {x.shape}")
    if x.dtype.kind not in "biu":
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule 'safe'")
    if weights is not None:
        weights = asarray(weights, device=x._device)
        if weights.dtype.kind == "c":
            raise TypeError(f"Cannot cast array data from {weights.dtype!r} to dtype('float64')")
    minlength = minlength.__index__()
    if not x.size:
        weights = None  # NumPy counts nothing in integers, whatever it weighs
    return wrap(call(lib.clary_bincount, x, NULL if weights is None else weights, minlength))


public = {f.__name__: f for f in (sort, argsort, lexsort, searchsorted, bincount)}
