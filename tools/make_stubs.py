"""Writes python/clary/__init__.pyi: the types of the package, read from the package itself.

    ./dev python tools/make_stubs.py

Parameters come from the signatures; their types from the tables below, by name. A test compares the
file with what this makes.
"""
import inspect
import pathlib

import clary

OUTPUT = pathlib.Path(__file__).resolve().parents[1] / "python" / "clary" / "__init__.pyi"

HEAD = '''\
# Made by tools/make_stubs.py. Do not edit.
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from types import EllipsisType
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, SupportsIndex, Union

import numpy

from . import fft as fft, lib as lib, linalg as linalg, random as random

Scalar = Union[bool, int, float, complex, numpy.generic]
ArrayLike = Union["Array", numpy.ndarray, Scalar, Sequence[Any]]
DType = Union[numpy.dtype, type, str, "BFloat16"]
Shape = Union[SupportsIndex, Sequence[SupportsIndex]]
Axis = Union[SupportsIndex, Sequence[SupportsIndex], None]
Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
Selector = Union["Device", str, int, None]
Path = Union[str, bytes, "PathLike[str]"]
Key = Union[SupportsIndex, slice, EllipsisType, None, "Array", numpy.ndarray, tuple[Any, ...]]
Out = Union["Array", numpy.ndarray, tuple[Any], None]

'''

# Types of parameters, by name; what is not here is Any.
PARAMETERS = {
    "a": "ArrayLike", "x": "ArrayLike", "m": "ArrayLike", "b": "ArrayLike", "A": "ArrayLike", "ary": "ArrayLike",
    "array": "ArrayLike", "a1": "ArrayLike", "a2": "ArrayLike", "v": "ArrayLike", "arr": "ArrayLike",
    "arrays": "Sequence[ArrayLike]", "tup": "Sequence[ArrayLike]", "xi": "ArrayLike", "obj": "Any", "other": "Any",
    "axis": "Axis", "axis1": "int", "axis2": "int", "axes": "Any", "source": "Axis", "destination": "Axis",
    "dtype": "DType | None", "out": "Out", "keepdims": "bool", "casting": "Casting", "copy": "bool | None",
    "shape": "Shape", "shapes": "Shape", "reps": "Shape", "order": "Any", "device": "Selector", "selector": "Selector",
    "initial": "Any", "where": "Any", "ddof": "float", "correction": "float | None", "file": "Path",
    "decimals": "int", "ndmin": "int", "num": "SupportsIndex", "endpoint": "bool", "retstep": "bool", "k": "int",
    "offset": "int", "n": "int", "rtol": "float", "atol": "float", "equal_nan": "bool", "indexing": "str",
    "sparse": "bool", "mode": "str", "include_initial": "bool", "seed": "Any", "size": "Shape | None",
    "fill_value": "ArrayLike", "n_rows": "int", "n_cols": "int | None", "M": "int | None", "N": "int",
    "min": "Any", "max": "Any", "name": "str", "nbytes": "int", "high": "float", "low": "float",
}
# Results that are not one Array, by function.
RESULTS = {
    "can_cast": "bool", "isdtype": "bool", "allclose": "bool", "array_equal": "bool", "may_share_memory": "bool",
    "shares_memory": "bool", "iscomplexobj": "bool", "isrealobj": "bool", "isscalar": "bool", "shape": "tuple[int, ...]",
    "broadcast_shapes": "tuple[int, ...]", "ndim": "int", "size": "int", "asnumpy": "numpy.ndarray", "eval": "Any",
    "synchronize": "None", "counters": "Counters", "reset_counters": "None", "set_jit": "str", "get_jit": "str",
    "devices": "list[DeviceInfo]", "device": "Device", "default_device": "Device", "set_device": "Device",
    "diagnosis": "str", "save": "None", "savez": "None", "savez_compressed": "None", "load": "Array | Mapping[str, Array]",
    "copyto": "None", "broadcast_arrays": "tuple[Array, ...]", "array_split": "list[Array]", "split": "list[Array]",
    "unstack": "tuple[Array, ...]", "meshgrid": "tuple[Array, ...]", "iinfo": "numpy.iinfo",
    "result_type": "numpy.dtype | BFloat16", "promote_types": "numpy.dtype | BFloat16", "atleast_1d": "Any",
    "atleast_2d": "Any", "atleast_3d": "Any", "linspace": "Any", "array2string": "str", "array_repr": "str",
    "array_str": "str", "format_float_positional": "str", "format_float_scientific": "str", "get_printoptions": "Any",
    "set_printoptions": "None", "printoptions": "Any",
    "unique": "Any", "unique_all": "Any", "unique_counts": "Any", "unique_inverse": "Any", "intersect1d": "Any",
    "average": "Any", "gradient": "Any", "histogram": "tuple[Array, Array]", "top_k": "tuple[Array, Array]",
    "histogram2d": "tuple[Array, Array, Array]", "histogramdd": "tuple[Array, tuple[Array, ...]]",
    "poly": "Any", "polyval": "Any", "polyadd": "Any", "polysub": "Any", "polymul": "Any", "polydiv": "tuple[Any, Any]",
    "polyder": "Any", "polyint": "Any", "polyfit": "Any",
}
METHOD_RESULTS = {
    "item": "Any", "tolist": "Any", "fill": "None", "shares_memory": "bool", "__len__": "int", "__bool__": "bool",
    "__float__": "float", "__int__": "int", "__complex__": "complex", "__index__": "int", "__iter__": "Iterator[Array]",
    "__contains__": "bool", "__repr__": "str", "__str__": "str", "__format__": "str", "__setitem__": "None",
    "__array__": "numpy.ndarray", "__array_namespace__": "Any", "__array_ufunc__": "Any", "__array_function__": "Any",
    "__divmod__": "tuple[Array, Array]", "__rdivmod__": "tuple[Array, Array]", "__reduce__": "Any",
    "memory": "MemoryStats",
    "nonzero": "tuple[Array, ...]", "put": "None", "sort": "None", "partition": "None",
    "tobytes": "bytes", "__bytes__": "bytes",
    "tofile": "None", "dump": "None", "dumps": "bytes", "setflags": "None", "data": "memoryview",
    "resize": "None", "__dlpack__": "Any", "__dlpack_device__": "tuple[int, int]",
    "set_memory_limit": "None", "trim": "None", "synchronize": "None", "__enter__": "Device",
    "__exit__": "None", "__hash__": "int",
}
PROPERTIES = {
    "shape": "tuple[int, ...]", "strides": "tuple[int, ...]", "dtype": "Any", "ndim": "int", "size": "int",
    "itemsize": "int", "nbytes": "int", "c_contiguous": "bool", "writeable": "bool", "device": "Device",
    "flat": "Any", "flags": "Any", "base": "Union[Array, None]", "data": "memoryview",
    "info": "DeviceInfo", "name": "str", "platform": "str", "type": "str",
}
FIELDS = {bool: "bool", int: "int", str: "str"}


