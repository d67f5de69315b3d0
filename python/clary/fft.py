"""Fourier transforms: numpy.fft and the array API's extension.

float16, float32 and complex64 are transformed in single precision, all else in double. In several
dimensions axes are transformed one after the other.
"""
from ._array import wrap
from ._core import ArgumentError, call, lib
from ._create import arange
from ._dtypes import BFLOAT16, DTYPES
from ._host import refuse
from ._manip import roll
from ._products import arrays_of
from ._ufunc import by_name, store

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft",
           "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]

_NORM = """norm says which direction is scaled by 1 / n: "backward" (None: this), "forward", or both by its root ("ortho")."""


_NORMS = {None: 0, "backward": 0, "ortho": 1, "forward": 2}


def _norm(norm, swapped=False):
    if norm not in _NORMS:
        raise ArgumentError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return 2 - _NORMS[norm] if swapped else _NORMS[norm]


def _one(name, a, n, axis, norm):
    """One transform along one axis."""
    swapped = name in ("hfft", "ihfft")
    norm = _norm(norm, swapped)
    axis = axis.__index__()
    if n is not None and n.__index__() < 1:
        raise ArgumentError(f"{name}: Invalid number of FFT data points ({n}) specified.")
    n = 0 if n is None else n.__index__()
    if name == "hfft":
        return wrap(call(lib.clary_irfft, by_name["conjugate"](a), n, axis, norm))
    if name == "ihfft":
        return by_name["conjugate"](wrap(call(lib.clary_rfft, a, n, axis, norm)))
    return wrap(call(getattr(lib, "clary_" + name), a, n, axis, norm))


def _taken(name, a):
    a = arrays_of(a)[0]
    refuse(name, [a], (DTYPES[BFLOAT16],))
    return a


def _along_one(name, meaning):
    def function(a, n=None, axis=-1, norm=None, out=None):
        result = _one(name, _taken(name, a), n, axis, norm)
        return result if out is None else store(result, out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{meaning}, along an axis.

    n is the number of points used, cut or padded with zeros; None: all. {_NORM}"""
    return function


def _plan(name, a, s, axes):
    """The lengths (None: all there are) and axes of a transform in several dimensions."""
    if s is None:
        axes = range(a.ndim) if axes is None else axes
        s = [None] * len(axes)
    else:
        s = [None if n is None else a.shape[axis] if n == -1 else n
             for n, axis in zip(s, range(-len(s), 0) if axes is None else axes, strict=False)] if _fits(s, axes) else s
        axes = range(-len(s), 0) if axes is None else axes
    if len(s) != len(axes):
        raise ArgumentError(f"{name}: Shape and axes have different lengths.")
    return list(s), list(axes)


def _fits(s, axes):
    return axes is None or len(s) == len(axes)


def _along_several(name, axes, meaning):
    inverse, real = "ifft" in name or name.startswith("irfft"), "rfft" in name

    def function(a, s=None, axes=axes, norm=None, out=None):
        a = _taken(name, a)
        lengths, along = _plan(name, a, s, axes)
        steps = list(zip(lengths, along, strict=True))
        if real and not steps:
            raise IndexError(f"{name}: needs at least one axis")
        if real and inverse:
            for n, axis in steps[:-1]:
                a = _one("ifft", a, n, axis, norm)
            a = _one("irfft", a, *steps[-1], norm)
        elif real:
            a = _one("rfft", a, *steps[-1], norm)
            for n, axis in steps[-2::-1]:
                a = _one("fft", a, n, axis, norm)
        else:
            for n, axis in reversed(steps):
                a = _one("ifft" if inverse else "fft", a, n, axis, norm)
        return a if out is None else store(a, out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{meaning}, along {"the last two axes" if axes else "all axes"} or those given.

    s is the number of points used along each, cut or padded with zeros; None: all. {_NORM}"""
    return function


fft = _along_one("fft", "Discrete Fourier transform")
ifft = _along_one("ifft", "Inverse of fft")
rfft = _along_one("rfft", "Transform of real numbers: its n // 2 + 1 terms of frequencies not below zero")
irfft = _along_one("irfft", "Inverse of rfft, n real numbers (None: an even number)")
hfft = _along_one("hfft", "Transform, to n real numbers, of a Hermitian sequence's first half")
ihfft = _along_one("ihfft", "Inverse of hfft")
fft2 = _along_several("fft2", (-2, -1), "Two-dimensional transform")
ifft2 = _along_several("ifft2", (-2, -1), "Inverse of fft2")
rfft2 = _along_several("rfft2", (-2, -1), "Two-dimensional transform of real numbers")
irfft2 = _along_several("irfft2", (-2, -1), "Inverse of rfft2")
fftn = _along_several("fftn", None, "Transform in several dimensions")
ifftn = _along_several("ifftn", None, "Inverse of fftn")
rfftn = _along_several("rfftn", None, "Transform of real numbers in several dimensions; the last axis is halved")
irfftn = _along_several("irfftn", None, "Inverse of rfftn")


def _samples(name, n):
    if not hasattr(n, "__index__"):
        raise ValueError(f"{name}: n must be an integer, not {n!r}")
    return n.__index__()


def fftfreq(n, d=1.0, device=None, *, dtype=None):
    """The frequencies of fft's n terms for samples d apart: 0 and up, then the negative ones."""
    n = _samples("fftfreq", n)
    k = arange(n, device=device)
    k = by_name["where"](k < (n + 1) // 2, k, k - n)
    return k.astype(float if dtype is None else dtype) * (1.0 / (n * d))


def rfftfreq(n, d=1.0, device=None, *, dtype=None):
    """The frequencies of rfft's n // 2 + 1 terms for samples d apart."""
    n = _samples("rfftfreq", n)
    k = arange(n // 2 + 1, device=device)
    return k.astype(float if dtype is None else dtype) * (1.0 / (n * d))


def _rolled(x, axes, shift):
    x = arrays_of(x)[0]
    axes = range(x.ndim) if axes is None else axes
    axes = [axes.__index__()] if hasattr(axes, "__index__") else list(axes)
    return roll(x, [shift(x.shape[axis]) for axis in axes], axes) if axes else x.copy()


def fftshift(x, axes=None):
    """The zero frequency moved to the middle of the axes; None: of all."""
    return _rolled(x, axes, lambda n: n // 2)


def ifftshift(x, axes=None):
    """Undoes fftshift."""
    return _rolled(x, axes, lambda n: -(n // 2))
