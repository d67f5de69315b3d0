"""The Array class: a handle of the C library with NumPy's operators, attributes and methods.

An operator costs one C call: the other operand goes to a shim as a handle or as a plain number, and the
new handle is wrapped without running __init__. Whatever is rarer takes the slow paths below.
Every rule of shapes, dtypes, views and assignment is C's.
"""
import numbers
import operator

import numpy

from ._core import NULL, DTypeError, RangeError, ShapeError, UnsupportedError, call, check, failure, ffi, lib, text
from ._dtypes import BFLOAT16, DTYPES, KINDS, numpy_dtype
from ._methods import Methods
from ._protocols import Protocols

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


def computes_in_integers(code):
    """Whether an operation on integers does: others have no bounds to respect, as they make floats of them."""
    info = ffi.new("clary_op_info *")
    check(lib.clary_get_op_info(code, info))
    return "i" in text(info.kinds)


def _binary_slow(name, code, array, other, reflected):
    kind = type(other)
    if kind is int:
        bounds = integer_bounds(lib.clary_array_dtype(array._h))
        if bounds and not bounds[0] <= other <= bounds[1]:
            if name in _COMPARISONS:
                return compare_out_of_range(name, array, other, reflected)
            if computes_in_integers(code):
                raise range_error(other, array.dtype)
        if not -(2**63) <= other < 2**64:
            if bounds:  # an integer still: it does not widen the float that integers become
                array = array.astype(wrap(_apply_int(code, array._h, 1, reflected)).dtype)
            other = float(other)
    elif getattr(other, "__array_ufunc__", True) is None:
        return NotImplemented
    elif not isinstance(other, _OPERANDS) and not hasattr(other, "__array__"):
        return _compare_objects(name, array, other) if name in ("equal", "not_equal") else NotImplemented
    try:
        value = operand(other, array._device)
    except DTypeError:  # of an array of what Clary has no dtype for
        if name not in ("equal", "not_equal"):
            raise
        return _compare_objects(name, array, other)
    if reflected:
        return wrap(_apply2(code, value._h, array._h))
    return wrap(_apply2(code, array._h, value._h))


def _compare_objects(name, array, other):
    """Whether each element equals an object that is no number: False at once for None, else as NumPy finds."""
    if other is None:
        return _create.full(array.shape, name != "equal", dtype=bool, device=array._device)
    result = getattr(operator, _OPERATORS[name])(asnumpy(array), other)
    return _create.asarray(result, device=array._device) if isinstance(result, numpy.ndarray) else result


_OPERATORS = {"equal": "eq", "not_equal": "ne"}


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
                if bounds and not bounds[0] <= other <= bounds[1] and computes_in_integers(code):
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


class Array(Methods, Protocols):
    """An N-dimensional array on a device, with NumPy's meaning of every operation.

    Make one with clary.array, clary.zeros, clary.arange, ...; the class itself, called with a shape and a
    dtype, makes one of undefined elements; subclasses are not kept. Operations are recorded and run, fused, when a
    value is needed.
    """

    __slots__ = ("_h", "__weakref__")
    __hash__ = None
    __array_priority__ = 1000.0

    def __new__(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
        if buffer is not None:
            raise UnsupportedError("ndarray: elements of a buffer are copied by clary.frombuffer and clary.asarray")
        array = _create.empty(shape, dtype, order or "C")
        return array if strides is None else _lib.as_strided(array, shape, strides)

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
        try:
            handle = call(lib.clary_reshape_view, self._h, len(shape), shape)
        except ShapeError:
            _manip.reshape(self, shape)  # raises unless a copy has that shape
            raise AttributeError(f"incompatible shape {shape} for in-place modification: use reshape") from None
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
    def base(self):
        """Of a view: an array over the whole memory it looks at. None: the array owns its memory."""
        return wrap(call(lib.clary_base, self._h)) if lib.clary_array_is_view(self._h) else None

    def setflags(self, write=None, align=None, uic=None):
        """Forbids or allows assigning through this array."""
        if uic:
            raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
        if write is not None:
            check(lib.clary_set_writable(self._h, bool(write)))

    @property
    def _device(self):
        return lib.clary_array_device(self._h)

    @property
    def device(self):
        """The device the array lives on."""
        return _device.from_pointer(self._device)

    def shares_memory(self, other):
        """Whether both arrays are windows on one storage."""
        return lib.clary_array_shares_storage(self._h, other._h)

    def __len__(self):
        if not lib.clary_array_ndim(self._h):
            raise TypeError("len() of unsized object")
        return lib.clary_array_shape(self._h)[0]

    # ---- to the host ----
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


def raw(array):
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
    out = raw(a)
    if lib.clary_array_dtype(a._h) == BFLOAT16:
        known = numpy_dtype(BFLOAT16)
        if known is not None:
            return out.view(known)
        return (out.astype(numpy.uint32) << 16).view(numpy.float32)
    return out


# Modules whose functions the methods above call; they need Array, so they come last.
from . import _create, _device, _index, _manip  # noqa: E402
from . import lib as _lib  # noqa: E402
