"""The Array class: a handle of the C library with NumPy's operators, attributes and methods.

An operator costs one C call: the other operand goes to a shim as a handle or as a plain number, and the
new handle is wrapped without running __init__. Whatever is rarer takes the slow paths below.
Every rule of shapes, dtypes, views and assignment is C's.
"""
import numbers

import numpy

from ._core import NULL, RangeError, UnsupportedError, call, check, failure, ffi, lib
from ._dtypes import BFLOAT16, DTYPES, KINDS, casting_rule, code_of, numpy_dtype

_apply1 = lib.clary_py_apply1
_apply2 = lib.clary_py_apply2
_apply_int = lib.clary_py_apply_int
_apply_float = lib.clary_py_apply_float
_update = lib.clary_py_update
_release = lib.clary_py_release
_new = object.__new__


def op_code(name):
    out = ffi.new("clary_op *")
    check(lib.clary_find_op(name.encode(), out))
    return out[0]


def wrap(handle):
    """The Array that owns a new handle; NULL raises the last shim's failure."""
    if not handle:
        raise failure()
    array = _new(Array)
    array._h = handle
    return array


# ---- operands that are not arrays ----

_COMPARISONS = {"less": lambda above: above, "less_equal": lambda above: above,
                "greater": lambda above: not above, "greater_equal": lambda above: not above,
                "equal": lambda above: False, "not_equal": lambda above: True}
# Above: whether the Python integer lies above every value of the dtype, as seen from "array op integer".
_MIRROR = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal",
           "equal": "equal", "not_equal": "not_equal"}
_OPERANDS = (bool, int, float, complex, list, tuple, numpy.ndarray, numpy.generic, numbers.Number)


def scalar(value, device=NULL):
    """A weak 0-d array of a Python scalar."""
    kind = type(value)
    if kind is bool:
        return wrap(lib.clary_py_scalar(device, lib.CLARY_SCALAR_BOOL, value, 0, 0, 0))
    if kind is int:
        if -(2**63) <= value < 2**63:
            return wrap(lib.clary_py_scalar(device, lib.CLARY_SCALAR_INT, value, 0, 0, 0))
        if 0 <= value < 2**64:
            return wrap(lib.clary_py_scalar(device, lib.CLARY_SCALAR_UINT, 0, value, 0, 0))
        raise range_error(value)
    if kind is float:
        return wrap(lib.clary_py_scalar(device, lib.CLARY_SCALAR_FLOAT, 0, 0, value, 0))
    return wrap(lib.clary_py_scalar(device, lib.CLARY_SCALAR_COMPLEX, 0, 0, value.real, value.imag))


def range_error(value, dtype=None):
    where = f"out of bounds for {dtype}" if dtype is not None else "too large for every integer dtype"
    return RangeError(f"Python integer {value} {where}")


def operand(value, device=NULL):
    """An Array for any operand of an element-wise operation; Python scalars become weak."""
    kind = type(value)
    if kind is Array:
        return value
    if kind is float or kind is int or kind is bool or kind is complex:
        return scalar(value, device)
    return _create.asarray(value, device=device)


def compare_out_of_range(name, array, value, reflected):
    """A comparison with an integer that the array's integer dtype cannot hold has a known answer."""
    if reflected:
        name = _MIRROR[name]
    answer = _COMPARISONS[name](value > 0)
    return _create.full(array.shape, answer, dtype=bool, device=array._device)


def integer_bounds(code):
    """(lowest, highest) of an integer or bool dtype's code; None for others."""
    kind = KINDS[code]
    if kind not in "iu":
        return None
    info = numpy.iinfo(DTYPES[code])
    return info.min, info.max


def _binary_slow(name, code, array, other, reflected):
    kind = type(other)
    if kind is int:
        bounds = integer_bounds(lib.clary_array_dtype(array._h))
        if bounds and not bounds[0] <= other <= bounds[1]:
            if name in _COMPARISONS:
                return compare_out_of_range(name, array, other, reflected)
            raise range_error(other, array.dtype)
        if not -(2**63) <= other < 2**64:
            other = float(other)
    elif not isinstance(other, _OPERANDS) and not hasattr(other, "__array__"):
        return NotImplemented
    elif getattr(other, "__array_ufunc__", True) is None:
        return NotImplemented
    try:
        value = operand(other, array._device)
    except (TypeError, ValueError):
        if kind in (list, tuple) or name not in ("equal", "not_equal"):
            raise
        return NotImplemented
    if reflected:
        return wrap(_apply2(code, value._h, array._h))
    return wrap(_apply2(code, array._h, value._h))


