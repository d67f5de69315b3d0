"""Making arrays: from Python and NumPy objects, filled, in ranges."""
import numpy

from . import _array
from ._array import Array, range_error, wrap
from ._core import NULL, ArgumentError, DTypeError, call, ffi, lib
from ._device import handle as device_handle
from ._dtypes import BFLOAT16, DTYPES, KINDS, code_of


def shape_tuple(shape):
    """A shape given as a number or as a sequence of numbers."""
    if isinstance(shape, (tuple, list)):
        return tuple(n.__index__() for n in shape)
    if hasattr(shape, "__index__"):
        return (shape.__index__(),)
    return tuple(int(n) for n in shape)


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


def _from_object(obj, dtype, device):
    """An Array of anything but an Array."""
    if isinstance(obj, (list, tuple)) and obj and all(type(item) is Array for item in obj):
        from ._manip import stack

        return stack(obj)
    if dtype is not None and not isinstance(obj, (numpy.ndarray, numpy.generic)) and code_of(dtype) != BFLOAT16:
        return from_numpy(numpy.asarray(obj, dtype=DTYPES[code_of(dtype)]), device=device)
    host = numpy.asarray(obj)
    if host.dtype.kind in "OUSmM":
        raise DTypeError(f"no Clary array can be made of {type(obj).__name__} (NumPy's dtype for it is {host.dtype})")
    return from_numpy(host, device=device)


def asarray(obj, /, dtype=None, *, device=None, copy=None, order=None):
    """An array of the object: itself where that is possible and copy is not True."""
    if type(obj) is Array:
        if device is not None and device_handle(device) not in (NULL, obj._device):
            if copy is False:
                raise ValueError("asarray: another device needs a copy")
            obj = obj.to_device(device)
        if dtype is not None and code_of(dtype) != lib.clary_array_dtype(obj._h):
            if copy is False:
                raise ValueError("asarray: another dtype needs a copy")
            return obj.astype(dtype)
        return obj.copy() if copy else obj
    if copy is False:
        raise ValueError(f"asarray: {type(obj).__name__} cannot become a Clary array without a copy")
    result = _from_object(obj, dtype, device_handle(device))
    return result if dtype is None else result.astype(dtype, copy=False)


def array(obj, dtype=None, *, copy=True, order=None, ndmin=0, device=None):
    """A new array of the object's elements."""
    result = asarray(obj, dtype, device=device, copy=copy)
    if result.ndim < ndmin:
        result = result.reshape((1,) * (ndmin - result.ndim) + result.shape)
    return result


def ascontiguousarray(a, dtype=None):
    """The array with its elements in C order without gaps: itself where it is so."""
    result = asarray(a, dtype)
    return result if result.c_contiguous else result.copy()


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


def empty(shape, dtype=float, order="C", *, device=None):
    """A new array whose elements are undefined."""
    shape = shape_tuple(shape)
    return wrap(call(lib.clary_empty, device_handle(device), _code(dtype), len(shape), shape))


def zeros(shape, dtype=float, order="C", *, device=None):
    """A new array of zeros."""
    shape = shape_tuple(shape)
    return wrap(call(lib.clary_zeros, device_handle(device), _code(dtype), len(shape), shape))


def ones(shape, dtype=float, order="C", *, device=None):
    """A new array of ones."""
    shape = shape_tuple(shape)
    return wrap(call(lib.clary_ones, device_handle(device), _code(dtype), len(shape), shape))


def full(shape, fill_value, dtype=None, order="C", *, device=None):
    """A new array of one value, or of an array's values broadcast to the shape."""
    shape = shape_tuple(shape)
    if not isinstance(fill_value, (bool, int, float, complex, numpy.generic)):
        fill_value = asarray(fill_value, device=device)
        if fill_value.ndim:
            out = empty(shape, fill_value.dtype if dtype is None else dtype, device=device)
            out[...] = fill_value
            return out
        dtype, fill_value = fill_value.dtype if dtype is None else dtype, fill_value.item()
    if dtype is None:
        code = code_of(numpy.asarray(fill_value).dtype)
    else:
        code = code_of(dtype)
    return wrap(call(lib.clary_full, device_handle(device), code, len(shape), shape,
                     scalar_struct(fill_value, code)[0]))


def _code(dtype):
    return lib.CLARY_FLOAT64 if dtype is None else code_of(dtype)


def _as(a, dtype, shape, device):
    """(shape, dtype, device) for a *_like function."""
    a = asarray(a)
    return (a.shape if shape is None else shape, a.dtype if dtype is None else dtype,
            a._device if device is None else device)


def empty_like(a, dtype=None, order="K", shape=None, *, device=None):
    """An undefined array of another's shape and dtype."""
    shape, dtype, device = _as(a, dtype, shape, device)
    return empty(shape, dtype, device=device)


def zeros_like(a, dtype=None, order="K", shape=None, *, device=None):
    """Zeros of another array's shape and dtype."""
    shape, dtype, device = _as(a, dtype, shape, device)
    return zeros(shape, dtype, device=device)


