"""Memory shared with NumPy (and PyTorch, where it is) by DLPack."""
import gc

import numpy as np
import pytest
from support import NUMPY_NAMES, check, sample

import clary


@pytest.fixture(autouse=True)
def shares(tier):
    if clary.zeros(1).__dlpack_device__() != (1, 0):
        pytest.skip("the device does not share the host's memory")


_WINDOWS = (lambda a: a, lambda a: a.T, lambda a: a[1:, ::2], lambda a: a[::-1, ::-2], lambda a: a[0], lambda a: a[2, 3:4],
            lambda a: a[:0], lambda a: a[..., 0], lambda a: a[:, 1])


def _windows(np):
    return [window(np.arange(24).reshape(4, 6)) for window in _WINDOWS]


def test_export_shares(tier):
    for x, a in zip(_windows(clary), _windows(np)):
        n = np.from_dlpack(x)
        np.testing.assert_array_equal(n, a)
        if x.size > 1:
            assert n.strides == x.strides and np.shares_memory(n, np.from_dlpack(x))
        if x.size:
            n[(0,) * n.ndim] = -5
            assert int(x[(0,) * x.ndim]) == -5
            x[...] = 9
            assert (n == 9).all()


def test_what_is_pending_keeps_its_values(tier):
    x = clary.arange(5.0)
    early, copy = x * 2, x.copy()
    n = np.from_dlpack(x)
    n[0] = 100
    late = x * 2
    n[0] = 7
    assert early[0].item() == 0 and copy[0].item() == 0 and late[0].item() == 200 and x[0].item() == 7
    x += 1
    assert n.tolist() == [8, 2, 3, 4, 5]
    x[1:] = x[:-1]
    assert n.tolist() == [8, 8, 2, 3, 4]
    n[:] = 1
    assert x.sum().item() == 5 and (x + n).tolist() == [2] * 5
    total = clary.concatenate([x, x]).sum() + clary.sort(x)[0] + x[[0, 1]].sum()
    n[:] = 3
    assert total.item() == 13
    x[[4, 1]] = [6, 7]
    x[x == 3] = x[[1, 1, 4]]
    clary.put(x, n[:1].astype(int) - 7, 5)
    assert n.tolist() == [5, 7, 7, 6, 6]


def test_ordinary_again_without_consumers(tier):
    x = clary.arange(5.0)
    n = np.from_dlpack(x)
    del n
    gc.collect()
    clary.eval(x)
    clary.synchronize()
    clary.reset_counters()
    y = (x + 1) * 2
    assert clary.counters().launches == 0
    check(y, (np.arange(5.0) + 1) * 2)


def test_the_consumer_keeps_the_memory(tier):
    for order in range(2):
        x = clary.arange(1000.0)
        n = np.from_dlpack(x)
        keep, expected = (n[10:], np.arange(1000.0)[10:]) if order else (n, np.arange(1000.0))
        del x, n
        gc.collect()
        [clary.zeros(1000) + i for i in range(20)]
        np.testing.assert_array_equal(keep, expected)
    capsule = clary.arange(10.0).__dlpack__()
    del capsule  # nobody took it
    gc.collect()


def test_import_shares(tier):
    for a in tier.sample(_windows(np)):
        x = clary.from_dlpack(a, copy=False)
        check(x, a)
        if a.size > 1:
            assert x.strides == a.strides
        if a.size:
            early, first = x + 1, int(a[(0,) * a.ndim])
            a[(0,) * a.ndim] = -5
            assert int(x[(0,) * x.ndim]) == -5 and int(early[(0,) * x.ndim]) == first + 1
            x[...] = 9
            assert (a == 9).all()
        del a
        gc.collect()
        if x.size:
            assert (clary.asnumpy(x) == 9).all()


def test_every_dtype_both_ways(tier):
    for name in NUMPY_NAMES:
        a = sample(name, 13)
        x = clary.asarray(a)
        np.testing.assert_array_equal(np.from_dlpack(x), a)
        assert np.from_dlpack(x).dtype == a.dtype
        check(clary.from_dlpack(a), a)
        check(clary.from_dlpack(x), a)
    with pytest.raises(BufferError):
        clary.from_dlpack(np.zeros(3, "longdouble"))
    half = clary.ones(3, dtype=clary.bfloat16)
    back = clary._dlpack._adopt(half.__dlpack__(max_version=(1, 0)), clary._core.NULL, clary._core.lib.CLARY_COPY_NEVER)
    assert back.dtype == clary.bfloat16 and back.tolist() == [1, 1, 1]


