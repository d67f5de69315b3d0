"""What other code asks of an array: NumPy's and the array API's protocols, copying, pickling, text."""

import numpy

import clary

from ._core import lib
from ._dtypes import BFLOAT16

API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


class Protocols:
    """The protocols of Array."""

    __slots__ = ()

    def __array__(self, dtype=None, copy=None):
        """The elements for NumPy: a copy, which later writes to either do not reach. With copy=False the memory
        itself, shared as by numpy.from_dlpack(a); ValueError where that cannot be."""
        if copy is False:
            return self._shared(dtype)
        out = clary.asnumpy(self)
        return out if dtype is None else out.astype(dtype, copy=False)

    def _shared(self, dtype):
        if dtype is not None and numpy.dtype(dtype) != self.dtype:
            raise ValueError(f"elements of {self.dtype} cannot be seen as {dtype} without a copy")
        try:
            return numpy.from_dlpack(self)
        except BufferError as error:
            raise ValueError(f"no NumPy array without a copy: {error}") from None

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """The memory as a DLPack capsule: shared until the consumer lets go."""
        return clary._dlpack.export(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self):
        """(1, 0), the host, where the device works on the host's memory; else OpenCL's."""
        return clary._dlpack.device_of(self)

    @property
    def data(self):
        """The memory as a memoryview, shared as by DLPack; BufferError where the host cannot see it."""
        return memoryview(numpy.from_dlpack(self))

    def __array_namespace__(self, *, api_version=None):
        if api_version is not None and api_version not in API_VERSIONS:
            raise ValueError(f"array API version {api_version!r} is not known; known are {', '.join(API_VERSIONS)}")
        return clary

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return clary._interop.array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        return clary._interop.array_function(func, types, args, kwargs)

    def __class_getitem__(cls, item):
        import types

        return types.GenericAlias(cls, item)

    def __bytes__(self):
        return bytes(self.item()) if not self.ndim and self.dtype.kind in "iu" else self.tobytes()

    # ---- copies ----
    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return _unpickle, (clary._array.raw(self), lib.clary_array_dtype(self._h) == BFLOAT16)

    # ---- text ----
    def __repr__(self):
        return clary.array_repr(self)

    def __str__(self):
        return clary.array_str(self)

    def __format__(self, spec):
        return format(self.item(), spec) if not self.ndim and spec else str(self)

    # ---- elements in order ----
    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __contains__(self, value):
        same = self == value
        return bool(same.any()) if isinstance(same, clary.Array) else same

    @property
    def flat(self):
        """The elements in C order: iterate, index or assign."""
        return clary._flat.FlatIterator(self)

    @flat.setter
    def flat(self, value):
        clary._flat.FlatIterator(self)[:] = value

    @property
    def flags(self):
        """Facts about the memory: c_contiguous, f_contiguous, owndata, writeable, ..."""
        return clary._flags.Flags(self)


def _unpickle(data, is_bfloat16):
    return clary._create.from_numpy(data, BFLOAT16 if is_bfloat16 else None)
