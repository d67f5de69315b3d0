"""Numeric functions of sampled data: weighted means, covariance, differences, integrals, convolution,
interpolation. Each is a composition of views and element-wise operations around one reduction, which fuse.
"""
import builtins
import operator

from . import _manip, _pad, _products, _sort, _values
from ._array import wrap
from ._core import ArgumentError, AxisError, DTypeError, ShapeError, call, lib
from ._create import asarray, empty, full
from ._dtypes import can_cast, result_type
from ._reduce import any as any_
from ._reduce import array_of, kind_of, mean
from ._reduce import sum as sum_
from ._ufunc import by_name, operands

_where, _isnan = by_name["where"], by_name["isnan"]


def axis_of(name, axis, ndim):
    """A non-negative axis; AxisError where there is none."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise AxisError(f"{name}: axis {axis} is out of bounds for {ndim} dimensions")
    return axis % ndim


def axes_tuple(name, axis, ndim):
    """Non-negative axes of None (all), a number or a sequence."""
    if axis is None:
        return tuple(range(ndim))
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple(axis_of(name, x, ndim) for x in axes)
    if len(set(axes)) != len(axes):
        raise ArgumentError(f"{name}: an axis is given twice in {axis}")
    return axes


def _along(values, axis, ndim):
    """A 1-D array laid along one of ndim axes."""
    return values.reshape((1,) * axis + (-1,) + (1,) * (ndim - axis - 1))


# ---- means and covariance ----
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """Mean of the elements, each counted with its weight; `returned`: with the sum of the weights."""
    a = array_of(a)
    axis = None if axis is None else axes_tuple("average", axis, a.ndim)
    if weights is None:
        result = mean(a, axis, keepdims=keepdims)
        total = full((), a.size / builtins.max(result.size, 1), dtype=result.dtype, device=a._device)
    else:
        weights = laid_weights("average", a, asarray(weights, device=a._device), axis)
        dtype = result_type(a.dtype, weights.dtype, *(["float64"] if kind_of(a) in "biu" else []))
        total = sum_(weights, axis, dtype, keepdims=keepdims)
        if any_(total == 0):
            raise ZeroDivisionError("average: weights add up to zero")
        result = sum_(by_name["multiply"](a, weights, dtype=dtype), axis, keepdims=keepdims) / total
    if not returned:
        return result
    return result, _manip.broadcast_to(total, result.shape).copy()


def laid_weights(name, a, weights, axis):
    """Weights of an array's shape, or of its axes `axis`, in a shape that broadcasts to the array's."""
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError(f"{name}: weights of shape {weights.shape} for elements of shape {a.shape} need an axis")
    if weights.shape != tuple(a.shape[x] for x in axis):
        raise ShapeError(f"{name}: weights of shape {weights.shape} do not fit axes {axis} of shape {a.shape}")
    weights = _manip.transpose(weights, sorted(range(len(axis)), key=axis.__getitem__))
    return weights.reshape(tuple(n if d in axis else 1 for d, n in enumerate(a.shape)))


def _matrix(name, x, dtype):
    if x.ndim > 2:
        raise ArgumentError(f"cov: {name} has more than 2 dimensions: shape {x.shape}")
    return _manip.atleast_2d(x.astype(dtype, copy=False))


def _sample_weights(name, weights, count, whole):
    weights = asarray(weights, float)
    if whole and any_(weights != by_name["rint"](weights)):
        raise TypeError(f"cov: {name} must be integers")
    if weights.ndim > 1 or weights.shape != (count,):
        raise RuntimeError(f"cov: {name} of shape {weights.shape} for {count} observations")
    if any_(weights < 0):
        raise ArgumentError(f"cov: {name} cannot be negative")
    return weights


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Covariance matrix of variables (rows, or columns without rowvar), over their observations, with integer
    frequencies fweights and reliabilities aweights."""
    if ddof is not None and ddof != int(ddof):
        raise ArgumentError(f"cov: ddof must be an integer, not {ddof!r}")
    m = array_of(m)
    both = [m] if y is None else [m, asarray(y, device=m._device)]
    if dtype is None:
        dtype = result_type(*(v.dtype for v in both), "float64")
    x = _matrix("m", m, dtype)
    x = x.T if not rowvar and m.ndim != 1 else x
    if not x.shape[0]:
        return empty((0, 0), device=m._device)
    if y is not None:
        y = _matrix("y", both[1], dtype)
        x = _manip.concat([x, y.T if not rowvar and y.shape[0] != 1 else y])
    if kind_of(x) not in "fc":
        raise TypeError(f"cov: covariances of dtype float64 cannot be cast to {x.dtype}")
    ddof = int(not bias) if ddof is None else ddof
    count = x.shape[1]
    weights = None if fweights is None else _sample_weights("fweights", fweights, count, True)
    if aweights is not None:
        reliability = _sample_weights("aweights", aweights, count, False)
        weights = reliability if weights is None else weights * reliability
    if weights is None:
        centre, freedom = mean(x, 1, keepdims=True), builtins.max(count - ddof, 0)
    else:
        centre, total = average(x, 1, weights, returned=True, keepdims=True)
        total = total.reshape(-1)[0].real
        lost = ddof if aweights is None else ddof * sum_(weights * reliability) / total
        freedom = by_name["maximum"](total - lost, 0.0)
    x = x - centre
    other = x if weights is None else x * weights
    products = _products.matmul(x, by_name["conjugate"](other).T)
    return _manip.squeeze((products * (1 / asarray(freedom, float, device=x._device))).astype(x.dtype, copy=False))


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """Correlation coefficients of variables: their covariances over the product of their deviations."""
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return c / c
    deviation = by_name["sqrt"](_manip.diagonal(c).real)
    c = c / deviation[:, None] / deviation
    if kind_of(c) != "c":
        return _values.clip(c, -1.0, 1.0)
    return by_name["add"](_values.clip(c.real, -1.0, 1.0), 1j * _values.clip(c.imag, -1.0, 1.0)).astype(c.dtype, copy=False)


