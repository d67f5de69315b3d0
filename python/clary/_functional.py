"""Python functions applied to parts of arrays. The functions get Clary arrays; what they compose stays
recorded and fused, only the loop over the parts is Python's."""
import numpy

from . import _ufunc
from ._array import Array, asnumpy
from ._core import ArgumentError
from ._create import asarray, empty, zeros_like
from ._manip import arrays_of, axis_of, broadcast_shapes, broadcast_to, expand_dims, moveaxis


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """func1d of every 1-D part along an axis, its results in that axis's place."""
    arr = asarray(arr)
    axis = axis_of("apply_along_axis", axis, arr.ndim)
    lines = moveaxis(arr, axis, -1)
    shape = lines.shape[:-1]
    if not all(shape):
        raise ArgumentError(f"apply_along_axis: there is no part along axis {axis} of shape {arr.shape}")
    out = None
    for index in numpy.ndindex(shape):
        result = asarray(func1d(lines[index], *args, **kwargs), device=arr._device)
        if out is None:
            out = empty(shape + result.shape, result.dtype, device=arr._device)
        out[index] = result
    own = out.ndim - len(shape)
    return moveaxis(out, range(-own, 0), range(axis, axis + own))


def apply_over_axes(func, a, axes):
    """func(a, axis) for one axis after the other; axes that it takes away stay with extent 1."""
    a = asarray(a)
    ndim = a.ndim
    for axis in [axes] if hasattr(axes, "__index__") else axes:
        axis = axis_of("apply_over_axes", axis, ndim)
        result = asarray(func(a, axis))
        if result.ndim != ndim:
            result = expand_dims(result, axis)
        if result.ndim != ndim:
            raise ArgumentError(f"apply_over_axes: the function made shape {result.shape} of {a.shape}")
        a = result
    return a


def piecewise(x, condlist, funclist, *args, **kw):
    """Where the conditions hold, the values or the functions of the elements; of several the last counts.
    One value more than conditions is for where none holds."""
    x = asarray(x)
    first = None if numpy.isscalar(condlist) else condlist[0]
    several = isinstance(first, list) or getattr(first, "ndim", 0) or (first is not None and not x.ndim)
    conditions = [asarray(c, bool, device=x._device) for c in (condlist if several else [condlist])]
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        some = conditions[0]
        for condition in conditions[1:]:
            some = some | condition
        conditions.append(_ufunc.logical_not(some))
    elif len(functions) != len(conditions):
        raise ArgumentError(f"piecewise: {len(functions)} functions for {len(conditions)} conditions; there may be "
                            "as many, or one more")
    out = zeros_like(x)
    for condition, function in zip(conditions, functions):
        if callable(function):
            chosen = x[condition]
            if chosen.size:
                out[condition] = function(chosen, *args, **kw)
        else:
            out[condition] = function
    return out


class broadcast:
    """The shape to which arrays broadcast, and their elements side by side."""

    def __init__(self, *args):
        self._arrays = arrays_of(args)
        self.shape = broadcast_shapes(*(a.shape for a in self._arrays))

    ndim = nd = property(lambda self: len(self.shape), doc="The number of axes.")
    size = property(lambda self: int(numpy.prod(self.shape, dtype=numpy.int64)), doc="The number of elements.")
    numiter = property(lambda self: len(self._arrays), doc="The number of arrays.")

    @property
    def values(self):
        """The arrays stretched to the shape."""
        return tuple(broadcast_to(a, self.shape) for a in self._arrays)

    def __iter__(self):
        return iter(zip(*(asnumpy(a).flat for a in self.values)))


class vectorize(numpy.vectorize):
    """A Python function of numbers as a function of arrays. It runs on the host, element by element."""

    def __call__(self, *args, **kwargs):
        args = [asnumpy(a) if isinstance(a, Array) else a for a in args]
        kwargs = {name: asnumpy(a) if isinstance(a, Array) else a for name, a in kwargs.items()}
        result = super().__call__(*args, **kwargs)
        if isinstance(result, tuple):
            return tuple(asarray(r) for r in result)
        return result if isinstance(result, vectorize) else asarray(result)


def ndenumerate(arr):
    """Pairs of an index and the element there."""
    return numpy.ndenumerate(asnumpy(arr))


public = {f.__name__: f for f in (apply_along_axis, apply_over_axes, piecewise, broadcast, vectorize, ndenumerate)}
