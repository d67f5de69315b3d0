"""Errors found in other array libraries, each a small input with its right answer.

Every test runs on each tier, and where `eager_and_fused` is used both step by step (each result evaluated
at once) and as one recorded expression; on plain, transposed, reversed and sliced views of the values.
"""
import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from support import check, host, rng, same_bits

import clary

NAN, INF = np.nan, np.inf


@pytest.fixture(params=["fused", "eager"])
def run(request):
    """Marks a step of an expression: in eager mode it is evaluated at once."""
    return (lambda a: a) if request.param == "fused" else (lambda a: clary.eval(a))


def views(values, dtype):
    """The same 1-D values behind different geometries."""
    a = np.asarray(values, dtype)
    yield clary.array(a)
    yield clary.array(a[::-1].copy())[::-1]
    spread = np.full(2 * len(a), 99, dtype)
    spread[::2] = a
    yield clary.array(spread)[::2]
    yield clary.array(np.stack([a, a]).T.copy()).T[1]


def some(tier, items, keep=2):
    return tier.sample(items, keep)


def test_BL_002(tier):
    for name in some(tier, ["float32", "float16", "float64"]):
        for x in views([3, NAN, 1, 5], name):
            assert int(clary.argmax(x)) == int(clary.argmin(x)) == 1
        for n in some(tier, [4, 8, 33, 1000, 5000], 3):
            a = rng("BL002", n).normal(size=n).astype(name)
            a[n // 2] = NAN
            assert int(clary.array(a).argmax()) == int(clary.array(a).argmin()) == n // 2


def test_BL_004(tier):
    a = clary.array([[1, 5, 3], [NAN, 2, 6]], dtype="float32")
    check(clary.argmax(a, axis=0), [1, 0, 1])
    check(clary.argmax(a, axis=1), [1, 0])


def test_BL_006(tier):
    for x in views([INF, INF], "float32"):
        assert float(x.min()) == INF and int(x.argmin()) == 0
        assert float((-x).max()) == -INF and int((-x).argmax()) == 0


def test_BL_008(tier):
    for x in views([1, 3, NAN, 5, 4], "float64"):
        check(clary.maximum.accumulate(x), [1, 3, NAN, NAN, NAN])
    check(clary.minimum.accumulate(clary.array([4.0, NAN, 1])), [4.0, NAN, NAN])


def test_BL_010(tier):
    x = clary.zeros((2, 0, 4))
    assert math.isnan(float(x.mean())) and float(x.sum()) == 0.0
    with pytest.raises(ValueError):
        x.max()


def test_BL_012(tier):
    with pytest.raises(ValueError) as caught:
        host(clary.nanargmin(clary.zeros((0, 50))))
    assert "empty" in str(caught.value).lower() or "identity" in str(caught.value).lower()
    assert "all-nan" not in str(caught.value).lower()


@pytest.mark.long
def test_BL_014():
    with clary.device("reference"):
        x = clary.zeros(2**31 + 9, dtype="int8")
        x[-1] = 1
        assert int(x.argmax()) == 2147483656


def test_BL_016(tier):
    assert float(clary.array(1e9 + np.array([4.0, 7, 13, 16])).var()) == 22.5
    assert abs(float(clary.array(1e4 + np.array([4.0, 7, 13, 16]), dtype="float32").var()) - 22.5) < 1e-3
    assert float(clary.array(1e9 + np.array([4.0, 7, 13, 16])).var(ddof=1)) == 30.0


def test_BL_018(tier):
    x = clary.full(20000, 8, dtype="float16")
    assert float(x.mean()) == 8.0 and float(x.std()) == 0.0
    assert x.mean().dtype == np.float16


def test_BL_020(tier):
    a = rng("BL020").normal(size=50000).astype(np.float16)
    exact = np.cumsum(a.astype(np.float64))
    rounded = np.cumsum(a.astype(np.float32)).astype(np.float16)
    got = host(clary.cumsum(clary.array(a)))
    assert np.abs(got - exact).max() <= 2 * np.abs(rounded - exact).max()


def test_BL_022(tier):
    for x in views([True, True, False, True], bool):
        check(clary.cumsum(x), np.array([1, 2, 2, 3], np.int64))


def test_BL_024(tier):
    assert int(clary.full(1000, 8, dtype="int32").min()) == 8
    assert int(clary.full(1000, -8, dtype="int32").max()) == -8


def test_BL_026(tier):
    for n in some(tier, [255, 256, 257, 65535, 65536, 65537], 3):
        check(clary.cumsum(clary.arange(n)), np.cumsum(np.arange(n)))


def test_BL_028(tier):
    x = clary.array(rng("BL028").random((51, 51, 4)))
    assert abs(float(x[0].mean()) - float(x[0].sum()) / 204) < 1e-12


def test_BL_030(tier):
    for shape in some(tier, [(33, 9), (65, 17), (33, 33)], 3):
        a = rng("BL030").random(shape).astype("float32")
        x = clary.array(a)
        check(x[1:] - x[:-1], a[1:] - a[:-1])


def test_BL_040(tier, run):
    for name in ("int32", "float32"):
        for x, y in zip(views([7, -7, 7, -7], name), views([2, 2, -2, -2], name)):
            q, r = run(x // y), run(x % y)
            check(q, np.array([3, -4, -4, 3], name))
            check(r, np.array([1, 1, -1, -1], name))
            check(run(q * y + r), np.array([7, -7, 7, -7], name))


def test_BL_042(tier):
    check(clary.zeros(3) // 1, np.zeros(3), bits=True)
    check(clary.remainder(clary.array([-1.0]), 1.0), [0.0], bits=True)


def test_BL_044(tier):
    check(clary.array([-0.0]) // 3.0, [-0.0], bits=True)


def test_BL_046(tier):
    for x in views([-4.4, 5.6650004, 105.880005], "float32"):
        check(x // np.float32(0.1), np.array([-45, 56, 1058], "float32"))
        check(x // clary.array(0.1, dtype="float32"), np.array([-45, 56, 1058], "float32"))


def test_BL_048(tier):
    check(clary.remainder(clary.array([-5.0, 5.0]), clary.array([12.0, -12.0])), [7.0, -7.0])


def test_BL_050(tier):
    for name in ("int32", "int64"):
        low = np.iinfo(name).min
        check(clary.array([low], dtype=name) % clary.array([-1], dtype=name), np.array([0], name))
        check(clary.array([low], dtype=name) // clary.array([-1], dtype=name), np.array([low], name))
        check(clary.array([5], dtype=name) % clary.array([0], dtype=name), np.array([0], name))


def test_BL_052(tier):
    check(abs(clary.array([-32768], dtype="int16")), np.array([-32768], "int16"))


def test_BL_054(tier, run):
    """A negative exponent of an integer: an error, or one documented value, the same eager and fused."""
    def power():
        return host(run(clary.power(run(clary.array([2])), run(clary.array([-1])))))
    try:
        value = power()
    except ValueError:
        return
    assert value.tolist() == [0]  # 2**-1 truncated


def test_BL_056(tier):
    try:
        value = int(clary.power(clary.array([10]), clary.array([-127]))[0])
    except ValueError:
        return
    assert value == 0


def test_BL_058(tier):
    check(clary.arange(4) << -1, np.zeros(4, np.int64))
    check(clary.arange(4) << 64, np.zeros(4, np.int64))
    check(clary.array([-4, 4]) >> 64, [-1, 0])


def test_BL_060(tier):
    check(clary.array([255], dtype="uint8") << clary.array([1], dtype="uint8"), np.array([254], "uint8"))


def test_BL_064(tier):
    check(clary.array([2**31], dtype="uint32") < clary.array([0], dtype="int32"), [False])
    check(clary.array([2**63], dtype="uint64") < clary.array([-1], dtype="int64"), [False])


def test_BL_066(tier):
    x = clary.array([0, 1, 2**63, 2**64 - 1], dtype="uint64")
    check(clary.less(x, -1), [False] * 4)
    check(x < -1, [False] * 4)
    check(x > clary.array([-1]), [True] * 4)


def test_BL_068(tier):
    """NaN becomes 0 and what is out of range saturates."""
    for x in views([NAN, INF, -INF, 3e9, -3.7], "float32"):
        check(x.astype("int32"), np.array([0, 2**31 - 1, -(2**31), 2**31 - 1, -3], "int32"))
        check(x.astype("uint8"), np.array([0, 255, 0, 255, 0], "uint8"))


def test_BL_070(tier):
    values = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5]
    for name in ("float64", "float32"):
        for x in views(values, name):
            check(clary.around(x), np.array([0, 2, 2, -0.0, -2, -2], name), bits=True)


def test_BL_072(tier):
    assert int((clary.arange(11) * 10**9)[-1]) == 10000000000


def test_BL_074(tier):
    assert len(clary.arange(0, 60e-6, 1e-6)) == 61 and len(clary.arange(125.8, 224.8, 3)) == 34


def test_BL_076(tier):
    for args in ((0.1, 2, NAN), (0, INF, 1)):
        with pytest.raises(ValueError):
            clary.arange(*args)


def test_BL_078(tier):
    """A fractional step with an integer dtype: an error, or the truncated float sequence."""
    for args, expected in (((0, 5, 0.5), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]), ((-3, 0, 0.5), [-3, -2, -2, -1, -1, 0]),
                           ((4, 1, -1.2), [4, 2, 1])):
        try:
            got = clary.arange(*args, dtype="int32")
        except ValueError:
            continue
        floor = np.floor(np.arange(*args)).tolist()
        assert host(got).tolist() in (expected, floor, np.trunc(np.arange(*args)).tolist())


def test_BL_080(tier):
    assert float(clary.linspace(9.98e291, -1.7976931348623157e308, 2, endpoint=False)[0]) == 9.98e291


def test_BL_082(tier):
    check(clary.linspace(0, 1, 0), np.zeros(0))
    check(clary.linspace(3, 7, 1), [3.0])


def test_BL_084(tier):
    x = clary.zeros((50000, 50000))
    assert x.size == 2500000000 and x.nbytes == 20000000000


def test_BL_088(tier):
    for n in some(tier, [2, 10, 257, 100003], 2):
        t = clary.arange(1, n + 1)
        t[1:] = t[:-1]
        check(t, np.concatenate([[1], np.arange(1, n)]))


def test_BL_090(tier):
    d = clary.ones(20000)
    d[1:] += d[:-1]
    d[1:] *= 0.5
    check(d, np.ones(20000))


def test_BL_100(tier):
    x = clary.arange(5)
    check(x[::-1], [4, 3, 2, 1, 0])
    check(x[::-2], [4, 2, 0])
    check(clary.arange(10)[8:2:-3], [8, 5])


def test_BL_102(tier):
    b = clary.zeros(6)
    b[::-1] += 2 * clary.arange(6)[::-1]
    check(b, np.arange(6) * 2.0)


def test_BL_106(tier):
    v = clary.array(np.stack([np.arange(-5, 5)] * 2, 1))
    v[2:] = clary.where(v[2:] >= 0, v[2:], -v[2:])
    check(v, np.stack([[-5, -4, 3, 2, 1, 0, 1, 2, 3, 4]] * 2, 1))


def test_BL_108(tier):
    check(clary.where(clary.ones((2, 2), dtype=bool).T, clary.array([[0, 0], [0, 1]]), 0), [[0, 0], [0, 1]])


def test_BL_110(tier):
    a = rng("BL110").random((5, 5))
    x = clary.array(a)
    assert int(x.T.argmax()) == a.T.argmax() and int(x[::2, ::2].argmax()) == a[::2, ::2].argmax()


def test_BL_112(tier):
    with pytest.raises(ValueError, match="100"):
        clary.ones(100) + clary.zeros(10)


def test_BL_114(tier):
    check(clary.arange(2**24 + 4, dtype="int32")[2**24:], np.arange(2**24, 2**24 + 4, dtype="int32"))


def test_BL_116(tier):
    for n, expected in ((141, 19881), (101, 10201)):
        x = clary.broadcast_to(clary.arange(n), (n, n, n))
        assert int(clary.count_nonzero(x == 0)) == expected


def test_BL_118(tier):
    n, h, w = 40, 3, 8
    o, expected = clary.zeros((2, n)), np.zeros((2, n))
    for k in range((n - w) // h + 1):
        o[:, k * h:k * h + w] += 1
        expected[:, k * h:k * h + w] += 1
    check(o, expected)


def test_BL_122(tier):
    check(abs(clary.array([1e20 + 1e20j, 2.5e-20 - 3e-20j], dtype="complex64")),
          np.array([1.4142136e20, 3.9051245e-20], "float32"), rtol=1e-6)


def test_BL_124(tier):
    check(clary.sqrt(clary.array([-1e20j], dtype="complex64")), np.array([7.0710676e9 * (1 - 1j)], "complex64"), rtol=1e-6)
    check(clary.sqrt(clary.array([-1e20 - 4988429.2j])), [0.00024942146 - 1e10j], rtol=1e-7)


def test_BL_126(tier):
    check(clary.tanh(clary.array([616.47292 + 53.81456j])), [1 + 0j], atol=1e-15)


def test_BL_128(tier):
    x = clary.array([-4.0, -INF, 0.0, -0.0, 1.0, NAN])
    y = clary.array([0.5, 3.0, -1.0, -1.0, NAN, 0.0])
    check(clary.power(x, y), [NAN, -INF, INF, -INF, 1, 1])
    check(clary.power(x.astype("float32"), y.astype("float32")), np.array([NAN, -INF, INF, -INF, 1, 1], "float32"))


def test_BL_130(tier):
    for n in (1, 2, 3, 4, 8, 16, 17):
        check(clary.power(clary.full(n, 2.0), 3.0), np.full(n, 8.0), rtol=1e-15)
        check(clary.cbrt(clary.full(n, 8.0)), np.full(n, 2.0), rtol=1e-15)
        check(clary.power(clary.full(n, 8.0), 1 / 3.0), np.full(n, 2.0), rtol=1e-15)


def test_BL_132(tier):
    check(clary.array([1.5 * 2.0**-24]).astype("float16"), np.array([2.0**-23], "float16"))
    check(clary.array([1.5 * 2.0**-24], dtype="float32").astype("float16"), np.array([2.0**-23], "float16"))


def test_BL_134(tier, run):
    a, b = clary.array([1.0, 2.0]), clary.array([NAN, 1.0])
    c = run(a + run(b * 0))
    clary.eval(a, b, c)
    check(c, [NAN, 2.0])


def test_BL_136(tier, run):
    x = clary.array([INF, NAN, 1.0])
    check(run(x - x), [NAN, NAN, 0.0])
    check(run(x / x), [NAN, NAN, 1.0])
    p, q = rng("BL136").normal(size=(2, 100)).astype("float32")
    a, b = clary.array(p), clary.array(q)
    with np.errstate(all="ignore"):
        rest = p * q - p * q
        expected = rest / rest
    d = run(run(a * b) - run(a * b))
    check(run(d / d), expected)


def test_BL_138(tier, run):
    x = clary.array([-0.09], dtype="float16")
    assert math.isnan(float(run(clary.maximum(x, run(clary.sqrt(x))))[0]))
    assert float(clary.fmax(clary.array(1.0), NAN)) == 1


def test_BL_140(tier):
    x = clary.array([1.0, 2.0])
    check(clary.clip(x, NAN, NAN), [NAN, NAN])
    check(clary.clip(x, clary.array([NAN, NAN]), clary.array([NAN, NAN])), [NAN, NAN])


def test_BL_142(tier):
    check(clary.clip(clary.arange(10), 5, 8.5), [5, 5, 5, 5, 5, 5, 6, 7, 8, 8.5])


def test_BL_144(tier):
    """The Python integer takes the array's dtype, as in NumPy 2: 2049 is 2048 in float16."""
    expected = bool((np.array([2048], np.float16) == 2049)[0])
    check(clary.array([2048], dtype="float16") == 2049, [expected])


def test_BL_146(tier):
    """C99 Annex G at infinities."""
    z = clary.array([INF + 0j, complex(0, INF), complex(INF, INF)])
    e, t = host(clary.exp(z)), host(clary.tanh(z))
    assert e[0].real == INF and e[0].imag == 0 and math.isnan(e[1].real) and math.isnan(e[1].imag)
    assert math.isinf(e[2].real) and math.isnan(e[2].imag)
    assert t[0] == 1 and t[2].real == 1 and t[2].imag == 0 and math.isnan(t[1].imag)
    s = host(clary.sin(z))
    assert math.isnan(s[0].real) and s[1].imag == INF and s[1].real == 0 and math.isinf(s[2].imag)


def test_BL_148(tier, run):
    x = clary.array(rng("BL148").normal(size=50).astype("float32"))
    e = run(clary.exp(run(x - run(x.max()))))
    p = run(e / run(e.sum()))
    total = float(run(p.sum()))
    assert float(run(clary.floor(run(p.sum())))) == math.floor(total)
    fused = clary.exp(x - x.max())
    assert float((fused / fused.sum()).sum()) == total


def test_BL_192(tier):
    n = 10**6 if not tier.long else 10**8
    u = clary.random.default_rng(1).random(n, dtype="float32")
    assert float(u.max()) < 1.0 and float(u.min()) >= 0.0


def test_BL_196(tier):
    one, same, other = (host(clary.random.default_rng(s).random(50, dtype="float32")) for s in (5, 5, 6))
    assert (one == same).all() and (one != other).any()
    with clary.device("reference"):
        assert same_bits(host(clary.random.default_rng(5).random(50, dtype="float32")), one)
    code = "import clary; print(clary.asnumpy(clary.random.default_rng(5).random(50, dtype='float32')).tobytes().hex())"
    env = dict(os.environ, CLARY_DEVICE=tier.selector, CLARY_JIT=tier.mode)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=120, check=True)
    assert out.stdout.strip() == one.tobytes().hex()


def test_BL_198(tier, tmp_path):
    clary.save(tmp_path / "x.npy", clary.arange(184))
    assert b"(184,)" in (tmp_path / "x.npy").read_bytes()[:128]
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), np.arange(184))


# BL-200 to BL-206: test_io.py, by the same inputs.


def test_BL_214(tier, tmp_path):
    import pickle

    a = np.asfortranarray(np.arange(6).reshape(2, 3))
    x = clary.array(a)
    np.save(tmp_path / "f.npy", a)
    check(clary.load(tmp_path / "f.npy"), a)
    clary.save(tmp_path / "g.npy", x.T)
    np.testing.assert_array_equal(np.load(tmp_path / "g.npy"), a.T)
    check(pickle.loads(pickle.dumps(x)), a)


def test_BL_216(tier):
    c, d = clary.array([3]), clary.array([1])
    clary.eval(c * d)
    check(c - d, [2])
    check(c * d, [3])
    check(d - c, [-2])


def test_BL_218(tier, run):
    t = clary.arange(4)
    assert int(run(run(t[1:4].max()) - run(t[1:3].min()))) == 2


def test_BL_222(tier):
    """Equal structure, other operation, operands or constants: never mixed up."""
    a, b = clary.array([6.0, 8]), clary.array([3.0, 2])
    for (f, g), (x, y) in itertools.product(itertools.permutations([clary.subtract, clary.divide, clary.add], 2),
                                            [(a, b), (b, a)]):
        p, q = host(x), host(y)
        check(g(f(x, y), 2), getattr(np, g.__name__)(getattr(np, f.__name__)(p, q), 2))
        check(g(f(x, y), 5), getattr(np, g.__name__)(getattr(np, f.__name__)(p, q), 5))
    check(clary.where(a > b, a, b), [6.0, 8])
    check(clary.where(a > b, b, a), [3.0, 2])


CHILD = """
import clary, sys
a = clary.arange(5000, dtype="float32")
for k in range(int(sys.argv[1])):
    y = a
    for bit in range(4):
        y = y + 1 if k >> bit & 1 else y * 2
    print(float(y[7]))
"""


def test_BL_224(tier, tmp_path):
    """Several processes fill an empty cache at once."""
    if tier.selector != "pocl":
        pytest.skip("only compiled kernels are cached")
    env = dict(os.environ, CLARY_DEVICE=tier.selector, CLARY_JIT="always", CLARY_CACHE_DIR=str(tmp_path / "cache"))
    count = 16 if tier.long else 4
    processes = [subprocess.Popen([sys.executable, "-c", CHILD, str(count)], stdout=subprocess.PIPE, env=env, text=True)
                 for _ in range(4)]
    outputs = [p.communicate(timeout=300)[0] for p in processes]
    assert all(p.returncode == 0 for p in processes)

    def value(k):
        y = 7.0
        for bit in range(4):
            y = y + 1 if k >> bit & 1 else y * 2
        return y
    assert all([float(v) for v in out.split()] == [value(k) for k in range(count)] for out in outputs)


def test_BL_226(tier, tmp_path):
    """Cache files that are swapped, cut, changed, empty or unreadable are rebuilt."""
    if not tier.compiled:
        pytest.skip("only compiled kernels are cached")
    cache = tmp_path / "cache"
    env = dict(os.environ, CLARY_DEVICE=tier.selector, CLARY_JIT="always", CLARY_CACHE_DIR=str(cache))

    def output():
        return subprocess.run([sys.executable, "-c", CHILD, "2"], env=env, capture_output=True, text=True, timeout=300,
                              check=True).stdout

    expected = output()
    files = sorted(p for p in cache.rglob("*") if p.is_file())
    assert files

    def poison(change):
        for path in files:
            if path.exists():
                change(path)
        assert output() == expected

    poison(lambda p: p.write_bytes(p.read_bytes()[: p.stat().st_size // 2]))
    poison(lambda p: p.write_bytes(b""))
    poison(lambda p: p.write_bytes(bytes(b ^ 0x55 if i % 97 == 60 else b for i, b in enumerate(p.read_bytes()))))
    if len(files) > 1:
        one, two = files[0].read_bytes(), files[1].read_bytes()
        files[0].write_bytes(two)
        files[1].write_bytes(one)
        assert output() == expected
    poison(lambda p: (p.unlink(), p.mkdir()))
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    env["CLARY_CACHE_DIR"] = str(blocked)
    assert output() == expected


def test_BL_232(tier):
    import threading

    wrong = []

    def work(seed):
        for i in range(20 if tier.compiled else 200):
            n = 1 + (seed * 131 + i * 17) % 500
            if int((clary.arange(n) * 2 + seed).sum()) != n * (n - 1) + seed * n:
                wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(s,)) for s in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120)
    assert not wrong


def test_BL_234(tier):
    """Use, fork, use in the child: works or one clear error, never hangs."""
    code = """
import clary, os, sys
print(float(clary.ones(3).sum()), flush=True)
child = os.fork()
if child == 0:
    try:
        clary.asnumpy(clary.ones(3000) + 1)
    except clary.Error:
        pass
    os._exit(0)
import time
for _ in range(300):
    if os.waitpid(child, os.WNOHANG)[0]:
        sys.exit(0)
    time.sleep(0.1)
os.kill(child, 9)
sys.exit("hangs")
"""
    env = dict(os.environ, CLARY_DEVICE=tier.selector, CLARY_JIT=tier.mode)
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_BL_236(tier):
    device = clary.device(tier.selector)
    device.trim()
    device.set_memory_limit(device.memory().live + 2**20)
    try:
        x = clary.zeros(2**22) + 1
        with pytest.raises(MemoryError):
            clary.asnumpy(x)
    finally:
        device.set_memory_limit(0)
    check(clary.ones(3) + clary.ones(3), np.full(3, 2.0))
    check(x[:2], [1.0, 1.0])
