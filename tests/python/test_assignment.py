"""Assignment: broadcast, cast, through views, and overlapping itself in every direction."""
import numpy as np
import pytest
from support import NUMPY_NAMES, check, rng, sample

import clary


def both(function, host):
    """Runs the same statements on NumPy's and on Clary's array and compares."""
    a, x = np.array(host), clary.array(host)
    function(a)
    function(x)
    check(x, a)


def test_values(tier):
    base = np.arange(24).reshape(4, 6)
    for key in (0, -1, (1, 2), slice(1, 3), (slice(None), 2), Ellipsis, slice(None, None, -1), (slice(None), slice(1, None, 2)),
                (None, 1), slice(0, 0)):
        def assign(v, key=key):
            v[key] = 9
        both(assign, base)

    def rows(v):
        v[1:3] = [10, 11, 12, 13, 14, 15]
        v[:, 0] = v[:, 1]
        v[0] = v[3] * 2
        v[::2, 1::2] = [[1], [2]]
    both(rows, base)
    x = clary.zeros((2, 3))
    x[...] = clary.arange(3)
    x[1] = np.array([7, 8, 9])
    check(x, [[0.0, 1, 2], [7, 8, 9]])
    x[0, 0] = clary.array(5)
    assert x[0, 0] == 5


@pytest.mark.parametrize("name", NUMPY_NAMES)
def test_casts(tier, name):
    for value in tier.sample([3, 2.75, True, np.int8(4), np.float32(1.5)], 3):
        a, x = np.zeros(4, name), clary.zeros(4, dtype=name)
        a[1:3] = value
        x[1:3] = value
        check(x, a)
    values = np.abs(sample("float32", 4)) % 100
    values[~np.isfinite(values)] = 1
    a, x = np.zeros(4, name), clary.zeros(4, dtype=name)
    a[:] = values
    x[:] = clary.array(values)
    check(x, a)


def test_refused(tier):
    x = clary.zeros(3, dtype="int8")
    for bad, error in ((300, OverflowError), (float("nan"), ValueError), (float("inf"), OverflowError), (1j, TypeError),
                       ([1, 2], ValueError), ("a", TypeError)):
        with pytest.raises(error):
            x[:] = bad
    with pytest.raises(IndexError):
        x[5] = 1
    with pytest.raises(ValueError):
        x[:2] = clary.arange(3)
    check(x, np.zeros(3, "int8"))


