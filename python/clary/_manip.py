"""Shapes and axes, order, joining, repeating: NumPy's functions over the library's views and copies."""
import builtins
import math
import operator
import warnings

import numpy

from ._array import Array, wrap
from ._core import NULL, ArgumentError, AxisError, DTypeError, call, check, ffi, lib
from ._create import array, asarray, order_of, shape_tuple, zeros
from ._dtypes import KINDS, casting_rule
from ._ufunc import by_name, check_cast, store


def _axes(axis):
    """C's (count, axes) for a number or several."""
    axes = list(shape_tuple(axis))
    return len(axes), axes


def axis_of(name, axis, ndim):
    """An axis counted from the front; refused, in the name of a function, where there is none."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise AxisError(f"{name}: axis {axis} is out of bounds for an array with {ndim} axes")
    return axis % ndim


def cut(a, axis, start=None, stop=None, step=None):
    """The view a[start:stop:step] along an axis >= 0."""
    return a[(slice(None),) * axis + (slice(start, stop, step),)]


# ---- shapes ----
def reshape(a, /, shape, order="C", *, copy=None):
    """The elements in another shape; one extent may be -1. A view where strides allow it."""
    a, shape = asarray(a), shape_tuple(shape)
    if order != "C":
        order = order_of(order)
    if order == "K":
        raise ArgumentError("reshape: order 'K' is not permitted for reshaping")
    if isinstance(copy, str):
        raise ArgumentError(f"reshape: strings are not allowed for copy, it is {copy!r}")
    if order == "F" or (order == "A" and isfortran(a)):
        result = reshape(a.T, shape[::-1], copy=copy)
        return result.T
    if copy is False:
        return wrap(call(lib.clary_reshape_view, a._h, len(shape), shape))
    result = wrap(call(lib.clary_reshape, a._h, len(shape), shape))
    return result.copy() if copy and lib.clary_array_shares_storage(result._h, a._h) else result


def ravel(a, order="C"):
    """The elements in one dimension and without gaps: a view where possible. order="K": as they lie in memory."""
    a, order = asarray(a), order_of(order)
    if order == "K" and a.ndim > 1:
        lying = transpose(a, memory_order(a))
        a = lying if lying.c_contiguous else transpose(a, walking_order(a))
    flat = reshape(a, (-1,), "C" if order == "K" else order)
    return flat if flat.c_contiguous else flat.copy()


def memory_order(a):
    """The axes from the one with the largest step in memory to the one with the smallest."""
    strides = ffi.unpack(lib.clary_array_strides(a._h), a.ndim)
    return sorted(range(a.ndim), key=lambda axis: -builtins.abs(strides[axis]))


def walking_order(a):
    """The axes as NumPy walks over elements that do not lie without gaps: as memory_order, but an axis of step 0
    stays next to its neighbours."""
    strides = [builtins.abs(step) for step in ffi.unpack(lib.clary_array_strides(a._h), a.ndim)]
    order = []  # from the smallest step on
    for axis in reversed(range(a.ndim)):
        place = len(order)
        for before in reversed(range(len(order))):
            if strides[axis] and strides[order[before]]:
                if strides[order[before]] <= strides[axis]:
                    break
                place = before
        order.insert(place, axis)
    return order[::-1]


def isfortran(a):
    """Whether the elements lie in Fortran order and not in C order."""
    a = asarray(a)
    return a.ndim > 1 and not a.c_contiguous and a.T.c_contiguous


def transpose(a, axes=None):
    """The axes reversed, or in the order given."""
    a = asarray(a)
    if axes is None:
        return a.T
    count, axes = _axes(axes)
    if count != a.ndim:
        raise ArgumentError(f"transpose: {count} axes given for an array with {a.ndim}")
    return wrap(call(lib.clary_transpose, a._h, axes))


permute_dims = transpose


def matrix_transpose(x, /):
    """The matrices of the last two axes transposed."""
    x = asarray(x)
    if x.ndim < 2:
        raise ArgumentError(f"matrix_transpose: matrix transpose with ndim < 2 is undefined, shape is {x.shape}")
    return wrap(call(lib.clary_swapaxes, x._h, -1, -2))


def swapaxes(a, axis1, axis2):
    """Two axes exchanged."""
    return wrap(call(lib.clary_swapaxes, asarray(a), axis1, axis2))


def moveaxis(a, source, destination):
    """Axes moved to other places, the rest in order."""
    (count, source), (count2, destination) = _axes(source), _axes(destination)
    if count != count2:
        raise ArgumentError(f"moveaxis: {count} source axes but {count2} destinations")
    return wrap(call(lib.clary_moveaxis, asarray(a), count, source, destination))


def rollaxis(a, axis, start=0):
    """An axis moved in front of the axis at `start`. moveaxis says the same more plainly."""
    a = asarray(a)
    axis = axis_of("rollaxis", axis, a.ndim)
    start = axis_of("rollaxis", start + a.ndim if start < 0 else start, a.ndim + 1)
    return moveaxis(a, axis, start - 1 if axis < start else start)


def expand_dims(a, axis=0):
    """New axes of extent 1."""
    return wrap(call(lib.clary_expand_dims, asarray(a), *_axes(axis)))


def squeeze(a, axis=None):
    """Without axes of extent 1: all, or those given."""
    count, axes = (0, NULL) if axis is None else _axes(axis)
    if axis is not None and (not count or (axis in (0, -1) and not asarray(a).ndim)):
        return asarray(a)
    return wrap(call(lib.clary_squeeze, asarray(a), count, axes))


def broadcast_to(array, shape, subok=False):
    """A read-only view of the array stretched to a shape."""
    shape = shape_tuple(shape)
    return wrap(call(lib.clary_broadcast_to, asarray(array), len(shape), shape))


def broadcast_shapes(*args):
    """The shape to which shapes broadcast."""
    ndim, out = ffi.new("int *"), ffi.new("int64_t[]", lib.CLARY_PY_MAX_NDIM)
    result = ()
    for shape in args:
        shape = shape_tuple(shape)
        check(lib.clary_broadcast_shapes(len(result), result, len(shape), shape, ndim, out))
        result = tuple(ffi.unpack(out, ndim[0]))
    return result


def broadcast_arrays(*args, subok=False):
    """The arrays stretched to their common shape."""
    arrays = arrays_of(args)
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else broadcast_to(a, shape) for a in arrays)


def arrays_of(values):
    """The values as Arrays of one device, that of the first Array among them; no scalar is weak."""
    device = next((v._device for v in values if type(v) is Array), None)
    return [asarray(v, device=device) for v in values]


def _at_least(arrays, convert):
    out = [convert(a) for a in arrays_of(arrays)]
    return out[0] if len(out) == 1 else tuple(out)


def _rows(a):
    return a if a.ndim >= 2 else a.reshape(1, -1)


def _layers(a):
    a = a.reshape(1, -1, 1) if a.ndim < 2 else a
    return a if a.ndim >= 3 else expand_dims(a, 2)


def atleast_1d(*arys):
    """Arrays with one axis at least."""
    return _at_least(arys, lambda a: a if a.ndim else a.reshape(1))


def atleast_2d(*arys):
    """Arrays with two axes at least; new ones come first."""
    return _at_least(arys, _rows)


def atleast_3d(*arys):
    """Arrays with three axes at least, as NumPy places them."""
    return _at_least(arys, _layers)


# ---- order ----
def flip(m, axis=None):
    """The order along axes reversed; None: along all."""
    count, axes = (0, NULL) if axis is None else _axes(axis)
    if axis is not None and not count:
        return asarray(m)
    return wrap(call(lib.clary_flip, asarray(m), count, axes))


def _with_axes(a, ndim, name):
    a = asarray(a)
    if a.ndim < ndim:
        raise ArgumentError(f"{name}: needs {ndim} axes at least, shape is {a.shape}")
    return a


def fliplr(m):
    """The order along axis 1 reversed."""
    return flip(_with_axes(m, 2, "fliplr"), axis=1)


def flipud(m):
    """The order along axis 0 reversed."""
    return flip(_with_axes(m, 1, "flipud"), axis=0)


def rot90(m, k=1, axes=(0, 1)):
    """The plane of two axes turned by k right angles."""
    m, k, axes = asarray(m), k % 4, tuple(axes)
    if len(axes) != 2 or not all(-m.ndim <= axis < m.ndim for axis in axes):
        raise ArgumentError(f"rot90: axes {axes} are not two axes of an array with {m.ndim}")
    first, second = (axis % m.ndim for axis in axes)
    if first == second:
        raise ArgumentError(f"rot90: axes {axes} are the same")
    if k == 2:
        return flip(m, axis=(first, second))
    if k == 1:
        return swapaxes(flip(m, axis=second), first, second)
    return flip(swapaxes(m, first, second), axis=second) if k else m


def roll(a, shift, axis=None):
    """Elements moved along axes; what leaves at one end comes back at the other."""
    a = asarray(a)
    if axis is None:
        return roll(a.reshape(-1), shift, 0).reshape(a.shape)
    shifts, axes = numpy.asarray(shift), shape_tuple(axis)
    try:
        pairs = numpy.broadcast(shifts, axes)
    except ValueError:
        raise ArgumentError(f"roll: {shifts.size} shifts for {len(axes)} axes") from None
    if pairs.ndim > 1:
        raise ArgumentError(f"roll: shifts must be a number or 1-D, not of shape {shifts.shape}")
    pairs = [(int(shift), int(axis)) for shift, axis in pairs]
    return wrap(call(lib.clary_roll, a, len(pairs), *map(list, zip(*pairs)))) if pairs else a.copy()


def diagonal(a, offset=0, axis1=0, axis2=1):
    """A view of a diagonal, as the last axis."""
    return wrap(call(lib.clary_diagonal, asarray(a), offset, axis1, axis2))


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum along a diagonal."""
    return _reduce.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


