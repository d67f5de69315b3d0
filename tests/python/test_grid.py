"""Grids, open meshes, r_ and c_, flat positions, functions of indices."""
import numpy as np
import pytest
from support import check
from twins import agree

import clary

ARRAYS = {"v": np.arange(3), "f": np.linspace(0, 1, 4), "m": np.arange(12).reshape(3, 4), "i": np.array([0, 5, 11]),
          "k": np.array([[2, 7], [11, 0]]), "z": np.array(7), "u": np.array([1, 2], "uint8")}


def test_meshes(tier):
    agree(tier, """
        np.meshgrid(v, f)
        np.meshgrid(v, f, indexing="ij")
        np.meshgrid(v, f, u, sparse=True)
        np.meshgrid(v, f, u, indexing="ij", copy=False)
        np.meshgrid(v)
        np.meshgrid()
        np.meshgrid(m, z)
        np.meshgrid(v[::-1], 2.5)
        np.meshgrid(v, f, indexing="no")
        np.mgrid[0:5]
        np.mgrid[0:5, 2:9:3]
        np.mgrid[0:1:5j]
        np.mgrid[-1:1:3j, 0:2]
        np.mgrid[0:1:0.25, 0:2]
        np.mgrid[:3, :2, 1:3]
        np.mgrid[5:0]
        np.ogrid[0:5, 2:9:3]
        np.ogrid[0:1:5j, :2]
        np.ogrid[1:4]
        np.ogrid[0:1:1j, 0:2]
        np.indices((2, 3))
        np.indices((2, 3), dtype="float32")
        np.indices((2, 0, 3))
        np.indices(())
        np.indices((2, 3), sparse=True)
        np.indices([4])
        np.fromfunction(lambda i, j: i == j, (3, 3), dtype=int)
        np.fromfunction(lambda i, j: i + 2 * j, (2, 3))
        np.fromfunction(lambda i, k=1: i * k, (3,), k=5)
        np.s_[1:3, ...]
        np.index_exp[1:3]
        list(np.ndindex(2, 3))
        [(i, int(x)) for i, x in np.ndenumerate(m)]
    """, ARRAYS)


def test_meshes_between_arrays(tier):
    agree(tier, '''
        np.mgrid[a:b:10j]
        np.ogrid[a:b:10j]
        np.mgrid[a:b:10j, a:b:10j]
        np.ogrid[a:b:10j, a:b:10j]
        np.mgrid[-1:1:0.3, 2:9:2]
        np.mgrid[0:1:1j, 0:3]
        np.ogrid[np.float32(1):4, 0:1:7j]
        np.mgrid[3:3, 1:4]
    ''', {"a": np.zeros((10, 1)), "b": np.arange(10.0)[:, None]})


def test_open_meshes(tier):
    agree(tier, """
        np.ix_(v, [1, 3])
        np.ix_([True, False, True], [0, 2])
        np.ix_(v > 0, f > 0.3)
        np.ix_([])
        np.ix_()
        np.ix_(m)
        m[np.ix_([0, 2], [3, 1])]
        m[np.ix_(v != 1, [0])]
    """, ARRAYS)


def test_joined(tier):
    agree(tier, """
        np.r_[1:4, 0, 4]
        np.r_[v, 0, f]
        np.r_[-1:1:5j, 9]
        np.r_[0:1:0.25]
        np.r_[u, 1]
        np.r_[u, 1.5]
        np.r_[m, m]
        np.r_["0,2", v, v]
        np.r_["1,2,0", v, v]
        np.r_["0,2,0", v, v]
        np.r_["1", m, m]
        np.r_["-1", m, m[:, :1]]
        np.r_["0,3,1", v, v]
        np.r_["1,3,-2", m, m]
        np.r_["a,b", v]
        np.r_[v, "0"]
        np.r_[()]
        np.c_[v, v]
        np.c_[v, [7, 8, 9]]
        np.c_[m, v]
        np.c_[0:3, f[:3]]
        np.c_[v, f]
        np.c_[z, 1]
        len(np.r_)
    """, ARRAYS)


def test_flat_positions(tier):
    agree(tier, """
        np.unravel_index(7, (3, 4))
        np.unravel_index(i, (3, 4))
        np.unravel_index(k, (3, 4), order="F")
        np.unravel_index(k, shape=(2, 2, 3))
        np.unravel_index(k, 12)
        np.unravel_index(12, (3, 4))
        np.unravel_index(-1, (3, 4))
        np.unravel_index([1.5], (3, 4))
        np.unravel_index([], (3, 4))
        np.unravel_index(u, (3, 4))
        np.unravel_index(1, (3, 4), order="K")
        np.unravel_index(0, ())
        np.unravel_index(2**31 + 5, (65536, 65536))
        np.ravel_multi_index((v, [1, 2, 3]), (3, 4))
        np.ravel_multi_index((v, [1, 2, 3]), (3, 4), order="F")
        np.ravel_multi_index((1, 2), (3, 4))
        np.ravel_multi_index((v, 2), (3, 4))
        np.ravel_multi_index((v, 9), (3, 4))
        np.ravel_multi_index((v, -1), (3, 4))
        np.ravel_multi_index((v, 9), (3, 4), mode="wrap")
        np.ravel_multi_index((v, -9), (3, 4), mode="clip")
        np.ravel_multi_index((v + 2, -1), (3, 4), mode=("clip", "wrap"))
        np.ravel_multi_index((v, 1), (3, 4), mode="other")
        np.ravel_multi_index((v, 1, 1), (3, 4))
        np.ravel_multi_index((v, f[:3]), (3, 4))
        np.ravel_multi_index((0, 0), (2**40, 2**40))
        np.ravel_multi_index(m[:2], (9, 9))
        np.ravel_multi_index((v > 1, v < 2), (9, 9))
        np.ravel_multi_index((v, 2), (3.0, 4))
        np.ravel_multi_index((v, 2), (3, 4), order=None)
        np.unravel_index(k, (3, 4), order="f")
        np.ravel_multi_index(np.unravel_index(k, (3, 4)), (3, 4))
    """, ARRAYS)


def test_BL_086(tier):
    row, column = clary.unravel_index(2**31 + 5, (65536, 65536))
    assert (int(row), int(column)) == (32768, 5)
    check(clary.ravel_multi_index((row, column), (65536, 65536)), np.int64(2**31 + 5))


def test_broadcast(tier):
    b = clary.broadcast(clary.arange(3), clary.ones((2, 1)), 5)
    theirs = np.broadcast(np.arange(3), np.ones((2, 1)), 5)
    assert (b.shape, b.ndim, b.nd, b.size, b.numiter) == (theirs.shape, theirs.ndim, theirs.nd, theirs.size, theirs.numiter)
    assert list(b) == list(theirs)
    with pytest.raises(ValueError):
        clary.broadcast(clary.arange(3), clary.arange(2))
