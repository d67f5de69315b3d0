"""What every module of the package uses: errors, and calling the C library.

A failing C call leaves a status and a sentence; `failure` turns them into an exception whose class says
what kind of failure it is and is also the built-in class that NumPy raises for it.
"""
import numpy

from ._clary import ffi, lib

NULL = ffi.NULL


class Error(Exception):
    """Base of every error that Clary raises."""


class ArgumentError(Error, ValueError):
    """An argument makes no sense."""


class ShapeError(Error, ValueError):
    """Shapes do not fit together."""


class DTypeError(Error, TypeError):
    """Dtypes do not fit the operation."""


class AxisError(Error, numpy.exceptions.AxisError):
    """An axis is out of range (a ValueError and an IndexError)."""


class IndexOutOfRangeError(Error, IndexError):
    """An index is out of range."""


class RangeError(Error, OverflowError):
    """A value does not fit the dtype."""


class OutOfMemoryError(Error, MemoryError):
    """Device or host memory is exhausted."""


class DeviceError(Error, RuntimeError):
    """The device or its driver failed."""


class NoDeviceError(DeviceError):
    """No device answers to the selector."""


class DeviceMismatchError(Error, ValueError):
    """Arrays live on different devices."""


class BuildError(DeviceError):
    """A kernel did not compile."""


class UnsupportedError(Error, NotImplementedError):
    """The device, or this version, cannot do it."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class FormatError(Error, ValueError):
    """A file is not what it claims to be."""


class ReadOnlyError(Error, ValueError):
    """The array is read-only."""


class SharingError(Error, BufferError):
    """Memory cannot be shared as asked for."""


class InternalError(Error, RuntimeError):
    """An internal invariant does not hold; please report it."""


for _class in [Error, *Error.__subclasses__(), *DeviceError.__subclasses__()]:
    _class.__module__ = "clary"  # where users find them

_CLASSES = {
    lib.CLARY_INVALID_ARGUMENT: ArgumentError,
    lib.CLARY_SHAPE_MISMATCH: ShapeError,
    lib.CLARY_DTYPE_MISMATCH: DTypeError,
    lib.CLARY_INDEX_OUT_OF_RANGE: IndexOutOfRangeError,
    lib.CLARY_AXIS_OUT_OF_RANGE: AxisError,
    lib.CLARY_OVERFLOW: RangeError,
    lib.CLARY_OUT_OF_MEMORY: OutOfMemoryError,
    lib.CLARY_NO_DEVICE: NoDeviceError,
    lib.CLARY_DEVICE_MISMATCH: DeviceMismatchError,
    lib.CLARY_DEVICE_ERROR: DeviceError,
    lib.CLARY_BUILD_FAILED: BuildError,
    lib.CLARY_UNSUPPORTED: UnsupportedError,
    lib.CLARY_IO_ERROR: FileError,
    lib.CLARY_BAD_FORMAT: FormatError,
    lib.CLARY_READ_ONLY: ReadOnlyError,
}


def text(pointer):
    """The C string at `pointer` as str."""
    return ffi.string(pointer).decode("utf-8", "replace")


def failure(status=None):
    """The exception for the last failing call of this thread; `status` None: of the last shim."""
    if status is None:
        status = lib.clary_py_status()
    return _CLASSES.get(status, InternalError)(text(lib.clary_last_error()))


def check(status):
    if status:
        raise failure(status)


_HANDLE = ffi.typeof("clary_array *[1]")


def call(function, *args):
    """function(*args, &out): the new handle. Arrays may be given for their handles: `args` keeps them alive,
    while `f(...)._h` outlives its array and must never be passed."""
    out = ffi.new(_HANDLE)
    status = function(*[getattr(a, "_h", a) for a in args], out)
    if status:
        raise failure(status)
    return out[0]
