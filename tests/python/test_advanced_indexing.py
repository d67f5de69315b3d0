"""Indexing by arrays: every kind of key against NumPy, read, written and accumulated, and its faults."""
import numpy as np
import pytest
from support import check, counted, rng
from twins import agree

import clary


def _random_item(g, extent, ndim_left, shape_left, block):
    """A random item for the axis at hand, the axes it uses, and whether it is an array."""
    kind = g.integers(0, 9)
    if kind == 0:
        return slice(None), 1
    if kind == 1:
        step = int(g.choice([-2, -1, 1, 2]))
        return slice(*(None if g.random() < 0.3 else int(g.integers(-extent - 1, extent + 2)) for _ in "ab"), step), 1
    if kind == 2 and extent:
        return int(g.integers(-extent, extent)), 1
    if kind == 3:
        return None, 0
    if kind == 4:
        used = int(g.integers(1, ndim_left + 1))
        return g.random(shape_left[:used]) < 0.5, used
    if extent:
        ones = g.random(len(block)) < 0.25
        shape = tuple(1 if one else n for one, n in zip(ones, block))[int(g.integers(0, len(block) + 1)):]
        dtype = g.choice(["int64", "int32", "uint8", "int8"])
        low = 0 if dtype == "uint8" else -extent
        return g.integers(low, extent, shape).astype(dtype), 1
    return slice(None), 1


def _random_key(g, shape):
    key, d, block = [], 0, tuple(int(g.integers(0, 4)) for _ in range(int(g.integers(1, 3))))
    while d < len(shape):
        if g.random() < 0.15:
            if Ellipsis not in [k for k in key if not isinstance(k, np.ndarray)]:
                key.append(Ellipsis)
            break
        item, used = _random_item(g, shape[d], len(shape) - d, shape[d:], block)
        key.append(item)
        d += used
    return tuple(key)


def _on_device(key, g):
    return tuple(clary.asarray(k) if isinstance(k, np.ndarray) and g.random() < 0.5 else k for k in key)


def _cases(count, *seed):
    """(array, key, device key, expected) of random keys that NumPy accepts."""
    g = rng(*seed)
    while count:
        shape = tuple(int(n) for n in g.choice([0, 1, 2, 3, 5, 7], int(g.integers(1, 5)), p=[.04, .1, .2, .26, .2, .2]))
        host = g.integers(-1000, 1000, shape).astype(g.choice(["int32", "float64", "float16", "complex64", "bool"]))
        view = g.integers(0, 3)
        key = None
        if view == 1:
            host = host.T
        elif view == 2:
            host = host[::-1]
        key = _random_key(g, host.shape)
        try:
            with np.errstate(all="ignore"):
                expected = host[key]
        except IndexError:
            continue
        device = clary.asarray(np.ascontiguousarray(host))
        if view == 1:
            device = clary.asarray(np.ascontiguousarray(host.T)).T
        elif view == 2:
            device = clary.asarray(np.ascontiguousarray(host[::-1]))[::-1]
        yield host, device, key, _on_device(key, g), expected
        count -= 1


def test_reading(tier):
    for host, device, key, on_device, expected in _cases(60 if tier.compiled else 1500, "read"):
        try:
            check(device[on_device], expected)
        except Exception as error:
            raise AssertionError(f"{host.shape} {host.dtype} strides {host.strides}, key {key}") from error


def test_writing(tier):
    g = rng("write")
    for host, device, key, on_device, expected in _cases(50 if tier.compiled else 1000, "write"):
        values = g.integers(0, 100, expected.shape).astype(host.dtype)
        kind = g.integers(0, 4)
        if kind == 0:
            values = 3
        elif kind == 1 and values.ndim:
            values = values[:1]
        elif kind == 2 and values.ndim > 1 and len(values):
            values = values[0]
        want = host.copy()
        try:
            want[key] = values
        except (ValueError, IndexError):
            continue
        try:
            device[on_device] = values if g.random() < 0.5 else clary.asarray(values)
            check(device, want)
        except Exception as error:
            raise AssertionError(f"{host.shape} {host.dtype}, key {key}, values {np.shape(values)}") from error


