"""Counter-based random numbers: the same bits on every device, lazy and fused as any operation.

A Generator is a key and a position in that key's stream. Its draws depend on these two and on the
shape alone, so it can be copied, pickled, compared and split.
"""
import math
import operator

import numpy

from . import _select, _sort, _ufunc
from ._array import wrap
from ._core import DTypeError, call, lib
from ._create import arange, asarray, shape_tuple
from ._device import handle as device_handle
from ._dtypes import code_of

__all__ = ["Generator", "default_rng"]


class Generator:
    """Random numbers from one stream. Make one with default_rng."""

    __slots__ = ("_seed", "_key", "_position")

    def __init__(self, seed):
        """seed: a numpy.random.SeedSequence."""
        self._seed = seed
        self._key = int(seed.generate_state(1, numpy.uint64)[0])
        self._position = 0

    def _take(self, words):
        """The position of the next `words` 32-bit words; the next draw starts at a fresh block of four."""
        start = self._position
        self._position = start + -(-words // 4) * 4
        return start

    def random(self, size=None, dtype=float, out=None, *, device=None):
        """Uniform numbers in [0, 1): float32 or float64."""
        return self._draw("random", lib.clary_random_uniform, 1, size, dtype, out, device)

    def _draw(self, name, function, words, size, dtype, out, device):
        """A float draw of `words` 32-bit words for a float32 element, twice as many for a float64."""
        code = code_of(dtype)
        if code not in (lib.CLARY_FLOAT32, lib.CLARY_FLOAT64):
            raise DTypeError(f"{name}: dtype must be float32 or float64, not {dtype}")
        if out is not None:
            size, device = out.shape, out.device
        shape = () if size is None else shape_tuple(size)
        start = self._take(math.prod(shape) * words * (1 if code == lib.CLARY_FLOAT32 else 2))
        result = wrap(call(function, device_handle(device), code, self._key, start, len(shape), shape))
        if out is None:
            return result
        out[...] = result
        return out

    def standard_normal(self, size=None, dtype=float, out=None, *, device=None):
        """Normal numbers of mean 0 and deviation 1: float32 or float64."""
        return self._draw("standard_normal", lib.clary_random_normal, 2, size, dtype, out, device)

    def standard_exponential(self, size=None, dtype=float, method="zig", out=None, *, device=None):
        """Exponential numbers of mean 1: float32 or float64. `method` is accepted for NumPy's sake: the
        logarithm of a uniform number is what both give here."""
        if method not in ("zig", "inv"):
            raise ValueError(f"standard_exponential: method must be 'zig' or 'inv', not {method!r}")
        return self._draw("standard_exponential", lib.clary_random_exponential, 1, size, dtype, out, device)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=float, *, device=None):
        """Uniform numbers in [low, high)."""
        return low + (high - low) * self.random(_size(size, low, high), dtype, device=device)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=float, *, device=None):
        """Normal numbers of mean loc and deviation scale >= 0."""
        _check("normal", "scale", scale)
        return loc + scale * self.standard_normal(_size(size, loc, scale), dtype, device=device)

    def exponential(self, scale=1.0, size=None, dtype=float, *, device=None):
        """Exponential numbers of mean scale >= 0."""
        _check("exponential", "scale", scale)
        return scale * self.standard_exponential(_size(size, scale), dtype, device=device)

    def laplace(self, loc=0.0, scale=1.0, size=None, dtype=float, *, device=None):
        """Laplace numbers: loc + scale times the difference of two exponential ones."""
        _check("laplace", "scale", scale)
        size = _size(size, loc, scale)
        one = self.standard_exponential(size, dtype, device=device)
        return loc + scale * (one - self.standard_exponential(size, dtype, device=device))

    def rayleigh(self, scale=1.0, size=None, dtype=float, *, device=None):
        """Rayleigh numbers: the length of a vector of two normal numbers of deviation scale."""
        _check("rayleigh", "scale", scale)
        return scale * (2 * self.standard_exponential(_size(size, scale), dtype, device=device)) ** 0.5

    def standard_cauchy(self, size=None, dtype=float, *, device=None):
        """Cauchy numbers: the quotient of two normal ones."""
        one = self.standard_normal(size, dtype, device=device)
        return one / self.standard_normal(size, dtype, device=device)

    def lognormal(self, mean=0.0, sigma=1.0, size=None, dtype=float, *, device=None):
        """exp of normal numbers."""
        return _op("exp", self.normal(mean, sigma, size, dtype, device=device))

    def gumbel(self, loc=0.0, scale=1.0, size=None, dtype=float, *, device=None):
        """Gumbel numbers: loc - scale * log of an exponential number."""
        _check("gumbel", "scale", scale)
        return loc - scale * _op("log", self.standard_exponential(_size(size, loc, scale), dtype, device=device))

    def logistic(self, loc=0.0, scale=1.0, size=None, dtype=float, *, device=None):
        """Logistic numbers: loc + scale * log of the quotient of two exponential ones."""
        _check("logistic", "scale", scale)
        size = _size(size, loc, scale)
        one = self.standard_exponential(size, dtype, device=device)
        return loc + scale * _op("log", one / self.standard_exponential(size, dtype, device=device))

    def weibull(self, a, size=None, dtype=float, *, device=None):
        """Weibull numbers of shape a > 0: an exponential number to the power of 1 / a."""
        _check("weibull", "a", a)
        return _op("exp", _op("log", self.standard_exponential(_size(size, a), dtype, device=device)) / a)

    def pareto(self, a, size=None, dtype=float, *, device=None):
        """Numbers of Pareto II or Lomax of shape a > 0: exp(e / a) - 1 of an exponential number."""
        _check("pareto", "a", a)
        return _op("exp", self.standard_exponential(_size(size, a), dtype, device=device) / a) - 1

    def power(self, a, size=None, dtype=float, *, device=None):
        """Numbers in [0, 1] with density a * x ** (a - 1), a > 0."""
        _check("power", "a", a)
        return _op("exp", -self.standard_exponential(_size(size, a), dtype, device=device) / a)

    def standard_gamma(self, shape, size=None, dtype=float, out=None, *, device=None):
        """Gamma numbers of scale 1 and shape >= 0 (Marsaglia and Tsang): float32 or float64, computed in
        float64."""
        if code_of(dtype) not in (lib.CLARY_FLOAT32, lib.CLARY_FLOAT64):
            raise DTypeError(f"standard_gamma: dtype must be float32 or float64, not {dtype}")
        _check("standard_gamma", "shape", shape)
        if out is not None:
            size, device = out.shape, out.device
        size = shape_tuple(_size(size, shape))
        count = math.prod(size)
        start = self._take(count)
        place = arange(start, start + count, dtype=float, device=device).reshape(size)
        shape = asarray(shape, dtype=float, device=place.device)
        result = _ufunc.by_name["random_gamma_of"](place, float(self._key >> 12), shape).astype(dtype)
        if out is None:
            return result
        out[...] = result
        return out

    def gamma(self, shape, scale=1.0, size=None, dtype=float, *, device=None):
        """Gamma numbers of a shape and a scale, both >= 0."""
        _check("gamma", "scale", scale)
        return scale * self.standard_gamma(shape, _size(size, shape, scale), dtype, device=device)

    def beta(self, a, b, size=None, dtype=float, *, device=None):
        """Beta numbers in [0, 1], a and b > 0: x / (x + y) of gamma numbers x and y."""
        size = _size(size, a, b)
        x = self.standard_gamma(a, size, dtype, device=device)
        return x / (x + self.standard_gamma(b, size, dtype, device=device))

    def chisquare(self, df, size=None, dtype=float, *, device=None):
        """Chi-square numbers of df > 0 degrees of freedom."""
        _check("chisquare", "df", df)
        return 2 * self.standard_gamma(df / 2, _size(size, df), dtype, device=device)

    def f(self, dfnum, dfden, size=None, dtype=float, *, device=None):
        """Numbers of Fisher's F distribution: a quotient of chi-square numbers, each over its degrees."""
        size = _size(size, dfnum, dfden)
        x = self.chisquare(dfnum, size, dtype, device=device) / dfnum
        return x / (self.chisquare(dfden, size, dtype, device=device) / dfden)

    def standard_t(self, df, size=None, dtype=float, *, device=None):
        """Numbers of Student's t distribution: a normal one over the root of a chi-square one over df."""
        size = _size(size, df)
        x = self.standard_normal(size, dtype, device=device)
        return x / (self.chisquare(df, size, dtype, device=device) / df) ** 0.5

    def dirichlet(self, alpha, size=None, *, device=None):
        """Vectors of gamma numbers of shapes alpha, divided by their sum: shape size + (len(alpha),)."""
        alpha = asarray(alpha, dtype=float, device=device)
        x = self.standard_gamma(alpha, (() if size is None else shape_tuple(size)) + alpha.shape, device=device)
        return x / x.sum(-1, keepdims=True)

    def integers(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False, *, device=None):
        """Unbiased integers in [low, high), or [low, high] with endpoint; in [0, low) without high. Bounds
        are numbers within dtype, which is any integer dtype or bool."""
        dtype = numpy.dtype(dtype)
        if dtype.kind not in "biu":
            raise DTypeError(f"integers: dtype must be an integer or bool, not {dtype}")
        low, high = (0, operator.index(low)) if high is None else (operator.index(low), operator.index(high))
        last = high if endpoint else high - 1
        info = numpy.iinfo(dtype) if dtype.kind != "b" else None
        least, most = (info.min, info.max) if info else (0, 1)
        if last < low:
            raise ValueError(f"integers: low {low} must be below high {high}")
        if low < least or last > most:
            raise ValueError(f"integers: [{low}, {last}] is not within {dtype}")
        shape = () if size is None else shape_tuple(size)
        start = self._take(math.prod(shape))
        return wrap(call(lib.clary_random_integers, device_handle(device), code_of(dtype), low % 2**64,
                         (last - low + 1) % 2**64, self._key, start, len(shape), shape))

    def bytes(self, length):
        """`length` random bytes."""
        return numpy.asarray(self.bits(-(-length // 4))).astype("<u4").tobytes()[:length]

    def _order(self, shape, axis, device):
        """Indices that sort random keys along the axis: a permutation of each line. Keys have 64 bits, so
        equal ones do not matter."""
        keys = self.integers(0, 2**64, shape, numpy.uint64, device=device)
        return _sort.argsort(keys, axis=axis, stable=True)

    def permutation(self, x, axis=0, *, device=None):
        """arange(x) in random order, or an array with its slices along an axis in random order."""
        if isinstance(x, (int, numpy.integer)):
            return self._order((int(x),), 0, device)
        x = asarray(x, device=device)
        return _select.take(x, self._order((x.shape[axis],), 0, x.device), axis=axis)

    def shuffle(self, x, axis=0):
        """Puts the slices of a Clary array along an axis in random order, in place."""
        x[...] = self.permutation(x, axis)

    def permuted(self, x, axis=None, out=None):
        """A copy with each line along the axis shuffled by itself; without axis, all elements."""
        x = asarray(x)
        if axis is None:
            result = self.permutation(x.reshape(-1)).reshape(x.shape)
        else:
            result = _select.take_along_axis(x, self._order(x.shape, axis, x.device), axis=axis)
        if out is None:
            return result
        out[...] = result
        return out

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True, *, device=None):
        """Entries of an array (or of arange(a)) along an axis, with probabilities p, with or without
        replacement. Without it, of probabilities: the largest of u ** (1 / p), as exponentials over p
        (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006)."""
        number = isinstance(a, (int, numpy.integer))
        a = a if number else asarray(a, device=device)
        n = int(a) if number else a.shape[axis]
        device = device if number else a.device
        shape = () if size is None else shape_tuple(size)
        count = math.prod(shape)
        if n < 1 and count:
            raise ValueError("choice: a must not be empty")
        if p is not None:
            p = numpy.asarray(p, float)
            if p.shape != (n,):
                raise ValueError(f"choice: p has shape {p.shape}, a has {n} entries")
            if not (p >= 0).all() or abs(p.sum() - 1) > 1e-8:
                raise ValueError("choice: p must be probabilities that add up to 1")
        if not replace and count > (n if p is None else numpy.count_nonzero(p)):
            raise ValueError(f"choice: cannot take {count} of {n} entries without replacement")
        if not replace:
            if p is None:
                at = self._order((n,), 0, device)
            else:
                keys = self.standard_exponential(n, device=device)
                at = _sort.argsort(keys / asarray(p, device=keys.device), stable=True)
            at = at[:count].reshape(shape)
        elif p is None:
            at = self.integers(0, max(n, 1), shape, device=device)
        else:
            edges = numpy.cumsum(p)
            edges /= edges[-1]
            u = self.random(shape, device=device)
            at = _sort.searchsorted(asarray(edges, device=u.device), u, side="right")
        return at if number else _select.take(a, at, axis=axis)

    @property
    def state(self):
        """Where the generator is: a dict of integers that JSON can hold. Assigning one goes there."""
        return {"bit_generator": "Philox4x32-10", "key": self._key, "position": self._position}

    @state.setter
    def state(self, state):
        if state.get("bit_generator") != "Philox4x32-10":
            raise ValueError("state: not a state of a Philox4x32-10 generator")
        self._key, self._position = int(state["key"]), int(state["position"])

    def bits(self, size=None, *, device=None):
        """Uniform 32-bit words (uint32)."""
        shape = () if size is None else shape_tuple(size)
        count = 1
        for n in shape:
            count *= n
        start = self._take(count)
        return wrap(call(lib.clary_random_bits, device_handle(device), self._key, start, len(shape), shape))

    def spawn(self, n_children):
        """Independent generators, for other threads, devices or parts of a program."""
        return [Generator(child) for child in self._seed.spawn(n_children)]

    def __getstate__(self):
        return self._seed, self._key, self._position

    def __setstate__(self, state):
        self._seed, self._key, self._position = state

    def __reduce__(self):
        return Generator.__new__, (Generator,), self.__getstate__()

    def __repr__(self):
        return f"<Generator key={self._key:#x} position={self._position}>"


def _op(name, x):
    """log or exp with the same bits on every device."""
    return _ufunc.by_name[f"random_{name}_of"](x)


def _size(size, *parameters):
    """The size asked for, or what the parameters broadcast to."""
    return numpy.broadcast_shapes(*(numpy.shape(p) for p in parameters)) if size is None else size


def _check(name, parameter, value):
    if isinstance(value, (int, float)) and not value >= 0:
        raise ValueError(f"{name}: {parameter} must not be negative, but is {value}")


def default_rng(seed=None):
    """A Generator of a seed (an integer, integers, a numpy.random.SeedSequence or a Generator); of none:
    of the system's randomness."""
    if isinstance(seed, Generator):
        return seed
    if not isinstance(seed, numpy.random.SeedSequence):
        seed = numpy.random.SeedSequence(seed)
    return Generator(seed)
