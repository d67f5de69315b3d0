"""The engine's promises: how many kernels run, when kernels are built, and that fusing changes no bit."""
import os
import subprocess
import sys

import numpy as np
import pytest
from support import check, counted, host, rng, same_bits

import clary


@pytest.fixture
def compiled(tier):
    if not tier.compiled:
        pytest.skip("counts kernels of the compiling tier")
    return tier


def random(*shape, dtype="float32", seed=0):
    x = clary.array(rng("engine", seed, shape).normal(size=shape).astype(dtype))
    return clary.eval(x)


# ---- launches ----
def test_sum_of_squares_is_one_kernel(tier):
    for n in (1000, 16384):
        a, b = random(n), random(n, seed=1)
        result, counts = counted(lambda a=a, b=b: clary.sum((a - b) ** 2))
        assert counts.launches == 1
        np.testing.assert_allclose(float(result), ((host(a) - host(b)) ** 2).sum(), rtol=1e-5)


def test_broadcast_expression_is_one_kernel(tier):
    a, b, c = random(30, 40), random(30, 40, seed=1), random(30, seed=2)
    result, counts = counted(lambda: clary.exp(a) * b + c[:, None])
    assert counts.launches == 1
    np.testing.assert_allclose(host(result), np.exp(host(a)) * host(b) + host(c)[:, None], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
def test_mean_and_std_along_an_axis(tier, axis):
    a = random(60, 50)
    result, counts = counted(lambda: clary.mean(a, axis=axis))
    assert counts.launches == 1
    np.testing.assert_allclose(host(result), host(a).mean(axis), atol=1e-6)
    result, counts = counted(lambda: clary.std(a, axis=axis))
    assert counts.launches == 2  # the mean, then the distances from it
    np.testing.assert_allclose(host(result), host(a).std(axis), rtol=1e-5)


def test_several_outputs_from_one_kernel(tier):
    a = random(1000)
    results, counts = counted(lambda: (clary.sin(a), clary.cos(a), a + 1))
    assert counts.launches == 1
    check(results[2], host(a) + 1)


def test_views_cost_no_kernel(tier):
    a = random(30, 40)
    view, counts = counted(lambda: a.T[::2, 1:].reshape(20, 29)[None])
    assert counts.launches == 0
    total, counts = counted(lambda: (a.T[::2, 1:] + a[1:, ::-2].T).sum(axis=0))
    assert counts.launches == 1
    np.testing.assert_allclose(host(total), (host(a).T[::2, 1:] + host(a)[1:, ::-2].T).sum(0), rtol=1e-4, atol=1e-5)


def test_random_sum_touches_no_memory(tier):
    g = clary.random.default_rng(1)
    hits, counts = counted(lambda: clary.sum(g.random(10000, dtype="float32") ** 2 + g.random(10000, dtype="float32") ** 2 < 1))
    assert counts.launches == 1 and counts.bytes_kernels < 1000
    assert abs(int(hits) / 2500 - np.pi) < 0.1


def test_nothing_runs_before_it_is_needed(tier):
    a = random(100)
    clary.reset_counters()
    b = clary.sqrt(a * a + 1)
    assert clary.counters().launches == 0
    host(b)
    assert clary.counters().launches == 1
    host(b)
    assert clary.counters().launches == 1


def test_long_recordings_are_cut(tier):
    x = random(50)
    y = x
    for i in range(600):
        y = y + (i % 3)
    np.testing.assert_allclose(host(y), host(x) + sum(i % 3 for i in range(600)), rtol=1e-4)
    z = clary.zeros(20)
    for i in range(300):
        z[i % 20] += i
    check(z, np.array([float(sum(range(k, 300, 20))) for k in range(20)]))


# ---- builds ----
def test_new_shapes_compile_nothing(compiled):
    def program(n, m, c):
        a, b = random(n, m), random(n, m, seed=1)
        return [host(v) for v in (clary.sqrt(a * a + b * c), (a - b).sum(), a.mean(axis=0), b.T.copy(), a[:, None, 1:] * 2)]

    # A reduction has a kernel for each of a few classes of length: up to 16, 64, 256, 1024, 16384, and more.
    for n, m, c in ((5, 20, 1.0), (40, 50, 2.5), (100, 400, 2.0), (400, 20, 1.5), (2000, 3, 1.0)):
        program(n, m, c)
    clary.reset_counters()
    for n, m, c in ((41, 50, 2.5), (64, 128, 1.0), (7, 300, -3.25), (333, 77, 0.5)):
        program(n, m, c)
    assert clary.counters().builds == 0 and clary.counters().disk_hits == 0


def test_new_scalars_compile_nothing(compiled):
    a = random(100)
    host(a * 1.5 + 2)
    clary.reset_counters()
    for value in (2.5, -1, 0, 1e30, True):
        host(a * float(value) + int(value > 0))
    assert clary.counters().builds == 0


def test_second_process_compiles_nothing(compiled, tmp_path):
    code = """
import clary
a = clary.arange(3000, dtype="float32")
b = clary.sqrt(a * a + 1)
print(float(b.sum()), float((a - b).max()), float(clary.cumsum(a)[-1]))
c = clary.counters()
print(c.builds, c.disk_hits)
"""
    env = dict(os.environ, CLARY_DEVICE=compiled.selector, CLARY_JIT="always", CLARY_CACHE_DIR=str(tmp_path / "cache"))
    outputs = [subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300,
                              check=True).stdout.split("\n") for _ in range(2)]
    assert outputs[0][0] == outputs[1][0]
    builds, hits = map(int, outputs[0][1].split())
    assert builds > 0 and hits == 0
    again, found = map(int, outputs[1][1].split())
    assert again == 0 and found == builds