def test_at(tier):
    g = rng("at")
    names = ["add", "subtract", "multiply", "maximum", "minimum", "logical_or", "floor_divide", "bitwise_xor"]
    for host, device, key, on_device, expected in _cases(30 if tier.compiled else 600, "at"):
        name = str(g.choice(names))
        if host.dtype.kind == "c" and name not in ("add", "subtract", "multiply"):
            continue
        values = g.integers(1, 4, expected.shape).astype(host.dtype)
        want = host.copy()
        try:
            with np.errstate(all="ignore"):
                getattr(np, name).at(want, key, values)
        except (TypeError, ValueError, IndexError):
            continue
        clary._index.update_at(getattr(clary, name)._code, device, on_device, values)
        check(device, want)


def test_repeated_places(tier):
    """The last value wins, and every repetition counts: PITFALLS of accumulation."""
    index = clary.asarray([0, 2, 0, 2, 2])
    a = clary.zeros(4)
    a[index] = clary.asarray([1., 2, 3, 4, 5])
    check(a, [3., 0, 5, 0])
    clary._index.update_at(clary.add._code, a, index, 1)
    check(a, [5., 0, 8, 0])
    n = 20011 if tier.compiled else 1000000
    one = clary.zeros(3, dtype=clary.float32)
    clary._index.update_at(clary.add._code, one, clary.zeros(n, dtype=int), 1.0)
    check(one, np.float32([n, 0, 0]))
    counts = clary.zeros(257, dtype=clary.int32)
    host = rng("counts").integers(0, 257, n)
    clary._index.update_at(clary.add._code, counts, clary.asarray(host), 1)
    check(counts, np.bincount(host, minlength=257).astype("int32"))
    # The order of float sums is NumPy's.
    values, want = rng("values").normal(size=n).astype("float32"), np.zeros(5, "float32")
    np.add.at(want, host % 5, values)
    sums = clary.zeros(5, dtype=clary.float32)
    clary._index.update_at(clary.add._code, sums, clary.asarray(host % 5), clary.asarray(values))
    check(sums, want)


def test_pitfalls(tier):
    a = clary.ones(())
    assert a[a != 0].shape == (1,) and a[a == 0].shape == (0,)
    z = clary.zeros(0)
    with pytest.raises(IndexError):
        z[[6, 5, 1]] = 1
    with pytest.raises(IndexError):
        z[clary.asarray([6, 5, 1])] = 1
    assert float(clary.ones(3).sum()) == 3
    n = 31 if tier.compiled else 141
    mask = clary.broadcast_to(clary.arange(n), (n, n, n)) == 0
    rows = clary.nonzero(mask)
    assert len(rows) == 3 and rows[0].shape == (n * n,) and int(rows[2].sum()) == 0
    big = clary.arange(2**24 + 4, dtype=clary.int32)
    check(big[clary.arange(2**24, 2**24 + 4)], np.arange(2**24, 2**24 + 4, dtype="int32"))


def test_faults(tier):
    """An index out of range on the device is reported when it is waited for, once, by name; a write skips it."""
    a = clary.arange(5)
    bad = clary.asarray([1, 7, -6])
    for make, text in ((lambda: a[bad], "index 7 is out of bounds for axis 0 with size 5"),
                       (lambda: clary.take(a, bad), "take: index 7"),
                       (lambda: clary.take_along_axis(a, bad, 0), "take_along_axis: index 7")):
        with pytest.raises(IndexError, match=text):
            clary.asnumpy(make())
        check(a + 1, np.arange(1, 6))
    table = clary.arange(12).reshape(3, 4)
    with pytest.raises(IndexError, match="axis 1 with size 4"):
        clary.asnumpy(table[clary.asarray([0, 2]), clary.asarray([3, 4])])
    a[bad] = 99
    with pytest.raises(IndexError, match="assign: index 7"):
        clary.asnumpy(a)
    check(a, [0, 99, 2, 3, 4])
    table[clary.asarray([0, 5]), clary.asarray([3, -4])] = -1
    with pytest.raises(IndexError):
        clary.synchronize(), clary.asnumpy(table)
    check(table, [[0, 1, 2, -1], [4, 5, 6, 7], [8, 9, 10, 11]])
    for key in ([5], [-6], np.array([5])):  # from the host: known at once
        with pytest.raises(IndexError):
            a[key]
        with pytest.raises(IndexError):
            a[key] = 1
    for key in (1.5, "a", [0.5], np.array([1.0]), clary.asarray([1.0]), np.ones(4, bool), clary.ones((5, 1), dtype=bool),
                (slice(None), [0]), ([0, 1], [0, 1, 2])):
        with pytest.raises(IndexError):
            a[key]
    for values in ([1, 2, 3], [[1], [2]]):
        with pytest.raises(ValueError):
            a[[0, 1]] = values
    with pytest.raises(ValueError, match="read-only"):
        clary.broadcast_to(a, (2, 5))[[0]] = 1
    check(a[[]], np.array([], int))


