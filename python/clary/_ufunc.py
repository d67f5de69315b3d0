"""Element-wise functions: one object for each row of the library's table, found by asking it.

The objects behave as NumPy's ufuncs: called with arrays, scalars and sequences, with out=, where=,
dtype= and casting=; with the methods of _ufunc_methods.py; with nin, nout, types, identity and a docstring.
Nothing here lists operations by hand except NumPy's other names for them and the three functions with two
results.
"""
import numpy

import clary

from . import _array
from ._array import Array, operand, wrap
from ._core import NULL, ArgumentError, DTypeError, ShapeError, call, check, ffi, lib, text
from ._dtypes import BFLOAT16, DTYPES, casting_rule, code_of
from ._methods import warn_of_lost_parts
from ._ufunc_methods import Methods

_apply1, _apply2 = lib.clary_py_apply1, lib.clary_py_apply2


def check_cast(array, dtype, casting):
    if not lib.clary_can_cast(lib.clary_array_dtype(array._h), code_of(dtype), casting_rule(casting)):
        raise DTypeError(f"cannot cast from {array.dtype} to {dtype} with casting {casting!r}")


def store(result, out, casting="same_kind"):
    """Writes an Array into out= (an Array, a NumPy array or a 1-tuple of one) and returns that."""
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ArgumentError(f"out= takes one array, not {len(out)}")
        out = out[0]
    if isinstance(out, Array):
        check_cast(result, out.dtype, casting)
        if result.dtype.kind == "c" and out.dtype.kind in "iuf":
            warn_of_lost_parts()
        if result.shape != out.shape and _manip.broadcast_shapes(result.shape, out.shape) != out.shape:
            raise ShapeError(f"out of shape {out.shape} does not hold a result of shape {result.shape}")
        check(lib.clary_assign(out._h, result._h))
    elif isinstance(out, numpy.ndarray):
        numpy.copyto(out, _array.asnumpy(result), casting=casting)
    else:
        raise TypeError(f"out= must be an array, not {type(out).__name__}")
    return out


def operands(values):
    """The values as Arrays of one device: that of the first Array among them."""
    for value in values:
        if type(value) is Array:
            device = value._device
            return [operand(v, device) for v in values]
    return [operand(v) for v in values]


