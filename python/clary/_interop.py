"""NumPy's dispatch protocols: its functions, given Clary arrays, run here."""
import numpy

import clary

from ._array import Array, asnumpy
from ._ufunc import by_name, store

_METHODS = ("reduce", "accumulate", "outer", "at", "reduceat")
# Functions that change their first argument, which may be NumPy's.
_IN_PLACE = ("copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal")


def _is_foreign(value):
    """Whether the value's class has an opinion of its own about NumPy's functions."""
    own = getattr(type(value), "__array_ufunc__", numpy.ndarray.__array_ufunc__)
    return own is not numpy.ndarray.__array_ufunc__ and own is not Array.__array_ufunc__


def _hosted(value):
    return asnumpy(value) if isinstance(value, Array) else value


def array_ufunc(ufunc, method, inputs, kwargs):
    """Runs a NumPy ufunc, or a method of it, by the function of the same name here."""
    out = kwargs.pop("out", ())
    if any(_is_foreign(value) for value in (*inputs, *out)):
        return NotImplemented
    function = (by_name if ufunc.signature is None else clary._products.public).get(ufunc.__name__)
    if function is None or (ufunc.signature is not None and method != "__call__"):
        return NotImplemented
    if method == "at" and not isinstance(inputs[0], Array):
        key = tuple(map(_hosted, inputs[1])) if isinstance(inputs[1], tuple) else _hosted(inputs[1])
        return ufunc.at(inputs[0], key, *map(_hosted, inputs[2:]))
    if method != "__call__":
        if method not in _METHODS:
            return NotImplemented
        function = getattr(function, method)
    if not out:
        return function(*inputs, **kwargs)
    if len(out) == 1 and isinstance(out[0], Array):
        return function(*inputs, out=out[0], **kwargs)
    if len(out) == 1 and kwargs.get("where", True) is not True and method == "__call__":
        kept = clary.asarray(out[0])
        return store(function(*inputs, out=kept, **kwargs), out[0], "unsafe")
    result = function(*inputs, **kwargs)
    if len(out) == 1:
        return store(result, out[0], kwargs.get("casting", "same_kind"))
    return tuple(r if o is None else store(r, o) for r, o in zip(result, out))


def array_function(func, types, args, kwargs):
    """Runs a NumPy function by the function of the same name here, if there is one."""
    module = getattr(func, "__module__", "")
    homes = {"numpy": clary, "numpy.linalg": clary.linalg, "numpy.fft": clary.fft,
             "numpy.lib.stride_tricks": clary.lib.stride_tricks}
    if module not in homes:
        return NotImplemented
    if not all(issubclass(t, (Array, numpy.ndarray)) for t in types):
        return NotImplemented
    name, home = func.__name__, homes[module]
    if name in _IN_PLACE and args and isinstance(args[0], numpy.ndarray):
        return func(*map(_hosted, args), **{key: _hosted(value) for key, value in kwargs.items()})
    function = getattr(home, name, None) if name in home.__all__ else None
    if function is None:
        raise TypeError(f"{module}.{name} is not provided for Clary arrays; clary.asnumpy(a) gives a NumPy array")
    kwargs = {k: v for k, v in kwargs.items() if v is not numpy._NoValue}
    return function(*args, **kwargs)
