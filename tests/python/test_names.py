"""NumPy's names of dtypes and helpers, and signatures: a parameter of NumPy's has the same name and place here."""
import inspect

import numpy as np
from twins import agree

import clary

# What NumPy's functions take and these do not: they concern objects, subclasses or files that are not here.
NOT_HERE = {"like", "ndmax", "start_or_stop", "subok", "newshape", "kwargs"}
# Modules whose functions this file answers for.
MODULES = ("_manip", "_split", "_pad", "_values", "_compare", "_tri", "_grid", "_edit", "_bits", "_functional", "_windows",
           "_create", "_names", "_read")


def test_helpers(tier):
    arrays = {"v": np.arange(3), "f": np.arange(3, dtype="float32"), "c": np.ones(2, "complex64"), "b": np.array([True]),
              "z": np.array(300), "h": np.ones(1, "float16")}
    agree(tier, """
        np.min_scalar_type(10)
        np.min_scalar_type(-300)
        np.min_scalar_type(3.5)
        np.min_scalar_type(v)
        np.min_scalar_type(z)
        np.common_type(v)
        np.common_type(f)
        np.common_type(f, v)
        np.common_type(f, c)
        np.common_type(v, c)
        np.common_type(h, h)
        np.common_type(b)
        np.mintypecode(["f", "d"])
        np.issubdtype(v.dtype, np.integer)
        np.issubdtype(f.dtype, np.complexfloating)
        np.base_repr(13, 3)
        np.binary_repr(-3, width=5)
        np.format_float_positional(0.1)
        np.euler_gamma
        np.dtype(np.half), np.dtype(np.intc), np.dtype(np.ubyte), np.dtype(np.cdouble)
    """, arrays, keep=1)
    assert clary.issubdtype(clary.bfloat16, clary.floating) and clary.issubdtype(clary.bfloat16, clary.bfloat16)
    assert not clary.issubdtype(clary.bfloat16, clary.integer) and not clary.issubdtype(np.float32, clary.bfloat16)
    with clary.errstate(divide="raise"):
        assert float(clary.array(1.0) / 0) == np.inf  # accepted; nothing here warns or raises


def _functions():
    for module in MODULES:
        for name, ours in sorted(getattr(clary, module).public.items()):
            theirs = getattr(np, name, None)
            if ours is theirs or not inspect.isfunction(ours):
                continue
            try:
                yield name, inspect.signature(ours), inspect.signature(theirs)
            except (TypeError, ValueError):
                continue  # NumPy's has no signature to compare with


def _difference(ours, theirs):
    """What a program written for NumPy's signature would find missing, or at another place; else None."""
    here, place = list(ours.parameters.values()), 0
    named = {p.name: p for p in here}
    for p in theirs.parameters.values():
        if p.name in NOT_HERE and (p.name not in named or p.kind is p.VAR_KEYWORD):
            continue
        if p.name not in named:
            return f"there is no {p.name}"
        mine = named[p.name]
        if p.kind is p.KEYWORD_ONLY:
            if mine.kind is p.POSITIONAL_ONLY:
                return f"{p.name} cannot be named"
            continue
        if here[place] is not mine and "start_or_stop" not in theirs.parameters:
            return f"{p.name} is at another place"
        if mine.kind not in (p.kind, p.POSITIONAL_OR_KEYWORD):
            return f"{p.name} is of another kind"
        if isinstance(p.default, (bool, int, float, str)) and mine.default != p.default:
            return f"{p.name} is {mine.default!r} by default"
        place += 1
    return None


def test_signatures():
    # clip's bounds: the standard wants the names min and max in the places where NumPy has a_min and a_max; both
    # have all four names. genfromtxt reads numbers only.
    found = [f"{name}{ours}: {_difference(ours, theirs)}; NumPy has {name}{theirs}"
             for name, ours, theirs in _functions() if name not in ("clip", "genfromtxt") and _difference(ours, theirs)]
    assert not found, "\n".join(found)
    assert sum(1 for _ in _functions()) > 100