class ufunc(Methods):  # __doc__ belongs to each instance
    __slots__ = ("__name__", "__doc__", "nin", "nout", "_code", "_info")

    def __init__(self, code):
        info = ffi.new("clary_op_info *")
        check(lib.clary_get_op_info(code, info))
        self._code = code
        self._info = info
        self.__name__ = text(info.name)
        self.nin, self.nout = info.arity, 1
        names = {1: "x", 2: "x, y", 3: "x, y, z"}[info.arity]
        self.__doc__ = (f"{self.__name__}({names}, /, out=None, *, where=True, dtype=None, casting='same_kind')\n\n"
                        f"{text(info.doc)}\n\nComputes in: {', '.join(_KIND_NAMES[k] for k in self.kinds)}. "
                        f"{self._accuracy()}")

    kinds = property(lambda self: text(self._info.kinds).lstrip("-"), doc="Kinds of dtype it computes in.")
    rule = property(lambda self: text(self._info.rule), doc="How the result's dtype follows from the inputs.")
    domain = property(lambda self: text(self._info.domain), doc="Where tests draw inputs from.")
    associative = property(lambda self: self._info.associative, doc="Whether reduce may group as it likes.")
    ulp = property(lambda self: self._info.ulp, doc="Error bound in units in the last place; 0: exact.")

    def _accuracy(self):
        if self.ulp < 0:
            return "Accuracy is that of its definition."
        return f"Within {self.ulp} ULP." if self.ulp else "Correctly rounded: the same bits on every device."

    @property
    def identity(self):
        """The value that changes nothing: the result of reducing nothing. None if there is none."""
        if not self._info.has_identity:
            return None
        kind = "bool" if self.rule == "TEST" else "int64" if "i" in self.kinds else "float64"
        nothing = _create.empty((0,), dtype=kind)
        return wrap(call(lib.clary_op_reduce, self._code, nothing, 1, [0], False, code_of(kind))).item()

    def __call__(self, *args, out=None, where=True, dtype=None, casting="same_kind", order="K", subok=True,
                 signature=None):
        nin = self.nin
        if len(args) != nin:
            if len(args) == nin + 1 and out is None:
                out, args = args[-1], args[:-1]
            elif len(args) == 1 and self.rule == "SELECT":
                return clary.nonzero(args[0])  # where(condition)
            elif len(args) == 2 and self.rule == "SELECT":
                raise ArgumentError("where: give both x and y, or neither")
            else:
                raise TypeError(f"{self.__name__}() takes {nin} inputs and out, got {len(args)} arguments")
        if out is None and dtype is None and where is True and casting == "same_kind" and signature is None:
            if nin == 1:
                x = args[0]
                if type(x) is not Array:
                    x = operand(x)
                return wrap(_apply1(self._code, x._h))
            if nin == 2:
                x, y = args
                if type(x) is Array and type(y) is Array:
                    return wrap(_apply2(self._code, x._h, y._h))
                result = self._with_big_int(x, y)
                if result is not None:
                    return result
            inputs = operands(args)
            return wrap(call(lib.clary_apply, self._code, [a._h for a in inputs]))
        return self._call_with(operands(args), out, where, dtype, casting, signature)

    def _call_with(self, inputs, out, where, dtype, casting, signature):
        """The call with any of its keywords."""
        casting_rule(casting)
        if isinstance(out, tuple):
            if len(out) != 1:
                raise ValueError(f"{self.__name__}: out= takes one array, not {len(out)}")
            out = out[0]
        if signature is not None:
            dtype = _result_of(signature) if dtype is None else dtype
        if casting in ("no", "equiv", "safe"):
            self._check_inputs(inputs, casting)
        if dtype is not None:
            inputs = self._cast(inputs, code_of(dtype), casting)
        if type(out) is Array and where is True and casting == "same_kind":
            check(lib.clary_apply_into(self._code, [a._h for a in inputs], out._h))
            return out
        result = wrap(call(lib.clary_apply, self._code, [a._h for a in inputs]))
        if dtype is not None and result.dtype != dtype and self.rule in ("SAME", "FLOAT", "DIVIDE", "SELECT"):
            result = result.astype(dtype)
        if where is True:
            return result if out is None else store(result, out, casting)
        mask = _create.asarray(where, bool, device=result._device)
        if out is None:  # NumPy leaves the rest undefined; here it is computed as well
            shape = _manip.broadcast_shapes(result.shape, mask.shape)
            return result if shape == result.shape else _manip.broadcast_to(result, shape).copy()
        kept = operand(out, result._device)
        check_cast(result, kept.dtype, casting)
        if _manip.broadcast_shapes(result.shape, mask.shape, kept.shape) != kept.shape:
            raise ShapeError(f"{self.__name__}: out of shape {kept.shape} does not hold a result of shape {result.shape} "
                             f"where a mask of shape {mask.shape} chooses")
        return store(by_name["where"](mask, result.astype(kept.dtype), kept), out, casting)

    def _check_inputs(self, inputs, casting):
        """Refuses inputs that the computation would cast beyond the rule."""
        weak = [lib.clary_array_is_weak(a._h) for a in inputs]
        compute = self.resolve([lib.clary_array_dtype(a._h) for a in inputs], weak)[0]
        for a, skip in zip(inputs, weak):
            if not skip and self.rule not in ("SELECT", "F_SHIFT"):
                check_cast(a, DTYPES[compute], casting)

    def _with_big_int(self, x, y):
        """Answers an array against a Python integer out of its dtype's range as operators do."""
        if type(x) is int and type(y) is Array:
            array, value, reflected = y, x, True
        elif type(y) is int and type(x) is Array:
            array, value, reflected = x, y, False
        else:
            return None
        bounds = _array.integer_bounds(lib.clary_array_dtype(array._h))
        if not bounds or bounds[0] <= value <= bounds[1]:
            return None
        return _array._binary_slow(self.__name__, self._code, array, value, reflected)

    def _cast(self, inputs, code, casting):
        """Inputs in the dtype asked for: the loop's."""
        rule = self.rule
        if rule == "TEST" and code != lib.CLARY_BOOL:
            raise DTypeError(f"{self.__name__} gives bool, not {DTYPES[code]}")
        if rule in ("TEST", "COUNT8", "F_INT32", "BITS"):
            return inputs  # dtype= names the result's, which is fixed
        allowed = casting_rule(casting)
        first = 1 if rule == "SELECT" else 0
        last = 1 if rule == "F_SHIFT" else len(inputs)
        cast = []
        for i, a in enumerate(inputs):
            if not first <= i < last or (lib.clary_array_dtype(a._h) == code and not lib.clary_array_is_weak(a._h)):
                cast.append(a)
            elif lib.clary_array_is_weak(a._h):
                cast.append(wrap(call(lib.clary_astype, a._h, code, lib.CLARY_CAST_UNSAFE)))
            else:
                cast.append(wrap(call(lib.clary_astype, a._h, code, allowed)))
        return cast

    def resolve(self, codes, weak=None):
        """(compute dtype, result dtype) as codes, for inputs of these codes."""
        compute, result = ffi.new("clary_dtype *"), ffi.new("clary_dtype *")
        check(lib.clary_op_dtypes(self._code, codes, NULL if weak is None else weak, compute, result))
        return compute[0], result[0]

    def resolve_dtypes(self, dtypes):
        """The dtypes of inputs and result for a loop over inputs of these dtypes."""
        result = self.resolve([code_of(d) for d in dtypes[: self.nin]])[1]
        return (*dtypes[: self.nin], DTYPES[result])

    @property
    def types(self):
        """The dtypes it computes in, as NumPy's characters: inputs->result."""
        found = []
        for code in range(len(DTYPES)):
            inputs = [code] * self.nin
            if self.rule == "SELECT":
                inputs[0] = lib.CLARY_BOOL
            if self.rule == "F_SHIFT":
                inputs[1] = lib.CLARY_INT32
            try:
                compute, result = self.resolve(inputs)
            except DTypeError:
                continue
            if compute == code and BFLOAT16 not in (code, result):
                found.append("".join(DTYPES[c].char for c in inputs) + "->" + DTYPES[result].char)
        return found

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self):
        return _named, (self.__name__,)