def _binary(name):
    """The operator and its reflected twin."""
    code = op_code(name)
    comparison = name in _COMPARISONS

    def forward(self, other):
        kind = type(other)
        if kind is Array:
            handle = _apply2(code, self._h, other._h)
        elif kind is float:
            handle = _apply_float(code, self._h, other, False)
        elif kind is int:
            try:
                handle = _apply_int(code, self._h, other, False)
            except OverflowError:  # beyond int64
                return _binary_slow(name, code, self, other, False)
            if not handle and comparison and lib.clary_py_status() == lib.CLARY_OVERFLOW:
                return compare_out_of_range(name, self, other, False)
        else:
            return _binary_slow(name, code, self, other, False)
        if not handle:
            raise failure()
        array = _new(Array)
        array._h = handle
        return array

    def reflected(self, other):
        kind = type(other)
        if kind is float:
            return wrap(_apply_float(code, self._h, other, True))
        if kind is int and -(2**63) <= other < 2**63:
            return wrap(_apply_int(code, self._h, other, True))
        return _binary_slow(name, code, self, other, True)

    return forward, reflected


def _inplace(name):
    code = op_code(name)

    def update(self, other):
        if type(other) is not Array:
            if not isinstance(other, _OPERANDS) and not hasattr(other, "__array__"):
                return NotImplemented
            if type(other) is int:
                bounds = integer_bounds(lib.clary_array_dtype(self._h))
                if bounds and not bounds[0] <= other <= bounds[1]:
                    raise range_error(other, self.dtype)
            other = operand(other, self._device)
        status = _update(code, self._h, other._h)
        if status:
            raise failure(status)
        return self

    return update


def _unary(name):
    code = op_code(name)

    def function(self):
        handle = _apply1(code, self._h)
        if not handle:
            raise failure()
        array = _new(Array)
        array._h = handle
        return array

    return function


def _axes(args):
    """Axes given as one sequence, as separate arguments, or not at all (None)."""
    if not args or args == (None,):
        return None
    return tuple(args[0]) if len(args) == 1 and isinstance(args[0], (tuple, list)) else args


