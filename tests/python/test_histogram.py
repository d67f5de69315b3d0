"""Histograms and digitize against NumPy."""
import numpy as np
import pytest
from support import check, compare_calls, rng

import clary

NAMES = ["bool", "int8", "uint64", "int64", "float16", "float32", "float64"]
RULES = ["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt", "none"]
BINS = ["", "5", "1", "0", "2.5", "[0,1,2,5]", "np.array([0,.5,.5,3])", "[3,2,1]", "[[1,2]]", "[0]", "7,range=(-1.5,2.5)",
        "range=(3,0)", "range=(0,np.inf)", "range=(2,2)", "density=True", "density=True,bins=[0,1,4]"]
WEIGHTED = ["weights=w", "weights=w,bins=[0,1,4]", "weights=w*1j", "weights=w,density=True", "weights=w[:3]",
            "weights=w,bins='auto'", "weights=w.astype('int32')"]
PAIRS = ["", "bins=4", "bins=(3,5)", "bins=[0,1,2]", "bins=([0,1,2],4)", "bins=4,range=[[0,2],[-1,3]]", "density=True",
         "weights=w", "bins=[[0,1],[2,4,5]]", "bins=4,range=[[0,2]]", "bins=(1,2,3.0,5)", "bins=(0,3)", "range=[None,[0,2]]"]
POINTS = ["", "bins=4", "bins=(3,5,2)", "bins=([0,1,2],4,[1,9])", "density=True,bins=3", "weights=np.arange(17),bins=2",
          "bins=(2,3)", "bins=([0,1],2,[[1]])", "range=[(0,1),None,(1,3)],bins=2", "bins=2.5"]


def arrays(name):
    g, kind = rng("histogram", name), np.dtype(name).kind
    a = g.integers(0, 17, 53) if kind in "biu" else g.standard_normal(53)
    return {"a": a.astype(name), "m": a[:36].reshape(9, 4).astype(name), "p": a[:51].reshape(17, 3).astype(name),
            "s": a[3].astype(name), "e": a[:0].astype(name), "w": np.arange(53) * 0.5, "n": a * [np.nan] + a.astype(name)}


def calls():
    for x in "amse":
        yield from (f"xp.histogram({x},{k})" for k in BINS)
    for x in "ase":
        yield from (f"xp.histogram_bin_edges({x},'{rule}')" for rule in RULES)
        yield f"xp.histogram({x},'auto',range=(0,2))"
    yield from (f"xp.histogram(a,{k})" for k in WEIGHTED)
    yield from (f"xp.histogram(n,{k})" for k in ("4", "[0,1,2]", "4,range=(0,2)"))
    yield from (f"xp.histogram2d(a,a[::-1],{k})" for k in PAIRS)
    yield "xp.histogram2d(a,a[:5])"
    yield from (f"xp.histogramdd(p,{k})" for k in POINTS)
    yield from ("xp.histogramdd([a,a],bins=3)", "xp.histogramdd(a,bins=3)", "xp.histogramdd([a,a[:3]],bins=3)")
    for x in "ams":
        for bins in ("[0,1,2,5]", "[5,3,1]", "[0.,.5,.5,3]", "[1]", "[]", "[1,3,2]", "[[1]]", "[2,2]"):
            yield f"xp.digitize({x},{bins})"
            yield f"xp.digitize({x},{bins},right=True)"
    nan = "float('nan')"
    for bins in (f"[0,1,{nan},{nan}]", f"[{nan},5,3,1]", f"[{nan},1,3]", f"[{nan},{nan}]", f"[{nan}]"):
        yield f"xp.digitize(a,{bins})"
    yield "xp.digitize(a*1j,[1])"
    yield from (f"xp.bincount({x})" for x in ("a>1", "e.astype('uint8')", "[[1]]", "0", "[[1.5]]", "[1,-1]"))
    yield from (f"xp.bincount([1,2,2],{k})" for k in ("[1,2,3]", "[1,2]", "None,5", "[1,2,3j]", "minlength=-1"))
    yield from ("xp.bincount([],[])", "xp.bincount(np.zeros(0,int),[],3)")


@pytest.mark.parametrize("name", NAMES)
def test_against_numpy(tier, name):
    if tier.compiled and not tier.long and name != "float32":
        return
    compare_calls(tier.sample(calls(), 50), arrays(name))


def test_edges_belong_to_their_bins(tier):
    if tier.compiled and not tier.long:
        return  # many kernels; the table above has compiled some of each kind
    check(clary.histogram([1, 2, 2, 3, 3, 4, 4], bins=[1, 2, 3, 4])[0], np.array([1, 2, 4]))
    check(clary.histogram(clary.arange(100), 100, range=(0, 100))[0], np.ones(100, int))
    counts, edges = clary.histogram([1, 2, 1, 3, 4], 3)
    check(counts, np.array([2, 1, 2]))
    check(edges, np.array([1.0, 2, 3, 4]))


def test_long(tier):
    a = rng("long").standard_normal(100003).astype("float32")
    for ours, theirs in zip(clary.histogram(clary.array(a), 321), np.histogram(a, 321)):
        check(ours, theirs)