def test_cache_off(compiled, tmp_path):
    code = "import clary; print(float((clary.arange(3000.0) + 1).sum())); print(clary.counters().disk_hits)"
    env = dict(os.environ, CLARY_DEVICE=compiled.selector, CLARY_JIT="always", CLARY_CACHE="off",
               CLARY_CACHE_DIR=str(tmp_path / "cache"))
    for _ in range(2):
        out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300, check=True)
        assert out.stdout.split() == ["4501500.0", "0"]
    assert not (tmp_path / "cache").exists() or not any(p.is_file() for p in (tmp_path / "cache").rglob("*"))


def test_dump_and_log(compiled, tmp_path):
    code = "import clary; clary.asnumpy(clary.arange(3000.0) + 1)"
    env = dict(os.environ, CLARY_DEVICE=compiled.selector, CLARY_JIT="always", CLARY_CACHE="off", CLARY_LOG="all",
               CLARY_DUMP=str(tmp_path / "dump"))
    out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300, check=True)
    assert out.stderr and not out.stdout
    assert any("__kernel" in p.read_text() or "kernel" in p.read_text() for p in (tmp_path / "dump").iterdir())


def test_auto_tier_depends_on_size_alone():
    """Small work runs on the reference executor, large work compiled, with the same bits."""
    if not any(d.usable and d.backend == "opencl" and d.shares_host_memory for d in clary.devices()):
        pytest.skip("no device that shares the host's memory")
    with clary.device("pocl"):
        mode = clary.set_jit("auto")
        try:
            small, large = random(100), random(3000000)
            clary.reset_counters()
            a = host(small * 3 + 1)
            assert clary.counters().host_runs == clary.counters().launches == 1
            b = host(large * 3 + 1)
            assert clary.counters().launches == 2 and clary.counters().host_runs == 1
            clary.set_jit("never")
            assert same_bits(host(large * 3 + 1), b) and same_bits(host(small * 3 + 1), a)
            assert clary.counters().host_runs == 3
        finally:
            clary.set_jit(mode)


# ---- memory ----
def test_counters_see_memory(tier):
    clary.synchronize()
    clary.reset_counters()
    before = clary.counters()
    a = clary.asarray(np.ones(100000, np.float32))
    clary.eval(a)
    counts = clary.counters()
    moved = 0 if tier.selector == "reference" else 400000  # the reference device is the host
    assert counts.bytes_up == moved
    assert counts.live_bytes - before.live_bytes >= 400000
    host(a)
    assert clary.counters().bytes_down == moved
    del a
    assert clary.counters().live_bytes == before.live_bytes


def test_pool_reuses(tier):
    device = clary.device(tier.selector)
    a = random(50000)
    for _ in range(3):
        clary.eval(a + 1)
    before = device.memory().allocations
    for _ in range(20):
        clary.eval(a + 1)
    assert device.memory().allocations == before
    device.trim()
    assert device.memory().pooled == 0


def test_in_place_updates_do_not_copy(tier):
    a = random(200000)
    clary.synchronize()
    clary.reset_counters()
    for _ in range(5):
        a[1:] += 1
        a[0] = 3
        clary.eval(a)
    clary.synchronize()
    counts = clary.counters()
    assert counts.peak_bytes - counts.live_bytes < 400000
    assert counts.launches == 10 and counts.bytes_kernels < 5 * 2.1 * 800000


# ---- exactness ----
UNARY = ["negative", "absolute", "sqrt", "square", "sin", "exp", "floor", "tanh", "reciprocal", "sign", "log1p"]
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "fmod", "arctan2", "hypot", "remainder"]


