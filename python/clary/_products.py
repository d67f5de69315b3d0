"""Products of vectors, matrices and tensors: NumPy's functions over the library's contractions.

matmul, vecdot, matvec and vecmat take what NumPy's generalised ufuncs of these names take (out=, casting=,
dtype=, axes=, axis=, keepdims=); the others are compositions of views with one contraction.
"""
import operator

import numpy

from ._array import Array, wrap
from ._core import ShapeError, call, lib
from ._create import asarray
from ._manip import moveaxis, stack
from ._ufunc import by_name, operands, store


def arrays_of(*values):
    """The values as Arrays of one device; unlike an operand of an operator, a Python scalar has a dtype."""
    device = next((v._device for v in values if type(v) is Array), None)
    return [v if type(v) is Array else asarray(v, device=device) for v in values]


# ---- generalised ufuncs ----
def _entries(name, cores, axes, axis, keepdims):
    """axes= as one tuple of axes for each input and for the result."""
    if axis is not None:
        if axes is not None:
            raise TypeError(f"{name}: cannot specify both axis= and axes=")
        if cores != (1, 1, 0):
            raise TypeError(f"{name}: axis= is for functions of one shared axis; give axes=")
        axes = [axis, axis, axis] if keepdims else [axis, axis, ()]
    axes = [tuple(a) if isinstance(a, (tuple, list)) else (a.__index__(),) for a in axes]
    if len(axes) == 2 and not cores[2]:
        axes.append(axes[0] if keepdims else ())
    if len(axes) != 3:
        raise ValueError(f"{name}: axes= needs an entry for each input and for the result, not {len(axes)}")
    return axes


def _move(name, x, given, wanted):
    """moveaxis, or an error that names the function."""
    if len(given) != len(wanted):
        raise ValueError(f"{name}: axes= names {len(given)} axes where there are {len(wanted)}: {given}")
    return moveaxis(x, given, wanted) if given else x


def _last(count):
    return tuple(range(-count, 0))


def _generalised(name, cores, product, doc):
    """A function of two arrays whose last axes, as many as `cores` says for each input and the result, belong
    to the product, while those before broadcast. In matmul an input may have one axis and lack the other."""

    def function(x1, x2, /, out=None, *, casting="same_kind", order="K", dtype=None, subok=True, axes=None, axis=None,
                 keepdims=False):
        inputs = operands([x1, x2])
        if keepdims and cores[2]:
            raise TypeError(f"{name}() does not support keepdims=: its result has axes of its own")
        if dtype is not None:
            inputs = [x.astype(dtype, casting=casting) for x in inputs]
        least = [1, 1] if name == "matmul" else cores
        for x, core in zip(inputs, least):
            if x.ndim < core:
                raise ShapeError(f"{name}: shapes {inputs[0].shape} and {inputs[1].shape} do not fit together: "
                                 f"{core} axes are needed")
        moved = axes is not None or axis is not None
        kept = [min(core, x.ndim) for x, core in zip(inputs, cores)]
        if moved:
            axes = _entries(name, cores, axes, axis, keepdims)
            inputs = [_move(name, x, a, _last(n)) for x, a, n in zip(inputs, axes, kept)]
        result = product(*inputs)
        core = cores[2] - sum(n < wanted for n, wanted in zip(kept, cores))
        if keepdims:
            result, core = result[..., None], 1
        if moved:
            result = _move(name, result, _last(core), axes[2])
        if out is None:
            return result
        target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
        if result.shape[result.ndim - core:] != target.shape[target.ndim - core:]:
            raise ShapeError(f"{name}: out of shape {target.shape} does not hold a result of shape {result.shape}")
        return store(result, target, casting)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _fits(name, x1, x2, n1, n2):
    if n1 != n2:
        raise ShapeError(f"{name}: shapes {x1.shape} and {x2.shape} do not fit together: {n1} != {n2}")


def _conjugate(x):
    return by_name["conjugate"](x) if x.dtype.kind == "c" else x


def _matmul(x1, x2):
    return wrap(call(lib.clary_matmul, x1, x2))


def _vecdot(x1, x2):
    return wrap(call(lib.clary_vecdot, x1, x2, -1))


def _matvec(x1, x2):
    _fits("matvec", x1, x2, x1.shape[-1], x2.shape[-1])
    return _matmul(x1, x2[..., None])[..., 0]


def _vecmat(x1, x2):
    _fits("vecmat", x1, x2, x1.shape[-1], x2.shape[-2])
    return _matmul(_conjugate(x1)[..., None, :], x2)[..., 0, :]


matmul = _generalised("matmul", (2, 2, 2), _matmul, """Matrix product of the last two axes; the others broadcast.

    A 1-D x1 is a row and a 1-D x2 a column, whose axis the result lacks. 0-d arrays are refused.""")
vecdot = _generalised("vecdot", (1, 1, 0), _vecdot, """Sum of conj(x1) * x2 along an axis; the others broadcast.""")
matvec = _generalised("matvec", (2, 1, 1), _matvec, """Products of matrices and vectors in the last axes.""")
vecmat = _generalised("vecmat", (1, 2, 1), _vecmat, """Products of conjugated vectors and matrices in the last axes.""")


# ---- products of two ----
def _contract_one(name, a, b, axis_b):
    """Sums over a's last axis and one of b's; scalars multiply."""
    if not a.ndim or not b.ndim:
        return by_name["multiply"](a, b)
    _fits(name, a, b, a.shape[-1], b.shape[axis_b])
    return wrap(call(lib.clary_tensordot, a, b, 1, [-1], [axis_b]))


