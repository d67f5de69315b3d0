"""array.flat, array.flags and the other small properties of arrays, against NumPy's."""
import copy
import pickle

import numpy as np
import pytest
from support import check
from twins import agree

import clary


def test_flat(tier):
    for make in (lambda np: np.arange(12).reshape(3, 4), lambda np: np.arange(12).reshape(3, 4).T,
                 lambda np: np.arange(24).reshape(4, 6)[::2, ::-2], lambda np: np.arange(3)[:0]):
        a, x = make(np), make(clary)
        assert [int(v) for v in x.flat] == list(a.flat) and len(x.flat) == len(a.flat)
        check(x.flat.copy(), a.flat.copy())
        check(np.asarray(x.flat), np.asarray(a.flat))
        check(x.flat == 3, a.flat == 3)
        check(x.flat[:], a.flat[:])
        if not a.size:
            continue
        for key in (0, -1, 3, slice(1, 4), slice(None, None, -2), slice(9, 2), (2,)):
            check(x.flat[key], a.flat[key])
            for value in (7, [1, 2], [[5], [6]], np.arange(40)):
                if isinstance(key, (int, tuple)) and np.ndim(value):
                    continue
                b, y = make(np).copy(), make(clary)
                if not a.flags.c_contiguous:
                    b = np.lib.stride_tricks.as_strided(b)
                b.flat[key] = value
                y.flat[key] = value
                check(y, b)
        with pytest.raises(IndexError):
            x.flat[40]
        with pytest.raises(IndexError):
            x.flat[0, 1]
        with pytest.raises(ValueError):
            x.flat[:2] = []
    x, a = clary.zeros((2, 3)), np.zeros((2, 3))
    x.flat, a.flat = [1, 2], [1, 2]
    check(x, a)
    it, there = x.flat, a.flat
    next(it), next(there), next(it), next(there)
    assert it.index == there.index and it.coords == there.coords and it.base is x


def test_keys_of_flat(tier):
    agree(tier, '''
        a.flat[(3,)]
        a.flat[True]
        a.flat[False]
        a.flat[None]
        a.flat[1, 2]
        a.flat[[2, 0]]
        a.flat[np.array([[1, 2], [3, 4]])]
        a.flat[...]
        a.flat[30]
        b = a.copy(); b.flat[True] = 9; b
        b = a.copy(); b.flat[False] = 9; b
        b = a.copy(); b.flat[None] = 9; b
    ''', {"a": np.arange(24).reshape(2, 3, 4)})


def test_writing_to_flat_of_a_view_reaches_the_array(tier):
    x, a = clary.arange(12).reshape(3, 4), np.arange(12).reshape(3, 4)
    x.T.flat[2:5] = a.T.flat[2:5] = 0
    x[::2].flat = a[::2].flat = 9
    check(x, a)


def test_flags(tier):
    for make in (lambda np: np.zeros((2, 3)), lambda np: np.zeros((2, 3)).T, lambda np: np.zeros((4, 4))[::2, 1:],
                 lambda np: np.zeros(5), lambda np: np.zeros(()), lambda np: np.broadcast_to(np.zeros(3), (2, 3))):
        a, x = make(np), make(clary)
        for name in ("c_contiguous", "f_contiguous", "writeable", "aligned", "writebackifcopy", "carray",
                     "forc", "fnc", "behaved", "contiguous", "fortran", "owndata", "num"):
            assert getattr(x.flags, name) == getattr(a.flags, name), (name, a.shape, a.strides)
        for name in ("C", "F", "W", "A", "X", "CA", "OWNDATA"):
            assert x.flags[name] == a.flags[name]
        assert repr(x.flags) == repr(a.flags) and x.flags == make(clary).flags
    x = clary.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError):
        x[0] = 1
    with pytest.raises(ValueError):
        x += 1
    with pytest.raises(ValueError):
        x[1:][...] = 1
    x.setflags(write=True)
    x[0] = 1
    x.flags["WRITEABLE"] = False
    assert not x.flags.writeable and x.copy().flags.writeable
    with pytest.raises(ValueError):
        clary.broadcast_to(x, (2, 3)).setflags(write=True)
    with pytest.raises(ValueError):
        x.setflags(uic=True)
    for bad in ("C", "nothing"):
        with pytest.raises(KeyError):
            x.flags[bad] = True
    with pytest.raises(KeyError):
        x.flags["nothing"]


def test_base(tier):
    x = clary.arange(6).reshape(2, 3)
    assert clary.arange(6).base is None and x.copy().base is None and (x + 1).base is None
    view = x[1:, ::-1]
    assert view.base.shares_memory(x) and view.base.size == 6
    view.base[...] = 4
    check(x, np.full((2, 3), 4))


def test_copies_and_pickles(tier):
    for a in (np.arange(6).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), np.array(2.5), np.zeros((0, 2)),
              np.arange(3).astype(np.float16), np.array([1j, 2])):
        x = clary.asarray(a)
        for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), pickle.loads(x.dumps())):
            check(y, a)
            assert not y.shares_memory(x)
        check(pickle.loads(pickle.dumps(x.T)), a.T)
    half = clary.arange(4, dtype=clary.bfloat16)
    back = pickle.loads(pickle.dumps(half))
    assert back.dtype == clary.bfloat16 and back.tolist() == [0, 1, 2, 3]
    assert copy.deepcopy([half])[0].tolist() == half.tolist()


def test_bytes_and_files(tier, tmp_path):
    for a in (np.arange(6).reshape(2, 3), np.arange(8.0).reshape(2, 4)[:, ::2]):
        x = clary.asarray(a)
        for order in "CFA":
            assert x.tobytes(order) == np.ascontiguousarray(a).tobytes(order)
        x.tofile(tmp_path / "x")
        np.testing.assert_array_equal(np.fromfile(tmp_path / "x", a.dtype), a.ravel())
        x.tofile(tmp_path / "t", sep=",")
        assert (tmp_path / "t").read_text() == ",".join(str(v) for v in a.ravel())
        x.dump(tmp_path / "p")
        with open(tmp_path / "q", "wb") as file:
            x.dump(file)
        for name in "pq":
            check(pickle.loads((tmp_path / name).read_bytes()), a)
    assert clary.array([1, 2], dtype=clary.bfloat16).tobytes() == b"\x80\x3f\x00\x40"


def test_membership_and_iteration(tier):
    x = clary.arange(6).reshape(2, 3)
    assert 4 in x and 9 not in x and "text" not in x
    assert [row.tolist() for row in x] == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(TypeError):
        iter(clary.array(3))
    assert clary.Array[int, float].__origin__ is clary.Array
