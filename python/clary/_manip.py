"""Shapes and axes, joining, repeating, padding: NumPy's functions over the library's views and copies."""
import builtins

from ._array import Array, operand, wrap
from ._core import NULL, ArgumentError, ShapeError, UnsupportedError, call, check, ffi, lib
from ._create import asarray, scalar_struct, shape_tuple
from ._dtypes import KINDS, code_of
from ._ufunc import by_name, operands, store


def _axes(axis):
    """C's (count, axes) for a number or several."""
    axes = [axis.__index__()] if hasattr(axis, "__index__") else [a.__index__() for a in axis]
    return len(axes), axes


# ---- shapes ----
def reshape(a, /, shape, order="C", *, copy=None):
    """The elements in another shape; one extent may be -1. A view where strides allow it."""
    a, shape = asarray(a), shape_tuple(shape)
    if order == "F":
        result = reshape(a.T, shape[::-1], copy=copy)
        return result.T
    if copy is False:
        return wrap(call(lib.clary_reshape_view, a._h, len(shape), shape))
    result = wrap(call(lib.clary_reshape, a._h, len(shape), shape))
    return result.copy() if copy and lib.clary_array_shares_storage(result._h, a._h) else result


def ravel(a, order="C"):
    """The elements in one dimension: a view where possible."""
    return reshape(a, (-1,), order="F" if order == "F" else "C")


def transpose(a, axes=None):
    """The axes reversed, or in the order given."""
    a = asarray(a)
    if axes is None:
        return a.T
    count, axes = _axes(axes)
    if count != a.ndim:
        raise ArgumentError(f"transpose: {count} axes given for an array with {a.ndim}")
    return wrap(call(lib.clary_transpose, a._h, axes))


def permute_dims(a, /, axes):
    """The axes in the order given."""
    return transpose(a, axes)


def matrix_transpose(x, /):
    """The matrices of the last two axes transposed."""
    x = asarray(x)
    if x.ndim < 2:
        raise ArgumentError(f"matrix_transpose: needs two axes at least, shape is {x.shape}")
    return wrap(call(lib.clary_swapaxes, x._h, -1, -2))


def swapaxes(a, axis1, axis2):
    """Two axes exchanged."""
    return wrap(call(lib.clary_swapaxes, asarray(a), axis1, axis2))


def moveaxis(a, source, destination, /):
    """Axes moved to other places, the rest in order."""
    (count, source), (count2, destination) = _axes(source), _axes(destination)
    if count != count2:
        raise ArgumentError(f"moveaxis: {count} source axes but {count2} destinations")
    return wrap(call(lib.clary_moveaxis, asarray(a), count, source, destination))


def expand_dims(a, /, axis=0):
    """New axes of extent 1."""
    return wrap(call(lib.clary_expand_dims, asarray(a), *_axes(axis)))


def squeeze(a, /, axis=None):
    """Without axes of extent 1: all, or those given."""
    count, axes = (0, NULL) if axis is None else _axes(axis)
    if axis is not None and not count:
        return asarray(a)
    return wrap(call(lib.clary_squeeze, asarray(a), count, axes))


def broadcast_to(x, /, shape):
    """A read-only view of the array stretched to a shape."""
    shape = shape_tuple(shape)
    return wrap(call(lib.clary_broadcast_to, asarray(x), len(shape), shape))


def broadcast_shapes(*shapes):
    """The shape to which shapes broadcast."""
    ndim, out = ffi.new("int *"), ffi.new("int64_t[]", lib.CLARY_PY_MAX_NDIM)
    result = ()
    for shape in shapes:
        shape = shape_tuple(shape)
        check(lib.clary_broadcast_shapes(len(result), result, len(shape), shape, ndim, out))
        result = tuple(ffi.unpack(out, ndim[0]))
    return result


def broadcast_arrays(*arrays):
    """The arrays stretched to their common shape."""
    arrays = operands(arrays)
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else broadcast_to(a, shape) for a in arrays)


def atleast_1d(*arrays):
    """Arrays with one axis at least."""
    out = [a if a.ndim else a.reshape(1) for a in builtins.map(asarray, arrays)]
    return out[0] if len(out) == 1 else tuple(out)


def atleast_2d(*arrays):
    """Arrays with two axes at least; new ones come first."""
    out = [a if a.ndim >= 2 else a.reshape(1, -1) for a in builtins.map(asarray, arrays)]
    return out[0] if len(out) == 1 else tuple(out)


