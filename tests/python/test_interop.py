"""NumPy and Clary together: NumPy's functions on Clary arrays, mixed operands, devices and the command line."""
import json
import operator
import os
import subprocess
import sys

import numpy as np
import pytest
from support import check

import clary


def test_mixed_operands(tier):
    a, x = np.arange(3.0), clary.arange(3.0)
    for op in (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
               operator.lt, operator.ge, operator.eq, operator.ne):
        with np.errstate(all="ignore"):
            for left, right in ((a, x), (x, a), (np.float64(2), x), (x, np.float64(2)), (x, [1, 2, 3]), ([1, 2, 3], x)):
                expected = op(np.asarray(left), np.asarray(right))
                result = op(left, right)
                assert type(result) is clary.Array
                check(result, expected)
    a += x
    assert type(a) is np.ndarray
    np.testing.assert_array_equal(a, [0, 2, 4])
    check(x == "text", np.zeros(3, bool))
    check(x != None, np.ones(3, bool))  # noqa: E711
    with pytest.raises(TypeError):
        x + "text"
    with pytest.raises(TypeError):
        x + object()


def test_foreign_classes_get_their_turn():
    class Left:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

    assert clary.arange(2) + Left() == "mine"


def test_numpy_ufuncs(tier):
    a, x = np.arange(1.0, 5), clary.arange(1.0, 5)
    for name in ("sin", "add", "absolute", "isnan", "true_divide", "conjugate", "remainder", "invert"):
        f = getattr(np, name)
        if name == "invert":
            check(f(clary.arange(3)), f(np.arange(3)))
        elif f.nin == 1:
            result = f(x)
            assert type(result) is clary.Array
            check(result, f(a), rtol=1e-15)
        else:
            check(f(a, x), f(a, a))
    assert type(np.add.reduce(x)) is clary.Array
    check(np.add.reduce(x), np.add.reduce(a))
    check(np.multiply.accumulate(x), np.multiply.accumulate(a))
    check(np.subtract.outer(x, a), np.subtract.outer(a, a))
    out = np.zeros(4)
    assert np.add(x, 1, out=out) is out
    np.testing.assert_array_equal(out, a + 1)
    for ours, theirs in zip(np.divmod(x, 2), np.divmod(a, 2)):
        check(ours, theirs)


def test_numpy_functions(tier):
    a, x = np.arange(6.0).reshape(2, 3), clary.arange(6.0).reshape(2, 3)
    for call in (np.sum, np.mean, lambda v: np.std(v, axis=0), lambda v: np.concatenate([v, v]), np.transpose,
                 lambda v: np.where(v > 2, v, 0), lambda v: np.clip(v, 1, 3), np.ravel, lambda v: np.reshape(v, (3, 2)),
                 lambda v: np.cumsum(v, axis=1), np.linalg.norm, lambda v: np.stack([v, v]), np.argmax, np.zeros_like,
                 lambda v: np.pad(v, 1), lambda v: np.max(v, axis=1, keepdims=True), lambda v: np.expand_dims(v, 0),
                 lambda v: np.flip(v, 0), lambda v: np.tile(v, 2), lambda v: np.round(v, 1)):
        result = call(x)
        assert type(result) is clary.Array
        check(result, call(a), rtol=1e-14)
    assert np.allclose(x, a) and np.array_equal(x, a) and np.shape(x) == (2, 3) and np.ndim(x) == 2
    with pytest.raises(TypeError, match="asnumpy"):
        np.datetime_as_string(x)


def test_to_numpy(tier):
    x = clary.arange(6).reshape(2, 3)
    a = np.asarray(x)
    assert type(a) is np.ndarray and a.flags.writeable and a.flags.c_contiguous
    np.testing.assert_array_equal(np.asarray(x.T), np.arange(6).reshape(2, 3).T)
    assert np.asarray(x, dtype="float32").dtype == np.float32
    assert np.array(x[0, 1]) == 1
    np.testing.assert_array_equal(np.array([clary.array(1), clary.array(2)]), [1, 2])
    np.testing.assert_array_equal(clary.asnumpy([1, 2]), [1, 2])
    np.testing.assert_array_equal(np.arange(10)[clary.array(3)], 3)
    with pytest.raises(TypeError):
        hash(x)


def test_namespace():
    assert clary.arange(2).__array_namespace__() is clary
    assert clary.arange(2).__array_namespace__(api_version="2023.12") is clary
    with pytest.raises(ValueError):
        clary.arange(2).__array_namespace__(api_version="1999.01")
    assert clary.newaxis is None and clary.pi == np.pi and clary.float32 is np.float32
    assert clary.__version__.count(".") == 2
    for name in clary.__all__:
        assert getattr(clary, name, name) is not None or name == "newaxis"


