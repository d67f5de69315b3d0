"""Elements put in, taken out and trimmed off. Where positions are given they are read on the host, since
they decide the result's shape; elements move as a few regions or by one gather."""
import numpy

import clary

from ._core import ArgumentError, IndexOutOfRangeError
from ._create import array, asarray
from ._manip import axis_of, broadcast_to, concat, cut, moveaxis

_MOST_PARTS = 16  # more runs than this are gathered


def _along(name, arr, axis):
    """(the array, axis), flattened where axis is None."""
    arr = asarray(arr)
    return (arr.reshape(-1), 0) if axis is None else (arr, axis_of(name, axis, arr.ndim))


def _positions(name, obj, extent):
    """The positions that obj means, as a host array of integers: 0-d, or 1-D."""
    if isinstance(obj, slice):
        return numpy.arange(*obj.indices(extent))
    host = numpy.asarray(obj)
    if host.ndim > 1:
        raise ArgumentError(f"{name}: obj must be a number, a slice or 1-D, not of shape {host.shape}")
    if not host.size and not hasattr(obj, "dtype"):
        host = host.astype(numpy.intp)
    if host.dtype.kind not in "biu":
        raise IndexOutOfRangeError(f"{name}: positions must be integers or bool, not {host.dtype}")
    return host


def _checked(name, positions, extent, last):
    """Positions counted from the front; refused beyond `last`."""
    for i in positions[(positions < -extent) | (positions > last)][:1]:
        raise IndexOutOfRangeError(f"{name}: index {i} is out of bounds for an axis of extent {extent}")
    return numpy.where(positions < 0, positions + extent, positions).astype(numpy.intp)


def delete(arr, obj, axis=None):
    """The array without what obj (a number, a slice, positions or a mask) selects along an axis."""
    arr, axis = _along("delete", arr, axis)
    extent = arr.shape[axis]
    positions = _positions("delete", obj, extent)
    keep = numpy.ones(extent, bool)
    if positions.dtype == bool:
        if positions.shape != (extent,):
            raise ArgumentError(f"delete: a mask of shape {positions.shape} does not fit an axis of extent {extent}")
        keep = ~positions
    else:
        keep[_checked("delete", positions.reshape(-1), extent, extent - 1)] = False
    edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[False], keep, [False]]))).tolist()
    runs = list(zip(edges[::2], edges[1::2]))
    if len(runs) > _MOST_PARTS:
        return clary.take(arr, numpy.flatnonzero(keep), axis)
    return concat([cut(arr, axis, start, stop) for start, stop in runs] or [cut(arr, axis, 0, 0)], axis)


def insert(arr, obj, values, axis=None):
    """The array with values put in front of what obj (a number, a slice or positions) names along an axis."""
    arr, axis = _along("insert", arr, axis)
    extent = arr.shape[axis]
    positions = _positions("insert", obj, extent)
    if positions.dtype == bool:
        if positions.ndim != 1:
            raise ArgumentError("insert: a mask must be 1-D")
        positions = numpy.flatnonzero(positions)
    values = array(asarray(values, device=arr._device), arr.dtype, copy=None, ndmin=arr.ndim)
    if positions.size == 1:
        place = int(_checked("insert", positions.reshape(-1), extent, extent)[0])
        if not positions.ndim:  # as a[:, 0, :] = values and not as a[:, [0], :] = values
            values = moveaxis(values, 0, axis)
        values = broadcast_to(values, (*arr.shape[:axis], values.shape[axis], *arr.shape[axis + 1:]))
        return concat([cut(arr, axis, 0, place), values, cut(arr, axis, place)], axis)
    positions = _checked("insert", positions, extent, extent)
    values = broadcast_to(values, (*arr.shape[:axis], len(positions), *arr.shape[axis + 1:]))
    order = numpy.argsort(positions, kind="stable")
    source = numpy.insert(numpy.arange(extent), positions[order], extent + order)
    return clary.take(concat([arr, values], axis), source, axis)


def trim_zeros(filt, trim="fb", axis=None):
    """The array without the zeros at the ends of its axes: f at the front, b at the back."""
    if set(trim.lower()) - set("fb") or not trim:
        raise ArgumentError(f'trim_zeros: trim is made of "f" and "b", not {trim!r}')
    a = asarray(filt)
    axes = range(a.ndim) if axis is None else [axis_of("trim_zeros", axis, a.ndim)]
    used = a != 0
    bounds = []
    for one in axes:
        line = used.any(axis=tuple(d for d in range(a.ndim) if d != one)) if a.ndim > 1 else used
        some = line.any() if line.size else False
        first, last = (int(line.argmax()), len(line) - int(line[::-1].argmax())) if some else (0, 0)
        front, back = ("f" in trim.lower() or not some), ("b" in trim.lower() or not some)
        bounds.append(slice(first if front else None, last if back else None))
    if isinstance(filt, (list, tuple)) and a.ndim == 1:
        return filt[bounds[0]]
    return a[(slice(None),) * (axes[0] if axis is not None else 0) + tuple(bounds)]


public = {f.__name__: f for f in (delete, insert, trim_zeros)}
