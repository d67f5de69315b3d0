"""Polynomials by their coefficients, the highest power first: NumPy's functions and its class poly1d.

A loop here runs over coefficients, which are few; each step works on all points at once.
"""
import operator
import warnings

import numpy

from . import _compare, _manip, _pad, _select, _sort, _tri, linalg
from ._core import ArgumentError
from ._create import arange, asarray, eye, ones, zeros
from ._dtypes import finfo, result_type
from ._numeric import convolve
from ._reduce import all as all_
from ._reduce import any as any_
from ._reduce import argmax, array_of, kind_of
from ._reduce import sum as sum_
from ._ufunc import by_name


def _coefficients(p):
    return p.coeffs if isinstance(p, poly1d) else array_of(p)


def _vector(name, p):
    p = _manip.atleast_1d(_coefficients(p))
    if p.ndim != 1:
        raise ArgumentError(f"{name}: coefficients must be 1-D, shape is {p.shape}")
    return p


def _like(result, *inputs):
    """The result as a poly1d if an input was one."""
    return poly1d(result) if any(isinstance(p, poly1d) for p in inputs) else result


def _trimmed(p, significant):
    """Without leading coefficients that are not significant, but for the last one."""
    start = int(argmax(significant)) if p.size and bool(any_(significant)) else p.size - 1
    return p[start:]


# ---- values, roots ----
def polyval(p, x):
    """The polynomial at the points x (numbers, or a polynomial to put in its place)."""
    p = _coefficients(p)
    if isinstance(x, poly1d):
        result = 0
        for coefficient in p:
            result = result * x + coefficient
        return result
    x = asarray(x, device=p._device)
    dtype = result_type(p.dtype, x.dtype) if len(p) else x.dtype
    p, x = p.astype(dtype, copy=False), x.astype(dtype, copy=False)
    result = zeros(x.shape, dtype, device=x._device)
    for coefficient in p:
        result = result * x + coefficient
    return result


def poly(seq_of_zeros):
    """The coefficients of the polynomial with these roots, or of a square matrix's characteristic polynomial."""
    roots = _manip.atleast_1d(array_of(seq_of_zeros))
    if roots.ndim == 2 and roots.shape[0] == roots.shape[1] and roots.size:
        roots = linalg.eigvals(roots)
    elif roots.ndim != 1:
        raise ArgumentError(f"poly: needs a 1-D array or a square matrix, shape is {roots.shape}")
    if not roots.size:
        return 1.0
    roots = roots.astype(float) if kind_of(roots) in "biu" or roots.dtype == "float16" else roots
    result = ones(1, roots.dtype, device=roots._device)
    for i in range(roots.shape[0]):
        shifted = _pad.pad(result, (1, 0)) * roots[i]
        result = _pad.pad(result, (0, 1)) - shifted
    if kind_of(roots) == "c" and bool(all_(_sort.sort(roots) == _sort.sort(by_name["conjugate"](roots)))):
        return result.real.copy()
    return result


def _real_if_exact(values):
    return values if bool(any_(values.imag)) else values.real.copy()


def roots(p):
    """The roots of a polynomial: the eigenvalues of its companion matrix."""
    p = _coefficients(p)
    if not p.ndim:
        raise TypeError("roots: coefficients must be 1-D, not a number")
    p = _vector("roots", p)
    places = _select.flatnonzero(p)
    if not places.size:
        return zeros(0, device=p._device)
    first, last = int(places[0]), int(places[-1])
    at_zero = p.shape[0] - last - 1
    p = p[first:last + 1]
    p = p.astype(float) if kind_of(p) not in "fc" else p
    n = p.shape[0] - 1
    if not n:
        return zeros(at_zero, device=p._device)
    companion = eye(n, k=-1, dtype=p.dtype, device=p._device)
    companion[0, :] = -p[1:] / p[0]
    found = linalg.eigvals(companion)
    found = found if kind_of(p) == "c" else _real_if_exact(found)
    return _manip.concat([found, zeros(at_zero, found.dtype, device=p._device)]) if at_zero else found


