"""Arrays of text, of raw bytes and of iterators: NumPy reads on the host, the result goes to the device.

bfloat16, which NumPy does not know, is read as its 16 bits where elements are raw, else as float32.
"""
import numpy

from ._array import asnumpy
from ._core import UnsupportedError
from ._create import asarray, from_numpy
from ._device import handle as device_handle
from ._dtypes import BFLOAT16, bfloat16


def _raw(read, dtype, device):
    """The elements that read(NumPy's dtype) finds in memory or a file."""
    if bfloat16 == dtype:
        return from_numpy(read(numpy.dtype("uint16")), BFLOAT16, device_handle(device))
    return asarray(read(numpy.dtype(dtype)), device=device)


def _text(read, dtype, device):
    """The numbers that read(NumPy's dtype) finds in text."""
    if bfloat16 == dtype:
        return asarray(read(numpy.dtype("float32")), dtype, device=device)
    found = read(dtype)
    if isinstance(found, list):
        return [asarray(column, device=device) for column in found]
    return asarray(found, device=device)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, device=None):
    """A copy of the elements in a buffer."""
    return _raw(lambda host: numpy.frombuffer(buffer, host, count, offset), dtype, device)


def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, device=None):
    """The elements of a file: raw, or text where there is a separator."""
    if sep:
        return _text(lambda host: numpy.fromfile(file, host, count, sep), dtype, device)
    return _raw(lambda host: numpy.fromfile(file, host, count, sep, offset), dtype, device)


def fromstring(string, dtype=float, count=-1, *, sep, device=None):
    """The numbers in a string."""
    return _text(lambda host: numpy.fromstring(string, host, count, sep=sep), dtype, device)


def fromiter(iter, dtype, count=-1, *, device=None):
    """The numbers of an iterable."""
    return _text(lambda host: numpy.fromiter(iter, host, count), dtype, device)


def loadtxt(fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False,
            ndmin=0, encoding=None, max_rows=None, *, quotechar=None, device=None):
    """The numbers in the lines of a text file, every line with as many."""
    return _text(lambda host: numpy.loadtxt(fname, host, comments, delimiter, converters, skiprows, usecols, unpack,
                                            ndmin, encoding, max_rows, quotechar=quotechar), dtype, device)


def genfromtxt(fname, dtype=float, *args, device=None, **kwargs):
    """The numbers in the lines of a text file; what is missing is NaN or filling_values. All other
    parameters are those of numpy.genfromtxt, but for masks and fields with names."""
    if kwargs.get("usemask"):
        raise UnsupportedError("genfromtxt: there are no masked arrays")
    return _text(lambda host: numpy.genfromtxt(fname, host, *args, **kwargs), dtype, device)


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    """Writes an array with one or two axes as text, a row a line."""
    numpy.savetxt(fname, asnumpy(X), fmt, delimiter, newline, header, footer, comments, encoding)


public = {f.__name__: f for f in (frombuffer, fromfile, fromstring, fromiter, loadtxt, genfromtxt, savetxt)}
