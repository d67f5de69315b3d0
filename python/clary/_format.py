"""Text of arrays, in NumPy's form and under NumPy's print options.

NumPy does the formatting. Of an array that its options summarise, only the corners that will be shown
are brought to the host: as a small array that NumPy summarises in the same way.
"""
import numpy
from numpy import format_float_positional as _positional
from numpy import format_float_scientific as _scientific
from numpy import get_printoptions, printoptions, set_printoptions

from ._array import Array, asnumpy
from ._dtypes import bfloat16


def _corners(array, edge):
    """The array without the middles that a summary leaves out: one element stands for each."""
    for axis, extent in enumerate(array.shape):
        if extent > 2 * edge + 1:
            at = (slice(None),) * axis
            kept = [array[at + (slice(0, edge + 1),)], array[at + (slice(extent - edge, extent),)]]
            array = _manip.concat(kept, axis=axis)
    return array


def _host(array):
    """The elements for NumPy to format: it cannot print bfloat16 without help."""
    out = asnumpy(array)
    return out.astype(numpy.float32) if out.dtype.kind == "V" else out


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", *,
                 suffix="", threshold=None, edgeitems=None, **options):
    """The elements as text; options not given are those of set_printoptions."""
    if not isinstance(a, Array):
        return numpy.array2string(numpy.asarray(a), max_line_width, precision, suppress_small, separator, prefix, suffix=suffix,
                                  threshold=threshold, edgeitems=edgeitems, **options)
    known = get_printoptions()
    threshold = known["threshold"] if threshold is None else threshold
    edgeitems = known["edgeitems"] if edgeitems is None else edgeitems
    if a.size > threshold:
        a, threshold = _corners(a, edgeitems), 0
    return numpy.array2string(_host(a), max_line_width, precision, suppress_small, separator, prefix, suffix=suffix,
                              threshold=threshold, edgeitems=edgeitems, **options)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The elements as text, as str() shows them."""
    if not isinstance(a, Array):
        return numpy.array_str(numpy.asarray(a), max_line_width, precision, suppress_small)
    if a.size <= get_printoptions()["threshold"]:
        return numpy.array_str(_host(a), max_line_width, precision, suppress_small)
    return array2string(a, max_line_width, precision, suppress_small)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The array as text that would make it again, as repr() shows it."""
    if not isinstance(arr, Array):
        return numpy.array_repr(numpy.asarray(arr), max_line_width, precision, suppress_small)
    summarised = arr.size > get_printoptions()["threshold"]
    if not summarised and arr.dtype is not bfloat16:
        return numpy.array_repr(_host(arr), max_line_width, precision, suppress_small)
    elements = array2string(arr, max_line_width, precision, suppress_small, ", ", "array(", suffix=")")
    facts = [f"shape={arr.shape}"] if summarised or (not arr.size and arr.ndim > 1) else []
    shown = str(arr.dtype) not in ("bool", "int64", "float64", "complex128")
    facts += [f"dtype={arr.dtype}"] if shown else []
    if not facts:
        return f"array({elements})"
    facts = ", ".join(facts) + ")"
    width = get_printoptions()["linewidth"] if max_line_width is None else max_line_width
    last = len(f"array({elements},".rpartition("\n")[2])
    between = " " if last + 1 + len(facts) <= width else "\n" + " " * len("array(")
    return f"array({elements},{between}{facts}"


def _number(x):
    return asnumpy(x)[()] if isinstance(x, Array) else x


def format_float_positional(x, *args, **kwargs):
    """A number as decimal text: numpy.format_float_positional."""
    return _positional(_number(x), *args, **kwargs)


def format_float_scientific(x, *args, **kwargs):
    """A number as text with an exponent: numpy.format_float_scientific."""
    return _scientific(_number(x), *args, **kwargs)


public = {f.__name__: f for f in (array2string, array_str, array_repr, format_float_positional,
                                  format_float_scientific)}
public.update(get_printoptions=get_printoptions, set_printoptions=set_printoptions, printoptions=printoptions)

from . import _manip  # noqa: E402