class composite(Methods):  # two results, made by two functions
    __slots__ = ("__name__", "__doc__", "nin", "nout", "identity", "_parts")

    def __init__(self, name, first, second, doc):
        self.__name__, self._parts = name, (by_name[first], by_name[second])
        self.nin, self.nout, self.identity = self._parts[0].nin, 2, None
        names = "x" if self.nin == 1 else "x, y"
        self.__doc__ = f"{name}({names}, /, out=(None, None), *, where=True, dtype=None)\n\n{doc}"

    def __call__(self, *args, out=(None, None), **kwargs):
        nin = self.nin
        if len(args) > nin:
            out, args = args[nin:] + (None,) * (nin + 2 - len(args)), args[:nin]
        args = operands(args)
        results = [part(*args, **kwargs) for part in self._parts]
        return tuple(r if o is None else store(r, o) for r, o in zip(results, out))

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self):
        return _named, (self.__name__,)


def _result_of(signature):
    """The result's dtype in a signature such as "dd->d" or a tuple of dtypes."""
    return numpy.dtype(signature.rpartition(">")[2]) if isinstance(signature, str) else signature[-1]


def _named(name):
    return by_name[name]


_KIND_NAMES = {"b": "bool", "i": "signed integers", "u": "unsigned integers", "f": "floats", "c": "complex"}
# Parts of the composites below, and the generator behind clary.random: reached through those.
_INTERNAL = ("modf_fraction", "modf_integer", "frexp_mantissa", "frexp_exponent", "philox_bits",
             "random_below_of", "random_exponential_of", "random_normal_of", "random_log_of", "random_exp_of",
             "random_gamma_of")
ALIASES = {
    "abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
    "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "pow": "power", "mod": "remainder",
    "true_divide": "divide", "conj": "conjugate", "bitwise_not": "invert", "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "deg2rad": "radians",
    "rad2deg": "degrees",
}

by_name = {}
for _code in range(lib.CLARY_OP_COUNT):
    _function = ufunc(_code)
    by_name[_function.__name__] = _function
by_name["divmod"] = composite("divmod", "floor_divide", "remainder", "Floor of the quotient, and the remainder.")
by_name["modf"] = composite("modf", "modf_fraction", "modf_integer", "Fractional and integer part, with x's sign.")
by_name["frexp"] = composite("frexp", "frexp_mantissa", "frexp_exponent", "m and e in x = m * 2**e, 0.5 <= |m| < 1.")

public = {name: f for name, f in by_name.items() if name not in _INTERNAL}
public.update({alias: by_name[name] for alias, name in ALIASES.items()})
globals().update({name: f for name, f in public.items() if name not in ("abs", "divmod", "pow")})

# These modules need `ufunc`s at import, and the functions above need them only when called.
from . import _create, _manip  # noqa: E402
