"""The methods of functions with two inputs: reduce, accumulate, outer, at, reduceat.

Where the function is associative, partial results combine in any grouping and the library reduces in its one
order. Elsewhere (subtract, divide, power, ...) the order is the meaning: the elements are folded from the left,
one lazy step for each, which the engine fuses in runs.
"""
import operator

import numpy

import clary

from ._core import AxisError, DTypeError, IndexOutOfRangeError, call, lib
from ._dtypes import DTYPES, NO_DTYPE, code_of

# Functions whose reduce is one of the library's reductions, with its rule for result dtypes.
_NAMED = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all",
          "logical_or": "any"}
_SCANS = {"add": "cumsum", "multiply": "cumprod"}


def _pieces(a, axis):
    """The slices along an axis."""
    front = clary.moveaxis(a, axis, 0)
    return [front[i] for i in range(front.shape[0])]


class Methods:
    """Methods of ufuncs; those of other shapes than two inputs and one result refuse them."""

    __slots__ = ()
    signature = property(lambda self: None, doc="None: works on single elements.")
    nargs = property(lambda self: self.nin + self.nout, doc="Number of inputs and results.")
    ntypes = property(lambda self: len(self.types), doc="Number of the dtypes it computes in.")

    def _binary_only(self, method):
        if self.nin != 2:
            raise ValueError(f"{method} is for functions with two inputs; {self.__name__} has {self.nin}")
        if self.nout != 1:
            raise ValueError(f"{method} is for functions with one result; {self.__name__} has {self.nout}")

    def _check_dtype(self, dtype):
        if dtype is not None and self.rule == "TEST" and code_of(dtype) != lib.CLARY_BOOL:
            raise DTypeError(f"{self.__name__} gives bool, not {dtype}")

    def _loop(self, a, dtype):
        """The array in the dtype of the steps: inputs and results have the same."""
        if dtype is not None:
            return a.astype(dtype)
        code = lib.clary_array_dtype(a._h)
        compute, result = self.resolve([code, code])
        if self.rule == "TEST" and self.__name__.startswith("logical"):
            return a.astype(bool)
        if compute != result:
            raise TypeError(f"{self.__name__} has no loop from {a.dtype} to itself")
        return a.astype(DTYPES[compute], copy=False)

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        """Combines the elements along axes with this function."""
        self._binary_only("reduce")
        a, name = clary.asarray(array), self.__name__
        self._check_dtype(dtype)
        if name in ("add", "multiply"):
            return clary._reduce.public[_NAMED[name]](a, axis, dtype, out, keepdims, initial, where)
        if name in ("maximum", "minimum"):
            a = a if dtype is None else a.astype(dtype)
            return clary._reduce.public[_NAMED[name]](a, axis, out, keepdims, initial, where)
        if name in _NAMED:
            result = clary._reduce.public[_NAMED[name]](a, axis, keepdims=keepdims, where=where)
            return clary._reduce.deliver(name, result if initial is None else self(result, initial), out)
        a = self._loop(a, dtype)
        mask = clary._reduce.mask_of(a, where)
        identity = self.identity if self.associative else None
        if mask is not None and identity is None and initial is None:
            raise ValueError(f"{name}.reduce has no identity: where= needs initial=")
        if not self.associative:
            result = self._fold(a, axis, keepdims, initial, mask)
        elif identity is None and initial is not None and not a.size:
            shape = clary._reduce.public["any"](a, axis, keepdims=keepdims).shape
            result = clary.full(shape, initial, dtype=a.dtype, device=a._device)
        else:
            fill = initial if identity is None else identity
            a = a if mask is None else clary._reduce.masked(a, mask, clary.full((), fill, a.dtype, device=a._device))
            result = call(lib.clary_op_reduce, self._code, a, *clary._reduce.axes_of(axis, a), bool(keepdims), NO_DTYPE)
            result = clary._array.wrap(result)
            result = result if initial is None else self(result, initial)
        return clary._reduce.deliver(name, result, out)

    def _fold(self, a, axis, keepdims, initial, mask):
        """From the left: ((a0 f a1) f a2) ..., or from `initial` on."""
        name = self.__name__
        axis = tuple(range(a.ndim)) if axis is None else axis
        if isinstance(axis, tuple):
            if len(axis) > 1:
                raise ValueError(f"{name}.reduce depends on the order of elements, so it takes one axis, not {len(axis)}")
            axis = axis[0] if axis else None
        if axis is None or not a.ndim:
            return a if initial is None else self(initial, a)
        axis = _axis(axis, a, name)
        pieces = _pieces(a, axis)
        if not pieces and initial is None:
            raise ValueError(f"{name}.reduce of no elements has no value: the function has no identity")
        if name == "subtract" and mask is None and len(pieces) > 1:  # what is taken away can be added up
            pieces = [pieces[0], clary._array.wrap(_reduced_sum(clary.moveaxis(a, axis, 0)[1:], a))]
        masks = [None] * len(pieces) if mask is None else _pieces(mask, axis)
        shape = a.shape[:axis] + a.shape[axis + 1:]
        result = None if initial is None else clary.full(shape, initial, a.dtype, device=a._device)
        for piece, chosen in zip(pieces, masks):
            step = piece if result is None else self(result, piece)
            result = step if chosen is None else clary._reduce.masked(step, chosen, result)
        return clary.expand_dims(result, axis) if keepdims else result

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """Every partial result of combining the elements along an axis."""
        self._binary_only("accumulate")
        a, name = clary.asarray(array), self.__name__
        if not a.ndim:
            raise TypeError(f"{name}.accumulate: cannot accumulate a 0-d array")
        axis = _axis(axis, a, name)
        self._check_dtype(dtype)
        if name in _SCANS:
            return clary._reduce.public[_SCANS[name]](a, axis, dtype, out)
        a = self._loop(a, dtype)
        if self.associative:
            result = clary._array.wrap(call(lib.clary_op_accumulate, self._code, a, axis, NO_DTYPE))
        else:
            partial = []
            for piece in _pieces(a, axis):
                partial.append(self(partial[-1], piece) if partial else piece)
            result = clary.stack(partial, axis=axis) if partial else a.copy()
        return clary._reduce.deliver(name, result, out)

    def outer(self, a, b, /, **kwargs):
        """The function of every pair of an element of a and an element of b."""
        self._binary_only("outer")
        a, b = clary.asarray(a), clary.asarray(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **kwargs)

    def at(self, a, indices, b=None, /):
        """a[indices] = f(a[indices], b) in place, once more for every repeated index."""
        if self.nout != 1 or self.nin > 2:
            raise ValueError(f"at is for functions with one or two inputs and one result, not {self.__name__}")
        if (b is None) != (self.nin == 1):
            raise ValueError(f"{self.__name__}.at takes {'no second operand' if self.nin == 1 else 'a second operand'}")
        if not isinstance(a, clary.Array):
            raise TypeError(f"{self.__name__}.at changes a Clary array, not a {type(a).__name__}")
        clary._index.update_at(self._code, a, indices, b)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """reduce of the slices from each index to the next; a[i] alone where the next is not greater."""
        self._binary_only("reduceat")
        a = clary.asarray(array)
        if not a.ndim:
            raise TypeError(f"{self.__name__}.reduceat: cannot reduce a 0-d array")
        axis = _axis(axis, a, self.__name__)
        extent = a.shape[axis]
        starts = numpy.asarray(indices)  # a list of bounds, needed on the host
        if starts.dtype.kind not in "iu" and starts.size:
            raise TypeError(f"{self.__name__}.reduceat: indices must be integers, not {starts.dtype}")
        if starts.ndim != 1:
            raise ValueError(f"{self.__name__}.reduceat: indices must have one dimension, not {starts.ndim}")
        starts = starts.astype(numpy.int64)
        wrong = starts[(starts < 0) | (starts >= extent)]
        if wrong.size:
            raise IndexOutOfRangeError(f"{self.__name__}.reduceat: index {wrong[0]} is out of range for {extent} elements")
        lengths = numpy.append(starts[1:], extent) - starts
        lengths[lengths <= 0] = 1
        front = clary.moveaxis(a, axis, 0)
        nothing = self.reduce(clary.empty((0, 1) + front.shape[1:], a.dtype, device=a._device), 1, dtype)
        result = clary.empty((starts.size,) + front.shape[1:], nothing.dtype, device=a._device)
        for length in numpy.unique(lengths):  # runs of one length are reduced together
            rows = numpy.flatnonzero(lengths == length)
            result[clary.asarray(rows, device=a._device)] = self.reduce(_runs(front, starts[rows], length), 1, dtype)
        return clary._reduce.deliver(self.__name__, clary.moveaxis(result, 0, axis).copy(), out)


def _runs(front, starts, length):
    """The runs of a length from the starts on, as rows."""
    places = starts[:, None] + numpy.arange(length)
    return front[clary.asarray(places, device=front._device)]


def _reduced_sum(rest, like):
    add = clary._ufunc.by_name["add"]._code
    return call(lib.clary_op_reduce, add, rest, 1, [0], False, code_of(like.dtype))


def _axis(axis, a, name):
    axis = operator.index(axis)
    if not -a.ndim <= axis < a.ndim:
        raise AxisError(f"{name}: axis {axis} is out of bounds for an array of dimension {a.ndim}")
    return axis % a.ndim