# ---- arithmetic ----
def _combine(op, a1, a2):
    x, y = _vector(f"poly{op[:3]}", a1), _vector(f"poly{op[:3]}", a2)
    n = max(x.shape[0], y.shape[0])
    x, y = (_pad.pad(v, (n - v.shape[0], 0)) for v in (x, y))
    return _like(by_name[op](x, y), a1, a2)


def polyadd(a1, a2):
    """The sum of two polynomials."""
    return _combine("add", a1, a2)


def polysub(a1, a2):
    """The difference of two polynomials."""
    return _combine("subtract", a1, a2)


def polymul(a1, a2):
    """The product of two polynomials."""
    product = convolve(poly1d(a1).coeffs, poly1d(a2).coeffs)
    return _like(product, a1, a2)


def polydiv(u, v):
    """(quotient, remainder) of two polynomials."""
    x, y = _vector("polydiv", u) + 0.0, _vector("polydiv", v) + 0.0
    dtype = (x[0] + y[0]).dtype
    m, n = x.shape[0] - 1, y.shape[0] - 1
    rest = x.astype(dtype)
    quotient = zeros(max(m - n + 1, 1), dtype, device=x._device)
    scale = 1.0 / y[0]
    for k in range(m - n + 1):
        digit = scale * rest[k]
        quotient[k] = digit
        rest[k:k + n + 1] -= digit * y
    rest = _trimmed(rest, _compare.isclose(rest, 0.0, rtol=1e-14) ^ True)
    return _like(quotient, u, v), _like(rest, u, v)


# ---- calculus ----
def _order(name, m, inverse):
    m = operator.index(m)
    if m < 0:
        raise ArgumentError(f"{name}: order {m} is negative (see {inverse})")
    return m


def polyder(p, m=1):
    """The derivative of order m."""
    result = _coefficients(p)
    for _ in range(_order("polyder", m, "polyint")):
        powers = arange(len(result) - 1, 0, -1, device=result._device)
        result = result[:-1] * powers.reshape((-1,) + (1,) * (result.ndim - 1))
    return _like(result, p)


def polyint(p, m=1, k=None):
    """The integral of order m; k: the constants of integration, the first integral's first."""
    m = _order("polyint", m, "polyder")
    result = _coefficients(p)
    constants = zeros(m, device=result._device) if k is None else _manip.atleast_1d(asarray(k, device=result._device))
    if constants.shape[0] == 1 and m > 1:
        constants = _manip.broadcast_to(constants, (m,))
    if constants.shape[0] < m:
        raise ArgumentError(f"polyint: {constants.shape[0]} constants for order {m}")
    for i in range(m):
        powers = arange(len(result), 0, -1, device=result._device)
        result = _manip.concat([result / powers, constants[i:i + 1]])
    return _like(result, p)


