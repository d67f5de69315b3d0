"""Choosing elements: by index arrays, by conditions, by position."""
import numpy

from . import _index
from ._array import Array, operand, wrap
from ._core import ArgumentError, DTypeError, IndexOutOfRangeError, ShapeError, call, check, ffi, lib
from ._create import asarray
from ._manip import axis_of, broadcast_to, ravel, reshape, stack
from ._ufunc import by_name, check_cast, store

_MODES = {"raise": lib.CLARY_MODE_RAISE, "wrap": lib.CLARY_MODE_WRAP, "clip": lib.CLARY_MODE_CLIP}


def _mode(mode):
    try:
        return _MODES[mode]
    except (KeyError, TypeError):
        raise ArgumentError(f"mode must be 'raise', 'wrap' or 'clip', not {mode!r}") from None


def _indices(indices, like, extent=None, axis=0):
    """An index array on the device of `like`; what comes from the host is checked against `extent`."""
    if isinstance(indices, Array):
        return indices
    host = numpy.asarray(indices)
    if host.size == 0:
        host = host.astype(numpy.intp)
    if host.dtype.kind == "b":
        host = host.astype(numpy.intp)
    if host.dtype.kind not in "iu":
        raise TypeError(f"indices must be integers, not {host.dtype}")
    if extent is not None:
        _index._check_bounds(host, axis, extent)
    return asarray(host, device=like._device)


def take(a, indices, axis=None, out=None, mode="raise"):
    """The elements at `indices` along an axis (None: of the flattened array)."""
    a, code = asarray(a), _mode(mode)
    if axis is None or a.ndim == 0:
        a, axis = ravel(a), axis_of("take", axis or 0, 1)
    extent = a.shape[axis] if code == lib.CLARY_MODE_RAISE and -a.ndim <= axis < a.ndim else None
    if extent == 0 and numpy.size(indices):
        raise IndexOutOfRangeError("cannot do a non-empty take from an empty axis")
    indices = _indices(indices, a, extent, axis)
    if indices.dtype.kind == "b":
        indices = indices.astype(numpy.intp)
    result = wrap(call(lib.clary_take, a, indices, axis, code))
    if out is None:
        return result
    if out.shape != result.shape:
        raise ShapeError(f"take: out of shape {out.shape} does not match the result's shape {result.shape}")
    if not numpy.can_cast(out.dtype, a.dtype, "safe"):  # NumPy's rule: elements pass through a's dtype
        raise DTypeError(f"take: out of {out.dtype} cannot be cast safely to {a.dtype}")
    return store(result, out, "unsafe")


def take_along_axis(arr, indices, axis=-1):
    """For each line along `axis`, the elements at that line's indices, as argsort gives them."""
    arr = asarray(arr)
    if axis is None:
        arr, axis = ravel(arr), 0
    indices = _indices(indices, arr)
    return wrap(call(lib.clary_take_along_axis, arr, indices, axis))


def put_along_axis(arr, indices, values, axis):
    """Writes values to the places that take_along_axis reads."""
    values = operand(values, arr._device)
    if lib.clary_array_is_weak(values._h):
        values = asarray(values, dtype=arr.dtype)
    if axis is None:
        flat = ravel(arr)
        check(lib.clary_put_along_axis(flat._h, _indices(indices, arr)._h, values._h, 0))
        if not lib.clary_array_shares_storage(flat._h, arr._h):
            arr[...] = reshape(flat, arr.shape)
        return
    indices = _indices(indices, arr)
    check(lib.clary_put_along_axis(arr._h, indices._h, values._h, axis))


def put(a, ind, v, mode="raise"):
    """a.flat[ind] = v, the values repeated as often as needed."""
    if not isinstance(a, Array):
        raise TypeError(f"argument 1 must be an Array, not {type(a).__name__}")
    code = _mode(mode)
    ind = _indices(ind, a, a.size if code == lib.CLARY_MODE_RAISE else None)
    values = asarray(v, device=a._device) if isinstance(v, Array) else asarray(numpy.asarray(v), device=a._device)
    if not by_can_cast(values.dtype, a.dtype):
        raise TypeError(f"put: cannot cast from {values.dtype} to {a.dtype}")
    check(lib.clary_put(a._h, ind._h, values._h, code))


def by_can_cast(source, target):
    """Whether values of one dtype may be written to another by assignment."""
    return not (source.kind == "c" and target.kind != "c")


# ---- conditions ----
def flatnonzero(a):
    """The positions of non-zero elements in the flattened array."""
    return wrap(call(lib.clary_flatnonzero, asarray(a)))


