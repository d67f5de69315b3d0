"""Reductions and cumulative functions, with every keyword NumPy gives them.

The plain reductions are found by asking the library: a call without keywords is one C call. The keywords
are compositions that fuse into the same kernel: where= puts the neutral element in, initial= is combined
with the result, dtype= chooses the accumulator.
"""
import builtins
import operator

from . import _array
from ._array import Array, wrap
from ._core import NULL, DTypeError, ShapeError, call, lib, text
from ._dtypes import KINDS, can_cast, code_of, result_type
from ._ufunc import by_name, store


def axes_of(axis, a):
    """C's (naxes, axes) for an axis argument: None, a number or a tuple. () reduces nothing."""
    if axis is None:
        return 0, NULL
    if isinstance(axis, tuple):
        axes = [operator.index(x) for x in axis]
        return (len(axes), axes) if axes else (0, _array.ffi.new("int[1]"))
    axis = operator.index(axis)
    if axis in (0, -1) and not a.ndim:
        return 0, NULL  # NumPy lets 0-d arrays have this axis
    return 1, [axis]


def masked(a, where, fill):
    """`a` with `fill` where the mask is false."""
    return by_name["where"](where, a, fill)


def array_of(a):
    """The argument of a reduction as an Array with a dtype of its own: Python scalars are not weak here."""
    return a if type(a) is Array else asarray(a)


def kind_of(a):
    """The kind of an Array's dtype: one of b, i, u, f, c."""
    return KINDS[lib.clary_array_dtype(a._h)]


def mask_of(a, where):
    """A where= argument as a mask of the array's shape; None where nothing is masked."""
    if where is None or where is True:
        return None
    return _manip.broadcast_to(asarray(where, bool, device=a._device), a.shape)


def deliver(name, result, out, casting="unsafe"):
    """The result, written to `out` if given, whose shape must be the result's."""
    if out is None:
        return result
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if getattr(target, "shape", result.shape) != result.shape:
        raise ShapeError(f"{name}: out has shape {target.shape}, the result {result.shape}")
    return store(result, target, casting)


# What a masked-out element counts as, and what initial= is combined with.
_COMBINE = {"sum": ("add", 0), "prod": ("multiply", 1), "max": ("maximum", None), "min": ("minimum", None),
            "any": ("logical_or", False), "all": ("logical_and", True),
            "nanmax": ("fmax", None), "nanmin": ("fmin", None)}


def _plain(name, a, axis, keepdims):
    return wrap(lib.clary_py_reduce(name.encode(), a._h, *axes_of(axis, a), builtins.bool(keepdims)))


def _reduce(name, a, axis, dtype, out, keepdims, initial=None, where=None):
    """A reduction with any of its keywords."""
    a = array_of(a)
    if name.startswith("nan") and kind_of(a) not in "fc":
        name = name[3:]
    if name in ("nansum", "nanprod"):
        name, a = name[3:], _without_nan(a, _COMBINE[name[3:]][1])
    if name in ("sum", "prod", "mean") and dtype is None and out is not None:
        dtype = _accumulator(a, out)
    mask = mask_of(a, where)
    if name in ("mean", "nanmean"):
        return deliver(name, _mean(name, a, axis, dtype, keepdims, mask), out, "unsafe" if name == "mean" else "same_kind")
    if name not in _COMBINE:
        return deliver(name, _plain(name, a, axis, keepdims), out, "same_kind")
    combine, neutral = _COMBINE[name]
    if mask is not None:
        if neutral is None and initial is None:
            raise ValueError(f"{name} has no identity: where= needs initial=")
        fill = full((), initial, dtype=a.dtype, device=a._device) if neutral is None else neutral
        a = masked(a, mask, fill)
    if dtype is not None:
        reduced = call(lib.clary_op_reduce, by_name[combine]._code, a._h, *axes_of(axis, a), builtins.bool(keepdims),
                       code_of(dtype))
        result = wrap(reduced).astype(dtype, copy=False)
    elif initial is not None and neutral is None and not a.size:
        result = full(_plain("any", a, axis, keepdims).shape, initial, dtype=a.dtype, device=a._device)
    else:
        result = _plain(name, a, axis, keepdims)
    if initial is not None:
        result = by_name[combine](result, full((), initial, dtype=result.dtype, device=a._device))
    return deliver(name, result, out)


def _accumulator(a, out):
    """The dtype in which NumPy adds up when only out= is given."""
    target = out[0] if isinstance(out, tuple) else out
    return result_type(a.dtype, target.dtype) if hasattr(target, "dtype") else None