def ones_like(a, dtype=None, order="K", shape=None, *, device=None):
    """Ones of another array's shape and dtype."""
    shape, dtype, device = _as(a, dtype, shape, device)
    return ones(shape, dtype, device=device)


def full_like(a, fill_value, dtype=None, order="K", shape=None, *, device=None):
    """One value in another array's shape and dtype."""
    shape, dtype, device = _as(a, dtype, shape, device)
    return full(shape, fill_value, dtype, device=device)


def arange(start, /, stop=None, step=1, dtype=None, *, device=None):
    """Numbers start, start + step, ... below stop."""
    if stop is None:
        start, stop = 0, start
    values = [v.item() if isinstance(v, Array) else v for v in (start, stop, step)]
    if dtype is None:
        dtype = numpy.result_type(*map(numpy.asarray, values))
        dtype = numpy.dtype(int) if dtype == bool else dtype
    structs = [scalar_struct(v)[0] for v in values]
    return wrap(call(lib.clary_arange, device_handle(device), code_of(dtype), *structs))


def linspace(start, stop, /, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """num evenly spaced numbers from start to stop."""
    num = num.__index__()
    if num < 0:
        raise ArgumentError(f"linspace: num must be 0 or more, not {num}")
    step = numpy.nan if num <= endpoint else None
    if all(isinstance(v, (bool, int, float, numpy.floating, numpy.integer)) for v in (start, stop)):
        start, stop = float(start), float(stop)
        step = (stop - start) / (num - bool(endpoint)) if step is None else step
        whole = dtype is not None and KINDS[code_of(dtype)] not in "fc"
        code = lib.CLARY_FLOAT64 if dtype is None or whole else code_of(dtype)
        result = wrap(call(lib.clary_linspace, device_handle(device), code, start, stop, num, bool(endpoint)))
        result = _ufunc.floor(result).astype(dtype) if whole else result
    else:
        start, stop = asarray(start, device=device) * 1.0, asarray(stop, device=device) * 1.0
        step = (stop - start) / (num - bool(endpoint)) if step is None else step
        ndim = max(start.ndim, stop.ndim)
        ramp = arange(num, dtype=float, device=start._device).reshape((num,) + (1,) * ndim)
        result = start + ramp * step if num > endpoint else start + ramp * (stop - start)
        if endpoint and num > 1:
            result[-1] = stop
        result = result if dtype is None else result.astype(dtype)
        result = _manip.moveaxis(result, 0, axis) if axis else result
    return (result, step) if retstep else result


def eye(n_rows, n_cols=None, /, k=0, dtype=float, *, M=None, device=None):
    """Ones on diagonal k, zeros elsewhere."""
    cols = n_cols if M is None else M
    cols = n_rows if cols is None else cols
    k = min(max(k.__index__(), -n_rows), cols)  # diagonals farther out are as empty
    return wrap(call(lib.clary_eye, device_handle(device), _code(dtype), n_rows, cols, k))


def identity(n, dtype=float):
    """The n x n identity matrix."""
    return eye(n, dtype=dtype)


def _triangle(m, k, lower):
    m = asarray(m)
    if m.ndim < 1:
        raise ArgumentError("tril and triu need an array with at least one axis")
    rows, cols = m.shape[-2:] if m.ndim > 1 else (m.shape[0], m.shape[0])
    row = arange(rows, device=m._device).reshape(rows, 1)
    col = arange(cols, device=m._device)
    return _ufunc.where(col - row <= k if lower else col - row >= k, m, zeros((), m.dtype, device=m._device))


def tril(m, /, *, k=0):
    """The array with zeros above diagonal k."""
    return _triangle(m, k, True)


def triu(m, /, *, k=0):
    """The array with zeros below diagonal k."""
    return _triangle(m, k, False)


def tri(N, M=None, k=0, dtype=float):
    """Ones at and below diagonal k, zeros above."""
    return tril(ones((N, N if M is None else M), dtype), k=k)


def meshgrid(*xi, indexing="xy", sparse=False, copy=True):
    """Coordinate matrices of coordinate vectors."""
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f'meshgrid: indexing must be "xy" or "ij", not {indexing!r}')
    n = len(xi)
    out = [asarray(x).reshape((1,) * i + (-1,) + (1,) * (n - i - 1)) for i, x in enumerate(xi)]
    if indexing == "xy" and n > 1:
        out = [_manip.swapaxes(x, 0, 1) for x in out]
    if not sparse:
        out = _manip.broadcast_arrays(*out)
    return tuple(x.copy() for x in out) if copy else tuple(out)


public = {f.__name__: f for f in (
    asarray, array, ascontiguousarray, empty, zeros, ones, full, empty_like, zeros_like, ones_like, full_like,
    arange, linspace, eye, identity, tril, triu, tri, meshgrid)}

from . import _manip, _ufunc  # noqa: E402