def nonzero(a):
    """The positions of non-zero elements: one index array per axis."""
    a = asarray(a)
    if a.ndim == 0:
        raise ArgumentError("nonzero of a 0-d array is not defined; use atleast_1d(a).nonzero()")
    out = ffi.new("clary_array *[]", a.ndim)
    check(lib.clary_nonzero(a._h, out))
    return tuple(wrap(handle) for handle in out)


def argwhere(a):
    """The positions of non-zero elements: one row each."""
    a = asarray(a)
    if a.ndim == 0:
        return flatnonzero(reshape(a, (1,)))[:, None][:, :0]
    return stack(nonzero(a), axis=-1)


def compress(condition, a, axis=None, out=None):
    """The slices along an axis where a one-dimensional condition is true."""
    condition, a = asarray(condition), asarray(a)
    if condition.ndim != 1:
        raise ShapeError(f"compress: the condition must be one-dimensional, not of shape {condition.shape}")
    return take(a, flatnonzero(condition), axis=axis, out=out)


def extract(condition, arr):
    """The elements, flattened, where the condition is true."""
    return take(ravel(asarray(arr)), flatnonzero(asarray(condition)))


def place(arr, mask, vals):
    """Writes vals, in order and repeated, to the elements where the mask is true."""
    values = ravel(asarray(vals, device=arr._device))
    mask = asarray(mask)
    if mask.size != arr.size:
        raise ShapeError(f"place: mask and array must have the same size, not {mask.size} and {arr.size}")
    where = flatnonzero(mask)
    if where.size and not values.size:
        raise ArgumentError("place: cannot insert from an empty array")
    put(arr, where, values.astype(arr.dtype, copy=False))


def putmask(a, mask, values):
    """Writes the values at their own positions (repeated if they are fewer) where the mask is true."""
    if not isinstance(a, Array):
        raise TypeError(f"putmask: a must be a Clary array, not {type(a).__name__}")
    if getattr(values, "ndim", 0):
        values = asarray(values, device=a._device)
        check_cast(values, a.dtype, "safe")
    else:
        values = asarray(values, a.dtype, device=a._device)
    mask = asarray(mask)
    if mask.size != a.size:
        raise ShapeError(f"putmask: mask and data must be the same size, not {mask.size} and {a.size}")
    if not values.size or not a.size:
        return
    if values.shape != a.shape:
        from ._create import arange
        values = reshape(take(ravel(values), arange(a.size, device=a._device), mode="wrap"), a.shape)
    a[...] = by_name["where"](reshape(mask, a.shape).astype(bool), values.astype(a.dtype, copy=False), a)


def choose(a, choices, out=None, mode="raise"):
    """From several arrays the element whose array's number stands in `a`."""
    a = asarray(a)
    choices = [asarray(c) for c in choices]
    if not choices:
        raise ArgumentError("choose: there must be at least one choice")
    if a.dtype.kind not in "biu":
        raise TypeError(f"choose: the index array must be of integers, not {a.dtype}")
    from ._dtypes import result_type
    shape = numpy.broadcast_shapes(a.shape, *(c.shape for c in choices))
    dtype = result_type(*choices)
    table = stack([broadcast_to(c, shape).astype(dtype, copy=False) for c in choices])
    index = broadcast_to(a.astype(numpy.intp), shape)
    if mode == "wrap":
        index = index % len(choices)
    elif mode == "clip":
        index = by_name["clip"](index, 0, len(choices) - 1)
    else:
        _mode(mode)
        bad = (index < 0) | (index >= len(choices))
        if index.size and bool(bad.any()):
            raise ArgumentError("choose: invalid entry in choice array")
    result = take_along_axis(table, index[None], axis=0)[0]
    return result if out is None else store(result, out)


def select(condlist, choicelist, default=0):
    """The first choice whose condition is true, element by element; else the default."""
    if len(condlist) != len(choicelist):
        raise ArgumentError("select: list of cases must be same length as list of conditions")
    if not condlist:
        raise ArgumentError("select with an empty condition list is not possible")
    conditions = [asarray(c) for c in condlist]
    for c in conditions:
        if c.dtype.kind != "b":
            raise TypeError(f"select: conditions must be boolean, not {c.dtype}")
    choices = [c if isinstance(c, Array) else operand(c) for c in choicelist]
    result = default
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        result = by_name["where"](condition, choice, result)
    shape = numpy.broadcast_shapes(*(c.shape for c in conditions), *(c.shape for c in choices))
    return result if result.shape == shape else broadcast_to(result, shape).copy()


public = {f.__name__: f for f in (take, take_along_axis, put_along_axis, put, flatnonzero, nonzero, argwhere,
                                  compress, extract, place, putmask, choose, select)}