@pytest.mark.parametrize("n", [1, 2, 31, 257, 1031])
def test_overlap(tier, n):
    def forward(v):
        v[1:] = v[:-1]

    def backward(v):
        v[:-1] = v[1:]

    def turned(v):
        v[:] = v[::-1]

    def interleaved(v):
        half = v[: (len(v) + 1) // 2]
        v[::2] = half.copy() if isinstance(v, np.ndarray) else half  # NumPy does not see this overlap

    def added(v):
        v[1:] += v[:-1]

    def reversed_added(v):
        v[::-1] += 2 * v

    for step in tier.sample([forward, turned, added, backward, interleaved, reversed_added], 1 if n == 257 else 6):
        both(step, np.arange(n) * 3 % 17)


def test_overlap_2d(tier):
    def transpose(v):
        v[:] = v.T

    def shift(v):
        v[1:, 1:] = v[:-1, :-1]

    def mixed(v):
        v[:, ::-1] = v[::-1] + v.T

    for step in (transpose, shift, mixed):
        both(step, np.arange(49).reshape(7, 7))
    both(transpose, np.arange(33 * 33).reshape(33, 33))


def test_later_reads_see_earlier_values(tier):
    x = clary.arange(5)
    before = x + 0
    y = x * 10
    x[:] = 7
    x[1] = 1
    check(y, np.arange(5) * 10)
    check(before, np.arange(5))
    check(x, [7, 1, 7, 7, 7])


def test_in_place_operators(tier):
    for name in tier.sample(["int16", "float32", "uint8", "float64"], 2):
        a, x = np.arange(1, 9).astype(name), clary.arange(1, 9, dtype=name)
        keep = x
        for step in (lambda v: v.__iadd__(3), lambda v: v.__imul__(2), lambda v: v.__isub__(1), lambda v: v.__ifloordiv__(2),
                     lambda v: v.__imod__(5), lambda v: v.__iadd__(v)):
            a, x = step(a), step(x)
            check(x, a)
        assert x is keep
    x = clary.arange(6, dtype="uint8")
    x &= 5
    x |= 8
    x ^= 1
    x <<= 1
    x >>= 2
    a = np.arange(6, dtype="uint8")
    a &= 5
    a |= 8
    a ^= 1
    a <<= 1
    a >>= 2
    check(x, a)
    f = clary.arange(3.0)
    f /= 2
    f **= 2
    check(f, (np.arange(3.0) / 2) ** 2)
    with pytest.raises(TypeError):
        i = clary.arange(3)
        i /= 2
    with pytest.raises(ValueError):
        s = clary.arange(3)
        s += clary.ones((2, 3), dtype=int)


def test_item_updates(tier):
    def steps(v):
        v[2] += 5
        v[1:4] *= 3
        v[::-2] -= 1
    both(steps, np.arange(8))


def test_masks(tier):
    a = np.arange(12.0).reshape(3, 4)
    x = clary.array(a)
    x[x > 5] = -1
    a[a > 5] = -1
    check(x, a)
    x[clary.array([True, False, True])] = 7
    a[np.array([True, False, True])] = 7
    check(x, a)
    x[np.isnan(np.asarray(x))] = 0
    x[x == 7] = np.float32(2.5)
    a[a == 7] = 2.5
    check(x, a)
    x[True] = 1
    check(x, np.ones((3, 4)))
    i = clary.arange(4)
    i[i > 1] = 2.9
    check(i, [0, 1, 2, 2])
    with pytest.raises(IndexError):
        x[clary.array([True, False])] = 1
    with pytest.raises(ValueError):
        x[x > 0] = clary.arange(3)


def test_real_and_imag(tier):
    a = np.array([1 + 2j, 3 - 4j])
    x = clary.array(a)
    check(x.real, a.real)
    check(x.imag, a.imag)
    x.real = 5
    x.imag = clary.array([1.0, 2.0])
    check(x, [5 + 1j, 5 + 2j])
    r = clary.arange(2.0)
    assert r.real is r
    check(r.imag, [0.0, 0.0])
    with pytest.raises(TypeError):
        r.imag = 1


def test_fill_and_copyto(tier):
    x = clary.zeros((2, 2))
    for value in ([1], (1, 2), np.ones(3)):
        with pytest.raises(ValueError):
            x.fill(value)
    x.fill(np.array(2))
    assert (x == 2).all()
    x.fill(3)
    check(x, np.full((2, 2), 3.0))
    clary.copyto(x, clary.arange(2))
    check(x, [[0.0, 1], [0, 1]])
    clary.copyto(x, 9, where=x == 1)
    check(x, [[0.0, 9], [0, 9]])


def test_random_programs(tier):
    """Random statements on overlapping views, against NumPy."""
    for seed in range(2 if tier.compiled else 12):
        g = rng("programs", seed)
        a, x = np.arange(60.0).reshape(6, 10), clary.arange(60.0).reshape(6, 10)
        for _ in range(8):
            rows, cols = sorted(g.integers(0, 7, 2)), sorted(g.integers(0, 11, 2))
            h, w = rows[1] - rows[0], cols[1] - cols[0]
            r, c = int(g.integers(0, 7 - h)), int(g.integers(0, 11 - w))
            target = (slice(*map(int, rows)), slice(*map(int, cols)))
            source = (slice(r, r + int(h)), slice(c, c + int(w)))
            flip = int(g.choice([-1, 1]))
            what = int(g.integers(0, 3))
            for v in (a, x):
                value = v[source][::flip]
                if what == 0:
                    v[target] = value
                elif what == 1:
                    v[target] += value
                else:
                    v[target] = value * 0.5 + v[target]
        check(x, a)
