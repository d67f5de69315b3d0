"""Basic indexing: Python's keys packed into the five numbers an item that the shim takes.

Integers, slices, Ellipsis and None are views, read or written. A boolean mask is understood where
assigning needs no positions: `a[mask] = scalar`.
"""
import operator

import numpy

from . import _array
from ._core import IndexOutOfRangeError, check, failure, lib
from ._dtypes import KINDS

_INTEGER, _SLICE = lib.CLARY_INDEX_INTEGER, lib.CLARY_INDEX_SLICE
_ELLIPSIS, _NEWAXIS = lib.CLARY_INDEX_ELLIPSIS, lib.CLARY_INDEX_NEWAXIS
_LOW, _HIGH = -(2**63), 2**63 - 1


def _bound(value):
    """A slice bound inside int64, where C clips it further."""
    return min(max(operator.index(value), _LOW), _HIGH)


def _pack(key):
    items = []
    for item in key if type(key) is tuple else (key,):
        if type(item) is int:
            items += (_INTEGER, 0, item, 0, 0)
        elif type(item) is slice:
            start, stop, step = item.start, item.stop, item.step
            items += (_SLICE, (start is not None) + 2 * (stop is not None),
                      0 if start is None else _bound(start), 0 if stop is None else _bound(stop),
                      1 if step is None else _bound(step))
        elif item is Ellipsis:
            if _ELLIPSIS in items[::5]:
                raise IndexOutOfRangeError("an index can only have a single ellipsis ('...')")
            items += (_ELLIPSIS, 0, 0, 0, 0)
        elif item is None:
            items += (_NEWAXIS, 0, 0, 0, 0)
        elif _is_integer(item):
            items += (_INTEGER, 0, operator.index(item), 0, 0)
        else:
            raise IndexOutOfRangeError(
                "only integers, slices (`:`), ellipsis (`...`) and newaxis (`None`) index a Clary array, "
                f"not {type(item).__name__}; a boolean mask can be used to assign a scalar: a[mask] = 0")
    return items


def _is_integer(item):
    if isinstance(item, (bool, numpy.bool_)):
        return False
    if isinstance(item, (numpy.ndarray, _array.Array)) and (item.ndim or item.dtype.kind not in "iu"):
        return False
    return hasattr(item, "__index__")


def get(array, key):
    items = _pack(key)
    try:
        handle = lib.clary_py_get(array._h, len(items) // 5, items)
    except OverflowError:
        raise IndexOutOfRangeError(f"index {key!r} does not fit 64 bits") from None
    if not handle:
        raise failure()
    return _array.wrap(handle)


def _mask(key):
    """The boolean mask that a key is, as an Array; else None."""
    if isinstance(key, (bool, numpy.bool_)):
        return _array.operand(numpy.bool_(key))
    if isinstance(key, _array.Array) or isinstance(key, numpy.ndarray):
        return _array.operand(key) if key.dtype == bool else None
    if isinstance(key, list):
        host = numpy.asarray(key)
        return _array.operand(host) if host.dtype == bool else None
    return None


def set(array, key, value):
    mask = _mask(key)
    if mask is not None:
        _set_masked(array, mask, value)
        return
    whole = key is Ellipsis or (type(key) is slice and key == slice(None))
    view = array if whole and array.ndim else get(array, key)
    if type(value) is _array.Array:
        # a[i] += b arrives here with the view that the operator has written through already.
        if lib.clary_py_same_window(view._h, value._h):
            return
    else:
        value = _value(value, view)
    check(lib.clary_assign(view._h, value._h))


def _set_masked(array, mask, value):
    from ._manip import broadcast_to
    from ._ufunc import where

    if mask.shape != array.shape[:mask.ndim]:
        raise IndexOutOfRangeError(
            f"boolean index of shape {mask.shape} does not match the leading axes of shape {array.shape}")
    value = value if type(value) is _array.Array else _value(value, array)
    if value.ndim:
        raise IndexOutOfRangeError(
            f"a[mask] = value takes a scalar value; this one has shape {value.shape}. "
            "Use clary.where(mask, values, a) for values of the array's shape")
    mask = broadcast_to(mask.reshape(mask.shape + (1,) * (array.ndim - mask.ndim)), array.shape)
    merged = where(mask, value.astype(array.dtype), array)
    check(lib.clary_assign(array._h, merged._h))


def _value(value, view):
    """What is assigned, as an Array; refused where NumPy refuses a Python scalar."""
    code = lib.clary_array_dtype(view._h)
    kind, target = type(value), KINDS[code]
    if kind is int and target in "iu":
        low, high = _array.integer_bounds(code)
        if not low <= value <= high:
            raise _array.range_error(value, view.dtype)
    elif kind is float and target in "iu" and value - value != 0:
        problem = ValueError if value != value else OverflowError
        raise problem(f"cannot convert float {'NaN' if value != value else 'infinity'} to integer")
    elif isinstance(value, (complex, numpy.complexfloating)) and target != "c":
        raise TypeError(f"cannot assign a complex number to elements of {view.dtype}")
    return _array.operand(value, view._device)
