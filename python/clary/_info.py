"""What the namespace can do: the array API's inspection functions, read from the devices and the dtype table."""
from . import _device
from ._core import lib
from ._device import Device
from ._dtypes import DTYPES, NAMES, isdtype

# The dtypes the standard names; float16 and bfloat16 are ours beyond it.
_STANDARD = {name: dtype for name, dtype in zip(NAMES, DTYPES) if name not in ("float16", "bfloat16")}
_DEFAULTS = {"real floating": "float64", "complex floating": "complex128", "integral": "int64", "indexing": "int64"}


class Info:
    """The answers of __array_namespace_info__()."""

    __module__ = "clary"

    def capabilities(self):
        """What arrays can do beyond what every array library must: boolean masks, shapes that depend on data."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": lib.CLARY_PY_MAX_NDIM}

    def default_device(self):
        """The device on which arrays are made when none is named."""
        return _device.default_device()

    def devices(self):
        """Every device that can be used."""
        return tuple(Device(index) for index, info in enumerate(_device.devices()) if info.usable)

    def default_dtypes(self, *, device=None):
        """The dtype of each kind that Python scalars become where no dtype is named."""
        return {kind: _STANDARD[name] for kind, name in _DEFAULTS.items()}

    def dtypes(self, *, device=None, kind=None):
        """The standard's dtypes that a device computes in, by name: all, or those of a kind as isdtype() takes it."""
        chosen = self.default_device() if device is None else _device.device(device)
        missing = () if chosen.info.fp64 else ("float64", "complex128")
        return {name: dtype for name, dtype in _STANDARD.items()
                if name not in missing and (kind is None or isdtype(dtype, kind))}


def __array_namespace_info__():
    """The array API's inspection functions."""
    return Info()
