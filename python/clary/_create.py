"""Making arrays: from Python and NumPy objects, filled, in ranges."""
import operator

import numpy

from . import _array, _dtypes
from ._array import Array, range_error, wrap
from ._core import NULL, ArgumentError, DTypeError, call, ffi, lib
from ._device import handle as device_handle
from ._dtypes import BFLOAT16, DTYPES, KINDS, casting_rule, code_of


def shape_tuple(shape):
    """A shape given as a number or as a sequence of numbers."""
    if isinstance(shape, (tuple, list)):
        return tuple(map(operator.index, shape))
    if hasattr(shape, "__index__") and not getattr(shape, "ndim", 0):
        return (operator.index(shape),)
    try:
        return tuple(map(operator.index, shape))
    except TypeError:
        raise TypeError(f"expected a sequence of integers or a single integer, got {shape!r}") from None


def order_of(order, allowed="CFAK"):
    """A memory order by its upper-case letter; refused unless it is one of those allowed, or None."""
    if order is None:
        return None
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if len(order) != 1 or order.upper() not in allowed:
        raise ArgumentError(f"order must be one of {', '.join(map(repr, allowed))}, not {order!r}")
    return order.upper()


def from_numpy(host, code=None, device=NULL):
    """A copy of a NumPy array of any layout and byte order; `code` says what its elements mean when
    NumPy does not know (bfloat16)."""
    if code is None:
        code = code_of(host.dtype)
    if not host.dtype.isnative:
        host = host.astype(host.dtype.newbyteorder("="))
    data = ffi.cast("void *", host.__array_interface__["data"][0])
    strides = NULL if host.flags.c_contiguous else host.strides
    return wrap(call(lib.clary_from_host, device, code, host.ndim, host.shape, strides, data))


def _lying_alike(host, order, code=None, device=NULL):
    """from_numpy(host) with its elements in a memory order: K as they lie in the NumPy array."""
    if order == "C" or host.ndim < 2 or (order != "F" and host.flags.c_contiguous):
        return from_numpy(host, code, device)
    if order == "A":
        axes = list(range(host.ndim))[:: -1 if host.flags.fnc else 1]
    elif order == "F":
        axes = list(range(host.ndim))[::-1]
    else:
        axes = sorted(range(host.ndim), key=lambda axis: -abs(host.strides[axis]))
    return _manip.transpose(from_numpy(host.transpose(axes), code, device), numpy.argsort(axes).tolist())


def _holds_arrays(obj):
    return any(type(item) is Array or (isinstance(item, (list, tuple)) and _holds_arrays(item)) for item in obj)


def _from_object(obj, dtype, device, order="C"):
    """An Array of anything but an Array."""
    if isinstance(obj, (list, tuple)) and _holds_arrays(obj):
        return _manip.stack([item if type(item) is Array else _from_object(item, None, device) for item in obj])
    if dtype is not None and not isinstance(obj, (numpy.ndarray, numpy.generic)) and code_of(dtype) != BFLOAT16:
        return _lying_alike(numpy.asarray(obj, dtype=DTYPES[code_of(dtype)]), order, device=device)
    host = numpy.asarray(obj)
    if host.dtype.kind in "OUSmM":
        raise DTypeError(f"no Clary array can be made of {type(obj).__name__} (NumPy's dtype for it is {host.dtype})")
    return _lying_alike(host, order, device=device)


def _in_order(a, order):
    """The array itself where its elements lie in the order asked for, else a copy that does."""
    if order in (None, "K", "A") or (a.c_contiguous if order == "C" else a.T.c_contiguous):
        return a
    return copied(a, a.dtype, order)


def copied(a, dtype, order, casting="unsafe"):
    """A new array of a's elements, in C or Fortran order or (K) lying as they lie in a."""
    axes = list(range(a.ndim))
    if order == "K" and not a.c_contiguous:
        axes = _manip.memory_order(a)
    elif order == "F" or (order == "A" and _manip.isfortran(a)):
        axes.reverse()
    code, rule = code_of(dtype), casting_rule(casting)
    if axes == sorted(axes):
        return wrap(call(lib.clary_astype, a, code, rule))
    lying = wrap(call(lib.clary_astype, _manip.transpose(a, axes), code, rule))
    return _manip.transpose(lying, numpy.argsort(axes).tolist())