def test_order_survives(tier):
    a = np.asfortranarray(np.arange(6).reshape(2, 3))
    x = clary.from_dlpack(a)
    check(x, a)
    check(x.T, a.T)
    np.testing.assert_array_equal(np.from_dlpack(clary.arange(6).reshape(3, 2).T), np.arange(6).reshape(3, 2).T)
    np.testing.assert_array_equal(np.from_dlpack(x), a)


def test_read_only(tier):
    a = np.arange(3)
    a.flags.writeable = False
    x = clary.from_dlpack(a)
    assert not x.writeable
    with pytest.raises(ValueError):
        x[0] = 1
    with pytest.raises(ValueError):
        x.flags.writeable = True
    assert (x + 1).writeable
    y = clary.broadcast_to(clary.arange(3), (2, 3))
    assert not np.from_dlpack(y).flags.writeable
    with pytest.raises(BufferError):
        y.__dlpack__()
    with pytest.raises(ValueError):
        memoryview(y.data)[0, 0] = 1 if not y.data.readonly else _raise()


def _raise():
    raise ValueError


def test_copies(tier):
    a = np.arange(4.0)
    x = clary.from_dlpack(a, copy=True)
    a[0] = 9
    assert x[0].item() == 0
    odd = np.zeros(33, np.uint8)[1:].view(np.float64)  # not aligned
    odd[:] = [1, 2, 3, 4]
    with pytest.raises(BufferError):
        clary.from_dlpack(odd, copy=False)
    check(clary.from_dlpack(odd), odd)
    n = np.from_dlpack(x, copy=True)
    n[0] = 5
    assert x[0].item() == 0
    n = np.from_dlpack(x, device="cpu", copy=False)
    n[0] = 5
    assert x[0].item() == 5


def test_capsules(tier):
    x = clary.arange(4)
    assert '"dltensor"' in repr(x.__dlpack__()) and "versioned" in repr(x.__dlpack__(max_version=(1, 1)))
    assert '"dltensor"' in repr(x.__dlpack__(max_version=(0, 8)))
    capsule = x.__dlpack__()

    class Legacy:
        def __dlpack__(self, stream=None):
            return capsule

        def __dlpack_device__(self):
            return (1, 0)

    y = clary.from_dlpack(Legacy())
    y[0] = 5
    assert x[0].item() == 5 and "used_dltensor" in repr(capsule)
    with pytest.raises(TypeError):
        clary.from_dlpack(Legacy())
    with pytest.raises(TypeError):
        clary.from_dlpack([1, 2])
    with pytest.raises(BufferError):
        x.__dlpack__(stream=1)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))

    class Elsewhere(Legacy):
        def __dlpack_device__(self):
            return (2, 0)

    for copy in (None, False):
        with pytest.raises(BufferError):
            clary.from_dlpack(Elsewhere(), copy=copy)


def test_numpy_without_a_copy(tier):
    x = clary.arange(6).reshape(2, 3)
    a = np.asarray(x, copy=False)
    a[0, 0] = 7
    assert x[0, 0].item() == 7 and np.asarray(x) is not a
    assert not np.shares_memory(np.asarray(x), a)
    for bad in (lambda: np.asarray(x, dtype="int8", copy=False),
                lambda: np.asarray(clary.ones(2, dtype=clary.bfloat16), copy=False)):
        with pytest.raises((ValueError, RuntimeError)):
            bad()
    view = x.data
    assert view.shape == (2, 3) and view[0, 0] == 7
    view[0, 0] = 8
    assert x[0, 0].item() == 8


def test_between_devices_of_the_host(tier):
    x = clary.arange(4.0)
    y = clary.from_dlpack(np.from_dlpack(x), device="reference")
    assert y.device == clary.device("reference")
    y[0] = 5
    assert x[0].item() == 5
    assert clary.from_dlpack(x, device="reference").tolist() == x.tolist()


def test_torch(tier):
    torch = pytest.importorskip("torch")
    x = clary.arange(6.0).reshape(2, 3).T
    t = torch.from_dlpack(x)
    t[0, 0] = 9
    assert x[0, 0].item() == 9 and t.stride() == (1, 3)
    y = clary.from_dlpack(t + 0)
    y += 1
    check(y, (t + 1).numpy())
    t = torch.zeros(4, dtype=torch.bfloat16)
    clary.from_dlpack(t)[1] = 2
    assert t.tolist() == [0, 2, 0, 0]
