"""What other code asks of an array: NumPy's and the array API's protocols, copying, pickling, text."""

import clary

from ._core import lib
from ._dtypes import BFLOAT16

API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


class Protocols:
    """The protocols of Array."""

    __slots__ = ()

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("a Clary array cannot be seen by NumPy without a copy")
        out = clary.asnumpy(self)
        return out if dtype is None else out.astype(dtype, copy=False)

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