# ---- differences and integrals ----
def _spacings(f, axes, distances):
    """The spacing of gradient along each axis: a number, or the 1-D array of distances between samples."""
    if not distances:
        return [1.0] * len(axes)
    if len(distances) == 1 and not getattr(distances[0], "ndim", 0) and not isinstance(distances[0], (list, tuple)):
        return [distances[0]] * len(axes)
    if len(distances) != len(axes):
        raise TypeError(f"gradient: {len(distances)} spacings for {len(axes)} axes")
    steps = []
    for axis, distance in zip(axes, distances):
        if not isinstance(distance, (int, float, complex)):
            distance = asarray(distance, device=f._device)
            if distance.ndim > 1:
                raise ArgumentError(f"gradient: distances must be scalars or 1-D, shape is {distance.shape}")
            if distance.ndim:
                if distance.shape[0] != f.shape[axis]:
                    raise ArgumentError(f"gradient: {distance.shape[0]} positions along axis {axis} of extent {f.shape[axis]}")
                distance = distance.astype(float) if kind_of(distance) in "iu" else distance
                distance = distance[1:] - distance[:-1]
        steps.append(distance)
    return steps


def _edge(f, h1, h2):
    """Derivative at f0, from f0, f1, f2 at distances h1 (f0 to f1) and h2 (f1 to f2), to second order."""
    return f[0] * -((2.0 * h1 + h2) / (h1 * (h1 + h2))) + f[1] * ((h1 + h2) / (h1 * h2)) - f[2] * (h1 / (h2 * (h1 + h2)))


