"""Views of the same bytes as elements of another dtype: view(), real, imag."""
import numpy as np
import pytest
from support import check, sample
from twins import agree

import clary


def test_view_of_another_dtype(tier):
    a, x = np.arange(12, dtype=np.int32).reshape(3, 4), clary.arange(12, dtype=np.int32).reshape(3, 4)
    for name in ("uint8", "float32", "int64", "complex64", "int32", "bool"):
        check(x.view(name), a.view(name))
    check(x[1:, ::-1].view("float32"), a[1:, ::-1].view("float32"))
    check(x[:, :2].view("int64"), a[:, :2].view("int64"))
    check(x[:0].view("int64"), a[:0].view("int64"))
    v, w = x.view("int16"), a.view("int16")
    v[0, 0] = w[0, 0] = 300
    x[1, 1] = a[1, 1] = 70000
    check(x, a)
    check(v, w)
    doubled = v * 2
    x[...] = a[...] = 1
    assert doubled[0, 0].item() == 600
    check(v, w)
    for bad in (lambda x: x.T.view("int8"), lambda x: x[:, :3].view("int64"), lambda x: x[0, 0].view("int8")):
        for y in (x, a):
            with pytest.raises(ValueError):
                bad(y)
    assert x.view().shares_memory(x) and x.view(type=clary.Array).shape == x.shape
    with pytest.raises(TypeError):
        x.view(type=np.ndarray)


def test_views_of_any_strides(tier):
    agree(tier, '''
        np.lib.stride_tricks.as_strided(a, (2, 2), (8, 16))
        np.lib.stride_tricks.as_strided(a[::-1], (3,), (-16,))
        np.lib.stride_tricks.as_strided(a, (3, 4))
        np.lib.stride_tricks.as_strided(a, (2, 2**32), (8, 0))[[1], [2]]
        np.lib.stride_tricks.as_strided(a, (2,), (8, 8))
        np.lib.stride_tricks.as_strided(a, (-1,), (8,))
        np.lib.stride_tricks.as_strided(a, (0, 99), (8, 800))
        v = np.lib.stride_tricks.as_strided(a, (2, 3), (32, 8)); v[...] = 7; a
        v = np.lib.stride_tricks.as_strided(a, (2, 3), (32, 8), writeable=False); v[...] = 7; a
        np.lib.stride_tricks.sliding_window_view(a, 3)
        np.lib.stride_tricks.sliding_window_view(a.reshape(3, 4), (2, 3))
        np.lib.stride_tricks.sliding_window_view(a.reshape(3, 4), (2, 2), (1, 1))
        np.lib.stride_tricks.sliding_window_view(a.reshape(3, 4), 2, -1)
        np.lib.stride_tricks.sliding_window_view(a, 0)
        np.lib.stride_tricks.sliding_window_view(a, 13)
        np.lib.stride_tricks.sliding_window_view(a, -1)
        np.lib.stride_tricks.sliding_window_view(a.reshape(3, 4), 2)
        np.lib.stride_tricks.sliding_window_view(a, 2, 1)
        np.lib.stride_tricks.sliding_window_view(a[0], 1, 0)
    ''', {"a": np.arange(12)})
    from clary.lib.stride_tricks import as_strided

    a = clary.arange(12)
    assert clary.ones((3, 0, 4)).T.flags.c_contiguous  # no elements: they lie in any order
    for view in (as_strided(a, (3, 2), (8, 8)), as_strided(a, (3, 2), (16, 16)), as_strided(a, (3,), (0,))):
        assert not view.flags.writeable  # elements overlap
        with pytest.raises(ValueError):
            view.setflags(write=True)
    assert as_strided(a, (3, 2), (16, 8)).flags.writeable and as_strided(a, (2, 3), (8, 16)).flags.writeable
    for shape, strides in (((13,), (8,)), ((2,), (-8,)), ((3, 2**40), (8, 2**40)), ((2,), (4,))):
        with pytest.raises(ValueError, match="as_strided"):
            as_strided(a, shape, strides)


def test_parts_are_views(tier):
    for dtype in tier.sample(("complex64", "complex128")):
        a = (np.arange(12.0).reshape(3, 4) + 1j).astype(dtype)
        x = clary.asarray(a)
        for part in ("real", "imag"):
            check(getattr(x, part), getattr(a, part))
            assert getattr(x, part).strides == getattr(a, part).strides
        for b in (a, x):
            b.real[1] = 7
            b.imag[:, ::2] = [3, 4]
            b.T.imag[1] *= 2
            b.imag += 1
            b.real = b.imag * 2
            b[0].real = np.inf
            b[1, 1:].imag[::-1] = 5
            b.imag[[2, 0], 1:3] = [[8, 9], [1, 2]]
            b.real[b.real > 8] = -1
        check(x, a)
        check(x.real.sum(axis=0), a.real.sum(axis=0))
        check(x.imag.reshape(-1)[::3], a.imag.reshape(-1)[::3])
        check(x.real.T.reshape(2, 6), a.real.T.reshape(2, 6))
        check(x[1, 2].imag, a[1, 2].imag)
        check(x.imag[[2, 1], ::2], a.imag[[2, 1], ::2])
        check(x.real[x.real < 4], a.real[a.real < 4])
        one, single = clary.asarray(a[:1, 0]), a[:1, 0].copy()
        for b in (one, single):
            b.real, b.imag = 4, -0.0
            b[...] = b.imag
        check(one, single)
        lazy = x.real * 2
        x[...] = 0
        check(lazy, a.real * 2)
    real = clary.arange(3.0)
    assert real.real is real and real.imag.tolist() == [0, 0, 0]
    real.real = 2
    assert real.tolist() == [2, 2, 2]
    with pytest.raises(TypeError):
        real.imag = 1
    with pytest.raises(ValueError):
        real.imag[0] = 1


def test_parts_are_lazy(tier):
    x = clary.arange(5) * (1 + 2j)
    clary.synchronize()
    clary.reset_counters()
    y = x.imag + x.real
    assert clary.counters().launches == 0
    check(y, np.arange(5) * 3.0)


def test_byteswap_and_resize(tier):
    for name in ("int16", "float32", "float64", "complex64", "uint8"):
        a = sample(name, 7)
        x = clary.asarray(a)
        assert x.byteswap().tobytes() == a.byteswap().tobytes()
        assert x.byteswap(inplace=True) is x and x.tobytes() == a.byteswap().tobytes()
    x, a = clary.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3).copy()
    for shape in ((4, 2), 3, (2, 0), (2, 2)):
        x.resize(shape)
        a.resize(shape, refcheck=False)
        check(x, a)
