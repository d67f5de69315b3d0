"""Sets: distinct elements, membership, and the operations of two sets.

All of them sort and compare neighbours: a run of equal elements starts where its left neighbour differs.
NaNs are equal to nothing, unless equal_nan makes them one; they come last, so they are neighbours.
"""
from typing import NamedTuple

from . import _manip, _select, _sort, _split
from ._array import Array
from ._core import ArgumentError
from ._create import arange, asarray, empty, full, zeros
from ._dtypes import result_type
from ._numeric import axis_of
from ._reduce import any as any_
from ._reduce import array_of, cumsum, kind_of
from ._ufunc import by_name


# ---- distinct elements ----
def _starts(a, equal_nan):
    """A mask of the first element of each run of equal ones in the sorted lines of `a` (axis 0)."""
    differs = a[1:] != a[:-1]
    if a.ndim > 1:
        differs = any_(differs, tuple(range(1, a.ndim)))
    elif equal_nan and kind_of(a) in "fc":
        differs &= (by_name["isnan"](a[1:]) & by_name["isnan"](a[:-1])) ^ True
    mask = full(a.shape[:1], True, device=a._device)
    mask[1:] = differs
    return mask


def _distinct(a, index, inverse, counts, equal_nan, ordering=None):
    """[values, first indices, inverse, counts] of the lines of `a` along axis 0; None for what is not asked."""
    if ordering is None and not (index or inverse):
        lines = _sort.sort(a)
    else:
        ordering = _sort.argsort(a) if ordering is None else ordering
        lines = _select.take(a, ordering, axis=0)
    mask = _starts(lines, equal_nan)
    starts = _select.flatnonzero(mask)
    results = [_select.take(lines, starts, axis=0), None, None, None]
    if index:
        results[1] = _select.take(ordering, starts)
    if inverse:
        results[2] = empty(a.shape[:1], "int64", device=a._device)
        _select.put_along_axis(results[2], ordering, cumsum(mask) - 1, 0)
    if counts:
        results[3] = empty(starts.shape, "int64", device=a._device)
        if starts.size:
            results[3][:-1] = starts[1:] - starts[:-1]
            results[3][-1] = a.shape[0] - starts[-1]
    return results


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The distinct elements, sorted; with an axis, the distinct slices along it, in lexicographic order. On
    request also the index of the first of each, the inverse (which of them each element is) and their counts."""
    a = array_of(ar)
    wanted = return_index, return_inverse, return_counts
    if axis is None:
        results = _distinct(a.reshape(-1), *wanted, equal_nan)
        if return_inverse:
            results[2] = results[2].reshape(a.shape)
    else:
        axis = axis_of("unique", axis, a.ndim)
        results = _distinct_slices(_manip.moveaxis(a, axis, 0), wanted)
        results[0] = _manip.moveaxis(results[0], 0, axis)
    results = tuple(r for r in results if r is not None)
    return results if len(results) > 1 else results[0]


def _distinct_slices(slices, wanted):
    n = slices.shape[0]
    rows = slices.reshape(n, slices.size // n if n else 0)
    if rows.shape[1]:
        ordering = _sort.lexsort(list(_split.unstack(rows[:, ::-1], axis=1)))
    else:  # slices without elements are all equal
        ordering = arange(n, device=slices._device)
    return _distinct(slices, *wanted, False, ordering)


class UniqueAllResult(NamedTuple):
    """What unique_all gives."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """What unique_counts gives."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """What unique_inverse gives."""

    values: Array
    inverse_indices: Array


def unique_all(x):
    """The distinct elements with first indices, inverse and counts; every NaN is distinct."""
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x):
    """The distinct elements and how often each occurs; every NaN is distinct."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x):
    """The distinct elements, and for each element which of them it is; every NaN is distinct."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x):
    """The distinct elements; every NaN is distinct."""
    return unique(x, equal_nan=False)


def _arrays(*values):
    """The values as Arrays of one device, Python scalars and lists with NumPy's dtypes."""
    device = next((v._device for v in values if type(v) is Array), None)
    return [asarray(v, device=device) for v in values]


