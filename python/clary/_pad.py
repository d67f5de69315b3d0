"""pad: a border round an array, of constants, ramps, statistics or the array's own elements.

The core fills constants, edges, reflections and periods; the other modes fill views of its result, axis by
axis, so that later axes continue what earlier ones filled.
"""
import numpy

import clary

from . import _values
from ._array import wrap
from ._core import ArgumentError, call, lib
from ._create import asarray, linspace, scalar_struct
from ._dtypes import KINDS
from ._manip import cut, moveaxis

_CORE = {"constant": lib.CLARY_PAD_CONSTANT, "edge": lib.CLARY_PAD_EDGE, "reflect": lib.CLARY_PAD_REFLECT,
         "symmetric": lib.CLARY_PAD_SYMMETRIC, "wrap": lib.CLARY_PAD_WRAP}
_STATISTICS = ("maximum", "mean", "median", "minimum")
_KEYWORD = {"constant": "constant_values", "linear_ramp": "end_values", "reflect": "reflect_type",
            "symmetric": "reflect_type", **dict.fromkeys(_STATISTICS, "stat_length")}
_MODES = (*_CORE, "linear_ramp", *_STATISTICS, "empty")


def _pairs(value, ndim, name):
    """(before, after) for each axis, of a number, a pair for all axes or a pair for each."""
    try:
        pairs = numpy.broadcast_to(numpy.asarray(value), (ndim, 2))
    except ValueError:
        raise ArgumentError(f"pad: {name} {value!r} is not a number, a pair, or a pair for each of {ndim} axes") from None
    return pairs.tolist()


def _widths(width, ndim):
    if isinstance(width, dict):
        pairs = [(0, 0)] * ndim
        for axis, pair in width.items():
            pairs[axis] = pair if isinstance(pair, tuple) else (pair, pair)
        width = pairs
    width = numpy.asarray(width)
    if width.dtype.kind not in "iu":
        raise TypeError("pad: pad_width must be of integers")
    pairs = _pairs(width, ndim, "pad_width")
    if any(n < 0 for pair in pairs for n in pair):
        raise ArgumentError("pad: pad_width may not be negative")
    return pairs


def _core(array, widths, mode, value=0):
    before, after = [pair[0] for pair in widths], [pair[1] for pair in widths]
    value = scalar_struct(value, lib.clary_array_dtype(array._h))[0]
    return wrap(call(lib.clary_pad, array, before, after, _CORE[mode], value))


def _options(mode, kwargs, shape):
    """What to fill the two ends of each axis with, or None where the mode needs no such thing."""
    name = _KEYWORD.get(mode)
    unknown = set(kwargs) - {name}
    if unknown:
        raise ArgumentError(f"pad: mode {mode!r} takes no {', '.join(sorted(unknown))}")
    if name == "reflect_type":
        return [mode] * len(shape) if kwargs.get(name, "even") == "odd" else None
    if mode in _STATISTICS:
        lengths = _pairs(kwargs.get(name), len(shape), name)
        if any(n is not None and n < 0 for pair in lengths for n in pair):
            raise ArgumentError("pad: stat_length may not be negative")
        return [[n if count is None else min(count, n) for count in pair] for pair, n in zip(lengths, shape)]
    if mode in ("constant", "linear_ramp"):
        value = kwargs.get(name, 0)
        return value if isinstance(value, (bool, int, float, complex)) and mode == "constant" else _pairs(
            value, len(shape), name)
    return None


def pad(array, pad_width, mode="constant", **kwargs):
    """The array with a border of pad_width elements at the ends of each axis.

    mode: constant (constant_values), edge, linear_ramp (to end_values), maximum, mean, median or minimum
    (of stat_length elements), reflect or symmetric (reflect_type even or odd), wrap, empty, or a function
    of (vector, (before, after), axis, kwargs) that fills the ends of each vector in place."""
    array = asarray(array)
    widths = _widths(pad_width, array.ndim)
    if callable(mode):
        return _by_function(_core(array, widths, "constant"), widths, mode, kwargs)
    if mode not in _MODES:
        raise ArgumentError(f"pad: mode {mode!r} is not one of {', '.join(_MODES)}")
    options = _options(mode, kwargs, array.shape)
    if mode not in ("constant", "empty"):
        for axis, pair in enumerate(widths):
            if not array.shape[axis] and any(pair):
                raise ArgumentError(f"pad: axis {axis} is empty; only modes constant and empty can extend it")
    if options is None:
        return _core(array, widths, "constant" if mode == "empty" else mode)
    if not isinstance(options, list):
        return _core(array, widths, mode, options)
    result = _core(array, widths, "constant")
    for axis, pair in enumerate(widths):
        band = result  # complete along the axes before, the middle along those after
        for later in range(axis + 1, array.ndim):
            band = cut(band, later, widths[later][0], widths[later][0] + array.shape[later])
        if any(pair) and band.size:
            _FILL[mode](moveaxis(band, axis, 0), pair, options[axis], mode)
    return result


def _by_function(result, widths, function, kwargs):
    for axis, pair in enumerate(widths):
        vectors = moveaxis(result, axis, -1)
        for index in numpy.ndindex(vectors.shape[:-1]):
            function(vectors[index], tuple(pair), axis, kwargs)
    return result


def _ends(band, pair):
    """(border, inner part) of each end, both counted from the inner part outwards or inwards."""
    low, high = pair[0], band.shape[0] - pair[1]
    return (band[:low][::-1], band[low:high]), (band[high:], band[low:high][::-1])


def _fill_constant(band, pair, values, mode):
    for (border, _), value in zip(_ends(band, pair), values):
        border[...] = value


def _fill_ramp(band, pair, values, mode):
    for (border, inner), value in zip(_ends(band, pair), values):
        border[::-1] = linspace(value, inner[0], border.shape[0], endpoint=False, dtype=band.dtype)


def _fill_statistic(band, pair, lengths, mode):
    reduction = getattr(clary, {"maximum": "max", "minimum": "min"}.get(mode, mode))
    whole = KINDS[lib.clary_array_dtype(band._h)] in "iu"
    for (border, inner), length in zip(_ends(band, pair), lengths):
        value = reduction(inner[:length], axis=0, keepdims=True)
        border[...] = _values.round(value) if whole else value


def _fill_odd(band, pair, _, mode):
    """Mirrors as long as what is there, about the element at the edge (reflect) or behind it (symmetric)."""
    low, high = pair
    period = band.shape[0] - low - high
    skip = 1 if mode == "reflect" else 0
    if period == 1:
        for border, inner in _ends(band, pair):
            border[...] = inner[0]
        return
    while low or high:
        there = (band.shape[0] - low - high - skip) // (period - skip) * (period - skip)
        low = _mirror(band[::-1], low, there, skip)
        high = _mirror(band, high, there, skip)


def _mirror(line, missing, length, skip):
    """Continues a line whose last `missing` elements are not there yet; what is missing then."""
    end, count = line.shape[0] - missing, min(length, missing)
    line[end:end + count] = 2 * line[end - 1:end] - line[end - skip - count:end - skip][::-1]
    return missing - count


_FILL = {"constant": _fill_constant, "linear_ramp": _fill_ramp, "reflect": _fill_odd, "symmetric": _fill_odd,
         **dict.fromkeys(_STATISTICS, _fill_statistic)}
public = {"pad": pad}