def expression(seed, evaluate, dtype="float32"):
    """A random expression over a few operands; `evaluate` is applied after each step."""
    g = np.random.default_rng(seed)
    shape = [(13, 7), (130,), (3, 5, 11)][seed % 3]
    pool = [clary.array(g.normal(size=shape).astype(dtype)) for _ in range(3)]
    pool.append(clary.array(g.normal(size=shape[-1:]).astype(dtype)))
    for _ in range(int(g.integers(6, 14))):
        what = g.integers(0, 10)
        x = pool[g.integers(0, len(pool))]
        if what < 3:
            y = getattr(clary, UNARY[g.integers(0, len(UNARY))])(x)
        elif what < 7:
            y = getattr(clary, BINARY[g.integers(0, len(BINARY))])(x, pool[g.integers(0, len(pool))])
        elif what == 7:
            y = x * float(g.normal()) + int(g.integers(1, 4))
        elif what == 8:
            y = clary.where(x > 0, x, pool[g.integers(0, len(pool))])
        else:
            y = x - (x.sum(axis=-1, keepdims=True) if g.random() < 0.5 else x.max(axis=0, keepdims=True))
        pool.append(evaluate(y))
    last = pool[-1] + pool[-2]
    return [pool[-1], last, last.sum(), clary.cumsum(pool[-1].reshape(-1))]


@pytest.mark.parametrize("group", range(4))
def test_fused_is_step_by_step(tier, group):
    """Random expression graphs, recorded whole and evaluated at every step: the same bits."""
    count = 1 if tier.compiled and not tier.long else 60
    for seed in range(group * 100, group * 100 + count):
        dtype = ["float32", "float64", "float16"][seed % 3]
        fused = [host(v) for v in expression(seed, lambda v: v, dtype)]
        stepped = [host(v) for v in expression(seed, clary.eval, dtype)]
        for i, (a, b) in enumerate(zip(fused, stepped)):
            assert same_bits(a, b), (seed, i)


def test_operands_live_until_the_kernel_ran(tier):
    """Computing one part of a group lets go of values that another part of it has loaded already."""
    a, b = rng("operands").normal(size=(2, 13, 7))
    x, z = clary.array(a), clary.array(b)
    m = x - x.max(axis=0, keepdims=True)
    w = clary.where(m > 0, m, z)
    r = w - w.sum(axis=-1, keepdims=True)
    del m, w
    p = a - a.max(0)
    q = np.where(p > 0, p, b)
    check(r, q - q.sum(-1, keepdims=True), rtol=1e-13, atol=1e-13)


EXACT_UNARY = ["negative", "absolute", "sqrt", "square", "floor", "ceil", "trunc", "rint", "reciprocal", "sign"]
EXACT_BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "fmod", "remainder", "copysign", "less"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "uint8"])
def test_same_bits_as_reference(tier, dtype):
    """Exact operations, casts and sums have the bits of the reference device, with all special values."""
    if tier.selector == "reference":
        return
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 3.4e38, 1e-308, 65504, 6e-8, 0.5, 1.5, 2.5, -0.5])
    with np.errstate(all="ignore"):
        a = np.concatenate([rng("bits", dtype).normal(size=500) * 10, special if dtype[0] == "f" else []]).astype(dtype)
        b = np.roll(a, 7)
    names = tier.sample(EXACT_UNARY, 2) if dtype[0] == "f" else ["negative", "square"]

    def results():
        x, y = clary.array(a), clary.array(b)
        out = [getattr(clary, n)(x) for n in names]
        for n in tier.sample(EXACT_BINARY, 2):
            if dtype[0] == "f" or n in ("add", "subtract", "multiply", "maximum", "minimum"):
                out.append(getattr(clary, n)(x, y))
        out += [x.astype(t) for t in tier.sample(["int8", "uint16", "int64", "float16", "float32", "float64", "bool"], 3)]
        out += [x.sum(), x[:500].reshape(20, 25).sum(axis=0), x[:500].reshape(20, 25).sum(axis=1), x[5:400:3].sum()]
        clary.eval(*out)
        return [host(v) for v in out]

    ours = results()
    with clary.device("reference"):
        theirs = results()
    for i, (p, q) in enumerate(zip(ours, theirs)):
        assert same_bits(p, q), i


def test_no_contraction(tier):
    """a * b + c rounds twice."""
    g = rng("contraction")
    a, b, c = (g.normal(size=4096).astype(np.float32) for _ in range(3))
    check(clary.array(a) * clary.array(b) + clary.array(c), a * b + c)


def test_auto_and_always_agree():
    if not any(d.usable and d.backend == "opencl" for d in clary.devices()):
        pytest.skip("no OpenCL device")
    with clary.device("pocl"):
        mode = clary.get_jit()
        try:
            seen = []
            for tier in ("auto", "always", "never"):
                clary.set_jit(tier)
                x = random(777)
                seen.append([host(v) for v in (x * 3 + 1, clary.sqrt(abs(x)), x.sum(), x.astype("int16"), clary.cumsum(x))])
            for other in seen[1:]:
                assert all(same_bits(a, b) for a, b in zip(seen[0], other))
        finally:
            clary.set_jit(mode)


# ---- speed ----
@pytest.mark.long
def test_recording_costs_little():
    """Recording one operation from Python takes microseconds (measured by bench; here only its order)."""
    import time

    a, b = clary.ones(10), clary.ones(10)
    best = 1e9
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(2000):
            a + b
        best = min(best, (time.perf_counter() - start) / 2000)
    assert best < 5e-6