def test_snapshots(tier):
    """A read by arrays is a copy of what was there; writes may overlap what they read."""
    a = clary.arange(6)
    before = a[[5, 0]]
    a[[5, 0]] = a[clary.asarray([0, 5])]
    check(before, [5, 0])
    check(a, [5, 1, 2, 3, 4, 0])
    a[1:] = a[clary.asarray([0, 1, 2, 3, 4])]
    check(a, [5, 5, 1, 2, 3, 4])
    a[a > 3] += 10
    check(a, [15, 15, 1, 2, 3, 14])
    view = a[::2]
    view[[0, 2]] = [7, 8]
    check(a, [7, 15, 1, 2, 8, 14])
    total = a.sum()
    a[clary.asarray([0])] = 1000
    assert int(total) == 47


def test_fusion(tier):
    """Index arithmetic, the gather and what follows are one kernel."""
    a, i = clary.arange(1000.0), clary.arange(999, -1, -1)
    clary.eval(a, i)
    result, counts = counted(lambda: a[(i * 3) % 1000] * 2 + 1)
    assert counts.launches == 1
    check(result, np.arange(1000.0)[(np.arange(999, -1, -1) * 3) % 1000] * 2 + 1)
    total, counts = counted(lambda: a[i].sum())
    assert counts.launches == 1 and float(total) == 499500


TAKES = [((7,), (3,), 0), ((4, 5), (2, 3), 1), ((4, 5), (), 0), ((4, 5), (6,), -1), ((3, 4, 5), (2, 2), 1), ((3, 0), (2,), 0),
         ((5, 6), (0,), 1), ((5, 6), (8,), None)]


def test_take_and_put(tier):
    g = rng("take")
    for shape, index, axis in TAKES:
        host = g.normal(size=shape)
        extent = host.size if axis is None else shape[axis]
        i = g.integers(-extent, extent, index)
        x = clary.asarray(host)
        for h, d in [(host, x), (host.T, x.T)][: 2 if axis is None else 1]:
            check(clary.take(d, clary.asarray(i), axis=axis), np.take(h, i, axis=axis))
            for mode in ("wrap", "clip"):
                check(clary.take(d, i * 3, axis=axis, mode=mode), np.take(h, i * 3, axis=axis, mode=mode))
    for dtype in ("int16", "float16", "float64", "complex64", "bool"):
        host = g.integers(0, 50, (4, 6)).astype(dtype)
        for h, make in ((host, lambda x: x), (host.T, lambda x: x.T)):
            for mode, i in (("raise", [3, -1, 3, 5]), ("wrap", [25, -30, 3]), ("clip", [100, -4, 7])):
                for v in ([1, 0, 7], 9, np.arange(20)):
                    want, got = h.copy(), make(clary.asarray(host))
                    np.put(want, i, v, mode=mode)
                    clary.put(got, i, v, mode=mode)
                    check(got, want)
    host = g.normal(size=(5, 7))
    order = np.argsort(host, axis=1)
    check(clary.take_along_axis(clary.asarray(host), clary.asarray(order), 1), np.take_along_axis(host, order, 1))
    check(clary.take_along_axis(clary.asarray(host), order[:, :1], axis=1), np.take_along_axis(host, order[:, :1], 1))
    want, got = host.copy(), clary.asarray(host)
    np.put_along_axis(want, order[:, :2], [[1.0, 2.0]], axis=1)
    clary.put_along_axis(got, clary.asarray(order[:, :2]), clary.asarray([[1.0, 2.0]]), axis=1)
    check(got, want)