def _derivative(f, h, edge_order):
    """Derivative along the last axis."""
    left, middle, right = f[..., :-2], f[..., 1:-1], f[..., 2:]
    if getattr(h, "ndim", 0):
        h1, h2 = h[:-1], h[1:]
        first, second, last, but_last = h[0], h[1] if len(h) > 1 else None, h[-1], h[-2] if len(h) > 1 else None
        inner = (middle - left) * (h2 / (h1 * (h1 + h2))) + (right - middle) * (h1 / (h2 * (h1 + h2)))
    else:
        first = second = last = but_last = h
        inner = (right - left) / (2.0 * h)
    if edge_order == 1:
        start, end = (f[..., 1] - f[..., 0]) / first, (f[..., -1] - f[..., -2]) / last
    else:
        start = _edge([f[..., 0], f[..., 1], f[..., 2]], first, second)
        end = -_edge([f[..., -1], f[..., -2], f[..., -3]], last, but_last)
    return start, inner, end


def gradient(f, *varargs, axis=None, edge_order=1):
    """Derivative along each axis: central differences inside, one-sided ones of order edge_order at the ends.
    varargs: one spacing for all axes, or for each axis a spacing or the positions of its samples."""
    f = array_of(f)
    axes = axes_tuple("gradient", axis, f.ndim)
    steps = _spacings(f, axes, varargs)
    if edge_order > 2:
        raise ArgumentError(f"gradient: edge_order must be 1 or 2, not {edge_order}")
    dtype = f.dtype if kind_of(f) in "fc" else "float64"
    f = f.astype(dtype) if kind_of(f) in "iu" else f
    results = []
    for d, h in zip(axes, steps):
        if f.shape[d] < edge_order + 1:
            raise ArgumentError(f"gradient: axis {d} of extent {f.shape[d]} needs {edge_order + 1} samples at least")
        out = empty(f.shape, dtype, device=f._device)
        view = _manip.moveaxis(out, d, -1)
        view[..., 0], view[..., 1:-1], view[..., -1] = _derivative(_manip.moveaxis(f, d, -1), h, edge_order)
        results.append(out)
    return results[0] if len(results) == 1 else tuple(results)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integral along an axis by the trapezoidal rule; the samples lie at x, or dx apart."""
    y = array_of(y)
    d = axis_of("trapezoid", axis, y.ndim)
    if x is not None:
        x = asarray(x, device=y._device)
        along = 0 if x.ndim == 1 else axis_of("trapezoid", axis, x.ndim)
        dx = _values.diff(x, axis=along)
        dx = _along(dx, d, y.ndim) if x.ndim == 1 else dx
    y = _manip.moveaxis(y, d, 0)
    pairs = _manip.moveaxis(y[1:] + y[:-1], 0, d)
    return sum_(dx * pairs / 2.0, axis)


def ediff1d(ary, to_end=None, to_begin=None):
    """Differences between neighbours of the flattened array, with others put before and behind."""
    ary = array_of(ary).reshape(-1)
    parts = [ary[1:] - ary[:-1]]
    for name, end, place in (("to_begin", to_begin, 0), ("to_end", to_end, 2)):
        if end is None:
            continue
        end = asarray(end, device=ary._device)
        if not can_cast(end.dtype, ary.dtype, "same_kind"):
            raise DTypeError(f"ediff1d: {name} of {end.dtype} does not fit elements of {ary.dtype}")
        parts.insert(place, end.reshape(-1).astype(ary.dtype))
    return _manip.concat(parts) if len(parts) > 1 else parts[0]


# ---- convolution ----
def windows(a, length, axis=0):
    """A read-only view of every run of `length` neighbours along an axis; a run lies along a new last axis."""
    return wrap(call(lib.clary_sliding_window, a, axis, length))


def _window_products(name, a, v, mode):
    """sum over k of a[i + k] v[k], v being no longer than a, for the positions i that `mode` asks for."""
    n = v.shape[0]
    sides = {"valid": (0, 0), "same": (n // 2, n - n // 2 - 1), "full": (n - 1, n - 1)}
    if mode not in sides:
        raise ArgumentError(f"{name}: mode must be 'full', 'same' or 'valid', not {mode!r}")
    dtype = result_type(a.dtype, v.dtype)
    a, v = a.astype(dtype, copy=False), v.astype(dtype, copy=False)
    padded = a if mode == "valid" else _pad.pad(a, sides[mode])
    runs = windows(padded, n)
    return any_(runs & v, 1) if kind_of(a) == "b" else sum_(runs * v, 1, dtype)


def _two_vectors(name, a, v):
    a, v = operands([a, v])
    for x in (a, v):
        if x.ndim != 1:
            raise ShapeError(f"{name}: arrays must be 1-D, shapes are {a.shape} and {v.shape}")
        if not x.size:
            raise ArgumentError(f"{name}: arrays cannot be empty, shapes are {a.shape} and {v.shape}")
    return a, v


def convolve(a, v, mode="full"):
    """Discrete convolution of two 1-D arrays: all of it, its middle of the longer one's length ("same"), or
    where they overlap completely ("valid")."""
    a, v = _two_vectors("convolve", *(_manip.atleast_1d(x) for x in operands([a, v])))
    if v.size > a.size:
        a, v = v, a
    return _window_products("convolve", a, v[::-1], mode)


def correlate(a, v, mode="valid"):
    """Cross-correlation of two 1-D arrays: sum over n of a[n + k] conj(v[n])."""
    a, v = _two_vectors("correlate", a, v)
    v = by_name["conjugate"](v) if kind_of(v) == "c" else v
    if v.size > a.size:
        return _window_products("correlate", v, a, mode)[::-1].copy()
    return _window_products("correlate", a, v, mode)


# ---- interpolation ----
def interp(x, xp, fp, left=None, right=None, period=None):
    """Piecewise linear function through the points (xp, fp), xp increasing, at x. Outside: `left` and `right`,
    by default the first and last of fp; with a period the points repeat."""
    xp, x, fp = operands([xp, x, fp])
    if kind_of(fp) == "c":
        real, imag = (interp(x, xp, part, *(side if side is None else value(side) for side in (left, right)), period)
                      for part, value in ((fp.real, _values.real), (fp.imag, _values.imag)))
        result = empty(x.shape, "complex128", device=x._device)
        result.real, result.imag = real, _where(_isnan(x), 0.0, imag)
        return result
    if any(side is not None and kind_of(array_of(side)) == "c" for side in (left, right)):
        raise TypeError("interp: left and right must be real numbers, as fp is")
    x, xp, fp = x.astype(float), xp.astype(float), fp.astype(float)
    if xp.ndim != 1 or fp.ndim != 1 or xp.shape != fp.shape:
        raise ShapeError(f"interp: xp and fp must be 1-D and equally long, shapes are {xp.shape} and {fp.shape}")
    if not xp.size:
        raise ArgumentError("interp: there are no sample points")
    if period is not None:
        if period == 0:
            raise ArgumentError("interp: period must not be zero")
        period, left, right = builtins.abs(period), None, None
        x, xp = x % period, xp % period
        order = _sort.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = _manip.concat([xp[-1:] - period, xp, xp[:1] + period])
        fp = _manip.concat([fp[-1:], fp, fp[:1]])
    last = xp.shape[0] - 1
    at = _values.clip(_sort.searchsorted(xp, x, side="right") - 1, 0, builtins.max(last - 1, 0))
    x0, y0 = xp[at], fp[at]
    x1, y1 = (xp[at + 1], fp[at + 1]) if last else (x0, y0)
    slope = (y1 - y0) / (x1 - x0)
    result = slope * (x - x0) + y0
    result = _where(_isnan(result), slope * (x - x1) + y1, result)  # an infinite end: from the other one, or none at all
    result = _where(_isnan(result) & (y0 == y1), y0, result)
    result = _where(x == x0, y0, result)
    result = _where(x >= xp[-1], fp[-1], result)
    result = _where(x < xp[0], fp[0] if left is None else left, result)
    result = _where(x > xp[-1], fp[-1] if right is None else right, result)
    return _where(_isnan(x), x, result)


public = {f.__name__: f for f in (average, cov, corrcoef, gradient, trapezoid, ediff1d, convolve, correlate, interp)}
public["trapz"] = trapezoid  # its name before NumPy 2