def parameters(function, method=False):
    """The parameter list of a function, with types by name."""
    listed, star = [], False
    items = list(inspect.signature(function).parameters.values())
    for i, p in enumerate(items):
        if method and i == 0:
            listed.append("self")
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            listed.append("*")
            star = True
        kind = PARAMETERS.get(p.name, "Any")
        text = f"{p.name}: {kind}"
        if p.kind is p.VAR_POSITIONAL:
            text, star = f"*{p.name}: {PARAMETERS.get(p.name, 'Any')}", True
        elif p.kind is p.VAR_KEYWORD:
            text = f"**{p.name}: Any"
        elif p.default is not p.empty:
            text += " = ..."
        listed.append(text)
        if p.kind is p.POSITIONAL_ONLY and (i + 1 == len(items) or items[i + 1].kind is not p.POSITIONAL_ONLY):
            listed.append("/")
    return ", ".join(listed)


def function(name, f):
    return f"def {name}({parameters(f)}) -> {RESULTS.get(name, 'Array')}: ...\n"


def structure(kind, sample):
    lines = [f"class {kind.__name__}(NamedTuple):"]
    lines += [f"    {field}: {FIELDS[type(getattr(sample, field))]}" for field in kind._fields]
    return "\n".join(lines) + "\n\n"


def special(name):
    return name.startswith("__") and name.endswith("__")


def class_body(cls, result, skip=()):
    lines = []
    members = {name: value for part in reversed(cls.__mro__[:-1]) for name, value in vars(part).items()}
    for name, value in members.items():
        if name in skip or (name.startswith("_") and not special(name)) or name in (
                "__module__", "__slots__", "__doc__", "__weakref__", "__del__", "__dict__", "__qualname__", "__class_getitem__",
                "__firstlineno__", "__static_attributes__"):
            continue
        if isinstance(value, property):
            lines.append(f"    @property\n    def {name}(self) -> {PROPERTIES.get(name, result)}: ...")
            if value.fset:
                lines.append(f"    @{name}.setter\n    def {name}(self, value: Any) -> None: ...")
        elif name == "__hash__" and value is None:
            lines.append("    __hash__: ClassVar[None]  # type: ignore[assignment]")
        elif inspect.isfunction(value):
            returns = "None" if name == "__init__" else METHOD_RESULTS.get(name, result)
            if name in ("__eq__", "__ne__") and cls is not clary.Array:
                returns = "bool"
            comment = "  # type: ignore[override]" if name in ("__eq__", "__ne__") and cls is clary.Array else ""
            lines.append(f"    def {name}({parameters(value, method=True)}) -> {returns}: ...{comment}")
        elif name == "__array_priority__":
            lines.append("    __array_priority__: ClassVar[float]")
    return "\n".join(lines) + "\n\n"


