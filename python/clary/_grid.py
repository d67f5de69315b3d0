"""Grids of coordinates and positions in arrays: open or filled meshes, and flat positions of indices."""
import math

import numpy

import clary

from ._array import Array
from ._core import ArgumentError, DTypeError, lib
from ._create import arange, asarray, empty, linspace, order_of, shape_tuple
from ._dtypes import KINDS, result_type
from ._manip import arrays_of, broadcast_arrays, broadcast_to, concat, stack
from ._values import clip


def _open(axes):
    """1-D arrays, each along an axis of its own."""
    return [a[(None,) * i + (slice(None),) + (None,) * (len(axes) - i - 1)] for i, a in enumerate(axes)]


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate matrices of coordinate vectors."""
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f'meshgrid: indexing must be "xy" or "ij", not {indexing!r}')
    out = _open([x.reshape(-1) for x in arrays_of(xi)])
    if indexing == "xy" and len(out) > 1:
        out = [x.swapaxes(0, 1) for x in out]
    if not sparse:
        out = broadcast_arrays(*out)
    return tuple(x.copy() for x in out) if copy else tuple(out)


def indices(dimensions, dtype=int, sparse=False):
    """The index of every element of an array of that shape, along each axis."""
    shape = shape_tuple(dimensions)
    out = _open([arange(n, dtype=dtype) for n in shape])
    if sparse:
        return tuple(out)
    return stack(broadcast_arrays(*out)) if shape else empty((0,), dtype)


def fromfunction(function, shape, *, dtype=float, **kwargs):
    """The function called once with the indices of an array of that shape."""
    return function(*indices(shape, dtype), **kwargs)


def ix_(*args):
    """1-D positions or masks as an open mesh: a[ix_(rows, columns)] is the block they cross in."""
    axes = []
    for item in args:
        a = asarray(item)
        if a.ndim != 1:
            raise ArgumentError(f"ix_: positions must be 1-D, not of shape {a.shape}")
        if a.dtype == bool:
            a = clary.nonzero(a)[0]
        elif not a.size and not isinstance(item, (Array, numpy.ndarray)):
            a = a.astype(numpy.intp)
        axes.append(a)
    return tuple(_open(axes))


# ---- by slices ----
def _bounds(s):
    """(start, step, number of points) of a slice; the number is known where an imaginary step says it, the
    stop included, and there is no step then."""
    start, step = 0 if s.start is None else s.start, 1 if s.step is None else s.step
    return (start, 1, int(abs(step))) if isinstance(step, (complex, numpy.complexfloating)) else (start, step, None)


def _points(s):
    """The points of start:stop:step."""
    start, step, count = _bounds(s)
    return arange(start, s.stop, step) if count is None else linspace(start, s.stop, count)


class _Grid:
    """mgrid and ogrid: coordinates by slices, grid[0:5, 0:1:11j]."""

    def __init__(self, sparse):
        self._sparse = sparse

    def __getitem__(self, key):
        if isinstance(key, slice):
            start, step, count = _bounds(key)
            if count is None:
                return arange(start, key.stop, step)
        lines, steps, starts = self._axes([key] if isinstance(key, slice) else key)
        if self._sparse or isinstance(key, slice):
            out = _open([line * step + start for line, step, start in zip(lines, steps, starts)])
            return out[0] if isinstance(key, slice) else tuple(out)
        shape = tuple(map(len, lines))
        out = [line * step + start for line, step, start in zip(_open(lines), steps, starts)]
        return stack([broadcast_to(line, shape) for line in out]) if out else empty((0,), int)

    @staticmethod
    def _axes(slices):
        """For each slice 0, 1, 2, ... in the dtype common to all, the step and the start, which may be arrays."""
        counts, steps, starts, numbers = [], [], [], []
        for s in slices:
            start, step, count = _bounds(s)
            numbers += [start, s.stop, step if count is None else float(count)]
            if count is None:
                count = math.ceil((s.stop - start) / step)
            elif count != 1:
                step = (s.stop - start) / float(count - 1)
            counts.append(count)
            steps.append(step)
            starts.append(start)
        dtype = result_type(*numbers) if numbers else None
        return [arange(count, dtype=dtype) for count in counts], steps, starts

    def __repr__(self):
        return "ogrid" if self._sparse else "mgrid"


class _Joined:
    """r_ and c_: slices, numbers and arrays joined along an axis, r_[1:4, 0, [5, 6]].

    A first item "axis,ndim,place" says along which axis to join, how many axes every part has at least,
    and in front of which of the axes added for that the part's own ones come."""

    def __init__(self, name, axis, ndim, place):
        self._name, self._how = name, (axis, ndim, place)

    def __getitem__(self, key):
        items = list(key) if isinstance(key, tuple) else [key]
        axis, ndim, place = self._how
        if items and isinstance(items[0], str):
            axis, ndim, place = self._directive(items.pop(0))
        if any(isinstance(item, str) for item in items):
            raise ArgumentError(f"{self._name}: a string may come first only")
        parts = [_points(item) if isinstance(item, slice) else asarray(item) for item in items]
        dtype = result_type(*(item if type(item) in _SCALARS else part.dtype for item, part in zip(items, parts))) \
            if parts else None
        shaped = []
        for part in parts:
            added = max(ndim - part.ndim, 0)
            front = place if place >= 0 else place + added + 1
            shape = (1,) * front + part.shape + (1,) * (added - front) if added else part.shape
            shaped.append(part.astype(dtype, copy=False).reshape(shape))
        return concat(shaped, axis)

    def _directive(self, text):
        words = text.split(",")
        try:
            return (*map(int, words), *self._how[len(words):])[:3]
        except ValueError:
            raise ArgumentError(f"{self._name}: {text!r} is not axis,ndim,place (there are no matrices)") from None

    def __repr__(self):
        return self._name

    def __len__(self):
        return 0