def _without_nan(a, fill):
    return masked(a, by_name["isnan"](a) ^ True, fill) if kind_of(a) in "fc" else a


# ---- means and moments ----
def _count(a, axis, keepdims, mask):
    """How many elements go into each result: a number if nothing is masked."""
    if mask is not None:
        return public["sum"](mask, axis, keepdims=keepdims)
    results = _plain("any", a, axis, keepdims).size
    return a.size // results if results else 0


def _divide(total, count):
    """total / count in total's dtype, or in double precision where that is an integer."""
    if type(count) is Array and kind_of(total) in "fc":
        count = count.astype(total.dtype)
    return total / count


def _without_nan_mask(name, a, dtype, mask):
    """The mask less the NaNs."""
    if dtype is not None and KINDS[code_of(dtype)] not in "fc":
        raise TypeError(f"{name}: dtype must be inexact for elements of {a.dtype}, not {dtype}")
    number = by_name["isnan"](a) ^ True
    return number if mask is None else number & mask


def _working(a, dtype):
    """(dtype of the sum, dtype of the mean)."""
    if dtype is not None:
        return dtype, dtype
    if kind_of(a) in "biu":
        return float, float
    return ("float32" if a.itemsize == 2 else a.dtype), a.dtype


def _mean(name, a, axis, dtype, keepdims, mask):
    if name == "nanmean":
        mask = _without_nan_mask(name, a, dtype, mask)
    if mask is None and dtype is None:
        return _plain("mean", a, axis, keepdims)
    work, final = _working(a, dtype)
    total = public["sum"](a, axis, work, keepdims=keepdims, where=mask)
    return _divide(total, _count(a, axis, keepdims, mask)).astype(final, copy=False)


def _moment(name, a, axis, dtype, out, ddof, keepdims, where, mean, correction):
    """var, std, nanvar, nanstd: C's two passes, or the same passes with a mask, a dtype or a given mean."""
    a = array_of(a)
    if correction is not None:
        if ddof != 0:
            raise ValueError(f"{name}: ddof and correction are two names of one argument, give one")
        ddof = correction
    if kind_of(a) not in "fc":
        name = name.removeprefix("nan")
    mask = mask_of(a, where)
    if dtype is None and mask is None and mean is None:
        function = getattr(lib, f"clary_{name}")
        result = wrap(call(function, a._h, *axes_of(axis, a), ddof, builtins.bool(keepdims)))
    else:
        if name.startswith("nan"):
            mask = _without_nan_mask(name, a, dtype, mask)
        result = _spread(name, a, axis, dtype, ddof, keepdims, mask, mean)
    return deliver(name, result, out, "unsafe" if name == "var" else "same_kind")


def _spread(name, a, axis, dtype, ddof, keepdims, mask, mean):
    work, final = _working(a, dtype)
    if mean is None:
        total = public["sum"](a, axis, work, keepdims=True, where=mask)
        mean = _divide(total, _count(a, axis, True, mask)).astype(work, copy=False)
    distance = a - mean
    if kind_of(distance) == "c" and kind_of(a) == "c":
        squares = by_name["square"](distance.real) + by_name["square"](distance.imag)
    else:
        squares = distance * distance
    total = public["sum"](squares, axis, dtype, keepdims=keepdims, where=mask)
    freedom = _count(a, axis, keepdims, mask) - ddof
    result = _divide(total, by_name["maximum"](freedom, 0) if mask is not None else builtins.max(freedom, 0))
    if name.startswith("nan"):
        result = masked(result, freedom > 0, float("nan"))
    if name.endswith("std"):
        result = by_name["sqrt"](result)
    if dtype is None and kind_of(a) == "c":
        return result
    return result.astype(final, copy=False)


# ---- the functions ----
_DTYPE = "a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True"
_SIGNATURES = {
    **dict.fromkeys(("sum", "prod", "nansum", "nanprod"), _DTYPE),
    **dict.fromkeys(("mean", "nanmean"), "a, axis=None, dtype=None, out=None, keepdims=False, *, where=True"),
    **dict.fromkeys(("max", "min", "nanmax", "nanmin"),
                    "a, axis=None, out=None, keepdims=False, initial=None, where=True"),
    **dict.fromkeys(("any", "all"), "a, axis=None, out=None, keepdims=False, *, where=True"),
    **dict.fromkeys(("argmax", "argmin", "nanargmax", "nanargmin"), "a, axis=None, out=None, *, keepdims=False"),
    "count_nonzero": "a, axis=None, *, keepdims=False",
}


