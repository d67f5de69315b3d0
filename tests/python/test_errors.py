"""Failures: the right class, a message that names operation and shapes, and everything usable after."""
import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from support import check

import clary

CASES = {
    "shapes": (lambda: clary.ones(3) + clary.ones(4), clary.ShapeError, ValueError, ["add", "(3,)", "(4,)"]),
    "dtype": (lambda: clary.ones(3) & clary.ones(3), clary.DTypeError, TypeError, ["bitwise_and", "float64"]),
    "index": (lambda: clary.ones((2, 3))[1, 5], clary.IndexOutOfRangeError, IndexError, ["5", "3"]),
    "axis": (lambda: clary.sum(clary.ones((2, 3)), axis=2), clary.AxisError, np.exceptions.AxisError, ["sum", "2"]),
    "overflow": (lambda: clary.ones(3, dtype="int8") + 300, clary.RangeError, OverflowError, ["300", "int8"]),
    "reshape": (lambda: clary.ones(6).reshape(4, 2), clary.ShapeError, ValueError, ["(6,)", "(4, 2)"]),
    "device": (lambda: clary.device("toaster"), clary.NoDeviceError, RuntimeError, ["toaster"]),
    "concat": (lambda: clary.concat([clary.ones((2, 3)), clary.ones((2, 4))]), clary.ShapeError, ValueError,
               ["(2, 3)", "(2, 4)"]),
    "read-only": (lambda: clary.broadcast_to(clary.ones(1), (3,)).fill(1), clary.ReadOnlyError, ValueError, []),
    "no identity": (lambda: clary.max(clary.ones(0)), clary.Error, ValueError, ["max"]),
    "cast": (lambda: clary.ones(3).astype(int, casting="safe"), clary.DTypeError, TypeError, ["float64", "int64"]),
    "axes twice": (lambda: clary.sum(clary.ones((2, 2)), axis=(1, -1)), clary.Error, ValueError, ["sum"]),
}


@pytest.mark.parametrize("name", CASES)
def test_classes_and_messages(tier, name):
    call, ours, builtin, words = CASES[name]
    for _ in range(2):
        with pytest.raises(ours) as caught:
            call()
        assert isinstance(caught.value, builtin) and isinstance(caught.value, clary.Error)
        for word in words:
            assert word in str(caught.value), str(caught.value)
    check(clary.ones(3) + 1, np.full(3, 2.0))


def test_failures_leave_nothing_behind():
    gc.collect()
    before = clary.counters()
    for call, *_ in CASES.values():
        with pytest.raises(clary.Error):
            call()
    gc.collect()
    after = clary.counters()
    assert (after.live_arrays, after.live_values) == (before.live_arrays, before.live_values)


def test_memory_limit(tier):
    device = clary.device(tier.selector)
    keep = clary.ones(10)
    device.trim()
    device.set_memory_limit(device.memory().live + 2**20)
    try:
        with pytest.raises(MemoryError) as caught:
            clary.eval(clary.zeros(2**22) + 1)
            clary.synchronize()
        assert isinstance(caught.value, clary.OutOfMemoryError)
        check(keep + 1, np.full(10, 2.0))
    finally:
        device.set_memory_limit(0)
    check((clary.zeros(2**18) + 1)[:3], np.ones(3))


def test_a_million_times_too_large():
    with pytest.raises((MemoryError, ValueError)):
        clary.eval(clary.zeros((2**40, 2**20)) + 1)
    with pytest.raises((MemoryError, ValueError)):
        clary.eval(clary.zeros(2**45) + 1)
    check(clary.ones(3), np.ones(3))


def test_unknown_device_by_environment():
    code = "import clary\ntry:\n    clary.zeros(1)\nexcept clary.NoDeviceError as e:\n    print('refused', e)"
    out = child(code, CLARY_DEVICE="toaster")
    assert out.startswith("refused") and "toaster" in out


def child(code, **env):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, **env))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_memory_limit_by_environment():
    code = """
import clary
try:
    clary.asnumpy(clary.zeros(2**20) + 1)
except MemoryError as error:
    print("refused", error)
print(float(clary.ones(100).sum()))
"""
    out = child(code, CLARY_MEMORY_LIMIT="1M")
    assert out.startswith("refused") and out.endswith("100.0\n")


def test_without_opencl(tmp_path):
    """No platform at all: the reference device works, and the diagnosis says what was looked for."""
    code = """
import clary
print([d.type for d in clary.devices() if d.usable], float(clary.ones(9).sum()))
print(clary.diagnosis())
"""
    for missing in ({"CLARY_OPENCL_LIBRARY": str(tmp_path / "none.so")}, {"OCL_ICD_VENDORS": str(tmp_path)}):
        out = child(code, CLARY_DEVICE="best", **missing)
        if "OCL_ICD_VENDORS" in missing and not out.startswith("['reference']"):
            continue  # a loader that does not know the variable
        assert out.startswith("['reference'] 9.0\n")
        assert "OpenCL loader" in out and ".icd files" in out and "pocl-opencl-icd" in out


def test_broken_platform(tmp_path):
    """A platform that cannot be loaded leaves the others usable."""
    (tmp_path / "broken.icd").write_text("/no/such/library.so\n")
    code = "import clary; print(clary.devices()[-1].usable, float(clary.ones(9).sum())); print(clary.diagnosis())"
    out = child(code, OCL_ICD_VENDORS=str(tmp_path), CLARY_DEVICE="best")
    assert out.startswith("True 9.0\n") and "broken.icd" in out


def test_two_way_in_threads(tier):
    """Each thread sees its own last error."""
    import threading

    seen = {}

    def work(n):
        for _ in range(50):
            try:
                clary.ones(n) + clary.ones(n + 1)
            except ValueError as error:
                seen.setdefault(n, set()).add(str(error))

    threads = [threading.Thread(target=work, args=(n,)) for n in (2, 5, 9)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    for n in (2, 5, 9):
        assert len(seen[n]) == 1 and f"({n},)" in seen[n].pop()