def test_every_function_is_documented():
    for name in clary.__all__:
        value = getattr(clary, name)
        if callable(value) and not isinstance(value, type):
            assert value.__doc__ and len(value.__doc__) > 10, name


def test_devices():
    found = clary.devices()
    assert found[-1].type == "reference" and found[-1].usable and found[-1].name
    reference = clary.device("reference")
    assert reference.type == "reference" and reference == clary.device("reference")
    assert hash(reference) == hash(clary.device("reference")) and "reference" in repr(reference)
    before = clary.default_device()
    with reference:
        x = clary.arange(3)
        assert x.device == reference and clary.default_device() == reference
    assert clary.default_device() == before
    with clary.device("reference"), clary.device(before):
        assert clary.default_device() == before
    assert clary.zeros(2, device="reference").device == reference
    assert clary.asarray(x, device=reference) is x
    with pytest.raises(clary.NoDeviceError, match="toaster"):
        clary.device("toaster")
    with pytest.raises(RuntimeError):
        clary.zeros(1, device="toaster")
    clary.eval(x)
    memory = reference.memory()
    assert memory.live >= 24 and memory.peak >= memory.live
    assert isinstance(clary.diagnosis(), str) and clary.diagnosis()


def test_between_devices(tier):
    x = clary.arange(5) * 2
    y = x.to_device("reference")
    assert y.device == clary.device("reference")
    check(y, np.arange(5) * 2)
    check(y.to_device(tier.selector), np.arange(5) * 2)
    if clary.device(tier.selector) != clary.device("reference"):
        with pytest.raises(ValueError):
            x + y
    check(y + 1, np.arange(5) * 2 + 1)
    check(clary.add(1, y), np.arange(5) * 2 + 1)


def test_two_devices_of_one_platform():
    code = """
import clary
one, two = clary.device("pocl:0"), clary.device("pocl:1")
assert one != two
a, b = clary.arange(3000, device=one), clary.arange(3000, device=two)
a, b = a * 2, b * 3
print(int(a.sum()), int(b.sum()), int((a + b.to_device(one)).sum()))
try:
    a + b
except clary.DeviceMismatchError:
    print("refused")
"""
    if not any("portable computing language" in d.platform.lower() for d in clary.devices()):
        pytest.skip("no PoCL")
    env = dict(os.environ, POCL_DEVICES="pthread pthread")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=120)
    assert done.returncode == 0, done.stderr
    n = 3000 * 2999 // 2
    assert done.stdout.split() == [str(2 * n), str(3 * n), str(5 * n), "refused"]


def test_counters_are_fixed():
    counts = clary.counters()
    assert counts.launches >= 0 and "live_bytes" in counts._fields
    with pytest.raises(AttributeError):
        counts.launches = 3
    clary.reset_counters()
    assert clary.counters().launches == 0


def test_jit_switch():
    before = clary.set_jit("never")
    assert clary.get_jit() == "never" and clary.set_jit(before) == "never"
    with pytest.raises(ValueError):
        clary.set_jit("sometimes")


def test_command_line():
    def run(*args):
        return subprocess.run([sys.executable, "-m", "clary", *args], capture_output=True, text=True, timeout=120)

    assert run("--version").stdout.strip() == f"clary {clary.__version__}"
    shown = run("info")
    assert shown.returncode == 0 and clary.__version__ in shown.stdout and "reference" in shown.stdout
    found = json.loads(run("info", "--json").stdout)
    assert found["version"] == clary.__version__ and found["devices"][-1]["type"] == "reference"
    assert run().returncode == 2 and run("nonsense").returncode == 2


def test_threads(tier):
    import threading

    results = [None] * 4

    def work(i):
        x = clary.arange(1000) + i
        for _ in range(20):
            x = x + 1
        results[i] = int(x.sum())

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert results == [sum(range(1000)) + 1000 * (20 + i) for i in range(4)]


def test_host_tensors_at_any_address(tier):
    """Whether the device works on the host's memory or copies it, the elements are the window's."""
    for dtype in ("int8", "float32", "int64", "complex128"):
        base = np.arange(40).astype(dtype)
        for start in range(9):
            for window in (base[start:], base[start:30:3], base[start + 5:start:-1] if start else base[5::-1]):
                check(clary.from_dlpack(window), window)
