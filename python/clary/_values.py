"""Values changed element by element, or by their neighbours: compositions of the table's operations."""
import math

import numpy

from . import _dtypes, _ufunc
from ._array import wrap
from ._core import ArgumentError, ShapeError, call, lib
from ._create import array, asarray
from ._dtypes import KINDS, finfo
from ._manip import arrays_of, axis_of, broadcast_to, concat, cut
from ._ufunc import store, where


def _kind(a):
    return KINDS[lib.clary_array_dtype(a._h)]


def _given(result, out):
    return result if out is None else store(result, out)


def clip(a, min=None, max=None, out=None, *, a_min=None, a_max=None, dtype=None):
    """Elements held between two bounds; either may be None. a_min and a_max are other names of the bounds."""
    a = asarray(a)
    if (a_min is not None and min is not None) or (a_max is not None and max is not None):
        raise ArgumentError("clip: a bound is given twice, as a_min or a_max and as min or max")
    low, high = _bounds(a, a_min if min is None else min, a_max if max is None else max)
    if low is None and high is None:
        result = _ufunc.positive(a) if a.dtype != bool else a.copy()
        return _given(result if dtype is None else result.astype(dtype), out)
    if low is None:
        return _ufunc.minimum(a, high, out=out, dtype=dtype)
    if high is None:
        return _ufunc.maximum(a, low, out=out, dtype=dtype)
    return _ufunc.clip(a, low, high, out=out, dtype=dtype)


def _bounds(a, low, high):
    """Integer bounds beyond the dtype's range bound nothing, unless nothing can satisfy them."""
    if _kind(a) in "iu":
        info = numpy.iinfo(a.dtype)
        if type(low) is int and low < info.min:
            low = None
        if type(high) is int and high > info.max:
            high = None
    return low, high


def round(a, decimals=0, out=None):
    """Elements rounded to a number of decimals, halves to the even digit."""
    a = asarray(a)
    kind = _kind(a)
    if kind in "biu" and decimals >= 0:
        result = a.copy() if kind != "b" else a.astype("float16")
    elif decimals == 0:
        result = _ufunc.rint(a)
    else:
        scale = 10.0 ** abs(decimals)
        result = _ufunc.rint(a * scale) / scale if decimals > 0 else _ufunc.rint(a / scale) * scale
        result = result.astype(a.dtype) if kind in "iu" else result
    return _given(result, out)


def fix(x, out=None):
    """Elements rounded towards zero."""
    return _ufunc.trunc(x, out=out)


def real(val):
    """The real part, as a view; of a real array the array itself."""
    return asarray(val).real


def imag(val):
    """The imaginary part, as a view; zeros of a real array."""
    return asarray(val).imag


def angle(z, deg=False):
    """Angles of complex numbers, in radians or degrees."""
    z = asarray(z)
    result = _ufunc.angle(z.astype(int) if _kind(z) == "b" else z)  # NumPy: the angle of (z, 0)
    return result * (180 / math.pi) if deg else result


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """NaN and infinities replaced by finite numbers."""
    x = asarray(x)
    if _kind(x) == "c":
        parts = [nan_to_num(part, True, nan, posinf, neginf) for part in (x.real, x.imag)]
        result = parts[0] + 1j * parts[1]
    elif _kind(x) == "f":
        limits = finfo(x.dtype)
        result = where(_ufunc.isnan(x), nan, x)
        result = where(_ufunc.isposinf(x), float(limits.max) if posinf is None else posinf, result)
        result = where(_ufunc.isneginf(x), float(limits.min) if neginf is None else neginf, result)
        if result.shape != x.shape:
            raise ShapeError(f"nan_to_num: replacements of shape {result.shape} for x of shape {x.shape}")
        result = result.astype(x.dtype, copy=False)
    else:
        return x.copy() if copy else x
    if copy:
        return result
    x[...] = result
    return x


def real_if_close(a, tol=100):
    """The real part where every imaginary part is within tol (above 1: times epsilon) of 0, else `a`."""
    a = asarray(a)
    if _kind(a) != "c":
        return a
    tol = float(finfo(a.dtype).eps) * tol if tol > 1 else tol
    return a.real if (abs(a.imag) < tol).all() else a


# ---- neighbours ----
def _end(a, value, axis):
    """What diff joins to an end: a number is one more element."""
    value, = arrays_of([value]) if value is not None else (None,)
    if value is None or value.ndim:
        return value
    return broadcast_to(value, (*a.shape[:axis], 1, *a.shape[axis + 1:]))


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences between neighbours along an axis, n times."""
    a = asarray(a)
    if n and a.ndim and (prepend is not None or append is not None):
        axis = axis_of("diff", axis, a.ndim)
        ends = _end(a, prepend, axis), _end(a, append, axis)
        a = concat([part for part in (ends[0], a, ends[1]) if part is not None], axis)
    return wrap(call(lib.clary_diff, a, n, axis)) if n else a


def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    """The array with whole periods added so that neighbours along the axis differ by at most half a
    period. Differences smaller than discont stay as they are."""
    p = asarray(p)
    axis = axis_of("unwrap", axis, p.ndim)
    step = diff(p, axis=axis)
    dtype = _dtypes.result_type(step, period)
    whole = KINDS[_dtypes.code_of(dtype)] in "iu"
    half = period // 2 if whole else period / 2
    wrapped = _ufunc.remainder(step + half, period) - half
    if not whole or period % 2 == 0:  # half a period either way is one place: keep the sign of the step
        wrapped = where((wrapped == -half) & (step > 0), half, wrapped)
    correction = where(abs(step) < (period / 2 if discont is None else discont), 0, wrapped - step)
    result = array(p, dtype)
    cut(result, axis, 1)[...] = cut(p, axis, 1) + correction.cumsum(axis)
    return result


public = {f.__name__: f for f in (clip, round, fix, real, imag, angle, nan_to_num, real_if_close, diff, unwrap)}
public["around"] = round
