"""Counter-based random numbers: the same bits on every device, lazy and fused as any operation.

A Generator is a key and a position in that key's stream. Its draws depend on these two and on the
shape alone, so it can be copied, pickled, compared and split.
"""
import numpy

from ._array import wrap
from ._core import DTypeError, call, lib
from ._create import shape_tuple
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
        code = code_of(dtype)
        if code not in (lib.CLARY_FLOAT32, lib.CLARY_FLOAT64):
            raise DTypeError(f"random: dtype must be float32 or float64, not {dtype}")
        if out is not None:
            size, device = out.shape, out.device
        shape = () if size is None else shape_tuple(size)
        count = 1
        for n in shape:
            count *= n
        start = self._take(count * (1 if code == lib.CLARY_FLOAT32 else 2))
        result = wrap(call(lib.clary_random_uniform, device_handle(device), code, self._key, start, len(shape), shape))
        if out is None:
            return result
        out[...] = result
        return out

    def uniform(self, low=0.0, high=1.0, size=None, dtype=float, *, device=None):
        """Uniform numbers in [low, high)."""
        return low + (high - low) * self.random(size, dtype, device=device)

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


def default_rng(seed=None):
    """A Generator of a seed (an integer, integers, a numpy.random.SeedSequence or a Generator); of none:
    of the system's randomness."""
    if isinstance(seed, Generator):
        return seed
    if not isinstance(seed, numpy.random.SeedSequence):
        seed = numpy.random.SeedSequence(seed)
    return Generator(seed)
