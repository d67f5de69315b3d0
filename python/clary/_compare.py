"""Comparing whole arrays, within a tolerance or exactly, and asking for kinds of numbers."""
import numpy

from . import _ufunc
from ._array import Array, operand
from ._core import Error, lib
from ._create import asarray, zeros
from ._dtypes import KINDS, code_of
from ._manip import broadcast_shapes
from ._ufunc import operands


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |a - b| <= atol + rtol * |b|, element by element; infinities of one sign are close."""
    a, b = operands([a, b])
    if KINDS[lib.clary_array_dtype(b._h)] in "biu":
        b = b * 1.0  # so that b's smallest integer has a magnitude
    rtol, atol = (operand(v, b._device) for v in (rtol, atol))
    close = (abs(a - b) <= atol + rtol * abs(b)) & _ufunc.isfinite(b) | (a == b)
    return close | (_ufunc.isnan(a) & _ufunc.isnan(b)) if equal_nan else close


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close."""
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def _pair(a1, a2):
    """Both as Arrays, or None where one cannot be an array."""
    try:
        return operands([a1, a2])
    except (Error, TypeError, ValueError):
        return None


def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and elements are equal."""
    pair = _pair(a1, a2)
    if pair is None or pair[0].shape != pair[1].shape:
        return False
    a1, a2 = pair
    same = a1 == a2
    if equal_nan:
        same = same | (_ufunc.isnan(a1) & _ufunc.isnan(a2))
    return bool(same.all())


def array_equiv(a1, a2):
    """Whether the arrays broadcast together and their elements are equal."""
    pair = _pair(a1, a2)
    if pair is None:
        return False
    try:
        broadcast_shapes(pair[0].shape, pair[1].shape)
    except ValueError:
        return False
    return bool((pair[0] == pair[1]).all())


def _is_complex(x):
    return KINDS[lib.clary_array_dtype(x._h)] == "c"


def iscomplex(x):
    """Whether the imaginary part is not 0, element by element."""
    x = asarray(x)
    return x.imag != 0 if _is_complex(x) else zeros(x.shape, bool, device=x._device)


def isreal(x):
    """Whether the imaginary part is 0, element by element."""
    return _ufunc.logical_not(iscomplex(x))


def iscomplexobj(x):
    """Whether the dtype is complex."""
    return KINDS[code_of(x.dtype)] == "c" if isinstance(x, Array) else numpy.iscomplexobj(x)


def isrealobj(x):
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)


def isscalar(element):
    """Whether it is a Python or NumPy scalar."""
    return numpy.isscalar(element)


def iterable(y):
    """Whether it can be iterated over."""
    return numpy.iterable(y)


public = {f.__name__: f for f in (
    isclose, allclose, array_equal, array_equiv, iscomplex, isreal, iscomplexobj, isrealobj, isscalar, iterable)}
