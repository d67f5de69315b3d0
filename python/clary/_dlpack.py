"""DLPack: memory shared with other libraries, in Python's capsules.

The library does the sharing (clary/interop.h); here its structures are wrapped for Python, and the
protocol's choices of device and copy are made.
"""
import ctypes

from ._array import Array, wrap
from ._core import SharingError, UnsupportedError, call, check, ffi, lib
from ._create import asarray
from ._device import handle as device_handle

_CPU = (lib.CLARY_DL_CPU, 0)
_ON_HOST = (lib.CLARY_DL_CPU, lib.CLARY_DL_CUDA_HOST, lib.CLARY_DL_ROCM_HOST)
_LEGACY, _VERSIONED = b"dltensor", b"dltensor_versioned"  # kept alive: capsules point at their names

_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_capsule_is = ctypes.pythonapi.PyCapsule_IsValid
_capsule_is.restype, _capsule_is.argtypes = ctypes.c_int, (ctypes.py_object, ctypes.c_char_p)
_capsule_get = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_get.restype, _capsule_get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_capsule_rename = ctypes.pythonapi.PyCapsule_SetName
_capsule_rename.restype, _capsule_rename.argtypes = ctypes.c_int, (ctypes.py_object, ctypes.c_char_p)
_USED = {_LEGACY: b"used_dltensor", _VERSIONED: b"used_dltensor_versioned"}
_END = int(ffi.cast("intptr_t", ffi.addressof(lib, "clary_py_capsule_end")))


def device_of(array):
    """(device type, id) as __dlpack_device__ tells it."""
    out = ffi.new("int32_t[2]")
    lib.clary_dlpack_device(array._device, out, out + 1)
    return tuple(out)


def _tensor(function, structure, array):
    """(the exported structure, its address)"""
    out = ffi.new(structure)
    check(function(array._h, out))
    return out[0], int(ffi.cast("intptr_t", out[0]))


def export(array, stream, max_version, dl_device, copy):
    """The capsule that __dlpack__ gives."""
    if stream is not None:
        raise SharingError(f"__dlpack__: arrays of the host have no streams, but stream is {stream!r}")
    here = device_of(array)
    target = here if dl_device is None else tuple(int(n) for n in dl_device)
    copied = bool(copy)
    if target != here:
        if target != _CPU or copy is False:
            raise SharingError(f"__dlpack__: an array of device {here} cannot be exported to {target}"
                               + (" without a copy" if target == _CPU else ""))
        array, copied = array.to_device("reference"), True
    elif copy:
        array = array.copy()
    versioned = max_version is not None and tuple(max_version) >= (1, 0)
    if not versioned and not array.writeable:
        raise SharingError("__dlpack__: the array is read-only, which a consumer without max_version cannot be told")
    try:
        if not versioned:
            return _capsule_new(_tensor(lib.clary_to_dlpack, "clary_dl_managed **", array)[1], _LEGACY, _END)
        tensor, address = _tensor(lib.clary_to_dlpack_versioned, "clary_dl_versioned **", array)
    except UnsupportedError as error:
        raise SharingError(f"{error}; ask for dl_device=(1, 0) to get a copy") from None
    if copied:
        tensor.flags |= lib.CLARY_DL_IS_COPIED
    return _capsule_new(address, _VERSIONED, _END)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array on the memory of another library's array, shared where the device works on the host's memory.

    Writes through either are seen by the other. copy=None copies where sharing is impossible, False
    raises BufferError there, True always copies. Operations that read shared memory are not deferred.
    """
    if isinstance(x, Array):
        return asarray(x, device=device, copy=copy)
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"from_dlpack: {type(x).__name__} has no __dlpack__")
    options = {}
    if x.__dlpack_device__()[0] not in _ON_HOST:
        if copy is False:
            raise SharingError(f"from_dlpack: memory of device {x.__dlpack_device__()} cannot be used without a copy")
        options["dl_device"] = _CPU
    try:
        capsule = x.__dlpack__(max_version=(1, 1), **options)
    except TypeError:
        if options:
            raise SharingError("from_dlpack: the exporter cannot copy its memory to the host") from None
        capsule = x.__dlpack__()
    rule = {None: lib.CLARY_COPY_IF_NEEDED, False: lib.CLARY_COPY_NEVER, True: lib.CLARY_COPY_ALWAYS}[copy]
    return _adopt(capsule, device_handle(device), rule)


def _adopt(capsule, device, rule):
    """The array of a capsule, which is marked as used."""
    for name, structure, function in ((_VERSIONED, "clary_dl_versioned *", lib.clary_from_dlpack_versioned),
                                      (_LEGACY, "clary_dl_managed *", lib.clary_from_dlpack)):
        if _capsule_is(capsule, name):
            tensor = ffi.cast(structure, _capsule_get(capsule, name))
            try:
                array = wrap(call(function, device, tensor, rule))
            except UnsupportedError as error:
                raise SharingError(str(error)) from None
            _capsule_rename(capsule, _USED[name])
            return array
    raise TypeError("from_dlpack: __dlpack__ gave no DLPack capsule, or one that was used")


public = {"from_dlpack": from_dlpack}
