"""NumPy's files, read and written by the library: .npy and .npz."""
import collections.abc
import os

from ._array import wrap
from ._core import NULL, FileError, call, check, ffi, lib
from ._create import asarray
from ._device import handle as device_handle
from ._ufunc import operands


class MissingFileError(FileError, FileNotFoundError):
    """The file does not exist."""


def _path(file, suffix=""):
    if hasattr(file, "read") or hasattr(file, "write"):
        raise TypeError("give a path, not an open file: the library reads and writes files itself")
    path = os.fsencode(file)
    return path if not suffix or path.endswith(suffix.encode()) else path + suffix.encode()


def _existing(path):
    if not os.path.exists(path):
        raise MissingFileError(2, "No such file", os.fsdecode(path))
    return path


class NpzFile(collections.abc.Mapping):
    """The arrays of an .npz by name; each is read when asked for."""

    def __init__(self, path, device=None):
        self._path, self._device = path, device
        count, names = ffi.new("int *"), ffi.new("char ***")
        check(lib.clary_list_npz(path, count, names))
        try:
            self.files = [ffi.string(names[0][i]).decode("utf-8", "replace") for i in range(count[0])]
        finally:
            lib.clary_free(names[0])

    def __getitem__(self, name):
        if name not in self.files:
            raise KeyError(f"{name} is not a file in the archive {os.fsdecode(self._path)}")
        return wrap(call(lib.clary_load_npz, device_handle(self._device), self._path, name.encode()))

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return None

    def close(self):
        """Nothing is held open."""

    def __repr__(self):
        return f"NpzFile {os.fsdecode(self._path)!r} with keys: {', '.join(self.files)}"


def load(file, *, device=None):
    """The array of an .npy, or a mapping from names to the arrays of an .npz."""
    path = _existing(_path(file))
    with open(path, "rb") as stream:
        start = stream.read(4)
    if start in (b"PK\x03\x04", b"PK\x05\x06"):
        return NpzFile(path, device)
    return wrap(call(lib.clary_load_npy, device_handle(device), path))


def save(file, arr):
    """Writes an array as .npy; the suffix is added where it is missing."""
    array = asarray(arr)
    check(lib.clary_save_npy(_path(file, ".npy"), array._h))


def _save_all(file, args, named, compress):
    for i, value in enumerate(args):
        if f"arr_{i}" in named:
            raise ValueError(f"savez: arr_{i} names both a positional and a keyword array")
        named[f"arr_{i}"] = value
    arrays = operands(named.values())
    names = [ffi.new("char[]", name.encode()) for name in named]
    check(lib.clary_save_npz(_path(file, ".npz"), names or NULL, [a._h for a in arrays] or NULL, len(names), compress))


def savez(file, *args, **kwds):
    """Writes arrays as .npz: positional ones are named arr_0, arr_1, ..."""
    _save_all(file, args, kwds, False)


def savez_compressed(file, *args, **kwds):
    """As savez, compressed."""
    _save_all(file, args, kwds, True)


public = {f.__name__: f for f in (load, save, savez, savez_compressed)}
