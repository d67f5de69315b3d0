"""Order statistics: medians, quantiles, partitions, the largest elements. Each sorts along the axis and picks.

A quantile lies at a position in the sorted elements that the method computes from their number, usually
between two of them. Positions are computed on the host where all lines have one length, and on the device,
by the same formulas, where NaNs are left out and lengths differ. Sorting puts NaN last, so the last element
tells whether there is one.
"""
import builtins
import math
import operator
from types import SimpleNamespace

import numpy

from . import _manip, _select, _sort
from ._array import Array, asnumpy
from ._core import ArgumentError, IndexOutOfRangeError
from ._create import asarray, full
from ._dtypes import result_type
from ._numeric import axes_tuple, axis_of, laid_weights
from ._reduce import any as any_
from ._reduce import array_of, cumsum, deliver, kind_of, nanmean
from ._reduce import sum as sum_
from ._ufunc import by_name

_device = SimpleNamespace(**by_name)
_where, _isnan = by_name["where"], by_name["isnan"]


# ---- lines: the axes reduced, flattened into the last ----
def _lines(name, a, axis):
    """(the array with the axes to reduce flattened into a last one, the result's shape with these axes kept,
    its shape without them)."""
    axes = axes_tuple(name, axis, a.ndim)
    rest = tuple(n for d, n in enumerate(a.shape) if d not in axes)
    kept = tuple(1 if d in axes else n for d, n in enumerate(a.shape))
    if axis is None:
        return a.reshape(-1), kept, rest
    moved = _manip.moveaxis(a, axes, tuple(range(-len(axes), 0))) if axes else a
    return moved.reshape((*rest, math.prod(a.shape[d] for d in axes))), kept, rest


def _pick(lines, places):
    """The elements of sorted lines at places along the last axis: the same of all lines, or given for each."""
    if isinstance(places, Array):
        return _select.take_along_axis(lines, places, -1)
    if places.size == 1:
        return lines[..., int(places[0]):int(places[0]) + 1]
    return _select.take(lines, asarray(places, device=lines._device), axis=-1)


def _places(x, positions, n):
    """Positions as indices of lines of length n."""
    return x.maximum(x.minimum(positions, n - 1), 0).astype("int64")


def _counted(lines):
    """How many elements of each line are not NaN, along a last axis of extent 1."""
    return sum_(_isnan(lines) ^ True, -1, keepdims=True)


