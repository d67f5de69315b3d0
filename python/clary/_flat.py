"""`array.flat`: the elements in C order, to iterate over, to index and to assign."""
import numpy

from . import _array
from ._core import IndexOutOfRangeError


class FlatIterator:
    """What Array.flat is: as NumPy's flatiter. Indexing it copies; assigning to it changes the array."""

    __slots__ = ("base", "index")
    __hash__ = None

    def __init__(self, base):
        self.base, self.index = base, 0

    @property
    def coords(self):
        """The position of the next element."""
        rest, out = self.index, []
        for extent in reversed(self.base.shape):
            rest, at = divmod(rest, extent) if extent else (rest, 0)
            out.append(at)
        return tuple(reversed(out))

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= len(self):
            self.index = 0
            raise StopIteration
        element = self.base.reshape(-1)[self.index]
        self.index += 1
        return element.copy()

    def copy(self):
        """The elements as a new 1-D array."""
        return self.base.flatten()

    def __array__(self, dtype=None, copy=None):
        return self.copy().__array__(dtype, copy)

    def __getitem__(self, key):
        key = _only(key)
        flat = self.base.reshape(-1)
        if isinstance(key, bool):
            return (flat[0] if key else flat[:0]).copy()
        return flat[key].copy()

    def __setitem__(self, key, value):
        flat = self.base.reshape(-1)
        view = flat.shares_memory(self.base)
        key = _only(key)
        if isinstance(key, bool):
            key = slice(0, int(key))
        count = flat[key].size
        value = _array.operand(value, self.base._device)
        if value.ndim and count:
            flat[key] = _repeated(value.reshape(-1), count).reshape(flat[key].shape)
        elif count:
            flat[key] = value
        if not view:
            self.base[...] = flat.reshape(self.base.shape)


def _repeated(value, count):
    """The first `count` of the elements repeated without end, as assigning to .flat takes them."""
    if not value.size:
        raise ValueError("cannot assign an empty array to elements of .flat")
    from ._manip import tile

    return value[:count] if value.size >= count else tile(value, -(-count // value.size))[:count]


def _only(key):
    """A key of one dimension: a tuple may hold one item."""
    if isinstance(key, tuple):
        if len(key) != 1:
            raise IndexOutOfRangeError(f".flat is indexed by one item, not {len(key)}")
        key = key[0]
    if key is None or isinstance(key, (float, numpy.bool_)):
        raise IndexOutOfRangeError(f".flat is indexed by integers, slices or arrays, not {key!r}")
    return key


def _comparison(name):
    def compare(self, other):
        return getattr(self.base.reshape(-1), name)(other.copy() if isinstance(other, FlatIterator) else other)

    return compare


for _name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(FlatIterator, _name, _comparison(_name))