def atleast_3d(*arrays):
    """Arrays with three axes at least, as NumPy places them."""
    out = []
    for a in builtins.map(asarray, arrays):
        if a.ndim < 2:
            a = a.reshape(1, -1, 1)
        out.append(a if a.ndim >= 3 else expand_dims(a, 2))
    return out[0] if len(out) == 1 else tuple(out)


# ---- order ----
def flip(m, /, axis=None):
    """The order along axes reversed; None: along all."""
    count, axes = (0, NULL) if axis is None else _axes(axis)
    if axis is not None and not count:
        return asarray(m)
    return wrap(call(lib.clary_flip, asarray(m), count, axes))


def _at_least(a, ndim, name):
    a = asarray(a)
    if a.ndim < ndim:
        raise ArgumentError(f"{name}: needs {ndim} axes at least, shape is {a.shape}")
    return a


def fliplr(m):
    """The order along axis 1 reversed."""
    return flip(_at_least(m, 2, "fliplr"), axis=1)


def flipud(m):
    """The order along axis 0 reversed."""
    return flip(_at_least(m, 1, "flipud"), axis=0)


def rot90(m, k=1, axes=(0, 1)):
    """The plane of two axes turned by k right angles."""
    m, k = _at_least(m, 2, "rot90"), k % 4
    first, second = axes
    if k == 2:
        return flip(m, axis=(first, second))
    if k == 1:
        return swapaxes(flip(m, axis=second), first, second)
    return flip(swapaxes(m, first, second), axis=second) if k else m


def roll(a, /, shift, axis=None):
    """Elements moved along axes; what leaves at one end comes back at the other."""
    a = asarray(a)
    if axis is None:
        return roll(a.reshape(-1), shift, 0).reshape(a.shape)
    axes = _axes(axis)[1]
    shifts = _axes(shift)[1]
    if len(shifts) != len(axes):
        shifts, axes = (shifts * len(axes), axes) if len(shifts) == 1 else (shifts, axes * len(shifts))
    for n, one in zip(shifts, axes):
        moved = moveaxis(a, one, 0)
        extent = moved.shape[0]
        n = n % extent if extent else 0
        if n:
            a = moveaxis(concat([moved[extent - n:], moved[: extent - n]], axis=0), 0, one)
    return a.copy() if all(n == 0 for n in shifts) else a


def diagonal(a, offset=0, axis1=0, axis2=1):
    """A view of a diagonal, as the last axis."""
    return wrap(call(lib.clary_diagonal, asarray(a), offset, axis1, axis2))


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum along a diagonal."""
    return _reduce.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


# ---- joining and cutting ----
def _join(function, arrays, axis, dtype, out, casting):
    arrays = operands(arrays)
    if not arrays:
        raise ArgumentError("need at least one array to join")
    if dtype is not None:
        arrays = [a.astype(dtype, casting=casting) for a in arrays]
    result = wrap(call(function, [a._h for a in arrays], len(arrays), axis))
    return result if out is None else store(result, out, casting)


def concat(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along an axis; axis None: flattened first."""
    if axis is None:
        arrays, axis = [ravel(a) for a in arrays], 0
    return _join(lib.clary_concat, arrays, axis, dtype, out, casting)


concatenate = concat


