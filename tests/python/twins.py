"""One program text run twice, by NumPy and by Clary: results, dtypes and errors must agree.

A program is an expression of `np` and of named arrays, or statements followed by one (after the last ";"). What
NumPy refuses, Clary refuses with an exception of the same built-in class.
"""
import warnings

import numpy as np
from support import check

import clary

_BUILT_IN = (IndexError, KeyError, OverflowError, TypeError, ValueError, NotImplementedError)


def _run(module, program, arrays):
    names = {"np": module, **arrays}
    *statements, last = program.split("; ")
    for statement in statements:
        exec(statement, names)
    return eval(last, names)


def _compare(ours, theirs, rtol):
    if isinstance(theirs, (tuple, list)) and not all(isinstance(t, (bool, int, float)) for t in theirs):
        assert isinstance(ours, (tuple, list)), f"{type(ours).__name__}, NumPy has {type(theirs).__name__}"
        assert len(ours) == len(theirs), f"{len(ours)} results, NumPy has {len(theirs)}"
        for pair in zip(ours, theirs):
            _compare(*pair, rtol)
    elif isinstance(theirs, (np.ndarray, np.generic)):
        check(ours, theirs, rtol=rtol, atol=rtol)
    else:
        assert ours == theirs, f"{ours}, NumPy has {theirs}"


def disagreement(program, arrays, rtol=0.0):
    """What differs between NumPy and Clary, as text; None if nothing does."""
    wanted = error = None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            wanted = _run(np, program, {name: a.copy() for name, a in arrays.items()})
        except Exception as refused:
            if "module 'numpy' has no attribute" in str(refused):
                return None  # a name that this NumPy dropped, or does not have yet
            error = refused
        try:
            got = _run(clary, program, {name: clary.array(a) for name, a in arrays.items()})
            if error is None:
                _compare(got, wanted, rtol)
                return None
            return f"{program}: NumPy raises {error!r}, Clary gives {got}"
        except AssertionError as difference:
            return f"{program}: {difference}"
        except Exception as refused:
            if error is None:
                return f"{program}: {refused!r}"
            kinds = [kind for kind in _BUILT_IN if isinstance(error, kind)]
            if kinds and all(isinstance(refused, kind) for kind in kinds):
                return None
            return f"{program}: NumPy raises {error!r}, Clary {refused!r}"


def agree(tier, programs, arrays, rtol=0.0, keep=4):
    """Every program (one a line) means the same to both; all differences are told at once."""
    lines = [line.strip() for line in programs.strip().splitlines() if line.strip()]
    found = [disagreement(line, arrays, rtol) for line in tier.sample(lines, keep)]
    found = [text for text in found if text]
    assert not found, f"{len(found)} of {len(lines)} programs differ:\n" + "\n".join(found[:12])
