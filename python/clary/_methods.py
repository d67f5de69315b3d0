"""NumPy's array methods: each calls the function of the same name, looked up in the package when it is
called, so that a method means exactly what its function means.
"""
import pickle
import warnings

import numpy
from numpy.exceptions import ComplexWarning

import clary

from ._core import NULL, UnsupportedError, call, lib
from ._dtypes import KINDS, casting_rule, code_of

_NOT_GIVEN = numpy._NoValue


def _axes(args):
    """Axes given as one sequence, as separate arguments, or not at all (None)."""
    if len(args) != 1:
        return args or None
    only, = args
    return only if only is None or isinstance(only, (tuple, list)) or getattr(only, "ndim", 0) else args


def _no_fields(name, order):
    if order is not None:
        raise ValueError(f"{name}: order= names fields, and Clary arrays have none")


def warn_of_lost_parts():
    """NumPy's warning, at the caller of the method or function."""
    warnings.warn("Casting complex values to real discards the imaginary part", ComplexWarning, stacklevel=3)


class Methods:
    """The methods and views of Array that are functions of the package, too."""

    __slots__ = ()

    # ---- views ----
    @property
    def T(self):
        """The array with its axes reversed."""
        return clary._array.wrap(call(lib.clary_transpose, self._h, NULL))

    @property
    def mT(self):
        """The matrices of the last two axes transposed."""
        return clary.matrix_transpose(self)

    def reshape(self, *shape, order="C", copy=None):
        """The elements in another shape: a view where strides allow it."""
        return clary.reshape(self, shape[0] if len(shape) == 1 else shape, order=order, copy=copy)

    def transpose(self, *axes):
        """The axes reversed, or in the order given."""
        return clary.transpose(self, _axes(axes))

    def swapaxes(self, axis1, axis2):
        """Two axes exchanged."""
        return clary.swapaxes(self, axis1, axis2)

    def squeeze(self, axis=None):
        """Without axes of extent 1."""
        return clary.squeeze(self, axis)

    def ravel(self, order="C"):
        """The elements in one dimension: a view where possible."""
        return clary.ravel(self, order)

    def flatten(self, order="C"):
        """A copy of the elements in one dimension."""
        return clary.ravel(self, order).copy()

    def diagonal(self, offset=0, axis1=0, axis2=1):
        """A view of a diagonal."""
        return clary.diagonal(self, offset, axis1, axis2)

    # ---- copies ----
    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        """The elements in another dtype; order="K": lying in memory as they lie here."""
        code, order = code_of(dtype), clary._create.order_of(order) or "K"
        if not copy and code == lib.clary_array_dtype(self._h):
            return self
        if KINDS[lib.clary_array_dtype(self._h)] == "c" and KINDS[code] in "iuf":
            warn_of_lost_parts()
        if order == "C" or (order != "F" and lib.clary_array_is_contiguous(self._h)):
            return clary._array.wrap(call(lib.clary_astype, self._h, code, casting_rule(casting)))
        return clary._create.copied(self, dtype, order, casting)

    def copy(self, order="C"):
        """A new array of the same elements."""
        order = clary._create.order_of(order) or "C"
        if order == "C":
            return clary._array.wrap(call(lib.clary_copy, self._h))
        return clary._create.copied(self, self.dtype, order)

    def repeat(self, repeats, axis=None):
        """Elements repeated along an axis."""
        return clary.repeat(self, repeats, axis)

    def conj(self):
        """The complex conjugate; of a real array the array itself."""
        return clary.conjugate(self) if self._is_complex() else self

    conjugate = conj

    def clip(self, min=_NOT_GIVEN, max=_NOT_GIVEN, out=None, **kwargs):
        """Elements limited to a range."""
        return clary.clip(self, None if min is _NOT_GIVEN else min, None if max is _NOT_GIVEN else max, out=out, **kwargs)

    def round(self, decimals=0, out=None):
        """Rounded to a number of decimals, halves to even."""
        return clary.round(self, decimals, out=out)

    # ---- elements by position ----
    def take(self, indices, axis=None, out=None, mode="raise"):
        """The elements at indices along an axis."""
        return clary.take(self, indices, axis, out, mode)

    def put(self, indices, values, mode="raise"):
        """Sets elements of the flattened array."""
        clary.put(self, indices, values, mode)

    def choose(self, choices, out=None, mode="raise"):
        """An array made by picking from choices, with self as the indices."""
        return clary.choose(self, choices, out, mode)

    def compress(self, condition, axis=None, out=None):
        """The slices along an axis where the condition holds."""
        return clary.compress(condition, self, axis, out)

    def nonzero(self):
        """The indices of elements that are not zero, one array for each axis."""
        return clary.nonzero(self)

    def searchsorted(self, v, side="left", sorter=None):
        """Where elements of v belong in this sorted array."""
        return clary.searchsorted(self, v, side, sorter)

    def fill(self, value):
        """Sets every element."""
        if isinstance(value, (list, tuple)) or getattr(value, "size", 1) != 1:
            raise ValueError(f"fill: setting an array element with a sequence, {type(value).__name__}")
        self[...] = value.reshape(()) if getattr(value, "ndim", 0) else value

    # ---- order ----
    def sort(self, axis=-1, kind=None, order=None, *, stable=None):
        """Sorts this array in place."""
        _no_fields("sort", order)
        self[...] = clary.sort(self, axis)

    def argsort(self, axis=-1, kind=None, order=None, *, stable=None):
        """The indices that sort this array."""
        _no_fields("argsort", order)
        return clary.argsort(self, axis)

    def partition(self, kth, axis=-1, kind="introselect", order=None):
        """Moves the kth smallest to its place, smaller ones before it, in place."""
        _no_fields("partition", order)
        self[...] = clary.partition(self, kth, axis)

    def argpartition(self, kth, axis=-1, kind="introselect", order=None):
        """The indices that partition this array."""
        _no_fields("argpartition", order)
        return clary.argpartition(self, kth, axis)

    # ---- reductions ----
    def sum(self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
        """The sum along axes."""
        return clary.sum(self, axis, dtype, out, keepdims, initial, where)

    def prod(self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
        """The product along axes."""
        return clary.prod(self, axis, dtype, out, keepdims, initial, where)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
        """The mean along axes."""
        return clary.mean(self, axis, dtype, out, keepdims, where=where)

    def min(self, axis=None, out=None, keepdims=False, initial=None, where=None):
        """The smallest element along axes."""
        return clary.min(self, axis, out, keepdims, initial, where)

    def max(self, axis=None, out=None, keepdims=False, initial=None, where=None):
        """The largest element along axes."""
        return clary.max(self, axis, out, keepdims, initial, where)

    def any(self, axis=None, out=None, keepdims=False, *, where=None):
        """Whether any element along axes is true."""
        return clary.any(self, axis, out, keepdims, where=where)

    def all(self, axis=None, out=None, keepdims=False, *, where=None):
        """Whether all elements along axes are true."""
        return clary.all(self, axis, out, keepdims, where=where)

    def ptp(self, axis=None, out=None, keepdims=False):
        """Largest minus smallest along axes."""
        return clary.ptp(self, axis, out, keepdims)

    def argmin(self, axis=None, out=None, *, keepdims=False):
        """The index of the smallest element."""
        return clary.argmin(self, axis, out, keepdims=keepdims)

    def argmax(self, axis=None, out=None, *, keepdims=False):
        """The index of the largest element."""
        return clary.argmax(self, axis, out, keepdims=keepdims)

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
            correction=None):
        """The variance along axes."""
        return clary.var(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)

    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
            correction=None):
        """The standard deviation along axes."""
        return clary.std(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)

    def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
        """The sum along a diagonal."""
        return clary.trace(self, offset, axis1, axis2, dtype, out)

    def cumsum(self, axis=None, dtype=None, out=None):
        """Sums of all leading parts."""
        return clary.cumsum(self, axis, dtype, out)

    def cumprod(self, axis=None, dtype=None, out=None):
        """Products of all leading parts."""
        return clary.cumprod(self, axis, dtype, out)

    # ---- products ----
    def dot(self, b, out=None):
        """numpy.dot of this array and another."""
        return clary.dot(self, b, **({} if out is None else {"out": out}))

    def __matmul__(self, other):
        return clary.matmul(self, other) if _is_operand(other) else NotImplemented

    def __rmatmul__(self, other):
        return clary.matmul(other, self) if _is_operand(other) else NotImplemented

    def __imatmul__(self, other):
        self[...] = clary.matmul(self, other)
        return self

    # ---- parts of complex numbers ----
    @property
    def real(self):
        """The real part, as a view; of a real array the array itself."""
        return self._part(False) if self._is_complex() else self

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        """The imaginary part, as a view; of a real array zeros that cannot be assigned."""
        if self._is_complex():
            return self._part(True)
        zeros = clary.zeros_like(self)
        zeros.setflags(write=False)
        return zeros

    @imag.setter
    def imag(self, value):
        if not self._is_complex():
            raise TypeError("cannot set the imaginary part of a real array")
        self.imag[...] = value

    def _is_complex(self):
        return KINDS[lib.clary_array_dtype(self._h)] == "c"

    def _part(self, imaginary):
        return clary._array.wrap(call(lib.clary_part, self._h, imaginary))

    # ---- the bytes ----
    def view(self, dtype=None, type=None):
        """The same memory as elements of another dtype. While the view lives, operations on either array
        are not deferred."""
        if type is not None and not issubclass(clary.Array, type):
            raise TypeError(f"view: Clary arrays cannot become {type.__name__}")
        code = lib.clary_array_dtype(self._h) if dtype is None else code_of(dtype)
        return clary._array.wrap(call(lib.clary_view, self._h, code))

    def byteswap(self, inplace=False):
        """The elements with their bytes in the other order."""
        size = self.itemsize // 2 if self._is_complex() else self.itemsize
        swapped = self.reshape(-1).copy().view("uint8").reshape(-1, size)[:, ::-1].copy()
        swapped = swapped.reshape(-1).view(self.dtype).reshape(self.shape).copy()
        if not inplace:
            return swapped
        self[...] = swapped
        return self

    def resize(self, *new_shape, refcheck=True):
        """Changes shape and size in place, with zeros for new elements. Views made before keep the old memory."""
        shape = clary._create.shape_tuple(new_shape[0] if len(new_shape) == 1 else new_shape)
        resized = clary.zeros(shape, self.dtype, device=self._device)
        kept = min(resized.size, self.size)
        resized.reshape(-1)[:kept] = self.reshape(-1)[:kept]
        self._h, resized._h = resized._h, self._h

    # ---- to files and bytes ----
    def tolist(self):
        """The elements as nested lists of Python scalars."""
        out = clary.asnumpy(self)
        return (out.astype(numpy.float32) if out.dtype.kind == "V" else out).tolist()

    def tobytes(self, order="C"):
        """The bytes of the elements in C or Fortran order."""
        return clary._array.raw(self).tobytes(order)

    def tofile(self, fid, sep="", format="%s"):
        """Writes the elements, in C order, to a file as bytes, or as text where sep is given."""
        clary._array.raw(self).tofile(fid, sep, format)

    def dump(self, file):
        """Pickles the array to a file."""
        if hasattr(file, "write"):
            pickle.dump(self, file)
            return
        with open(file, "wb") as opened:
            pickle.dump(self, opened)

    def dumps(self):
        """The pickled array."""
        return pickle.dumps(self)

    def to_device(self, device, /, *, stream=None):
        """The array on another device: a Device or a selector string."""
        if stream is not None:
            raise UnsupportedError("to_device: streams are not supported")
        return clary._array.wrap(call(lib.clary_to_device, self._h, clary._device.handle(device)))


def _is_operand(value):
    return isinstance(value, (clary.Array, numpy.ndarray, list, tuple)) or hasattr(value, "__array__")
