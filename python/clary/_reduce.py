"""Reductions and cumulative functions. The plain reductions are found by asking the library."""
from . import _array
from ._array import Array, operand, wrap
from ._core import NULL, call, lib, text
from ._dtypes import code_of
from ._ufunc import by_name, store


def axes_of(axis, a):
    """C's (naxes, axes) for an axis argument: None, a number or several. () reduces nothing."""
    if axis is None:
        return 0, NULL
    if isinstance(axis, (tuple, list)):
        axes = [int(x) for x in axis]
        return (len(axes), axes) if axes else (0, _array.ffi.new("int[1]"))
    return 1, [axis.__index__()]


def masked(a, where, fill):
    """`a` with `fill` where the mask is false."""
    return by_name["where"](where, a, fill)


# What a masked-out element counts as, and what initial= is combined with.
_COMBINE = {"sum": ("add", 0), "prod": ("multiply", 1), "max": ("maximum", None), "min": ("minimum", None),
            "any": ("logical_or", False), "all": ("logical_and", True),
            "nansum": ("add", 0), "nanprod": ("multiply", 1), "nanmax": ("fmax", None), "nanmin": ("fmin", None)}


def _reduce(name, encoded, a, axis, dtype, out, keepdims, initial, where):
    a = a if type(a) is Array else operand(a)
    combine, neutral = _COMBINE.get(name, (None, None))
    if where is not None and where is not True:
        if name == "mean":
            return _masked_mean(a, axis, dtype, out, keepdims, where)
        a = _masked_input(name, a, neutral, initial, where)
    if initial is not None and combine is None:
        raise TypeError(f"{name}() takes no initial=")
    if dtype is not None:
        code = code_of(dtype)
        if combine is not None and not name.startswith("nan"):
            handle = call(lib.clary_op_reduce, by_name[combine]._code, a._h, *axes_of(axis, a), keepdims, code)
        else:
            a = a.astype(dtype)
            handle = lib.clary_py_reduce(encoded, a._h, *axes_of(axis, a), keepdims)
        result = wrap(handle).astype(dtype, copy=False)
    elif initial is not None and a.size == 0 and neutral is None:
        result = by_name[combine].reduce(a, axis, keepdims=keepdims, initial=initial)
        return result if out is None else store(result, out)
    else:
        result = wrap(lib.clary_py_reduce(encoded, a._h, *axes_of(axis, a), keepdims))
    if initial is not None:
        result = by_name[combine](result, initial)
    return result if out is None else store(result, out)


def _masked_input(name, a, neutral, initial, where):
    fill = initial if neutral is None else neutral
    if fill is None:
        raise ValueError(f"{name}() has no identity: where= needs initial=")
    return masked(a, where, fill)


def _masked_mean(a, axis, dtype, out, keepdims, where):
    count = public["sum"](_manip.broadcast_to(operand(where, a._device), a.shape), axis, keepdims=keepdims)
    total = public["sum"](masked(a, where, 0), axis, dtype, keepdims=keepdims)
    result = total / (count if total.dtype.kind in "iub" else count.astype(total.dtype))
    return result if out is None else store(result, out)


def _make(name, doc):
    """The Python function of a reduction, with the order of arguments NumPy gives it."""
    encoded = name.encode()
    with_dtype = name in ("sum", "prod", "mean", "nansum", "nanprod", "nanmean")
    if with_dtype:

        def function(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
            if out is None and dtype is None and initial is None and where is None and type(a) is Array:
                return wrap(lib.clary_py_reduce(encoded, a._h, *axes_of(axis, a), keepdims))
            return _reduce(name, encoded, a, axis, dtype, out, keepdims, initial, where)

        signature = "a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None"
    elif name in _COMBINE:

        def function(a, axis=None, out=None, keepdims=False, initial=None, where=None):
            return _reduce(name, encoded, a, axis, None, out, keepdims, initial, where)

        signature = "a, axis=None, out=None, keepdims=False, initial=None, where=None"
    elif name == "count_nonzero":

        def function(a, axis=None, *, keepdims=False):
            return _reduce(name, encoded, a, axis, None, None, keepdims, None, None)

        signature = "a, axis=None, *, keepdims=False"
    else:

        def function(a, axis=None, out=None, keepdims=False):
            return _reduce(name, encoded, a, axis, None, out, keepdims, None, None)

        signature = "a, axis=None, out=None, keepdims=False"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}({signature})\n\n{doc}"
    return function


public = {}
_index = 0
while lib.clary_reduction_name(_index):
    _name = text(lib.clary_reduction_name(_index))
    public[_name] = _make(_name, text(lib.clary_reduction_doc(_index)))
    _index += 1
public["amax"], public["amin"] = public["max"], public["min"]
globals().update(public)
del public["norm"]  # clary.linalg.norm, as in NumPy


def _moment(function, a, axis, dtype, out, ddof, keepdims, correction):
    a = operand(a)
    if dtype is not None:
        a = a.astype(dtype)
    correction = ddof if correction is None else correction
    result = wrap(call(function, a._h, *axes_of(axis, a), correction, keepdims))
    return result if out is None else store(result, out)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None):
    """Variance: the mean of squared distances from the mean, divided by (count - correction)."""
    return _moment(lib.clary_var, a, axis, dtype, out, ddof, keepdims, correction)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None):
    """Standard deviation: the square root of the variance."""
    return _moment(lib.clary_std, a, axis, dtype, out, ddof, keepdims, correction)


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None):
    """Variance of the elements that are not NaN."""
    return _moment(lib.clary_nanvar, a, axis, dtype, out, ddof, keepdims, correction)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None):
    """Standard deviation of the elements that are not NaN."""
    return _moment(lib.clary_nanstd, a, axis, dtype, out, ddof, keepdims, correction)


def _scan(plain, op, a, axis, dtype, out):
    a = operand(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    if dtype is None:
        result = wrap(call(plain, a._h, axis.__index__()))
    else:
        code = code_of(dtype)
        result = wrap(call(lib.clary_op_accumulate, by_name[op]._code, a._h, axis.__index__(), code))
    return result if out is None else store(result, out, "unsafe")


def cumsum(a, axis=None, dtype=None, out=None):
    """Sums of all leading parts along an axis; axis None: of the flattened array."""
    return _scan(lib.clary_cumsum, "add", a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """Products of all leading parts along an axis; axis None: of the flattened array."""
    return _scan(lib.clary_cumprod, "multiply", a, axis, dtype, out)


def _cumulative(plain, op, start, x, axis, dtype, out, include_initial):
    x = operand(x)
    if axis is None:
        if x.ndim != 1:
            raise ValueError("axis is required for an array that is not 1-D")
        axis = 0
    result = _scan(plain, op, x, axis, dtype, None)
    if include_initial:
        shape = list(x.shape)
        shape[axis] = 1
        result = _manip.concat([full(tuple(shape), start, dtype=result.dtype, device=x._device), result], axis=axis)
    return result if out is None else store(result, out)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The array API's cumulative sum; include_initial puts a 0 in front."""
    return _cumulative(lib.clary_cumsum, "add", 0, x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The array API's cumulative product; include_initial puts a 1 in front."""
    return _cumulative(lib.clary_cumprod, "multiply", 1, x, axis, dtype, out, include_initial)


public.update({f.__name__: f for f in (var, std, nanvar, nanstd, cumsum, cumprod, cumulative_sum, cumulative_prod)})

from . import _manip  # noqa: E402
from ._create import full  # noqa: E402
