"""Cutting arrays into views of their parts."""
import operator

import numpy

from ._core import ArgumentError
from ._create import asarray
from ._manip import axis_of, cut, moveaxis


def unstack(x, /, *, axis=0):
    """The views along an axis."""
    x = asarray(x)
    if not x.ndim:
        raise ArgumentError("unstack: a 0-d array has no axis to cut along")
    moved = moveaxis(x, axis, 0)
    return tuple(moved[i] for i in range(moved.shape[0]))


def _number(indices_or_sections):
    """The number of sections, or None for indices."""
    try:
        return operator.index(indices_or_sections)
    except TypeError:
        return None


def array_split(ary, indices_or_sections, axis=0):
    """Views of consecutive parts along an axis, of nearly equal extents or cut at indices."""
    ary = asarray(ary)
    axis = axis_of("array_split", axis, ary.ndim)
    extent, n = ary.shape[axis], _number(indices_or_sections)
    if n is None:
        bounds = [0, *(operator.index(i) for i in numpy.asarray(indices_or_sections).tolist()), extent]
    elif n <= 0:
        raise ArgumentError(f"array_split: the number of sections must be larger than 0, not {n}")
    else:
        size, extra = divmod(extent, n)
        bounds = [i * size + min(i, extra) for i in range(n + 1)]
    return [cut(ary, axis, begin, end) for begin, end in zip(bounds, bounds[1:])]


def split(ary, indices_or_sections, axis=0):
    """Views of consecutive parts along an axis, of equal extents or cut at indices."""
    ary = asarray(ary)
    axis, n = axis_of("split", axis, ary.ndim), _number(indices_or_sections)
    if n and ary.shape[axis] % n:
        raise ArgumentError(f"split: extent {ary.shape[axis]} of axis {axis} is not {n} equal parts")
    return array_split(ary, indices_or_sections, axis)


def _split_axis(name, ary, indices_or_sections, ndim, axis):
    ary = asarray(ary)
    if ary.ndim < ndim:
        raise ArgumentError(f"{name}: needs {ndim} axes at least, shape is {ary.shape}")
    return split(ary, indices_or_sections, axis)


def hsplit(ary, indices_or_sections):
    """split along axis 1, of a 1-D array along axis 0."""
    ary = asarray(ary)
    return _split_axis("hsplit", ary, indices_or_sections, 1, 1 if ary.ndim > 1 else 0)


def vsplit(ary, indices_or_sections):
    """split along axis 0, of an array with two axes at least."""
    return _split_axis("vsplit", ary, indices_or_sections, 2, 0)


def dsplit(ary, indices_or_sections):
    """split along axis 2."""
    return _split_axis("dsplit", ary, indices_or_sections, 3, 2)


public = {f.__name__: f for f in (unstack, array_split, split, hsplit, vsplit, dsplit)}