class Array:
    """An N-dimensional array on a device, with NumPy's meaning of every operation.

    Make one with clary.array, clary.zeros, clary.arange, ... Operations are recorded and run, fused,
    when a value is needed.
    """

    __slots__ = ("_h", "__weakref__")
    __hash__ = None
    __array_priority__ = 1000.0

    def __init__(self, *args, **kwargs):
        raise TypeError("Array is made by clary.array, clary.asarray, clary.empty, clary.zeros, ...")

    def __del__(self, _release=_release):
        try:
            handle = self._h
        except AttributeError:
            return
        _release(handle)

    # ---- facts ----
    @property
    def shape(self):
        h = self._h
        return tuple(ffi.unpack(lib.clary_array_shape(h), lib.clary_array_ndim(h)))

    @shape.setter
    def shape(self, shape):
        shape = _manip.shape_tuple(shape)
        handle = call(lib.clary_reshape_view, self._h, len(shape), shape)
        _release(self._h)
        self._h = handle

    @property
    def strides(self):
        """Bytes between neighbours along each axis."""
        h = self._h
        size = lib.clary_dtype_size(lib.clary_array_dtype(h))
        return tuple(size * n for n in ffi.unpack(lib.clary_array_strides(h), lib.clary_array_ndim(h)))

    @property
    def dtype(self):
        return DTYPES[lib.clary_array_dtype(self._h)]

    @property
    def ndim(self):
        return lib.clary_array_ndim(self._h)

    @property
    def size(self):
        return lib.clary_array_size(self._h)

    @property
    def itemsize(self):
        return lib.clary_dtype_size(lib.clary_array_dtype(self._h))

    @property
    def nbytes(self):
        return self.itemsize * self.size

    @property
    def c_contiguous(self):
        """Whether the elements lie in C order without gaps."""
        return lib.clary_array_is_contiguous(self._h)

    @property
    def writeable(self):
        """Whether elements can be assigned; broadcast views are read-only."""
        return lib.clary_array_is_writable(self._h)

    @property
    def _device(self):
        return lib.clary_array_device(self._h)

    @property
    def device(self):
        """The device the array lives on."""
        return _device.from_pointer(self._device)

    def to_device(self, device, /, *, stream=None):
        """The array on another device: a Device or a selector string."""
        if stream is not None:
            raise UnsupportedError("to_device: streams are not supported")
        return wrap(call(lib.clary_to_device, self._h, _device.handle(device)))

    def shares_memory(self, other):
        """Whether both arrays are windows on one storage."""
        return lib.clary_array_shares_storage(self._h, other._h)

    def __len__(self):
        if not lib.clary_array_ndim(self._h):
            raise TypeError("len() of unsized object")
        return lib.clary_array_shape(self._h)[0]

    # ---- to the host ----
    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("a Clary array cannot be seen by NumPy without a copy")
        out = asnumpy(self)
        return out if dtype is None else out.astype(dtype, copy=False)

    def item(self, *args):
        """The one element, or the element at the given index, as a Python scalar."""
        if args:
            index = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
            if len(index) == 1 and self.ndim != 1:
                index = numpy.unravel_index(range(self.size)[index[0]], self.shape)
            return self[tuple(int(i) for i in index)].item()
        out = ffi.new("clary_scalar *")
        check(lib.clary_item(self._h, out))
        kind = out.kind
        if kind == lib.CLARY_SCALAR_BOOL:
            return bool(out.i)
        if kind == lib.CLARY_SCALAR_INT:
            return out.i
        if kind == lib.CLARY_SCALAR_UINT:
            return out.u
        return out.re if kind == lib.CLARY_SCALAR_FLOAT else complex(out.re, out.im)

    def tolist(self):
        """The elements as nested lists of Python scalars."""
        out = asnumpy(self)
        if out.dtype.kind == "V":
            out = out.astype(numpy.float32)
        return out.tolist()

    def __bool__(self):
        if self.size != 1:
            problem = "an array with more than one element is ambiguous" if self.size else "an empty array is ambiguous"
            raise ValueError(f"The truth value of {problem}. Use a.any() or a.all()")
        return bool(self.item())

    def _only_scalar(self, kind):
        if lib.clary_array_ndim(self._h):
            raise TypeError(f"only 0-dimensional arrays can be converted to {kind}; shape is {self.shape}")
        return self.item()

    def __float__(self):
        return float(self._only_scalar("float"))

    def __int__(self):
        return int(self._only_scalar("int"))

    def __complex__(self):
        return complex(self._only_scalar("complex"))

    def __index__(self):
        if lib.clary_array_ndim(self._h) or KINDS[lib.clary_array_dtype(self._h)] not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return self.item()

    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __contains__(self, value):
        return bool((self == value).any())

    def __repr__(self):
        return _text(self, repr)

    def __str__(self):
        return _text(self, str)

    def __format__(self, spec):
        return format(self.item(), spec) if not self.ndim and spec else str(self)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return _unpickle, (_raw(self), lib.clary_array_dtype(self._h) == BFLOAT16)

    # ---- protocols ----
    def __array_namespace__(self, *, api_version=None):
        import clary

        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
            raise ValueError(f"array API version {api_version!r} is not known")
        return clary

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return _interop.array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        return _interop.array_function(func, types, args, kwargs)

    # ---- indexing ----
    def __getitem__(self, key):
        return _index.get(self, key)

    def __setitem__(self, key, value):
        _index.set(self, key, value)

    # ---- operators ----
    __add__, __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("subtract")
    __mul__, __rmul__ = _binary("multiply")
    __truediv__, __rtruediv__ = _binary("divide")
    __floordiv__, __rfloordiv__ = _binary("floor_divide")
    __mod__, __rmod__ = _binary("remainder")
    __and__, __rand__ = _binary("bitwise_and")
    __or__, __ror__ = _binary("bitwise_or")
    __xor__, __rxor__ = _binary("bitwise_xor")
    __lshift__, __rlshift__ = _binary("left_shift")
    __rshift__, __rrshift__ = _binary("right_shift")
    __lt__, _ = _binary("less")
    __le__, _ = _binary("less_equal")
    __gt__, _ = _binary("greater")
    __ge__, _ = _binary("greater_equal")
    __eq__, _ = _binary("equal")
    __ne__, _ = _binary("not_equal")
    _power, _rpower = _binary("power")
    del _
    __iadd__ = _inplace("add")
    __isub__ = _inplace("subtract")
    __imul__ = _inplace("multiply")
    __itruediv__ = _inplace("divide")
    __ifloordiv__ = _inplace("floor_divide")
    __imod__ = _inplace("remainder")
    __iand__ = _inplace("bitwise_and")
    __ior__ = _inplace("bitwise_or")
    __ixor__ = _inplace("bitwise_xor")
    __ilshift__ = _inplace("left_shift")
    __irshift__ = _inplace("right_shift")
    _ipower = _inplace("power")
    __neg__ = _unary("negative")
    __pos__ = _unary("positive")
    __abs__ = _unary("absolute")
    __invert__ = _unary("invert")

    def __pow__(self, other, modulus=None):
        if modulus is not None:
            return NotImplemented
        shortcut = _power_shortcut(self, other)
        return self._power(other) if shortcut is None else wrap(_apply1(shortcut, self._h))

    def __rpow__(self, other, modulus=None):
        return NotImplemented if modulus is not None else self._rpower(other)

    def __ipow__(self, other, modulus=None):
        shortcut = _power_shortcut(self, other)
        if shortcut is None:
            return self._ipower(other)
        check(lib.clary_apply_into(shortcut, [self._h], self._h))
        return self

    def __divmod__(self, other):
        quotient = self.__floordiv__(other)
        return quotient if quotient is NotImplemented else (quotient, self.__mod__(other))

    def __rdivmod__(self, other):
        quotient = self.__rfloordiv__(other)
        return quotient if quotient is NotImplemented else (quotient, self.__rmod__(other))

    # ---- views ----
    @property
    def T(self):
        """The array with its axes reversed."""
        return wrap(call(lib.clary_transpose, self._h, NULL))

    @property
    def mT(self):
        """The matrices of the last two axes transposed."""
        return _manip.matrix_transpose(self)

    @property
    def real(self):
        """The real part; of a real array the array itself."""
        return _ufunc.real(self) if KINDS[lib.clary_array_dtype(self._h)] == "c" else self

    @real.setter
    def real(self, value):
        self[...] = value if KINDS[lib.clary_array_dtype(self._h)] != "c" else value + 1j * self.imag

    @property
    def imag(self):
        """The imaginary part."""
        return _ufunc.imag(self)

    @imag.setter
    def imag(self, value):
        if KINDS[lib.clary_array_dtype(self._h)] != "c":
            raise TypeError("cannot set the imaginary part of a real array")
        self[...] = self.real + 1j * value

    def reshape(self, *shape, order="C", copy=None):
        return _manip.reshape(self, shape[0] if len(shape) == 1 else shape, order=order, copy=copy)

    def transpose(self, *axes):
        return _manip.transpose(self, _axes(axes))

    def swapaxes(self, axis1, axis2):
        return _manip.swapaxes(self, axis1, axis2)

    def squeeze(self, axis=None):
        return _manip.squeeze(self, axis)

    def ravel(self, order="C"):
        return _manip.ravel(self, order)

    def flatten(self, order="C"):
        return _manip.ravel(self, order).copy()

    def diagonal(self, offset=0, axis1=0, axis2=1):
        return _manip.diagonal(self, offset, axis1, axis2)

    def repeat(self, repeats, axis=None):
        return _manip.repeat(self, repeats, axis)

    # ---- values ----
    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        code = code_of(dtype)
        if not copy and code == lib.clary_array_dtype(self._h):
            return self
        return wrap(call(lib.clary_astype, self._h, code, casting_rule(casting)))

    def copy(self, order="C"):
        return wrap(call(lib.clary_copy, self._h))

    def fill(self, value):
        self[...] = value

    def conj(self):
        return _ufunc.conjugate(self)

    conjugate = conj

    def clip(self, min=None, max=None, out=None):
        return _manip.clip(self, min, max, out=out)

    def round(self, decimals=0, out=None):
        return _manip.round(self, decimals, out=out)

    def sum(self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
        return _reduce.sum(self, axis, dtype, out, keepdims, initial, where)

    def prod(self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
        return _reduce.prod(self, axis, dtype, out, keepdims, initial, where)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
        return _reduce.mean(self, axis, dtype, out, keepdims, where=where)

    def min(self, axis=None, out=None, keepdims=False, initial=None, where=None):
        return _reduce.min(self, axis, out, keepdims, initial, where)

    def max(self, axis=None, out=None, keepdims=False, initial=None, where=None):
        return _reduce.max(self, axis, out, keepdims, initial, where)

    def any(self, axis=None, out=None, keepdims=False, *, where=None):
        return _reduce.any(self, axis, out, keepdims, where=where)

    def all(self, axis=None, out=None, keepdims=False, *, where=None):
        return _reduce.all(self, axis, out, keepdims, where=where)

    def ptp(self, axis=None, out=None, keepdims=False):
        return _reduce.ptp(self, axis, out, keepdims)

    def argmin(self, axis=None, out=None, *, keepdims=False):
        return _reduce.argmin(self, axis, out, keepdims=keepdims)

    def argmax(self, axis=None, out=None, *, keepdims=False):
        return _reduce.argmax(self, axis, out, keepdims=keepdims)

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
        return _reduce.var(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)

    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
        return _reduce.std(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)

    def cumsum(self, axis=None, dtype=None, out=None):
        return _reduce.cumsum(self, axis, dtype, out)

    def cumprod(self, axis=None, dtype=None, out=None):
        return _reduce.cumprod(self, axis, dtype, out)


_SHORTCUTS = {2: op_code("square"), 0.5: op_code("sqrt"), 1: op_code("positive"), -1: op_code("reciprocal")}


def _power_shortcut(array, exponent):
    """The operation that `array ** exponent` is for the exponents NumPy treats so, else None."""
    kind = type(exponent)
    if kind is not int and kind is not float:
        return None
    shortcut = _SHORTCUTS.get(exponent)
    if shortcut is None:
        return None
    array_kind = KINDS[lib.clary_array_dtype(array._h)]
    if array_kind in "fc" or (kind is int and exponent in (1, 2) and array_kind in "iu"):
        return shortcut
    return None


def _raw(array):
    """The elements as a NumPy array, bfloat16 as 16-bit words."""
    h = array._h
    code = lib.clary_array_dtype(h)
    out = numpy.empty(array.shape, numpy.uint16 if code == BFLOAT16 else DTYPES[code])
    check(lib.clary_to_host(h, ffi.cast("void *", out.__array_interface__["data"][0]), out.nbytes))
    return out


def asnumpy(a):
    """The elements as a NumPy array: computes what is pending and waits. bfloat16 becomes ml_dtypes'
    bfloat16 where that package is installed, else float32."""
    if type(a) is not Array:
        return numpy.asarray(a)
    out = _raw(a)
    if lib.clary_array_dtype(a._h) == BFLOAT16:
        known = numpy_dtype(BFLOAT16)
        if known is not None:
            return out.view(known)
        return (out.astype(numpy.uint32) << 16).view(numpy.float32)
    return out


def _unpickle(data, is_bfloat16):
    return _create.from_numpy(data, BFLOAT16 if is_bfloat16 else None)


def _text(array, how):
    """NumPy's text of the array; the dtype named bfloat16 where NumPy would not know it."""
    host = asnumpy(array)
    if lib.clary_array_dtype(array._h) != BFLOAT16:
        return how(host)
    host = host.astype(numpy.float32)
    if how is str:
        return str(host)
    return "array(" + numpy.array2string(host, separator=", ", prefix="array(") + ", dtype=bfloat16)"


# Modules whose functions the methods above call; they need Array, so they come last.
from . import _create, _device, _index, _interop, _manip, _reduce, _ufunc  # noqa: E402
