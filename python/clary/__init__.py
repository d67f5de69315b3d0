"""Clary: portable N-dimensional arrays on any OpenCL device, and without one.

    import clary as np

NumPy's names mean here what they mean there. Operations are recorded and run, fused, when a value is
needed. Element-wise functions and reductions come from the library's own tables.
"""
from math import e, inf, nan, pi

from numpy import (bool_, complex64, complex128, float16, float32, float64, int8, int16, int32, int64, uint8, uint16,
                   uint32, uint64)
from numpy import bool, double, dtype, intp, single, uintp

from . import (
    _array,
    _bits,
    _compare,
    _core,
    _create,
    _device,
    _dlpack,
    _edit,
    _flags,
    _flat,
    _format,
    _functional,
    _grid,
    _histogram,
    _interop,
    _io,
    _manip,
    _names,
    _numeric,
    _pad,
    _poly,
    _products,
    _quantiles,
    _read,
    _reduce,
    _select,
    _sets,
    _sort,
    _split,
    _tri,
    _ufunc,
    _values,
    _windows,
    fft,
    lib,
    linalg,
    random,
)
from ._array import Array, asnumpy
from ._core import (ArgumentError, AxisError, BuildError, DeviceError, DeviceMismatchError, DTypeError, Error,
                    FileError, FormatError, IndexOutOfRangeError, InternalError, NoDeviceError, OutOfMemoryError,
                    RangeError, ReadOnlyError, ShapeError, SharingError, UnsupportedError)
from ._device import (Counters, Device, DeviceInfo, MemoryStats, counters, default_device, device, devices,
                      diagnosis, eval, get_jit, reset_counters, set_device, set_jit, synchronize)
from ._dtypes import bfloat16, can_cast, finfo, iinfo, isdtype, promote_types, result_type
from ._info import __array_namespace_info__

__version__ = _core.text(_core.lib.clary_version())
__array_api_version__ = "2025.12"

newaxis = None
ndarray = Array
ufunc = _ufunc.ufunc

for _module in (
    _ufunc,
    _reduce,
    _create,
    _manip,
    _split,
    _pad,
    _values,
    _compare,
    _tri,
    _grid,
    _edit,
    _bits,
    _functional,
    _windows,
    _read,
    _names,
    _select,
    _sort,
    _io,
    _products,
    _numeric,
    _quantiles,
    _sets,
    _histogram,
    _poly,
    _format,
    _dlpack,
):
    globals().update(_module.public)

__all__ = sorted(name for name in globals() if not name.startswith("_"))