UFUNC = '''\
class ufunc:
    __name__: str
    nin: int
    nout: int
    @property
    def nargs(self) -> int: ...
    @property
    def identity(self) -> Any: ...
    @property
    def signature(self) -> None: ...
    @property
    def types(self) -> list[str]: ...
    @property
    def ntypes(self) -> int: ...
    @property
    def kinds(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def domain(self) -> str: ...
    @property
    def ulp(self) -> int: ...
    def __call__(self, *args: Any, out: Out = ..., where: Any = ..., dtype: DType | None = ...,
                 casting: Casting = ..., order: Any = ..., subok: bool = ..., signature: Any = ...) -> Any: ...
    def resolve_dtypes(self, dtypes: Sequence[DType]) -> tuple[Any, ...]: ...
    def reduce(self, array: ArrayLike, axis: Axis = ..., dtype: DType | None = ..., out: Out = ...,
               keepdims: bool = ..., initial: Any = ..., where: Any = ...) -> Any: ...
    def accumulate(self, array: ArrayLike, axis: int = ..., dtype: DType | None = ..., out: Out = ...) -> Any: ...
    def outer(self, a: ArrayLike, b: ArrayLike, /, **kwargs: Any) -> Any: ...
    def at(self, a: Array, indices: Any, b: Any = ..., /) -> None: ...
    def reduceat(self, array: ArrayLike, indices: Any, axis: int = ..., dtype: DType | None = ...,
                 out: Out = ...) -> Array: ...

class _Two(Protocol):
    nin: int
    nout: int
    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Array, Array]: ...

class BFloat16:
    name: ClassVar[str]
    kind: ClassVar[str]
    itemsize: ClassVar[int]
    def __call__(self, value: ArrayLike = ...) -> Array: ...

'''

ARRAY_INIT = """\
    def __init__(self, shape: Shape, dtype: DType | None = ..., buffer: None = ..., offset: int = ...,
                 strides: None = ..., order: Any = ...) -> None: ...
"""


def limits():
    """The class finfo."""
    of = clary.finfo("float64")
    return "class finfo:\n    dtype: Any\n" + "".join(
        f"    {field}: {type(getattr(of, field)).__name__}\n" for field in clary.finfo._FIELDS
    ) + "    def __init__(self, dtype: Any) -> None: ...\n\n"


def stubs():
    """The text of the stub file."""
    text = HEAD + UFUNC
    text += "class Array:\n" + ARRAY_INIT + class_body(clary.Array, "Array", skip=("__init__",))
    text += structure(clary.DeviceInfo, clary.devices()[-1])
    text += structure(clary.MemoryStats, clary.device("reference").memory())
    text += structure(clary.Counters, clary.counters())
    text += "class Device:\n" + class_body(clary.Device, "Any")
    text += limits()
    rest = []
    for name in clary.__all__:
        value = getattr(clary, name)
        if isinstance(value, type) and issubclass(value, Exception):
            bases = ", ".join(b.__name__ if b.__module__ != "numpy.exceptions" else f"numpy.exceptions.{b.__name__}"
                              for b in value.__bases__)
            rest.append((0, len(value.__mro__), f"class {name}({bases}): ...\n"))
        elif isinstance(value, clary.ufunc):
            rest.append((1, 0, f"{name}: ufunc\n"))
        elif isinstance(value, clary._ufunc.composite):
            rest.append((1, 0, f"{name}: _Two\n"))
        elif inspect.isfunction(value):
            rest.append((2, 0, function(name, value)))
        elif isinstance(value, float):
            rest.append((1, 0, f"{name}: float\n"))
        elif isinstance(value, type) and value.__module__ == "numpy":
            numpy_name = value.__name__ if value.__name__ not in ("bool",) else "bool_"
            if name == "bool":  # would hide the built-in that the stubs themselves use
                continue
            rest.append((3, 0, f"{name} = numpy.{numpy_name}\n"))
    rest.sort(key=lambda item: item[:2])
    text += "".join(line for _, _, line in rest)
    text += "newaxis: None\nbfloat16: BFloat16\nndarray = Array\n__version__: str\n__array_api_version__: str\n"
    text += "def __getattr__(name: str) -> Any: ...\n"
    return text


if __name__ == "__main__":
    OUTPUT.write_text(stubs())
    print(f"wrote {OUTPUT}")