def dot(a, b, out=None):
    """Sum over the last axis of a and the last but one of b (of a 1-D b: its only one); scalars multiply.

    out= must have the result's shape and dtype."""
    a, b = arrays_of(a, b)
    result = _contract_one("dot", a, b, -1 if b.ndim < 2 else -2)
    if out is None:
        return result
    if out.shape != result.shape or out.dtype != result.dtype:
        raise ValueError(f"dot: out must have shape {result.shape} and dtype {result.dtype}, not {out.shape} and {out.dtype}")
    return store(result, out)


def inner(a, b, /):
    """Sum over the last axes of both; scalars multiply."""
    return _contract_one("inner", *arrays_of(a, b), -1)


def vdot(a, b, /):
    """Sum of conj(a) * b over all elements, in C order."""
    a, b = [x.reshape(-1) for x in arrays_of(a, b)]
    _fits("vdot", a, b, a.size, b.size)
    return _vecdot(a, b)


def outer(a, b, out=None):
    """Products of every element of a with every element of b: a matrix."""
    a, b = arrays_of(a, b)
    return by_name["multiply"](a.reshape(-1, 1), b.reshape(1, -1), out=out)


def tensordot(a, b, axes=2):
    """Sum over axes of a and of b, pair by pair: the last and first `axes` ones, or two sequences of axes."""
    a, b = arrays_of(a, b)
    if hasattr(axes, "__index__"):
        axes = range(-axes, 0), range(axes)
    axes_a, axes_b = [[n.__index__() for n in ([x] if hasattr(x, "__index__") else x)] for x in axes]
    if len(axes_a) != len(axes_b):
        raise ShapeError(f"tensordot: {len(axes_a)} axes of a for {len(axes_b)} of b")
    return wrap(call(lib.clary_tensordot, a, b, len(axes_a), axes_a, axes_b))


def kron(a, b):
    """Kronecker product: b, scaled by each element of a, in blocks."""
    a, b = arrays_of(a, b)
    ndim = max(a.ndim, b.ndim)
    shapes = [(1,) * (ndim - x.ndim) + x.shape for x in (a, b)]
    a = a.reshape([n for extent in shapes[0] for n in (extent, 1)])
    b = b.reshape([n for extent in shapes[1] for n in (1, extent)])
    return (a * b).reshape([m * n for m, n in zip(*shapes)])


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Cross product of vectors of 3 elements, or of 2, whose third counts as 0. Of two vectors of 2 the result is
    the third component alone."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = arrays_of(a, b)
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ShapeError(f"cross: vectors must have 2 or 3 elements, not {a.shape[-1]} and {b.shape[-1]}")
    a, b = [[x[..., i] for i in range(x.shape[-1])] for x in (a, b)]
    z = a[0] * b[1] - a[1] * b[0]
    if len(a) == len(b) == 2:
        return z
    if len(a) == 2:
        x, y = a[1] * b[2], -(a[0] * b[2])
    elif len(b) == 2:
        x, y = -(a[2] * b[1]), a[2] * b[0]
    else:
        x, y = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2]
    return moveaxis(stack([x, y, z], axis=-1), -1, axisc)


# ---- einsum ----
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _written(labels):
    """The subscripts that a list of numbers and Ellipsis stands for."""
    written = ""
    for label in labels:
        if label is Ellipsis:
            written += "..."
            continue
        number = operator.index(label)
        if not 0 <= number < len(_LETTERS):
            raise ValueError(f"einsum: the subscript {number} is not one of 0 to {len(_LETTERS) - 1}")
        written += _LETTERS[number]
    return written


def _parsed(operands):
    """(subscripts, arrays) of einsum's arguments, which may alternate arrays and lists of labels."""
    if not operands:
        raise ValueError("einsum: the subscripts must be given")
    if isinstance(operands[0], str):
        return operands[0], operands[1:]
    pairs = len(operands) // 2
    subscripts = ",".join(_written(labels) for labels in operands[1 : 2 * pairs : 2])
    if len(operands) % 2:
        subscripts += "->" + _written(operands[-1])
    return subscripts, operands[0 : 2 * pairs : 2]


def _einsum(subscripts, arrays):
    return wrap(call(lib.clary_einsum, subscripts.encode(), len(arrays), [a._h for a in arrays]))


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """Einstein's summation convention: einsum("ij,jk->ik", a, b), or einsum(a, [0, 1], b, [1, 2], [0, 2]).

    A label that the result lacks is summed over; without "->" the result has the labels met once, sorted. "..."
    stands for axes that broadcast, and a label that is repeated in one operand for its diagonal. Products of more
    than two arrays are always made in an order that keeps intermediate results small, so optimize= changes nothing.
    One operand of which nothing is summed gives a view, of its own dtype as in NumPy, whatever dtype= says.
    """
    subscripts, arrays = _parsed(operands)
    arrays = arrays_of(*arrays)
    if len(arrays) == 1 and out is None:
        result = _einsum(subscripts, arrays)
        if dtype is None or result.shares_memory(arrays[0]):
            return result
    if dtype is not None:
        arrays = [a.astype(dtype, casting=casting, copy=False) for a in arrays]
    result = _einsum(subscripts, arrays)
    return result if out is None else store(result, out, casting)


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """numpy.einsum_path: an order of contraction, and a text about its cost; of the shapes alone."""
    subscripts, arrays = _parsed(operands)
    shapes = [a.shape if type(a) is Array else numpy.shape(a) for a in arrays]
    stand_ins = [numpy.broadcast_to(numpy.float64(0), shape) for shape in shapes]
    return numpy.einsum_path(subscripts, *stand_ins, optimize=optimize, einsum_call=einsum_call)


public = {f.__name__: f for f in (matmul, vecdot, matvec, vecmat, dot, inner, vdot, outer, tensordot, kron, cross,
                                  einsum, einsum_path)}
