"""A pytest plugin that puts Clary in CuPy's place for CuPy's own tests.

$CLARY_CUPY is the checkout. `import cupy` then gives Clary's namespace; `cupy.testing` is the checkout's
own, since the tests are written with it; whatever else the tests import from CuPy at collection (CUDA,
accelerators, kernels) is a stand-in that skips the test which really calls it.
"""
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import math
import os
import pathlib
import sys
import types

import numpy
import pytest

import clary

CHECKOUT = pathlib.Path(os.environ["CLARY_CUPY"])
ROOTS = ("cupy", "cupyx", "cupy_backends")


class Absent:
    """A name of CuPy about CUDA or CuPy's insides: false, has every attribute, skips the test that calls it (not
    the module that is being imported)."""

    def __init__(self, path):
        self._path = path

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._path}.{name}")

    def __repr__(self):  # without an address: it goes into names of tests, which all processes must agree on
        return f"<{self._path}>"

    def __call__(self, *args, **kwargs):
        if "PYTEST_CURRENT_TEST" not in os.environ:
            return Absent(f"{self._path}()")
        pytest.skip(f"excluded: concerns CUDA or CuPy's insides: {self._path}")

    def __bool__(self):
        return False

    def __enter__(self):
        self()

    def __exit__(self, *exc):
        pass

    def __mro_entries__(self, bases):
        return (object,)


# What tests ask at collection, or of Clary in other words. The rest of a module is Absent.
KNOWN = {
    "cupy.cuda": {"get_local_runtime_version": lambda: 0},
    "cupy.cuda.runtime": {"is_hip": False, "runtimeGetVersion": lambda: 0, "driverGetVersion": lambda: 0},
    "cupy.cuda.driver": {"get_build_version": lambda: 0},
    "cupy.cuda.cub": {"available": lambda: False},
    "cupy.cuda.cutensor": {"available": lambda: False},
    "cupy._core": {"ndarray": clary.Array, "array": clary.array},
    "cupy._core.core": {"ndarray": clary.Array, "array": clary.array},
    "cupy._core._accelerator": {
        "get_routine_accelerators": list, "get_reduction_accelerators": list,
        "set_routine_accelerators": lambda names: None, "set_reduction_accelerators": lambda names: None},
    "cupy._core.internal": {"prod": math.prod},
    "cupy._util": {"ENABLE_SLICE_COPY": False, "PerformanceWarning": RuntimeWarning},
    "cupyx": {"allow_synchronize": lambda allowed: contextlib.nullcontext()},
    "cupyx.scipy.sparse": {"issparse": lambda a: False},
}
NAMESPACES = {f"cupy.{name}": getattr(clary, name) for name in ("linalg", "fft", "lib")}
# Names of CuPy's main namespace that NumPy has not.
CUPY_ONLY = ("ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel", "fuse", "memoize", "clear_memo",
             "get_default_memory_pool", "get_default_pinned_memory_pool", "show_config", "is_available",
             "disable_experimental_feature_warning", "scatter_add", "fromDlpack")


class StandIn(types.ModuleType):
    """A module that answers from KNOWN or Clary's namespace, else by Absent."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        path = f"{self.__name__}.{name}"
        known = KNOWN.get(self.__name__, {})
        if name in known:
            return known[name]
        if self.__name__ in NAMESPACES and not name.startswith("_"):
            return getattr(NAMESPACES[self.__name__], name)
        return importlib.import_module(path) if path in KNOWN else Absent(path)


class States:
    """Clary's random module with the state that cupy.testing saves and restores around seeded tests. NumPy draws what
    Clary does not."""

    def __init__(self):
        self._generator = types.SimpleNamespace(_random_states={})

    def reset_states(self):
        self._generator._random_states = {}

    def seed(self, seed=None):
        self._generator._random_states = {0: seed}

    def __getattr__(self, name):
        if hasattr(clary.random, name):
            return getattr(clary.random, name)
        draw = getattr(numpy.random, name)
        return lambda *args, **kwargs: clary.asarray(draw(*args, **kwargs))


class Cupy(types.ModuleType):
    """Clary's namespace under CuPy's name."""

    __path__ = []
    __version__ = "14.0.0"
    ndarray = clary.Array
    exceptions = numpy.exceptions
    random = States()

    @staticmethod
    def get_array_module(*args):
        return sys.modules["cupy"] if any(isinstance(a, clary.Array) for a in args) else numpy

    @staticmethod
    def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
        host = numpy.asarray(clary.asnumpy(a), order=order)
        if out is None:
            return host
        out[...] = host
        return out

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in CUPY_ONLY:
            return Absent(f"cupy.{name}")
        if name == "testing" or name.startswith("_") or name == "cuda":
            return importlib.import_module(f"cupy.{name}")
        try:
            return getattr(clary, name)
        except AttributeError:
            raise AttributeError(f"clary has no {name}") from None


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds cupy, cupyx and cupy_backends: here, but for cupy.testing, which is the checkout's."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in ROOTS:
            return None
        if name == "cupy.testing" or name.startswith("cupy.testing."):
            file = CHECKOUT / (name.replace(".", "/") + ".py")
            if name == "cupy.testing":
                folder = CHECKOUT / "cupy" / "testing"
                return importlib.util.spec_from_file_location(name, folder / "__init__.py",
                                                              submodule_search_locations=[str(folder)])
            return importlib.util.spec_from_file_location(name, file)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        if spec.name == "cupy":
            return Cupy("cupy")
        if spec.name == "cupy.exceptions":
            return numpy.exceptions
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, Finder())
clary.Array.get = lambda self, stream=None, order="C", out=None, blocking=True: Cupy.asnumpy(self, order=order, out=out)