def _make(name, doc):
    """The Python function of a reduction, with the order of arguments NumPy gives it."""
    encoded = name.encode()
    signature = _SIGNATURES.get(name, "a, axis=None, out=None, keepdims=False")
    if "dtype" in signature:

        def plain(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
            if type(a) is Array and dtype is None and out is None and initial is None and (where is True or where is None):
                return wrap(lib.clary_py_reduce(encoded, a._h, *axes_of(axis, a), builtins.bool(keepdims)))
            return _reduce(name, a, axis, dtype, out, keepdims, initial, where)

        if "initial" in signature:
            function = plain
        else:

            def function(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
                return plain(a, axis, dtype, out, keepdims, None, where)

    elif "initial" in signature:

        def function(a, axis=None, out=None, keepdims=False, initial=None, where=True):
            return _reduce(name, a, axis, None, out, keepdims, initial, where)

    elif "where" in signature:

        def function(a, axis=None, out=None, keepdims=False, *, where=True):
            return _reduce(name, a, axis, None, out, keepdims, None, where)

    elif name.endswith(("argmax", "argmin")):

        def function(a, axis=None, out=None, *, keepdims=False):
            if isinstance(axis, tuple):
                raise TypeError(f"{name}: axis must be a number or None, not {axis}")
            if out is not None and not can_cast(out.dtype, "int64"):
                raise DTypeError(f"{name}: out of {out.dtype} is not for indices, which are int64")
            return _reduce(name, a, axis, None, out, keepdims)

    elif name == "count_nonzero":

        def function(a, axis=None, *, keepdims=False):
            return _reduce(name, a, axis, None, None, keepdims)

    else:

        def function(a, axis=None, out=None, keepdims=False):
            return _reduce(name, a, axis, None, out, keepdims)

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


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """Variance: the mean of squared distances from the mean, divided by (count - ddof). `mean`: the mean with
    its axes kept, where it is known already; `correction` is the array API's name for ddof."""
    return _moment("var", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """Standard deviation: the square root of the variance, with its arguments."""
    return _moment("std", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """Variance of the elements that are not NaN; NaN where there are no more than ddof of them."""
    return _moment("nanvar", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """Standard deviation of the elements that are not NaN; NaN where there are no more than ddof of them."""
    return _moment("nanstd", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


# ---- cumulative ----
def _scan(name, a, axis, dtype, out):
    a = array_of(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    elif not a.ndim:
        a = a.reshape(1)
    if dtype is None:
        result = wrap(call(getattr(lib, f"clary_{name}"), a._h, operator.index(axis)))
    else:
        op = by_name["add" if name == "cumsum" else "multiply"]._code
        result = wrap(call(lib.clary_op_accumulate, op, a._h, operator.index(axis), code_of(dtype)))
    return deliver(name, result, out)


def cumsum(a, axis=None, dtype=None, out=None):
    """Sums of all leading parts along an axis; axis None: of the flattened array."""
    return _scan("cumsum", a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """Products of all leading parts along an axis; axis None: of the flattened array."""
    return _scan("cumprod", a, axis, dtype, out)


def nancumsum(a, axis=None, dtype=None, out=None):
    """Cumulative sum with NaN counted as 0."""
    return _scan("cumsum", _without_nan(array_of(a), 0), axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """Cumulative product with NaN counted as 1."""
    return _scan("cumprod", _without_nan(array_of(a), 1), axis, dtype, out)


def _cumulative(name, start, x, axis, dtype, out, include_initial):
    x = _manip.atleast_1d(array_of(x))
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"axis is required for an array that is not 1-D; shape is {x.shape}")
        axis = 0
    result = _scan(name, x, axis, dtype, None)
    if include_initial:
        shape = list(x.shape)
        shape[axis] = 1
        result = _manip.concat([full(tuple(shape), start, dtype=result.dtype, device=x._device), result], axis=axis)
    return deliver(name, result, out)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The array API's cumulative sum; include_initial puts a 0 in front."""
    return _cumulative("cumsum", 0, x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The array API's cumulative product; include_initial puts a 1 in front."""
    return _cumulative("cumprod", 1, x, axis, dtype, out, include_initial)


public.update({f.__name__: f for f in (var, std, nanvar, nanstd, cumsum, cumprod, nancumsum, nancumprod, cumulative_sum,
                                       cumulative_prod)})

from . import _manip  # noqa: E402
from ._create import asarray, full  # noqa: E402
