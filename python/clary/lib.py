"""clary.lib.stride_tricks, as numpy.lib's: views of any shape, with any steps.

NumPy's may look beyond an array's memory and write through elements that overlap; these refuse the first, and
such views are read-only.
"""
import sys
import types

from ._array import wrap
from ._core import ArgumentError, call, lib
from ._create import asarray, empty, shape_tuple
from ._manip import axis_of


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """The view of a shape whose elements are `strides` bytes apart, from x's first element on. strides None: those of
    x, or no gaps where x has none."""
    x = asarray(x)
    shape = x.shape if shape is None else shape_tuple(shape)
    if strides is None:
        strides = empty(shape, x.dtype).strides if x.c_contiguous else x.strides
    strides = shape_tuple(strides)
    if len(shape) != len(strides):
        raise ArgumentError(f"as_strided: {len(strides)} strides for {len(shape)} axes")
    if any(step % x.itemsize for step in strides):
        raise ArgumentError(f"as_strided: strides {strides} are not multiples of {x.itemsize} bytes")
    steps = [step // x.itemsize for step in strides]
    view = wrap(call(lib.clary_as_strided, x, len(shape), shape, steps))
    if not writeable:
        view.setflags(write=False)
    return view


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """The view of every window of a shape that fits into the array; windows lie along new last axes."""
    x, window = asarray(x), shape_tuple(window_shape)
    if any(extent < 0 for extent in window):
        raise ArgumentError(f"sliding_window_view: window shape {window} may not be negative")
    axes = tuple(range(x.ndim)) if axis is None else shape_tuple(axis)
    if len(axes) != len(window):
        given = "Since axis is `None`, one for each axis is needed" if axis is None else f"axis is {axis}"
        raise ArgumentError(f"sliding_window_view: {len(window)} extents of a window. {given}")
    axes = [axis_of("sliding_window_view", axis, x.ndim) for axis in axes]
    shape = list(x.shape)
    for axis, extent in zip(axes, window):
        if shape[axis] < extent:
            raise ArgumentError(f"sliding_window_view: window shape {window} is larger than that of the array, {x.shape}")
        shape[axis] -= extent - 1
    steps = x.strides
    return as_strided(x, (*shape, *window), (*steps, *(steps[axis] for axis in axes)), writeable=writeable)


stride_tricks = types.ModuleType("clary.lib.stride_tricks", "Views of any shape, with any steps between elements.")
stride_tricks.as_strided, stride_tricks.sliding_window_view = as_strided, sliding_window_view
stride_tricks.__all__ = ["as_strided", "sliding_window_view"]
as_strided.__module__ = sliding_window_view.__module__ = stride_tricks.__name__
sys.modules[stride_tricks.__name__] = stride_tricks
