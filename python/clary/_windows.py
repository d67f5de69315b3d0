"""Windows for signals: M weights that rise from the edges to the middle."""
import math

from . import _ufunc
from ._create import arange, ones, zeros


def _window(M, shape):
    """shape(n) with n = 1 - M, 3 - M, ... M - 1; of one point 1, of none nothing."""
    if M < 1:
        return zeros(0)
    return ones(1) if M == 1 else shape(arange(1 - M, M, 2, dtype=float))


def bartlett(M):
    """A triangle that touches zero at both ends."""
    return _window(M, lambda n: 1 - abs(n) / (M - 1))


def blackman(M):
    """A sum of three cosines, nearly zero at both ends."""
    return _window(M, lambda n: (0.42 + 0.5 * _ufunc.cos(math.pi * n / (M - 1))
                                 + 0.08 * _ufunc.cos(2 * math.pi * n / (M - 1))))


def hamming(M):
    """A raised cosine that ends at 0.08."""
    return _window(M, lambda n: 0.54 + 0.46 * _ufunc.cos(math.pi * n / (M - 1)))


def hanning(M):
    """A raised cosine that ends at zero."""
    return _window(M, lambda n: 0.5 + 0.5 * _ufunc.cos(math.pi * n / (M - 1)))


def kaiser(M, beta):
    """Bessel functions: the larger beta, the narrower the window."""
    return _window(M, lambda n: _ufunc.i0(beta * _ufunc.sqrt(1 - (n / (M - 1)) ** 2)) / _ufunc.i0(float(beta)))


public = {f.__name__: f for f in (bartlett, blackman, hamming, hanning, kaiser)}
