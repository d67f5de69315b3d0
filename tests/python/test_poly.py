"""Polynomials against NumPy: values, arithmetic, calculus, roots, fits, poly1d."""
import numpy as np
import pytest
from support import check, compare_calls

import clary

POLYNOMIALS = {"cubic": np.array([1, 2, 3]), "leading": np.array([0, 0, 1]), "half": np.array([1, -3, 2], "float32"),
               "z": np.array([1, 2j, 3]), "empty": np.zeros(0), "constant": np.array([5]),
               "small": np.array([100, 1, 1], "int8"), "flags": np.array([True, False]), "number": np.array(2),
               "long": np.array([2.0, 0, -1, 0.5, 0, 0]), "nothing": np.array([0, 0])}
POINTS = ["2", "[1,2,3]", "np.float32([.5,2])", "1j", "np.int8([100])", "np.ones((2,2))", "[]"]


def calls():
    for p in POLYNOMIALS:
        if p != "number":
            yield from (f"xp.polyval({p},{x})" for x in POINTS)
            yield from (f"xp.polyder({p},{m})" for m in (0, 1, 2, 5, -1))
            yield from (f"xp.polyint({p},{m})" for m in ("0", "1", "2", "-1", "2,k=[1,2]", "2,3", "3,[1,2]", "1,[3]"))
        for q in POLYNOMIALS:
            yield from (f"xp.{f}({p},{q})" for f in ("polyadd", "polysub", "polymul"))
            if q in ("cubic", "half", "constant", "long"):
                yield f"xp.polydiv({p},{q})"
    yield from (f"xp.poly({p})" for p in ("cubic", "half", "empty", "[1j,-1j]", "[1j,2]", "[[[1]]]"))


def test_against_numpy(tier):
    compare_calls(tier.sample(calls(), 120), POLYNOMIALS)


ROOTS = [f"xp.roots({p})" for p in POLYNOMIALS if p != "number"] + [
    "xp.roots([[1,2]])", "xp.poly([[1,2],[3,4]])", "xp.roots(3)", "xp.roots(z)", "xp.roots(xp.astype(x,xp.float32))",
    "xp.poly(xp.astype(x,xp.float16))"]
FITS = ["x,y,3", "x,y,0", "x,y,2,full=True", "x,y,2,cov=True", "x,y,2,cov='unscaled'", "x,y,2,w=w", "x,y,2,w=w,cov=True",
        "x,y,-1", "x,y,1,w=w[:2]", "x,many,2", "x,many,2,cov=True", "[1,2,3],[1,2],1", "[],[],1", "x[:2],y[:2],1,cov=True",
        "x,y,1.9", "x,y,-0.5",
        "xp.astype(x,xp.float32),xp.astype(y,xp.float32),1", "x,y,1,w=1j*w", "x,y,xp.float64(2)"]


def test_roots_and_fits(tier):
    x = np.linspace(0, 1, 9)
    points = {"x": x, "y": np.cos(3 * x), "w": np.arange(1, 10.0), "many": np.sin(np.arange(18.0).reshape(9, 2)),
              "z": np.complex64([1, 3, 2])}
    compare_calls(tier.sample(ROOTS + [f"xp.polyfit({k})" for k in FITS], 20), {**POLYNOMIALS, **points}, rtol=1e-6)


def test_poly1d(tier):
    if tier.compiled and not tier.long:
        return  # many kernels; the table above has compiled some of each kind
    p, q = clary.poly1d([1, 2]), clary.poly1d([0, 1, -1])
    n, m = np.poly1d([1, 2]), np.poly1d([0, 1, -1])
    for ours, theirs in [(p * q, n * m), (p + 1, n + 1), (1 - p, 1 - n), (3 * p, 3 * n), (p**3, n**3), (p / 2, n / 2), (-p, -n),
                         ((p * q) / p, (n * m) / n), (p(q), n(m)), (p.deriv(), n.deriv()), (q.integ(2, 5), m.integ(2, 5)),
                         (clary.polyadd(p, [1]), np.polyadd(n, [1])), (clary.poly1d([1, 2], True), np.poly1d([1, 2], True))]:
        for a, b in zip(ours, theirs) if isinstance(ours, tuple) else [(ours, theirs)]:
            check(a.c, b.c)
            assert isinstance(a, clary.poly1d) and str(a) == str(b) and a.order == b.order
    assert clary.poly1d(np.poly1d([1, 2], variable="z")).variable == "z"
    halves = clary.poly1d(np.float32([1, 0.5]))
    check(halves(halves).c, np.poly1d(np.float32([1, 0.5]))(np.poly1d(np.float32([1, 0.5]))).c)
    with pytest.warns(np.exceptions.RankWarning):
        clary.polyfit([1.0, 2], [1.0, 2], 3)
    assert p == clary.poly1d([0, 1, 2]) and p != q and len(q) == 1 and repr(p) == repr(n)
    check(p(2), np.int64(4))
    check(p[0], np.int64(2))
    check(p[9], np.int64(0))
    p[2] = 7
    check(p.coeffs, np.array([7, 1, 2]))
    for bad in (lambda: clary.poly1d([[1]]), lambda: p**1.5, lambda: p**[1], lambda: p**-1):
        with pytest.raises(ValueError):
            bad()