_SCALARS = (bool, int, float, complex)
mgrid, ogrid = _Grid(False), _Grid(True)
r_, c_ = _Joined("r_", 0, 1, -1), _Joined("c_", -1, 2, 0)


# ---- flat positions ----
def _extents(dims, order):
    """The dims, slowest axis first, and the axes in that order."""
    order, dims = order_of(order, "CF"), shape_tuple(dims)
    return dims, list(range(len(dims)))[:: -1 if order == "F" else 1]


def _integers(name, values):
    values = arrays_of(values)
    for a in values:
        if KINDS[lib.clary_array_dtype(a._h)] not in "biu":
            raise DTypeError(f"{name}: indices must be integers, not {a.dtype}")
    return values


def unravel_index(indices, shape, order="C"):
    """Positions in the flattened array as one array of indices for each axis."""
    shape, axes = _extents(shape, order)
    flat, = _integers("unravel_index", [indices])
    size = math.prod(shape)
    if flat.size and not ((flat >= 0) & (flat < size)).all():
        raise ArgumentError(f"unravel_index: an index is out of bounds for {size} elements, shape {shape}")
    flat, out = flat.astype(numpy.intp, copy=False), [None] * len(shape)
    for axis in axes[:0:-1]:
        out[axis], flat = flat % shape[axis], flat // shape[axis]
    if shape:
        out[axes[0]] = flat
    return tuple(out)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Indices for each axis as positions in the flattened array. mode, one or one for each axis: what is
    out of bounds is refused (raise), counted round (wrap) or moved to the end (clip)."""
    dims, axes = _extents(dims, order)
    if len(multi_index) != len(dims):
        raise ArgumentError(f"ravel_multi_index: {len(multi_index)} index arrays for {len(dims)} axes")
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    if len(modes) != len(dims) or set(modes) - {"raise", "wrap", "clip"}:
        raise ArgumentError(f"ravel_multi_index: mode {mode!r} is not raise, wrap or clip, or one of these for each axis")
    if math.prod(dims) > numpy.iinfo(numpy.intp).max:
        raise ArgumentError(f"ravel_multi_index: shape {dims} has more elements than an index can count")
    parts = [a.astype(numpy.intp, copy=False) for a in _integers("ravel_multi_index", list(multi_index))]
    flat = None
    for axis in axes:
        part, extent = parts[axis], dims[axis]
        if modes[axis] == "wrap":
            part = part % extent
        elif modes[axis] == "clip":
            part = clip(part, 0, extent - 1)
        elif part.size and not ((part >= 0) & (part < extent)).all():
            raise ArgumentError(f"ravel_multi_index: an index is out of bounds for axis {axis} of extent {extent}")
        flat = part if flat is None else flat * extent + part
    return flat


public = {f.__name__: f for f in (meshgrid, indices, fromfunction, ix_, unravel_index, ravel_multi_index)}
public.update(mgrid=mgrid, ogrid=ogrid, r_=r_, c_=c_, s_=numpy.s_, index_exp=numpy.index_exp, ndindex=numpy.ndindex)