def asarray(a, dtype=None, order=None, *, device=None, copy=None):
    """An array of the object: itself where that is possible and copy is not True."""
    order = order_of(order)
    if type(a) is Array:
        result = a
        if device is not None and device_handle(device) not in (NULL, a._device):
            result = a.to_device(device)
        if copy:
            return copied(result, a.dtype if dtype is None else dtype, order or "K")
        if dtype is not None and code_of(dtype) != lib.clary_array_dtype(a._h):
            result = result.astype(dtype)
        result = _in_order(result, order)
        if result is not a and copy is False:
            raise ArgumentError("asarray: another device, dtype or order needs a copy")
        return result
    if copy is False:
        raise ArgumentError(f"asarray: {type(a).__name__} cannot become a Clary array without a copy")
    result = _from_object(a, dtype, device_handle(device), order or "K")
    return _in_order(result if dtype is None else result.astype(dtype, copy=False), order)


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, device=None):
    """A new array of the object's elements. order="K" keeps the order in which an array lies in memory."""
    result = asarray(object, dtype, order, device=device, copy=copy)
    if result.ndim < ndmin:
        result = result.reshape((1,) * (ndmin - result.ndim) + result.shape)
    return result


def ascontiguousarray(a, dtype=None):
    """The array with its elements in C order without gaps, and an axis at least: itself where it is so."""
    return _manip.atleast_1d(asarray(a, dtype, "C"))


def asfortranarray(a, dtype=None):
    """The array with its elements in Fortran order without gaps, and an axis at least: itself where it is so."""
    return _manip.atleast_1d(asarray(a, dtype, "F"))


def asarray_chkfinite(a, dtype=None, order=None):
    """asarray, refused where an element is NaN or infinite."""
    a = asarray(a, dtype, order)
    if KINDS[lib.clary_array_dtype(a._h)] in "fc" and not _ufunc.isfinite(a).all():
        raise ArgumentError("array must not contain infs or NaNs")
    return a


def require(a, dtype=None, requirements=None):
    """The array in a dtype and with properties: C or F for its order, W writeable, O owning its elements,
    A and E, which hold always."""
    known = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F",
             "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "A": "A", "ALIGNED": "A", "E": "E",
             "ENSUREARRAY": "E"}
    wanted = {known[name.upper()] for name in requirements or ()}
    if {"C", "F"} <= wanted:
        raise ArgumentError("require: an array cannot be asked for in both C and F order")
    order = "C" if "C" in wanted else "F" if "F" in wanted else None
    result = asarray(a, dtype, order)
    owned = result is not a or "O" not in wanted
    return result if owned and (result.writeable or "W" not in wanted) else array(result, order=order or "K")


def scalar_struct(value, code=None):
    """C's scalar of a Python or NumPy number; refused where an integer dtype does not hold it."""
    if isinstance(value, (numpy.generic, numpy.ndarray, Array)):
        value = value.item()
    out = ffi.new("clary_scalar *")
    if isinstance(value, bool):
        out.kind, out.i = lib.CLARY_SCALAR_BOOL, value
    elif isinstance(value, int):
        bounds = None if code is None else _array.integer_bounds(code)
        if bounds and not bounds[0] <= value <= bounds[1]:
            raise range_error(value, DTYPES[code])
        if -(2**63) <= value < 2**63:
            out.kind, out.i = lib.CLARY_SCALAR_INT, value
        elif 0 <= value < 2**64:
            out.kind, out.u = lib.CLARY_SCALAR_UINT, value
        else:
            out.kind, out.re = lib.CLARY_SCALAR_FLOAT, value
    elif isinstance(value, complex):
        if code is not None and KINDS[code] != "c":
            raise TypeError(f"a complex number does not fit {DTYPES[code]}")
        out.kind, out.re, out.im = lib.CLARY_SCALAR_COMPLEX, value.real, value.imag
    else:
        out.kind, out.re = lib.CLARY_SCALAR_FLOAT, float(value)
    return out