def stack(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along a new axis."""
    return _join(lib.clary_stack, arrays, axis, dtype, out, casting)


def _listed(result):
    return [result] if isinstance(result, Array) else result


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined along axis 0, after 1-D ones became rows."""
    return concat(_listed(atleast_2d(*tup)), 0, dtype=dtype, casting=casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined along axis 1; 1-D ones along axis 0."""
    arrays = _listed(atleast_1d(*tup))
    return concat(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(tup):
    """Arrays joined along axis 2."""
    return concat(_listed(atleast_3d(*tup)), 2)


def column_stack(tup):
    """1-D arrays as the columns of a matrix."""
    return concat([a.reshape(-1, 1) if a.ndim < 2 else a for a in builtins.map(asarray, tup)], 1)


def unstack(x, /, *, axis=0):
    """The views along an axis."""
    moved = moveaxis(asarray(x), axis, 0)
    return tuple(moved[i] for i in range(moved.shape[0]))


def array_split(ary, indices_or_sections, axis=0):
    """Views of consecutive parts along an axis, of nearly equal extents or cut at indices."""
    ary = asarray(ary)
    extent = ary.shape[axis]
    if hasattr(indices_or_sections, "__index__"):
        n = indices_or_sections.__index__()
        if n <= 0:
            raise ArgumentError("number sections must be larger than 0")
        size, extra = divmod(extent, n)
        cuts = [i * size + builtins.min(i, extra) for i in range(n + 1)]
    else:
        cuts = [0, *indices_or_sections, extent]
    moved = moveaxis(ary, axis, 0)
    return [moveaxis(moved[begin:end], 0, axis) for begin, end in zip(cuts, cuts[1:])]


def split(ary, indices_or_sections, axis=0):
    """Views of consecutive parts along an axis, of equal extents or cut at indices."""
    ary = asarray(ary)
    if hasattr(indices_or_sections, "__index__") and ary.shape[axis] % indices_or_sections.__index__():
        raise ShapeError(f"split: extent {ary.shape[axis]} is not {indices_or_sections} equal parts")
    return array_split(ary, indices_or_sections, axis)


# ---- repeating and padding ----
def tile(A, reps, /):
    """The array repeated as a whole."""
    reps = shape_tuple(reps)
    return wrap(call(lib.clary_tile, asarray(A), len(reps), reps))


def repeat(x, repeats, /, axis=None):
    """Each element repeated: the same number of times, or as often as `repeats` says for each."""
    x = asarray(x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    if isinstance(repeats, Array):
        repeats = repeats.tolist()
    counts = list(shape_tuple(repeats))
    return wrap(call(lib.clary_repeat, x._h, len(counts), counts, axis))


_PAD_MODES = {"constant": lib.CLARY_PAD_CONSTANT, "edge": lib.CLARY_PAD_EDGE, "reflect": lib.CLARY_PAD_REFLECT,
              "symmetric": lib.CLARY_PAD_SYMMETRIC, "wrap": lib.CLARY_PAD_WRAP}


def _pad_widths(width, ndim):
    """(before, after) of NumPy's pad_width: a number, a pair, or a pair for each axis."""
    if isinstance(width, dict):
        pairs = [(0, 0)] * ndim
        for axis, pair in width.items():
            pairs[axis] = (pair, pair) if hasattr(pair, "__index__") else tuple(pair)
    elif hasattr(width, "__index__"):
        pairs = [(width, width)] * ndim
    else:
        width = list(width)
        if width and all(hasattr(n, "__index__") for n in width):
            pairs = [tuple(width) if len(width) == 2 else (width[0], width[0])] * ndim
        else:
            pairs = [tuple(pair) if len(pair) == 2 else (pair[0], pair[0]) for pair in width]
            pairs = pairs * ndim if len(pairs) == 1 else pairs
    if len(pairs) != ndim:
        raise ArgumentError(f"pad: {len(pairs)} pairs of widths for {ndim} axes")
    return [p[0] for p in pairs], [p[1] for p in pairs]


def pad(array, pad_width, mode="constant", *, constant_values=0):
    """The array with a border: of a constant, or taken from its elements."""
    array = asarray(array)
    if mode not in _PAD_MODES:
        raise UnsupportedError(f"pad: mode {mode!r} is not one of {', '.join(_PAD_MODES)}")
    if not isinstance(constant_values, (bool, int, float, complex)) and getattr(constant_values, "ndim", 1):
        raise UnsupportedError("pad: constant_values must be one number")
    value = scalar_struct(constant_values, lib.clary_array_dtype(array._h))[0]
    before, after = _pad_widths(pad_width, array.ndim)
    return wrap(call(lib.clary_pad, array._h, before, after, _PAD_MODES[mode], value))


# ---- values ----
def clip(a, /, min=None, max=None, *, out=None, dtype=None):
    """Elements held between two bounds; either may be None."""
    a = asarray(a)
    low, high = _bounds(a, min, max)
    if low is None and high is None:
        result = by_name["positive"](a) if a.dtype != bool else a.copy()
        result = result if dtype is None else result.astype(dtype)
        return result if out is None else store(result, out)
    if low is None:
        return by_name["minimum"](a, high, out=out, dtype=dtype)
    if high is None:
        return by_name["maximum"](a, low, out=out, dtype=dtype)
    return by_name["clip"](a, low, high, out=out, dtype=dtype)


def _bounds(a, low, high):
    """Integer bounds beyond the dtype's range bound nothing, unless nothing can satisfy them."""
    if KINDS[lib.clary_array_dtype(a._h)] in "iu":
        from ._dtypes import iinfo

        info = iinfo(a.dtype)
        if type(low) is int and low < info.min:
            low = None
        if type(high) is int and high > info.max:
            high = None
    return low, high


def round(a, decimals=0, out=None):
    """Elements rounded to a number of decimals, halves to the even digit."""
    a = asarray(a)
    kind = KINDS[lib.clary_array_dtype(a._h)]
    if kind in "biu" and decimals >= 0:
        result = a.copy() if kind != "b" else a.astype("float16")
    elif decimals == 0:
        result = by_name["rint"](a)
    else:
        scale = 10.0 ** builtins.abs(decimals)
        result = by_name["rint"](a * scale) / scale if decimals > 0 else by_name["rint"](a / scale) * scale
        result = result.astype(a.dtype) if kind in "iu" else result
    return result if out is None else store(result, out)


around = round


def astype(x, dtype, /, *, copy=True, device=None):
    """The array in another dtype."""
    x = asarray(x) if device is None else asarray(x).to_device(device)
    return x.astype(dtype, copy=copy)


def copy(a, order="K"):
    """A new array of the same elements."""
    return asarray(a).copy()


def copyto(dst, src, casting="same_kind", where=True):
    """Writes src into dst, where the mask is true."""
    src = operand(src, dst._device)
    if where is True:
        store(src, dst, casting)
    else:
        store(by_name["where"](where, src, dst), dst, casting)


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences between neighbours along an axis, n times."""
    a = asarray(a)
    ends = []
    for end in (prepend, append):
        if end is not None:
            end = asarray(end, device=a._device)
            shape = list(a.shape)
            shape[axis] = 1
            end = broadcast_to(end, shape) if not end.ndim else end
        ends.append(end)
    if prepend is not None or append is not None:
        a = concat([e for e in (ends[0], a, ends[1]) if e is not None], axis=axis)
    a = moveaxis(a, axis, 0)
    op = by_name["not_equal" if a.dtype == bool else "subtract"]
    for _ in range(n):
        a = op(a[1:], a[:-1])
    return moveaxis(a, 0, axis)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """NaN and infinities replaced by finite numbers."""
    x = asarray(x)
    kind = KINDS[lib.clary_array_dtype(x._h)]
    if kind == "c":
        return nan_to_num(x.real, nan=nan, posinf=posinf, neginf=neginf) + 1j * nan_to_num(
            x.imag, nan=nan, posinf=posinf, neginf=neginf)
    if kind != "f":
        return x.copy() if copy else x
    from ._dtypes import finfo

    limits = finfo(x.dtype)
    where = by_name["where"]
    result = where(by_name["isnan"](x), float(nan), x)
    result = where(by_name["isposinf"](x), float(limits.max if posinf is None else posinf), result)
    result = where(by_name["isneginf"](x), float(limits.min if neginf is None else neginf), result)
    if copy:
        return result
    x[...] = result
    return x


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


def isscalar(element):
    """Whether it is a Python or NumPy scalar."""
    import numpy

    return numpy.isscalar(element)


def iscomplexobj(x):
    """Whether the dtype is complex."""
    return KINDS[code_of(asarray(x).dtype)] == "c"


def isrealobj(x):
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |a - b| <= atol + rtol * |b|, element by element; infinities of one sign are close."""
    a, b = operands([a, b])
    if KINDS[lib.clary_array_dtype(b._h)] in "biu":
        b = b * 1.0  # so that b's smallest integer has a magnitude
    finite = by_name["isfinite"](b)
    close = by_name["less_equal"](by_name["absolute"](a - b), atol + rtol * by_name["absolute"](b)) & finite
    close = close | (a == b)
    return close | (by_name["isnan"](a) & by_name["isnan"](b)) if equal_nan else close


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close."""
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and elements are equal."""
    a1, a2 = operands([a1, a2])
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    if equal_nan:
        same = same | (by_name["isnan"](a1) & by_name["isnan"](a2))
    return bool(same.all())


def may_share_memory(a, b):
    """Whether both arrays are windows on one storage."""
    return isinstance(a, Array) and isinstance(b, Array) and a.shares_memory(b)


shares_memory = may_share_memory

public = {f.__name__: f for f in (
    reshape, ravel, transpose, permute_dims, matrix_transpose, swapaxes, moveaxis, expand_dims, squeeze,
    broadcast_to, broadcast_shapes, broadcast_arrays, atleast_1d, atleast_2d, atleast_3d, flip, fliplr, flipud,
    rot90, roll, diagonal, trace, concat, stack, vstack, hstack, dstack, column_stack, unstack, array_split,
    split, tile, repeat, pad, clip, round, astype, copy, copyto, diff, nan_to_num, shape, ndim, size,
    isscalar, iscomplexobj, isrealobj, isclose, allclose, array_equal, may_share_memory)}
public.update(concatenate=concat, around=round, shares_memory=may_share_memory, row_stack=vstack)

from . import _reduce  # noqa: E402
