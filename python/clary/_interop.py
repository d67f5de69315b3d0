"""NumPy's dispatch protocols: its functions, given Clary arrays, run here."""
import numpy

from . import _products
from ._array import Array
from ._ufunc import by_name, store

_METHODS = ("reduce", "accumulate", "outer")



def array_ufunc(ufunc, method, inputs, kwargs):
    """Runs a NumPy ufunc, or a method of it, by the function of the same name here."""
    function = (by_name if ufunc.signature is None else _products.public).get(ufunc.__name__)
    if function is None or (ufunc.signature is not None and method != "__call__"):
        return NotImplemented
    if method != "__call__":
        if method not in _METHODS or function.nout != 1:
            return NotImplemented
        function = getattr(function, method)
    out = kwargs.pop("out", None)
    if method in ("reduce", "accumulate") and kwargs.get("where", True) is True:
        kwargs.pop("where", None)
    if out is None:
        return function(*inputs, **kwargs)
    if len(out) == 1 and isinstance(out[0], Array):
        return function(*inputs, out=out[0], **kwargs)
    result = function(*inputs, **kwargs)
    if len(out) == 1:
        return store(result, out[0], kwargs.get("casting", "same_kind"))
    return tuple(r if o is None else store(r, o) for r, o in zip(result, out))


def array_function(func, types, args, kwargs):
    """Runs a NumPy function by the function of the same name here, if there is one."""
    import clary

    module = getattr(func, "__module__", "")
    homes = {"numpy": clary, "numpy.linalg": clary.linalg, "numpy.fft": clary.fft}
    if module not in homes:
        return NotImplemented
    if not all(issubclass(t, (Array, numpy.ndarray)) for t in types):
        return NotImplemented
    home = homes[module]
    name = func.__name__
    function = getattr(home, name, None) if name in home.__all__ else None
    if function is None:
        raise TypeError(f"{module}.{name} is not provided for Clary arrays; clary.asnumpy(a) gives a NumPy array")
    kwargs = {k: v for k, v in kwargs.items() if v is not numpy._NoValue}
    return function(*args, **kwargs)