def test_empty_masks(tier):
    """An empty mask need not fit along the dims where it is empty."""
    agree(tier, """
        a[np.zeros(0, bool)]
        a[:, np.zeros(0, bool)]
        a[np.zeros((2, 0), bool)]
        a[np.zeros((0, 2), bool)]
        a[np.zeros((0, 0, 4), bool)]
        a[[], np.zeros(0, bool)]
        a[np.zeros(3, bool)]
        b = a.copy(); b[:, np.zeros(0, bool)] = 1; b
    """, {"a": np.arange(24).reshape(2, 3, 4)})


def test_take_out(tier):
    agree(tier, """
        o = np.zeros(2, "i4"); np.take(a, [0, 1], out=o); o
        o = np.zeros(2, "i1"); np.take(a, [0, 1], out=o); o
        o = np.zeros(3, "i4"); np.take(a, [0, 1], out=o); o
        np.take(a[0], [0], axis=0)
        np.take(a[0], [0], axis=-1)
        np.take(a[0], [0], axis=2)
    """, {"a": np.arange(3, dtype="i4")})


def test_conditions(tier):
    g = rng("conditions")
    for shape in [(0,), (1,), (31,), (33,), (257,), (4, 0), (5, 7), (3, 4, 5)]:
        host = g.integers(-1, 2, shape).astype("float32")
        a = clary.asarray(host)
        check(clary.flatnonzero(a), np.flatnonzero(host))
        for got, want in zip(clary.nonzero(a), np.nonzero(host), strict=True):
            check(got, want)
        check(clary.argwhere(a), np.argwhere(host))
        check(a[a > 0], host[host > 0])
        check(clary.extract(a > 0, a), np.extract(host > 0, host))
        want, got = host.copy(), clary.asarray(host)
        got[got < 0] = 5
        want[want < 0] = 5
        check(got, want)
        count = int((host == 0).sum())
        got[got == 0] = clary.arange(count, dtype=clary.float32)
        want[want == 0] = np.arange(count)
        check(got, want)
        if host.size:
            clary.place(got, got > 2, [-7.0, -8.0])
            np.place(want, want > 2, [-7.0, -8.0])
            check(got, want)
            clary.putmask(got, got < 0, clary.asarray([1.0, 2, 3], clary.float32))
            np.putmask(want, want < 0, np.float32([1.0, 2, 3]))
            check(got, want)
    for values, refused in (([1.5, 2.0], True), (np.arange(3, dtype="int64"), True), (np.arange(3, dtype="int8"), False),
                            (3.5, False), ([1, 2], False), (70000, True)):
        a = clary.zeros(3, "int16")
        values = clary.asarray(values) if isinstance(values, np.ndarray) or values == [1.5, 2.0] else values
        if refused:
            with pytest.raises((TypeError, OverflowError)):
                clary.putmask(a, [True, False, True], values)
        else:
            clary.putmask(a, [True, False, True], values)
    with pytest.raises(ValueError):
        clary.nonzero(clary.ones(()))
    host = g.normal(size=(5, 6))
    for axis, condition in ((0, [True, False, True]), (1, [0, 1, 1, 0, 1, 1]), (None, [1] * 9)):
        check(clary.compress(condition, clary.asarray(host), axis=axis), np.compress(condition, host, axis=axis))
    with pytest.raises(ValueError):
        a = clary.zeros(4)
        a[clary.asarray([True, False, True, False])] = clary.arange(3)
    which = g.integers(0, 3, (4, 5))
    choices = [np.arange(5.0), np.full((4, 1), 7), 3]
    check(clary.choose(clary.asarray(which), [clary.asarray(c) for c in choices]), np.choose(which, choices))
    check(clary.choose(which * 3, choices, mode="wrap"), np.choose(which * 3, choices, mode="wrap"))
    with pytest.raises(ValueError):
        clary.choose([5], [clary.ones(1)])
    x = np.arange(6)
    check(clary.select([clary.asarray(x < 3), clary.asarray(x > 4)], [clary.asarray(x), clary.asarray(x**2)], 42),
          np.select([x < 3, x > 4], [x, x**2], 42))
