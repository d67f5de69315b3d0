"""Fourier transforms: numpy.fft and the array API's extension.

Transforms are the host's for now. float32 stays in single precision, other reals become complex128.
Shifts and sample frequencies are compositions of operations and run on the device.
"""
import numpy

from ._create import arange
from ._host import on_host
from ._manip import roll
from ._products import arrays_of
from ._ufunc import by_name, store

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft",
           "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]

_NORM = """norm says which direction is scaled by 1 / n: "backward" (None: this), "forward", or both by its root ("ortho")."""


def _along_one(name, meaning):
    def function(a, n=None, axis=-1, norm=None, out=None):
        result = on_host(getattr(numpy.fft, name), *arrays_of(a), n=n, axis=axis, norm=norm)
        return result if out is None else store(result, out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{meaning}, along an axis.

    n is the number of points used, cut or padded with zeros; None: all. {_NORM}"""
    return function


def _along_several(name, axes, meaning):
    def function(a, s=None, axes=axes, norm=None, out=None):
        result = on_host(getattr(numpy.fft, name), *arrays_of(a), s=s, axes=axes, norm=norm)
        return result if out is None else store(result, out)

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