# ---- quantiles ----
# alpha and beta of the methods that interpolate at position n q + alpha + q (1 - alpha - beta) - 1.
_INTERPOLATED = {"interpolated_inverted_cdf": (0, 1), "hazen": (0.5, 0.5), "weibull": (0, 0), "linear": (1, 1),
                 "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8)}
_DISCRETE = {
    "inverted_cdf": lambda x, n, q: x.ceil(n * q - 1),
    "closest_observation": lambda x, n, q: _odd_at_half(x, n * q - 1.5),
    "lower": lambda x, n, q: x.floor((n - 1) * q),
    "higher": lambda x, n, q: x.ceil((n - 1) * q),
    "nearest": lambda x, n, q: x.rint((n - 1) * q),
}
_METHODS = (*_INTERPOLATED, *_DISCRETE, "averaged_inverted_cdf", "midpoint")


def _odd_at_half(x, position):
    """The next position, or this one where it is whole and odd."""
    low = x.floor(position)
    return x.where((low == position) & (low % 2 == 1), low, low + 1)


def _between(x, n, q, method):
    """(lower position, upper position, weight of the upper) for quantiles q of n elements; the last two are
    None where the method picks one element. x: the functions to compute with, NumPy's or the device's."""
    if method in _DISCRETE:
        return _DISCRETE[method](x, n, q), None, None
    if method == "midpoint":
        low, high = x.floor((n - 1) * q), x.ceil((n - 1) * q)
        return low, high, (high - low) * 0.5
    if method == "averaged_inverted_cdf":
        position = n * q - 1
        low = x.floor(position)
        return low, low + 1, x.where(low == position, 0.5, 1.0)
    alpha, beta = _INTERPOLATED[method]
    position = (n - 1) * q if method == "linear" else n * q + (alpha + q * (1 - alpha - beta)) - 1
    low = x.floor(position)
    return low, low + 1, position - low


def _interpolate(a, b, weight):
    """a + (b - a) weight, exact at both ends and for equal infinities."""
    step = b - a
    between = _where(weight >= 0.5, b - step * (1.0 - weight), a + step * weight)
    return _where(a == b, a, _where(weight == 0.0, a, between))


def _weighted(lines, weights, q):
    """The smallest elements at which the weights, added up in order, reach the share q of their sum."""
    order = _sort.argsort(lines)
    lines, weights = (_select.take_along_axis(v, order, -1) for v in (lines, weights))
    share = cumsum(weights, -1, float)
    share = share / share[..., -1:]
    share = _where(share == 0.0, -1.0, share)  # elements of no weight at the start are never picked
    below = sum_(share[..., None] < asarray(q, device=lines._device), -2)
    return lines, _select.take_along_axis(lines, by_name["minimum"](below, lines.shape[-1] - 1), -1)


def _quantiles(name, a, q, dtype, axis, out, method, keepdims, weights, skip_nan):
    """Quantiles q (a NumPy array) of `a`; interpolated ones are computed in dtype."""
    if skip_nan and not a.size:
        return nanmean(a, axis, out=out, keepdims=keepdims)  # so does NumPy, whatever q is
    if method not in _METHODS:
        raise ArgumentError(f"{name}: method must be one of {', '.join(_METHODS)}, not {method!r}")
    if q.ndim > 2:
        raise ArgumentError(f"{name}: q must be a number, 1-D or 2-D, not of shape {q.shape}")
    if weights is not None:
        if method != "inverted_cdf":
            raise ArgumentError(f"{name}: weights need the method 'inverted_cdf', not {method!r}")
        weights = laid_weights(name, a, asarray(weights, device=a._device),
                               None if axis is None else axes_tuple(name, axis, a.ndim))
        if any_(weights < 0):
            raise ArgumentError(f"{name}: weights must not be negative")
        weights = _lines(name, _manip.broadcast_to(weights, a.shape), axis)[0]
    lines, kept, rest = _lines(name, a, axis)
    skip_nan = skip_nan and kind_of(a) == "f"
    flat = q.reshape(-1)
    n = lines.shape[-1]
    if not n:
        raise IndexOutOfRangeError(f"{name}: no elements along axis {axis} of shape {a.shape}")
    if weights is not None:
        missing = _isnan(lines) if skip_nan else None
        lines, result = _weighted(lines, weights if missing is None else _where(missing, 0.0, weights), flat)
    elif q.dtype.kind in "iu" and method == "linear":  # 0 and 1 as integers: the elements themselves
        lines = _sort.sort(lines)
        places = _places(numpy, (n - 1) * flat, n) if not skip_nan else _places(
            _device, (_counted(lines) - 1) * asarray(flat, device=a._device), _counted(lines))
        result = _pick(lines, places)
    else:
        lines = _sort.sort(lines)
        x, length, at = numpy, n, flat.astype(float)
        if skip_nan:
            x, length, at = _device, _counted(lines), asarray(at, device=a._device)
        low, high, weight = _between(x, length, at, method)
        result = _pick(lines, _places(x, low, length))
        if weight is not None:
            upper = _pick(lines, _places(x, high, length))
            weight = asarray(weight, dtype, device=a._device)
            result = _interpolate(result.astype(dtype, copy=False) if kind_of(a) != "b" else result, upper, weight)
    if kind_of(a) == "f" and not skip_nan:
        result = _where(_isnan(lines[..., -1:]), lines[..., -1:], result)
    result = _manip.moveaxis(result, -1, 0).reshape(q.shape + (kept if keepdims else rest))
    return deliver(name, result if result.c_contiguous else result.copy(), out, "same_kind")


def _probabilities(name, a, q, scale):
    """(q / scale as a NumPy array, the dtype of what is interpolated): one number takes the elements' dtype."""
    if kind_of(a) == "c":
        raise TypeError(f"{name}: a must be real numbers, not {a.dtype}")
    host = asnumpy(q) if isinstance(q, Array) else numpy.asarray(q)
    single = isinstance(q, (int, float)) and kind_of(a) == "f"
    host = host.astype(int) if host.dtype == bool else host
    if host.dtype.kind not in "iuf":
        raise TypeError(f"{name}: q must be real numbers, not {host.dtype}")
    dtype = a.dtype if single else result_type(a.dtype, host.dtype if host.dtype.kind == "f" else "float64")
    host = host.astype(float) / scale if scale != 1 or single else host
    if not ((host >= 0) & (host <= 1)).all():
        raise ArgumentError(f"{name}: q must be in the range [0, {scale}], not {q}")
    return host, dtype


def _make(name, scale, skip_nan, doc):
    def function(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
                 interpolation=None):
        a = array_of(a)
        q, dtype = _probabilities(name, a, q, scale)
        method = method if interpolation is None else interpolation
        return _quantiles(name, a, q, dtype, axis, out, method, keepdims, weights, skip_nan)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc + """ The axes of q come first in the result.

    methods: inverted_cdf (which takes weights), averaged_inverted_cdf, closest_observation,
    interpolated_inverted_cdf, hazen, weibull, linear, median_unbiased, normal_unbiased, lower, higher,
    midpoint, nearest. Positions are computed in double precision, whatever the elements' dtype; between elements
    the result's dtype counts."""
    return function


quantile = _make("quantile", 1, False, "The elements (or points between two) below which a share q of all lies.")
percentile = _make("percentile", 100, False, "The elements (or points between two) below which q % of all lie.")
nanquantile = _make("nanquantile", 1, True, "Quantiles of the elements that are not NaN.")
nanpercentile = _make("nanpercentile", 100, True, "Percentiles of the elements that are not NaN.")


# ---- medians ----
def _median(name, a, axis, out, keepdims, skip_nan):
    a = array_of(a)
    skip_nan = skip_nan and kind_of(a) in "fc"
    lines, kept, rest = _lines(name, a, axis)
    n = lines.shape[-1]
    dtype = a.dtype if kind_of(a) in "fc" else "float64"
    if not n:
        return deliver(name, full(kept if keepdims else rest, math.nan, dtype=dtype, device=a._device), out, "same_kind")
    lines = _sort.sort(lines)
    count = _counted(lines) if skip_nan else n
    x = _device if skip_nan else numpy
    low, high = ((count - 1) // 2, count // 2) if skip_nan else (numpy.array([(n - 1) // 2]), numpy.array([n // 2]))
    low, high = _pick(lines, _places(x, low, count)), _pick(lines, _places(x, high, count))
    wide = "float32" if lines.itemsize == 2 and kind_of(a) == "f" else dtype
    middle = (low.astype(wide, copy=False) + high.astype(wide, copy=False)) / 2.0
    result = _where(low == high, low.astype(wide, copy=False), middle)
    if kind_of(a) in "fc" and not skip_nan:
        result = _where(_isnan(lines[..., -1:]), lines[..., -1:], result)
    return deliver(name, result.astype(dtype, copy=False).reshape(kept if keepdims else rest), out, "same_kind")


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle element in sorted order along axes, or the mean of the two middle ones; NaN if there is one."""
    return _median("median", a, axis, out, keepdims, False)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median of the elements that are not NaN."""
    return _median("nanmedian", a, axis, out, keepdims, True)


# ---- partitions ----
def _check_kth(name, a, kth, axis, kind, order):
    if kind != "introselect":
        raise ArgumentError(f"{name}: kind must be 'introselect', not {kind!r}")
    if order is not None:
        raise ArgumentError(f"{name}: order= is for arrays with fields, which Clary does not have")
    n = a.size if axis is None else a.shape[axis_of(name, axis, a.ndim)]
    kth = asnumpy(kth) if isinstance(kth, Array) else numpy.asarray(kth)
    if kth.dtype.kind not in "iu":
        raise TypeError(f"{name}: kth must be integers, not {kth.dtype}")
    if kth.ndim > 1:
        raise ArgumentError(f"{name}: kth must be a number or 1-D, not of shape {kth.shape}")
    if a.size and ((kth < -n) | (kth >= n)).any():
        raise ArgumentError(f"{name}: kth {kth} is out of bounds for {n} elements")


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy whose element kth along an axis is the one that sorting puts there, with none larger before it and
    none smaller behind. Here all elements are sorted."""
    a = array_of(a)
    _check_kth("partition", a, kth, axis, kind, order)
    return _sort.sort(a, axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The indices that partition along an axis. Here they sort."""
    a = array_of(a)
    _check_kth("argpartition", a, kth, axis, kind, order)
    return _sort.argsort(a, axis)


def sort_complex(a):
    """A sorted copy along the last axis as complex numbers: by the real part, then by the imaginary one."""
    a = array_of(a)
    if kind_of(a) != "c":
        a = a.astype("complex64" if a.itemsize <= 2 and kind_of(a) in "iu" else "complex128")
    return _sort.sort(a)


def top_k(a, k, axis=-1, *, largest=True):
    """(values, indices) of the k largest (or smallest) elements along an axis, in order; ties by index."""
    a = array_of(a)
    axis = axis_of("top_k", axis, a.ndim)
    k = operator.index(k)
    if not 0 <= k <= a.shape[axis]:
        raise ArgumentError(f"top_k: {k} of {a.shape[axis]} elements along axis {axis}")
    order = _sort.argsort(a, axis, descending=builtins.bool(largest))
    order = order[(slice(None),) * axis + (slice(k),)]
    return _select.take_along_axis(a, order, axis), order


public = {f.__name__: f for f in (
    quantile, percentile, nanquantile, nanpercentile, median, nanmedian, partition, argpartition, sort_complex, top_k)}
