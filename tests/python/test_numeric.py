"""Means with weights, covariance, differences, integrals, convolution and interpolation against NumPy."""
import numpy as np
import pytest
from support import compare_calls, rng, same_bits

import clary

NAMES = ["bool", "int8", "uint8", "int64", "float16", "float32", "float64", "complex64", "complex128"]


def arrays(name):
    g = rng("numeric", name)

    def make(*shape):
        kind = np.dtype(name).kind
        if kind == "c":
            return (g.integers(-4, 5, shape) + 1j * g.integers(-3, 3, shape)).astype(name)
        return (g.integers(0, 5, shape) if kind in "biu" else g.integers(-4, 5, shape) / 2).astype(name)

    return {"a": make(7), "b": make(4), "m": make(3, 5), "t": make(3, 4, 5), "one": make(1), "s": make(),
            "w4": np.array([1.0, 2, 3, 4]), "w34": np.arange(12.0).reshape(3, 4), "f": np.array([0.5, 2, -1], "float32")}


AVERAGE = ["axis=0", "axis=(0,1),keepdims=True", "axis=1,weights=w4", "weights=np.arange(60).reshape(3,4,5)",
           "axis=1,weights=w4,returned=True", "axis=(0,1),weights=w34", "axis=(1,0),weights=w34.T,returned=True,keepdims=True",
           "returned=True", "axis=1,weights=[1.0,2]", "weights=w4", "axis=1,weights=w4*0", "axis=9"]
COV = ["m", "m,rowvar=False", "m,bias=True", "m,ddof=0", "m,ddof=1.5", "m,y=m", "m,y=t[0,0]", "m,fweights=[1,2,3,0,1]",
       "m,aweights=[1,.2,.3,0,1]", "m,aweights=[1,.2,.3,0,1],fweights=[1,2,3,4,5]", "m,fweights=[1,2]",
       "m,aweights=[1,.2,.3,0,1],ddof=0", "m,fweights=[1,2.5,1,1,1]", "m,aweights=[1,2,-1,1,1]", "m,dtype='float32'",
       "m,rowvar=False,y=m", "a", "t", "s", "a,a[::-1]", "m,dtype=int"]
GRADIENT = ["a", "b", "m", "t", "s", "one", "t,edge_order=2", "t,2", "t,0.5,axis=-1", "a,edge_order=3", "m,[1,2,4]",
            "m,[1,2,4],axis=0", "m,[1,2,4.],[0,.1,.5,.7,3]", "m*1.0,[1,2,4.],[0,.1,.5,.7,3],edge_order=2",
            "m*1.0,2,[0,.1,.5,.7,3],edge_order=2", "m,axis=(1,0)", "m,axis=()", "m,1,2,3", "m,[[1,2]],axis=0", "b[:2],[1,3]"]
TRAPEZOID = ["", "dx=2", "dx=2.5,axis=1", "x=[1,2,4.,5,6]", "x=[1,2,4],axis=0", "x=t,axis=1", "x=[1,2]", "axis=5",
             "x=np.arange(20).reshape(4,5)"]
EDIFF = ["m", "m,to_end=[1,2],to_begin=[3]", "m,to_begin=[3.5]", "s", "m,to_end=3"]


def calls():
    yield from (f"xp.average(t,{k})" for k in AVERAGE)
    yield from (f"xp.cov({k})" for k in COV)
    yield from (f"xp.corrcoef({k})" for k in ("m", "a", "s", "m,rowvar=False", "a,a[::-1]", "m,dtype='float32'"))
    yield from (f"xp.gradient({k})" for k in GRADIENT)
    yield from (f"xp.trapezoid(t,{k})" for k in TRAPEZOID)
    yield from (f"xp.ediff1d({k})" for k in EDIFF)
    for mode in ("full", "same", "valid", "junk"):
        for x in ("a,b", "b,a", "a,a", "one,a", "a,one", "s,a", "m,a", "a,f", "a[:0],a", "b,a[:3]"):
            yield f"xp.convolve({x},mode='{mode}')"
            yield f"xp.correlate({x},mode='{mode}')"


@pytest.mark.parametrize("name", NAMES)
def test_against_numpy(tier, name):
    if tier.compiled and not tier.long and name not in ("uint8", "complex64"):
        return
    compare_calls(tier.sample(calls(), 50), arrays(name))


def test_convolution_into_its_input(tier):
    a = rng("stencil").standard_normal(4096)
    v = np.array([0.25, 0.5, 0.25])
    x = clary.array(a)
    expected = clary.asnumpy(clary.convolve(x, v, "same"))
    np.testing.assert_allclose(expected, np.convolve(a, v, "same"), rtol=1e-14, atol=1e-15)
    x[...] = clary.convolve(x, v, "same")
    assert same_bits(clary.asnumpy(x), expected)
    assert clary.correlate(v, x).flags.c_contiguous


def test_windows_are_read_only_views(tier):
    a = np.arange(24.0).reshape(4, 6)
    x = clary.array(a)
    for axis, length in ((0, 1), (0, 4), (1, 3), (-1, 6)):
        view = clary._numeric.windows(x, length, axis)
        np.testing.assert_array_equal(clary.asnumpy(view), np.lib.stride_tricks.sliding_window_view(a, length, axis))
        assert view.shares_memory(x) and not view.writeable
    for axis, length in ((0, 0), (0, 5), (2, 1)):
        with pytest.raises(ValueError):
            clary._numeric.windows(x, length, axis)


POINTS = {"p": np.array([0, 1, 2.5, 3, 7]), "finite": np.array([1.0, 5, 2, -3, 4]), "z": np.array([1 + 1j, 2, 3j, 4, 5 - 1j]),
          "split": np.array([1 + np.inf * 1j, 2, np.inf, np.inf, complex(4, np.nan)]),
          "rough": np.array([1, np.inf, 2, np.nan, 4]), "flat": np.array([-np.inf, np.inf, np.inf, np.inf, 4]),
          "x": np.linspace(-1, 8, 31), "odd": np.array([np.nan, np.inf, -np.inf, -0.0]),
          "single": np.array([1.0, 2], "float32")}


def test_interp(tier):
    calls = [f"xp.interp({x},p,{f},{k})" for x in ("x", "p", "odd", "single", "1.5", "3", "[]", "[[0,1],[2.5,7]]")
             for f in ("finite", "z", "split", "rough", "flat", "[1,2,3,4,5]")
             for k in ("", "left=-5", "left=2j", "right=9.5", "left=-1,right=2", "period=4", "period=-2.5", "period=0")
             if (x, k) != ("[]", "left=2j")]  # NumPy's versions differ
    calls += ["xp.interp([0.5,1,2],[1.],[4.])", "xp.interp(x,[1],[7],left=1,right=2)", "xp.interp([0,1],[],[])",
              "xp.interp([0.5,1,2],[1],[2,3])", "xp.interp(0.5,[0,1],[[1,2]])"]
    compare_calls(tier.sample(calls, 200), POINTS)