# ---- fitting ----
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial of degree deg that fits points best, by least squares with weights w. y may have a column for
    each of several fits. full: with residuals, rank, singular values and rcond; cov: with the covariance matrix of
    the coefficients ("unscaled": for weights that are 1/sigma)."""
    degree = int(deg)
    x = array_of(x) + 0.0
    y = asarray(y, device=x._device) + 0.0
    if deg < 0:
        raise ArgumentError(f"polyfit: degree {deg} is negative")
    if x.ndim != 1 or not x.size:
        raise TypeError(f"polyfit: x must be a non-empty 1-D array, shape is {x.shape}")
    if y.ndim not in (1, 2) or y.shape[0] != x.shape[0]:
        raise TypeError(f"polyfit: y of shape {y.shape} for x of shape {x.shape}")
    rcond = x.shape[0] * float(finfo(x.dtype).eps) if rcond is None else rcond
    matrix = _tri.vander(x, degree + 1)
    if w is not None:
        w = asarray(w, device=x._device) + 0.0
        if w.shape != y.shape[:1]:
            raise TypeError(f"polyfit: weights of shape {w.shape} for y of shape {y.shape}")
        matrix *= w[:, None]
        y *= w[:, None] if y.ndim == 2 else w
    scale = by_name["sqrt"](sum_(matrix * matrix, 0))
    matrix = matrix / scale
    fit, residuals, rank, singular = linalg.lstsq(matrix, y, rcond)
    fit = (fit.T / scale).T
    if not full and int(rank) != degree + 1:
        warnings.warn("Polyfit may be poorly conditioned", numpy.exceptions.RankWarning, stacklevel=2)
    if full:
        return fit, residuals, rank, singular, rcond
    if not cov:
        return fit
    spread = linalg.inv(matrix.T @ matrix) / (scale[:, None] * scale)
    factor = 1.0
    if cov != "unscaled":
        if x.shape[0] <= degree + 1:
            raise ArgumentError(f"polyfit: {x.shape[0]} points do not determine a covariance of degree {degree}")
        factor = residuals / (x.shape[0] - degree - 1)
    return fit, (spread * factor if y.ndim == 1 else spread[:, :, None] * factor)


def _is_number(x):
    return not isinstance(x, poly1d) and numpy.ndim(x) == 0


class poly1d:
    """A polynomial as an object: poly1d([1, 2, 3]) is x**2 + 2 x + 3, and calling it evaluates it. With r the
    sequence holds roots."""

    __hash__ = None
    __array_priority__ = 2000.0  # arithmetic with arrays is the polynomial's

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, (poly1d, numpy.poly1d)):
            variable = variable or c_or_r.variable
            c_or_r = c_or_r.coeffs.copy()
        c = _manip.atleast_1d(asarray(poly(c_or_r) if r else c_or_r))
        if c.ndim > 1:
            raise ArgumentError(f"poly1d: coefficients must be 1-D, shape is {c.shape}")
        self._c = _trimmed(c, c != 0) if c.size else zeros(1, c.dtype, device=c._device)
        self.variable = variable or "x"

    coeffs = c = coef = coefficients = property(lambda self: self._c, doc="Coefficients, the highest power first.")
    order = o = property(lambda self: self._c.shape[0] - 1, doc="The degree.")
    roots = r = property(lambda self: roots(self._c), doc="The roots.")

    def __array__(self, dtype=None, copy=None):
        return numpy.asarray(self._c, dtype)

    def __call__(self, val):
        return polyval(self._c, val)

    def __len__(self):
        return self.order

    def __iter__(self):
        return iter(self._c)

    def __getitem__(self, power):
        return self._c[self.order - power] if 0 <= power <= self.order else zeros((), self._c.dtype)

    def __setitem__(self, power, value):
        if power < 0:
            raise ArgumentError("poly1d: negative powers do not exist")
        if power > self.order:
            self._c = _pad.pad(self._c, (power - self.order, 0))
        self._c[self.order - power] = value

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return self.order == other.order and bool(all_(self._c == other._c))

    def __str__(self):
        return str(numpy.poly1d(numpy.asarray(self._c), variable=self.variable))

    def __repr__(self):
        return f"poly1d({repr(numpy.asarray(self._c))[6:-1]})"

    def __neg__(self):
        return poly1d(-self._c)

    def __pos__(self):
        return self

    def __mul__(self, other):
        return poly1d(self._c * other if _is_number(other) else polymul(self._c, poly1d(other)._c))

    def __add__(self, other):
        return poly1d(polyadd(self._c, poly1d(other)._c))

    def __sub__(self, other):
        return poly1d(polysub(self._c, poly1d(other)._c))

    def __rsub__(self, other):
        return poly1d(polysub(poly1d(other)._c, self._c))

    def __truediv__(self, other):
        return poly1d(self._c / other) if _is_number(other) else polydiv(self, poly1d(other))

    def __rtruediv__(self, other):
        return polydiv(poly1d(other), self)

    def __pow__(self, exponent):
        if not numpy.isscalar(exponent) or int(exponent) != exponent or exponent < 0:
            raise ArgumentError(f"poly1d: the power must be a non-negative integer, not {exponent!r}")
        result = poly1d(1)
        for _ in range(operator.index(exponent)):
            result = result * self
        return result

    __rmul__, __radd__ = __mul__, __add__

    def integ(self, m=1, k=0):
        """polyint of it."""
        return poly1d(polyint(self._c, m, k))

    def deriv(self, m=1):
        """polyder of it."""
        return poly1d(polyder(self._c, m))


public = {f.__name__: f for f in (polyval, poly, roots, polyadd, polysub, polymul, polydiv, polyder, polyint, polyfit,
                                  poly1d)}