# ---- joining ----
def _join(function, arrays, axis, dtype, out, casting):
    if not arrays:
        raise ArgumentError("need at least one array to join")
    if dtype is not None:
        if out is not None:
            raise TypeError("only one of out= and dtype= may be given")
        arrays = [a.astype(dtype, casting=casting) for a in arrays]
    result = wrap(call(function, [a._h for a in arrays], len(arrays), axis))
    if out is None:
        return result
    target = out[0] if isinstance(out, tuple) else out
    if target.shape != result.shape:
        raise ArgumentError(f"out of shape {target.shape} does not hold a result of shape {result.shape}")
    return store(result, target, casting)


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along an axis; axis None: flattened first."""
    arrays = arrays_of(list(arrays))
    if axis is None:
        arrays, axis = [ravel(a) for a in arrays], 0
    return _join(lib.clary_concat, arrays, axis, dtype, out, casting)


concat = concatenate


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along a new axis."""
    return _join(lib.clary_stack, arrays_of(list(arrays)), axis, dtype, out, casting)


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined along axis 0, after 1-D ones became rows."""
    return concat([_rows(a) for a in arrays_of(list(tup))], 0, dtype=dtype, casting=casting)


def row_stack(tup, *, dtype=None, casting="same_kind"):
    """vstack, by a name that NumPy is about to drop."""
    warnings.warn("`row_stack` alias is deprecated. Use `vstack` directly.", DeprecationWarning, stacklevel=2)
    return vstack(tup, dtype=dtype, casting=casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined along axis 1; 1-D ones along axis 0."""
    arrays = [a if a.ndim else a.reshape(1) for a in arrays_of(list(tup))]
    return concat(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(tup):
    """Arrays joined along axis 2."""
    return concat([_layers(a) for a in arrays_of(list(tup))], 2)


def column_stack(tup):
    """1-D arrays as the columns of a matrix."""
    return concat([a.reshape(-1, 1) if a.ndim < 2 else a for a in arrays_of(list(tup))], 1)


def _depth(blocks, where="arrays"):
    """How deeply lists are nested; refused where that differs from place to place."""
    if isinstance(blocks, tuple):
        raise TypeError(f"block: {where} is a tuple; only lists can be arranged as blocks")
    if not isinstance(blocks, list):
        return 0
    if not blocks:
        raise ArgumentError(f"block: {where} is an empty list")
    depths = [_depth(item, f"{where}[{i}]") for i, item in enumerate(blocks)]
    if len(set(depths)) > 1:
        raise ArgumentError(f"block: the lists in {where} are nested to different depths, {depths}")
    return depths[0] + 1


def block(arrays):
    """One array of nested lists of blocks: the innermost lists are joined along the last axis, those
    around them along the one before, and so on."""
    depth = _depth(arrays)

    def leaves(item):
        return [leaf for part in item for leaf in leaves(part)] if isinstance(item, list) else [item]

    parts = arrays_of(leaves(arrays))
    ndim = builtins.max(depth, *(a.ndim for a in parts), 0)
    parts = iter([a.reshape((1,) * (ndim - a.ndim) + a.shape) for a in parts])

    def join(item, depth):
        return concat([join(part, depth - 1) for part in item], ndim - depth) if depth else next(parts)

    result = join(arrays, depth)
    return result if depth else result.copy()


def append(arr, values, axis=None):
    """The array with values joined to its end; axis None: both flattened."""
    return concat([arr, values], axis)


# ---- repeating ----
def tile(A, reps):
    """The array repeated as a whole."""
    reps = shape_tuple(reps)
    return wrap(call(lib.clary_tile, asarray(A), len(reps), reps))


def resize(a, new_shape):
    """The flat elements repeated until they fill a shape."""
    a, shape = asarray(a).reshape(-1), shape_tuple(new_shape)
    if builtins.min(shape, default=0) < 0:
        raise ArgumentError(f"resize: the extents of {shape} may not be negative")
    size = math.prod(shape)
    if not a.size:
        return zeros(shape, a.dtype, device=a._device)
    return tile(a, -(-size // a.size))[:size].reshape(shape)


def repeat(a, repeats, axis=None):
    """Each element repeated: the same number of times, or as often as `repeats` says for each."""
    a = asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    dtype = getattr(repeats, "dtype", numpy.int64)
    if not numpy.can_cast(dtype, numpy.int64):
        raise DTypeError(f"repeat: counts are integers, not {dtype}")
    counts = numpy.asarray(repeats).astype(numpy.int64)
    if counts.ndim > 1:
        raise ArgumentError(f"repeat: object too deep for desired array: counts are 1-D, not of shape {counts.shape}")
    counts = counts.reshape(-1).tolist()
    return wrap(call(lib.clary_repeat, a._h, len(counts), counts, axis))


# ---- copying ----
def astype(x, dtype, /, *, copy=True, device=None):
    """The array in another dtype."""
    x = asarray(x) if device is None else asarray(x).to_device(device)
    return x.astype(dtype, copy=copy)


def copy(a, order="K", subok=False):
    """A new array of the same elements."""
    return array(a, order=order)


_RANKS = {bool: 0, int: 1, float: 2, complex: 3}


def copyto(dst, src, casting="same_kind", where=True):
    """Writes src into dst, where the mask is true."""
    if not isinstance(dst, Array):
        raise TypeError(f"copyto: dst must be a Clary array, not {type(dst).__name__}")
    casting_rule(casting)
    kind, target = _RANKS.get(type(src)), KINDS[lib.clary_array_dtype(dst._h)]
    if kind is None:
        src = asarray(src, device=dst._device)
        check_cast(src, dst.dtype, casting)
    else:  # a Python scalar: its kind counts, and an integer's value
        if kind > "bifc".index(target.replace("u", "i")) and casting != "unsafe":
            raise DTypeError(f"copyto: cannot cast a {type(src).__name__} to {dst.dtype} with casting {casting!r}")
        src = _index._value(src, dst) if type(src) is int else asarray(src, device=dst._device)
    while src.ndim > dst.ndim and src.shape[0] == 1:
        src = src[0]
    if where is True:
        store(src, dst, "unsafe")
        return
    mask = asarray(where, None if hasattr(where, "dtype") else bool, device=dst._device)
    check_cast(mask, bool, "safe")
    dst[...] = by_name["where"](broadcast_to(mask, dst.shape), broadcast_to(src.astype(dst.dtype), dst.shape), dst)


# ---- asking ----
def shape(a):
    """The extents of an array."""
    return asarray(a).shape


def ndim(a):
    """The number of axes of an array."""
    return asarray(a).ndim


def size(a, axis=None):
    """The number of elements, or the extent of an axis."""
    a = asarray(a)
    return a.size if axis is None else a.shape[axis]


def _memory(a):
    """A stand-in for NumPy's solver: an array with the same addresses, counted from the storage's start,
    none of which is ever read."""
    class Window:
        __array_interface__ = {"version": 3, "shape": a.shape, "strides": a.strides, "typestr": f"|V{a.itemsize}",
                               "data": (2**40 + lib.clary_array_offset(a._h) * a.itemsize, False)}

    return numpy.asarray(Window())


def _reach(a):
    """(first, end) of the bytes that an array's elements lie between, counted from the storage's start."""
    first = last = lib.clary_array_offset(a._h) * a.itemsize
    for extent, stride in zip(a.shape, a.strides):
        step = (extent - 1) * stride
        first, last = first + min(step, 0), last + max(step, 0)
    return first, last + a.itemsize


def _overlap(a, b, max_work):
    if not (isinstance(a, Array) and isinstance(b, Array) and a.shares_memory(b) and a.size and b.size):
        return False
    (first_a, end_a), (first_b, end_b) = _reach(a), _reach(b)
    if end_a <= first_b or end_b <= first_a:
        return False
    return not max_work or numpy.shares_memory(_memory(a), _memory(b), max_work)


def shares_memory(a, b, /, max_work=-1):
    """Whether some element belongs to both arrays."""
    return _overlap(a, b, -1 if max_work is None else max_work)


def may_share_memory(a, b, /, max_work=0):
    """Whether the ranges of memory that the two arrays reach overlap."""
    return _overlap(a, b, max_work)


public = {f.__name__: f for f in (
    reshape, ravel, isfortran, transpose, matrix_transpose, swapaxes, moveaxis, rollaxis, expand_dims, squeeze,
    broadcast_to, broadcast_shapes, broadcast_arrays, atleast_1d, atleast_2d, atleast_3d, flip, fliplr, flipud,
    rot90, roll, diagonal, trace, concatenate, stack, vstack, row_stack, hstack, dstack, column_stack, block, append, tile,
    resize, repeat, astype, copy, copyto, shape, ndim, size, shares_memory, may_share_memory)}
public.update(concat=concat, permute_dims=transpose)

from . import _index, _reduce  # noqa: E402
