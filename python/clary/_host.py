"""Work that the host's NumPy does for now, on the arrays' data: factorisations and Fourier transforms.

One function takes Arrays there and brings the results back to the device they came from.
"""
import numpy

from ._array import Array, asnumpy
from ._core import DTypeError
from ._create import from_numpy
from ._dtypes import BFLOAT16, DTYPES


def refuse(name, arrays, dtypes):
    """DTypeError, in the name of a function, if an array has one of the dtypes."""
    for a in arrays:
        if a.dtype in dtypes:
            raise DTypeError(f"{name}: arrays of dtype {a.dtype} are not supported; cast to float32 first")


def on_host(function, *args, **kwargs):
    """function(*args, **kwargs) of NumPy, whose first argument is an Array: results live on its device."""
    refuse(function.__name__, [a for a in args if type(a) is Array], (DTYPES[BFLOAT16],))
    device = args[0]._device
    args = [asnumpy(a) if type(a) is Array else a for a in args]
    kwargs = {name: asnumpy(a) if type(a) is Array else a for name, a in kwargs.items()}
    with numpy.errstate(all="ignore"):
        result = function(*args, **kwargs)
    if isinstance(result, tuple):
        return tuple(from_numpy(numpy.asarray(r), device=device) for r in result)
    return from_numpy(numpy.asarray(result), device=device)
