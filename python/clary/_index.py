"""Indexing: Python's keys packed for the library.

A key of integers, slices, Ellipsis and None is a view, packed into the five numbers an item that the shim
takes. Anything else in it is an array (a list, a NumPy array, a Clary array): integers name places, booleans
choose them. Indices that come from the host are checked at once; those on a device when it is next waited for.
"""
import operator

import numpy

from . import _array
from ._core import IndexOutOfRangeError, NULL, call, check, failure, ffi, lib
from ._dtypes import KINDS

_INTEGER, _SLICE = lib.CLARY_INDEX_INTEGER, lib.CLARY_INDEX_SLICE
_ELLIPSIS, _NEWAXIS, _ARRAY = lib.CLARY_INDEX_ELLIPSIS, lib.CLARY_INDEX_NEWAXIS, lib.CLARY_INDEX_ARRAY
_LOW, _HIGH = -(2**63), 2**63 - 1


def _bound(value):
    """A slice bound inside int64, where C clips it further."""
    return min(max(operator.index(value), _LOW), _HIGH)


def _is_integer(item):
    if isinstance(item, (bool, numpy.bool_, _array.Array)):
        return False
    if isinstance(item, numpy.ndarray) and (item.ndim or item.dtype.kind not in "iu"):
        return False
    return hasattr(item, "__index__")


def _pack_one(item):
    """The five numbers of a basic item; None for an array."""
    if type(item) is int:
        return _INTEGER, 0, item, 0, 0
    if type(item) is slice:
        start, stop, step = item.start, item.stop, item.step
        return (_SLICE, (start is not None) + 2 * (stop is not None),
                0 if start is None else _bound(start), 0 if stop is None else _bound(stop),
                1 if step is None else _bound(step))
    if item is Ellipsis:
        return _ELLIPSIS, 0, 0, 0, 0
    if item is None:
        return _NEWAXIS, 0, 0, 0, 0
    if _is_integer(item):
        return _INTEGER, 0, operator.index(item), 0, 0
    return None


def _pack(key):
    """All items of a key in one list; None if there is an array among them."""
    items = []
    for item in key if type(key) is tuple else (key,):
        packed = _pack_one(item)
        if packed is None:
            return None
        if item is Ellipsis and _ELLIPSIS in items[::5]:
            raise IndexOutOfRangeError("an index can only have a single ellipsis ('...')")
        items += packed
    return items


def _host_array(item):
    """A list, a NumPy array or a Python bool as an index array."""
    host = numpy.asarray(item)
    if host.size == 0 and not isinstance(item, numpy.ndarray):
        host = host.astype(numpy.intp)
    if host.dtype.kind not in "biu":
        if isinstance(item, numpy.ndarray):
            raise IndexOutOfRangeError(_not_integers(host.dtype))
        raise IndexOutOfRangeError(
            "only integers, slices (`:`), ellipsis (`...`), newaxis (`None`) and integer or boolean arrays are "
            f"valid indices, not {type(item).__name__}")
    return host


def _not_integers(dtype):
    return f"arrays used as indices must be of integer (or boolean) type, not {dtype}"


def _check_bounds(host, axis, extent):
    if not host.size:
        return
    low, high = int(host.min()), int(host.max())
    if low < -extent or high >= extent:
        bad = low if low < -extent else high
        raise IndexOutOfRangeError(f"index {bad} is out of bounds for axis {axis} with size {extent}")


def _dims(item, packed):
    if packed:
        return 1 if packed[0] in (_INTEGER, _SLICE) else 0
    return item.ndim if item.dtype.kind == "b" else 1


def _pack_arrays(array, key):
    """(count, items, keep): a C array of items; `keep` holds what they borrow."""
    items = [item if _pack_one(item) or isinstance(item, _array.Array) else _host_array(item)
             for item in (key if type(key) is tuple else (key,))]
    packs = [None if isinstance(item, (_array.Array, numpy.ndarray)) else _pack_one(item) for item in items]
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexOutOfRangeError("an index can only have a single ellipsis ('...')")
    used = sum(map(_dims, items, packs))
    axis, keep = 0, []
    packed = ffi.new("clary_index[]", len(items))
    for i, (item, pack) in enumerate(zip(items, packs)):
        if pack:
            packed[i] = (pack[0], bool(pack[1] & 1), bool(pack[1] & 2), *pack[2:], NULL)
            axis += max(array.ndim - used, 0) if item is Ellipsis else _dims(item, pack)
            continue
        if item.dtype.kind not in "biu":
            raise IndexOutOfRangeError(_not_integers(item.dtype))
        if isinstance(item, numpy.ndarray):
            if item.dtype.kind != "b" and axis < array.ndim:
                _check_bounds(item, axis, array.shape[axis])
            axis += _dims(item, None)
            item = _array.operand(item, array._device)
        else:
            axis += _dims(item, None)
        keep.append(item)
        packed[i] = (_ARRAY, False, False, 0, 0, 0, item._h)
    return len(items), packed, keep


def get(array, key):
    items = _pack(key)
    if items is None:
        count, packed, keep = _pack_arrays(array, key)
        return _array.wrap(call(lib.clary_get, array, count, packed))
    return _view(array, key, items)


def _view(array, key, items):
    """What a key without arrays, packed into items, selects."""
    try:
        handle = lib.clary_py_get(array._h, len(items) // 5, items)
    except OverflowError:
        raise IndexOutOfRangeError(f"index {key!r} does not fit 64 bits") from None
    if not handle:
        raise failure()
    return _array.wrap(handle)


def set(array, key, value):
    whole = key is Ellipsis or (type(key) is slice and key == slice(None))
    items = _pack(key)
    if items is None:
        value = value if type(value) is _array.Array else _value(value, array)
        count, packed, keep = _pack_arrays(array, key)
        check(lib.clary_set(array._h, count, packed, value._h))
        return
    view = array if whole and array.ndim else _view(array, key, items)
    if type(value) is _array.Array:
        # a[i] += b arrives here with the view that the operator has written through already.
        if lib.clary_py_same_window(view._h, value._h):
            return
    else:
        value = _value(value, view)
    check(lib.clary_assign(view._h, value._h))


def update_at(code, array, key, value):
    """ufunc.at: code is the operation's; value None for operations of one argument."""
    if value is not None and type(value) is not _array.Array:
        value = _array.operand(value, array._device)
    count, packed, keep = _pack_arrays(array, key)
    check(lib.clary_update_at(code, array._h, count, packed, NULL if value is None else value._h))


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
