"""Histograms: the edges of the bins, the bin of each element by binary search, and counting the bins.

Comparing with the edges themselves, not scaling, decides in which bin an element lies, so one that lies on an
edge is never misplaced. Edges are a few numbers: they are made on the host from the extremes of the data.
"""
import math
import operator

import numpy

from . import _quantiles, _sort
from ._array import Array
from ._core import ArgumentError, ShapeError, lib
from ._create import asarray
from ._dtypes import BFLOAT16, DTYPES
from ._manip import atleast_2d
from ._reduce import any as any_
from ._reduce import argmax, array_of, kind_of, mean, std
from ._reduce import max as max_
from ._reduce import min as min_
from ._ufunc import by_name

_where = by_name["where"]


def digitize(x, bins, right=False):
    """The number of the bin of each element: i where bins[i-1] <= x < bins[i] (right: bins[i-1] < x <= bins[i]);
    for decreasing bins bins[i-1] > x >= bins[i] (right: bins[i-1] >= x > bins[i])."""
    x, bins = array_of(x), asarray(bins)
    if kind_of(x) == "c":
        raise TypeError(f"digitize: x must be real numbers, not {x.dtype}")
    if bins.ndim != 1:
        raise ArgumentError(f"digitize: bins must be 1-D, shape is {bins.shape}")
    side = "left" if right else "right"
    before, after = bins[:-1], bins[1:]
    differ = before != after
    first = int(argmax(differ)) if any_(differ) else None  # what is found there is asked of all; NaN passes
    rising = first is None or bool(before[first] < after[first])
    if any_(before > after if rising else before < after):
        raise ArgumentError("digitize: bins must increase or decrease monotonically")
    if rising:
        return _sort.searchsorted(bins, x, side=side)
    return bins.shape[0] - _sort.searchsorted(bins[::-1], x, side=side)


# ---- how many bins: the width that a rule finds for n elements ----
def _stone(a, n, spread, limits):
    def cost(bins):
        share = counts(a, _linear_edges(a, limits, bins)) / n
        return (2 - (n + 1) * float((share * share).sum())) * bins / spread

    return spread / min(range(1, max(100, int(math.sqrt(n))) + 1), key=cost) if n > 1 and spread else 0.0


def _doane(a, n, spread, limits):
    deviation = float(std(a)) if n > 2 else 0.0
    if not deviation > 0:
        return 0.0
    skewness = abs(float(mean(((a - mean(a)) / deviation) ** 3)))
    scale = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return spread / (1.0 + math.log2(n) + math.log2(1.0 + skewness / scale))


def _fd(a, n, spread, limits):
    low, high = _quantiles.percentile(a, [25.0, 75.0]).tolist()
    return 2.0 * (high - low) * n ** (-1.0 / 3.0)


def _auto(a, n, spread, limits):
    width = _fd(a, n, spread, limits)
    sturges = _WIDTHS["sturges"](a, n, spread, limits)
    return min(width, sturges) if width else sturges


_WIDTHS = {
    "auto": _auto, "doane": _doane, "fd": _fd, "stone": _stone,
    "rice": lambda a, n, spread, limits: spread / (2.0 * n ** (1.0 / 3)),
    "scott": lambda a, n, spread, limits: (24.0 * math.pi**0.5 / n) ** (1.0 / 3.0) * float(std(a)),
    "sqrt": lambda a, n, spread, limits: spread / math.sqrt(n),
    "sturges": lambda a, n, spread, limits: spread / (math.log2(n) + 1.0),
}


def _estimated(name, a, limits):
    """The number of bins that a named rule finds."""
    low, high = limits
    a = a[(a >= low) & (a <= high)]
    if not a.size:
        return 1
    spread = max_(a).item() - min_(a).item()
    width = _WIDTHS[name](a.astype(float) if kind_of(a) in "iu" else a, a.size, spread, limits)
    if not width:
        return 1
    return max(1, math.ceil((float(high) - float(low)) / (max(width, 1) if kind_of(a) in "iu" else width)))


# ---- edges ----
def _limits(a, between):
    """(lowest, highest) edge: those given, else the extremes of the data, never the same number."""
    if between is not None:
        low, high = (x.item() if isinstance(x, Array) else x for x in between)
        if low > high:
            raise ArgumentError(f"histogram: range {between} decreases")
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ArgumentError(f"histogram: range {between} is not finite")
    elif not a.size:
        low, high = 0, 1
    else:
        kind = _host_dtype(a).type
        low, high = kind(min_(a).item()), kind(max_(a).item())
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ArgumentError(f"histogram: the range [{low}, {high}] of the data is not finite")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _host_dtype(a):
    code = lib.clary_array_dtype(a._h)
    return numpy.dtype("float32") if code == BFLOAT16 else DTYPES[code]


def _linear_edges(a, limits, bins):
    dtype = numpy.result_type(*limits, _host_dtype(a))
    return asarray(numpy.linspace(*limits, bins + 1, dtype=dtype if dtype.kind == "f" else float), device=a._device)


