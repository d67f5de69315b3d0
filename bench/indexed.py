"""Work on indices: sorting, gathering, scattering, searching and counting, in milliseconds beside other libraries.

Each case is a function of a namespace like NumPy's and of the arrays, and the same for PyTorch where its names
differ. Part of `./dev bench`.
"""
import numpy


class Indexed:
    """function(xp, *arrays of the names in `data`); torch(torch, *arrays), None: PyTorch has no such function."""

    def __init__(self, name, data, function, torch):
        self.name, self.data, self.function, self.torch = name, data.split(), function, torch


def _add_at(xp, zeros, index, values):
    out = zeros + 0
    xp.add.at(out, index, values)
    return out


INDEXED = [
    Indexed("sort float32", "floats", lambda xp, a: xp.sort(a), lambda t, a: t.sort(a).values),
    Indexed("sort int64", "integers", lambda xp, a: xp.sort(a), lambda t, a: t.sort(a).values),
    Indexed("argsort float32", "floats", lambda xp, a: xp.argsort(a, kind="stable"),
            lambda t, a: t.argsort(a, stable=True)),
    Indexed("sort rows of 1000", "rows", lambda xp, a: xp.sort(a), lambda t, a: t.sort(a).values),
    Indexed("a[index]", "floats index", lambda xp, a, i: a[i], lambda t, a, i: a[i]),
    Indexed("a[a > 0.5]", "floats", lambda xp, a: a[a > 0.5], lambda t, a: a[a > 0.5]),
    Indexed("nonzero", "flags", lambda xp, a: xp.nonzero(a)[0], lambda t, a: t.nonzero(a)[:, 0]),
    Indexed("searchsorted", "sorted floats", lambda xp, a, v: xp.searchsorted(a, v),
            lambda t, a, v: t.searchsorted(a, v)),
    Indexed("bincount of 1000", "small", lambda xp, a: xp.bincount(a, minlength=1000),
            lambda t, a: t.bincount(a, minlength=1000)),
    Indexed("add.at float32", "zeros index floats", _add_at, lambda t, z, i, v: z.index_add(0, i, v)),
    Indexed("unique of 1000", "small", lambda xp, a: xp.unique(a), lambda t, a: t.unique(a)),
]


def arrays_of(n, seed=2):
    """The arrays that cases name, n elements each."""
    rng = numpy.random.default_rng(seed)
    floats = rng.random(n, dtype=numpy.float32)
    return {
        "floats": floats,
        "integers": rng.integers(-(2**62), 2**62, n),
        "rows": floats[: n // 1000 * 1000].reshape(-1, 1000),
        "index": rng.integers(0, n, n),
        "flags": floats > 0.5,
        "sorted": numpy.sort(floats[: n // 16]),
        "small": rng.integers(0, 1000, n),
        "zeros": numpy.zeros(n, numpy.float32),
    }


def runner(library, case, data):
    """The case ready to run in a library, or None."""
    if library.name == "PyTorch":
        arrays = [library.put(data[name]) for name in case.data]
        return lambda: case.torch(library.torch, *arrays)
    xp = {"Clary": "clary", "CuPy": "cupy"}.get(library.name)
    if xp is None and library.name != "NumPy":
        return None
    arrays = [library.put(data[name]) for name in case.data]
    namespace = getattr(library, xp) if xp else numpy
    return lambda: case.function(namespace, *arrays)