# ---- membership ----
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is among the test elements. Integers of different dtypes are compared exactly."""
    if kind not in (None, "sort", "table"):
        raise ArgumentError(f"isin: kind must be None, 'sort' or 'table', not {kind!r}")
    element, tests = _arrays(element, test_elements)
    if kind == "table" and not (kind_of(element) in "biu" and kind_of(tests) in "biu"):
        raise ArgumentError(f"isin: kind 'table' is for bool and integers, not {element.dtype} and {tests.dtype}")
    found = _member(element, tests.reshape(-1))
    return found ^ True if invert else found


def _member(element, tests):
    dtype = result_type(element.dtype, tests.dtype)
    possible = None
    if dtype == float and kind_of(element) in "iu" and kind_of(tests) in "iu":  # uint64 among signed ones
        dtype = "uint64"
        if kind_of(element) == "i":
            possible = element >= 0
        else:
            tests = tests[tests >= 0]
    if not tests.size:
        return zeros(element.shape, bool, device=element._device)
    element, tests = element.astype(dtype, copy=False), _sort.sort(tests.astype(dtype, copy=False))
    place = by_name["minimum"](_sort.searchsorted(tests, element), tests.size - 1)
    found = _select.take(tests, place) == element
    return found if possible is None else found & possible


def in1d(ar1, ar2, assume_unique=False, invert=False, *, kind=None):
    """isin of the flattened first array."""
    return isin(array_of(ar1).reshape(-1), ar2, assume_unique, invert, kind=kind)


# ---- two sets ----
def _two(ar1, ar2, assume_unique):
    """Both arrays flattened, as sets."""
    ar1, ar2 = (a.reshape(-1) for a in _arrays(ar1, ar2))
    return (ar1, ar2) if assume_unique else (unique(ar1), unique(ar2))


def union1d(ar1, ar2):
    """The distinct elements of both arrays, sorted."""
    return unique(_manip.concat(_two(ar1, ar2, True)))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The sorted elements that both arrays have; on request where each comes first in either."""
    if not return_indices:
        both = _sort.sort(_manip.concat(_two(ar1, ar2, assume_unique)))
        return both[:-1][both[1:] == both[:-1]]
    ar1, ar2 = _two(ar1, ar2, True)
    first = None
    if not assume_unique:
        (ar1, first), (ar2, second) = unique(ar1, return_index=True), unique(ar2, return_index=True)
    both = _manip.concat([ar1, ar2])
    ordering = _sort.argsort(both)
    both = _select.take(both, ordering)
    where = _select.flatnonzero(both[1:] == both[:-1])
    in1, in2 = _select.take(ordering, where), _select.take(ordering, where + 1) - ar1.size
    if first is not None:
        in1, in2 = _select.take(first, in1), _select.take(second, in2)
    return _select.take(both, where), in1, in2


def setdiff1d(ar1, ar2, assume_unique=False):
    """The elements of the first array that the second does not have."""
    ar1, ar2 = _two(ar1, ar2, True)
    ar1 = ar1 if assume_unique else unique(ar1)
    return ar1[isin(ar1, ar2, invert=True)]


def setxor1d(ar1, ar2, assume_unique=False):
    """The sorted elements that one of the arrays has and the other has not."""
    both = _sort.sort(_manip.concat(_two(ar1, ar2, assume_unique)))
    differs = full((both.size + 1,), True, device=both._device)
    if both.size:
        differs[1:-1] = both[1:] != both[:-1]
    return both[differs[1:] & differs[:-1]]


public = {f.__name__: f for f in (
    unique, unique_all, unique_counts, unique_inverse, unique_values, isin, in1d, union1d, intersect1d, setdiff1d,
    setxor1d)}