def _edges(a, bins, between, weights, name="bins"):
    if isinstance(bins, str):
        if bins not in _WIDTHS:
            raise ArgumentError(f"histogram: {name} must be one of {', '.join(_WIDTHS)}, not {bins!r}")
        if weights is not None:
            raise TypeError("histogram: the number of bins cannot be estimated for weighted data")
        limits = _limits(a, between)
        return _linear_edges(a, limits, _estimated(bins, a, limits))
    if not isinstance(bins, Array):
        bins = numpy.asarray(bins)
    if bins.ndim == 0:
        try:
            bins = operator.index(bins.item())
        except TypeError:
            raise TypeError(f"histogram: {name} must be an integer, a name, or an array") from None
        if bins < 1:
            raise ArgumentError(f"histogram: {name} must be positive, not {bins}")
        return _linear_edges(a, _limits(a, between), bins)
    if bins.ndim > 1:
        raise ArgumentError(f"histogram: {name} must be 1-D, shape is {bins.shape}")
    bins = asarray(bins, device=a._device)
    if any_(bins[:-1] > bins[1:]):
        raise ArgumentError(f"histogram: {name} must increase monotonically")
    return bins


def _flat(a, weights):
    """The elements and their weights in one dimension."""
    a = array_of(a)
    a = a.astype("uint8") if kind_of(a) == "b" else a
    if weights is not None:
        weights = asarray(weights, device=a._device)
        if weights.shape != a.shape:
            raise ShapeError(f"histogram: weights of shape {weights.shape} for elements of shape {a.shape}")
        weights = weights.reshape(-1)
    return a.reshape(-1), weights


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges that histogram would use."""
    a, weights = _flat(a, weights)
    return _edges(a, bins, range, weights)


# ---- counting ----
def _bin_of(a, edges):
    """1 + the bin of each element: 0 below the first edge, len(edges) above the last or for NaN."""
    place = _sort.searchsorted(edges, a, side="right")
    return _where(a == edges[-1], edges.shape[0] - 1, place)


def _tally(places, size, weights):
    """How often each of 0 .. size - 1 occurs, or the sums of the weights."""
    if weights is None:
        return _sort.bincount(places, minlength=size)
    if kind_of(weights) == "c":
        real, imag = (_sort.bincount(places, part, size) for part in (weights.real, weights.imag))
        return (real + 1j * imag).astype(weights.dtype, copy=False)
    return _sort.bincount(places, weights, size).astype(weights.dtype, copy=False)


def counts(a, edges, weights=None):
    """How many elements of a 1-D array, or what weight of them, each bin between edges holds."""
    return _tally(_bin_of(a, edges), edges.shape[0] + 1, weights)[1:-1]


def histogram(a, bins=10, range=None, density=None, weights=None):
    """(counts, edges): how many elements lie in each bin, its left edge included, its right one in the last bin
    only. bins: their number, their edges, or a rule: auto, doane, fd, rice, scott, sqrt, stone, sturges. density:
    divided by width and total; weights: what each element counts."""
    a, weights = _flat(a, weights)
    edges = _edges(a, bins, range, weights)
    result = counts(a, edges, weights)
    if density:
        result = result / (edges[1:] - edges[:-1]).astype(float) / result.sum()
    return result, edges


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """(counts, edges along each axis) of points: a row for each, or a sequence of their coordinates."""
    if getattr(sample, "ndim", None) == 2:
        sample = asarray(sample)
        columns = [sample[:, d] for d in numpy.arange(sample.shape[1]).tolist()]
    elif isinstance(sample, (list, tuple)) and sample and all(getattr(c, "ndim", 1) == 1 for c in sample):
        columns = list(_distinct_columns(sample))
    else:
        columns = list(atleast_2d(asarray(sample)))
    ndim = len(columns)
    bins = list(bins) if isinstance(bins, (list, tuple)) or getattr(bins, "ndim", 0) else [bins] * ndim
    if len(bins) != ndim:
        raise ArgumentError(f"histogramdd: {len(bins)} bins for {ndim} dimensions")
    if range is not None and len(range) != ndim:
        raise ArgumentError(f"histogramdd: {len(range)} ranges for {ndim} dimensions")
    ranges = [None] * ndim if range is None else range
    edges = [_edges(c if r is None else c.astype(float), b, r, None, f"bins[{d}]")
             for d, (c, b, r) in enumerate(zip(columns, bins, ranges))]
    place, shape = 0, tuple(e.shape[0] + 1 for e in edges)
    for column, edge, extent in zip(columns, edges, shape):
        place = place * extent + _bin_of(column, edge)
    weights = None if weights is None else asarray(weights, device=columns[0]._device)
    result = _tally(place, math.prod(shape), weights).reshape(shape)[(slice(1, -1),) * ndim].astype(float)
    if density:
        total = result.sum()
        for d, edge in enumerate(edges):
            result = result / (edge[1:] - edge[:-1]).reshape((-1,) + (1,) * (ndim - d - 1))
        result = result / total
    return result, tuple(edges)


def _distinct_columns(sample):
    arrays = [asarray(c) for c in sample]
    if len({c.shape for c in arrays}) != 1:
        raise ShapeError(f"histogramdd: coordinates of shapes {', '.join(str(c.shape) for c in arrays)}")
    return arrays if arrays[0].ndim else [c.reshape(1) for c in arrays]


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """(counts, edges along x, edges along y) of points (x, y). bins: one number or array of edges for both, or a
    pair."""
    x, y = array_of(x), array_of(y)
    if x.shape != y.shape:
        raise ShapeError(f"histogram2d: x and y must be equally long, shapes are {x.shape} and {y.shape}")
    several = isinstance(bins, (list, tuple)) or getattr(bins, "ndim", 0)
    bins = [bins, bins] if several and len(bins) not in (1, 2) else bins
    result, (x_edges, y_edges) = histogramdd([x, y], bins, range, density, weights)
    return result, x_edges, y_edges


public = {f.__name__: f for f in (digitize, histogram_bin_edges, histogram, histogramdd, histogram2d)}