def _filled(function, shape, dtype, order, device, *value):
    """function(device, dtype, shape, *value) in C or Fortran order."""
    shape = shape_tuple(shape)
    if order != "C" and order_of(order, "CF") == "F" and len(shape) > 1:
        return _filled(function, shape[::-1], dtype, "C", device, *value).T
    return wrap(call(function, device_handle(device), _code(dtype), len(shape), shape, *value))


def empty(shape, dtype=float, order="C", *, device=None):
    """A new array whose elements are undefined."""
    return _filled(lib.clary_empty, shape, dtype, order, device)


def zeros(shape, dtype=float, order="C", *, device=None):
    """A new array of zeros."""
    return _filled(lib.clary_zeros, shape, dtype, order, device)


def ones(shape, dtype=float, order="C", *, device=None):
    """A new array of ones."""
    return _filled(lib.clary_ones, shape, dtype, order, device)


def full(shape, fill_value, dtype=None, order="C", *, device=None):
    """A new array of one value, or of an array's values broadcast to the shape."""
    if not isinstance(fill_value, (bool, int, float, complex, numpy.generic)):
        fill_value = asarray(fill_value, device=device)
        dtype = fill_value.dtype if dtype is None else dtype
        out = empty(shape, dtype, order, device=device)
        out[...] = fill_value
        return out
    dtype = numpy.asarray(fill_value).dtype if dtype is None else dtype
    return _filled(lib.clary_full, shape, dtype, order, device, scalar_struct(fill_value, code_of(dtype))[0])


def _code(dtype):
    return lib.CLARY_FLOAT64 if dtype is None else code_of(dtype)


def _like(function, a, dtype, order, shape, device, *value):
    """function(shape, *value) in the dtype, memory order and place of `a`, unless others are given."""
    a = asarray(a)
    dtype, device = a.dtype if dtype is None else dtype, a._device if device is None else device
    kept = shape is None or len(shape_tuple(shape)) == a.ndim
    shape, order = a.shape if shape is None else shape_tuple(shape), order_of(order)
    if order == "A":
        order = "F" if _manip.isfortran(a) else "C"
    axes = _manip.memory_order(a) if order in ("K", None) and kept and a.ndim > 1 else None
    if axes is None or axes == sorted(axes):
        return function(shape, *value, dtype=dtype, order="F" if order == "F" else "C", device=device)
    lying = function(tuple(shape[axis] for axis in axes), *value, dtype=dtype, device=device)
    return _manip.transpose(lying, numpy.argsort(axes).tolist())


