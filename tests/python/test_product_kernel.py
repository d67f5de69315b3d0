"""Matrix products by the compiled kernel, on devices that would use the host's loop too."""
import numpy as np
import pytest
from support import host, rng

import clary


@pytest.fixture(autouse=True)
def kernel(monkeypatch):
    monkeypatch.setenv("CLARY_GEMM", "generic")


def close(got, exact, bound):
    assert (np.abs(host(got).astype(exact.dtype) - exact) <= bound).all()


@pytest.mark.parametrize("name", ["float32", "float16", "complex64", "int32"])
def test_layouts_and_batches(name):
    g = rng("kernel", name)
    a, b = (g.integers(-9, 9, (3, 33, 47)).astype(name) for _ in range(2))
    b = b.reshape(3, 47, 33)
    x, y = clary.array(a), clary.array(b)
    a, b = a.astype("complex128"), b.astype("complex128")
    close(x @ y, a @ b, 8 if name == "float16" else 0)
    close(x[::-1, ::2] @ y[:1, :, ::-1], a[::-1, ::2] @ b[:1, :, ::-1], 8 if name == "float16" else 0)
    close(clary.einsum("bij,bki->jk", x, x[:, :, :33]), np.einsum("bij,bki->jk", a, a[:, :, :33]),
          64 if name == "float16" else 0)


def test_epilogue_and_operands_written():
    g = rng("kernel", "epilogue")
    a, bias = g.integers(-9, 9, (65, 65)).astype("float32"), g.integers(-9, 9, 65).astype("float32")
    x, z = clary.array(a), clary.array(bias)
    got = clary.astype(clary.maximum(x @ x.T * 0.25 + z, 0), "float16")
    assert (host(got) == np.maximum(a @ a.T * 0.25 + bias, 0).astype("float16")).all()
    x[1:] = (x @ x)[:-1]
    assert (host(x)[1:] == (a @ a)[:-1]).all() and (host(x)[0] == a[0]).all()
    y = clary.array(a)
    y += y @ y  # the sum may lie where an operand did
    assert (host(y) == a + a @ a).all()


@pytest.mark.long
@pytest.mark.parametrize("name", ["float32", "float64", "complex64", "complex128"])
def test_clblast(monkeypatch, name):
    """By CLBlast where it is found, which builds its kernels for half a minute on a CPU; else by the kernel."""
    monkeypatch.setenv("CLARY_GEMM", "clblast")
    g = rng("clblast", name)
    a, b = (g.integers(-9, 9, shape).astype(name) for shape in ((2, 3, 65, 47), (3, 47, 33)))
    if name.startswith("complex"):
        a = a * np.array(2 - 1j, name)
    x, y = clary.array(a), clary.array(b)
    close(x @ y, (a @ b).astype("complex128"), 0)
    close(y.mT @ x.mT * 2 + 1, (b.swapaxes(1, 2) @ a.swapaxes(2, 3) * 2 + 1).astype("complex128"), 0)
    close(x[:, :, :3, 5:] @ y[:1, 5:, ::-1], (a[:, :, :3, 5:] @ b[:1, 5:, ::-1]).astype("complex128"), 0)