def empty_like(prototype, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An undefined array of another's shape and dtype."""
    return _like(empty, prototype, dtype, order, shape, device)


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Zeros of another array's shape and dtype."""
    return _like(zeros, a, dtype, order, shape, device)


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Ones of another array's shape and dtype."""
    return _like(ones, a, dtype, order, shape, device)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """One value, or an array's values broadcast, in another array's shape and dtype."""
    if getattr(fill_value, "ndim", 0) or isinstance(fill_value, (list, tuple)):
        result = empty_like(a, dtype, order, shape=shape, device=device)
        result[...] = fill_value
        return result
    return _like(full, a, dtype, order, shape, device, fill_value)


def arange(start=None, stop=None, step=1, dtype=None, *, device=None):
    """Numbers start, start + step, ... below stop."""
    if stop is None:
        start, stop = 0, start
    start, step = 0 if start is None else start, 1 if step is None else step
    values = [v.item() if isinstance(v, (Array, numpy.ndarray)) else v for v in (start, stop, step)]
    if dtype is None:
        dtype = numpy.result_type(*map(numpy.asarray, values))
        dtype = numpy.dtype(int) if dtype == bool else dtype
    structs = [scalar_struct(v)[0] for v in values]
    result = wrap(call(lib.clary_arange, device_handle(device), code_of(dtype), *structs))
    if result.size > 2 and lib.clary_array_dtype(result._h) == lib.CLARY_BOOL:
        raise DTypeError(f"arange: a range of bool has two elements at most, not {result.size}")
    return result


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """num evenly spaced numbers from start to stop."""
    num = num.__index__()
    if num < 0:
        raise ArgumentError(f"linspace: num must be 0 or more, not {num}")
    step = numpy.nan if num <= endpoint else None
    whole = dtype is not None and KINDS[code_of(dtype)] in "iu"
    if all(isinstance(v, (bool, int, float, numpy.floating, numpy.integer)) for v in (start, stop)):
        start, stop = float(start), float(stop)
        step = (stop - start) / (num - bool(endpoint)) if step is None else step
        code = lib.CLARY_FLOAT64 if dtype is None or KINDS[code_of(dtype)] not in "fc" else code_of(dtype)
        result = wrap(call(lib.clary_linspace, device_handle(device), code, start, stop, num, bool(endpoint)))
        if step == 0 and start != stop:  # the step is below the smallest number: multiply last
            result = arange(num, dtype=float, device=device) / (num - bool(endpoint)) * (stop - start) + start
    else:
        start, stop = (v.astype(float) if KINDS[lib.clary_array_dtype(v._h)] in "biu" and not lib.clary_array_is_weak(v._h)
                       else v for v in _ufunc.operands([start, stop]))
        reach = stop - start
        step = reach / (num - bool(endpoint)) if step is None else step
        ramp = arange(num, dtype=reach.real.dtype, device=reach._device).reshape((num,) + (1,) * reach.ndim)
        result = start + ramp * (step if num > endpoint else reach)
        if endpoint and num > 1:
            result[-1] = stop
        result = _manip.moveaxis(result, 0, axis) if axis else result
    result = _ufunc.floor(result) if whole else result
    result = result if dtype is None else result.astype(dtype, copy=False)
    return (result, step) if retstep else result


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """num powers of the base, with exponents evenly spaced from start to stop."""
    if hasattr(base, "ndim") or isinstance(base, (list, tuple)):
        start, stop, base = _manip.arrays_of([start, stop, base])
        shape = _manip.broadcast_shapes(start.shape, stop.shape, base.shape)
        start, stop = _manip.broadcast_to(start, shape), _manip.broadcast_to(stop, shape)
        base = _manip.expand_dims(_manip.broadcast_to(base, shape), axis)
    result = _ufunc.power(base, linspace(start, stop, num, endpoint, axis=axis))
    return result if dtype is None else result.astype(dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """num numbers from start to stop, each the same multiple of the one before."""
    start, stop = _manip.arrays_of([start, stop])
    if (start == 0).any() or (stop == 0).any():
        raise ArgumentError("geomspace: a geometric sequence cannot include zero")
    inner = _dtypes.result_type(start.dtype, stop.dtype, float, *([] if dtype is None else [dtype]))
    start, stop = start.astype(inner), stop.astype(inner)
    turn = _ufunc.sign(start)  # so that start is a positive real number
    start, stop = start / turn, stop / turn
    result = logspace(_ufunc.log10(start), _ufunc.log10(stop), num, endpoint)
    if num > 0:
        result[0] = start
    if num > 1 and endpoint:
        result[-1] = stop
    result = (result * turn).astype(inner if dtype is None else dtype, copy=False)
    return _manip.moveaxis(result, 0, axis) if axis else result


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None):
    """Ones on diagonal k, zeros elsewhere."""
    cols = N if M is None else M
    if order_of(order, "CF") == "F":
        return eye(cols, N, -k, dtype, device=device).T
    k = min(max(k.__index__(), -N), cols)  # diagonals farther out are as empty
    return wrap(call(lib.clary_eye, device_handle(device), _code(dtype), N, cols, k))


def identity(n, dtype=None):
    """The n x n identity matrix."""
    return eye(n, dtype=dtype)


public = {f.__name__: f for f in (
    asarray, array, ascontiguousarray, asfortranarray, asarray_chkfinite, require, empty, zeros, ones, full,
    empty_like, zeros_like, ones_like, full_like, arange, linspace, logspace, geomspace, eye, identity)}
public["asanyarray"] = asarray

from . import _manip, _ufunc  # noqa: E402
