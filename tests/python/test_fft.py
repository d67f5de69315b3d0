"""Fourier transforms against NumPy: dtypes, lengths, axes, scaling, shifts and frequencies."""
import warnings

import numpy as np
import pytest
from support import check, host, rng

import clary

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]
NAMES = ["float64", "float32", "complex64", "complex128", "int16", "bool", "float16"]


def draw(shape, name="float64", seed=0):
    g = rng("fft", shape, name, seed)
    a = g.normal(size=shape)
    a = a + 1j * g.normal(size=shape) if name[0] == "c" else 4 * a if name[0] in "iu" else a
    return (a > 0 if name == "bool" else a).astype(name)


def both(name, a, *args, **kwargs):
    """Runs the function of both libraries: they agree on the result, or on the class of the error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            theirs = getattr(np.fft, name)(a, *args, **kwargs)
        except Exception as error:
            kind = next(k for k in (TypeError, ValueError, IndexError) if isinstance(error, k))
            with pytest.raises(kind):
                getattr(clary.fft, name)(clary.array(a), *args, **kwargs)
            return
        ours = getattr(clary.fft, name)(clary.array(a), *args, **kwargs)
    rtol = {"float16": 4e-3, "float32": 1e-5, "complex64": 1e-5}.get(theirs.dtype.name, 1e-13)
    rtol = 4e-3 if a.dtype == "float16" else rtol  # NumPy rounds the factor 1 / n to float16
    check(ours, theirs, rtol=rtol, atol=rtol)


@pytest.fixture
def here(tier):
    """A tier that is worth running transforms on: they are the host's work, whatever compiles kernels."""
    if tier.compiled and not tier.long:
        pytest.skip("transforms compile nothing")
    return tier


def test_along_one_axis(here):
    for name in ONE:
        for dtype in NAMES:
            for shape in ((8,), (7,), (3, 5, 4), (1,), (0, 4)):
                both(name, draw(shape, dtype))
        a = draw((4, 6, 5))
        for kwargs in ({"axis": 0}, {"axis": 1}, {"axis": -2, "n": 9}, {"n": 3}, {"n": 1}, {"n": 0}, {"n": -1}, {"axis": 3},
                       {"norm": "ortho"}, {"norm": "forward"}, {"norm": "backward", "n": 8}, {"norm": "both"}):
            both(name, a, **kwargs)
        both(name, draw(()))
        both(name, draw((3, 0)))


def test_along_several_axes(here):
    for name in SEVERAL:
        for dtype in NAMES:
            both(name, draw((4, 6), dtype))
            both(name, draw((3, 4, 5), dtype))
        a = draw((3, 4, 5, 2))
        for kwargs in ({"axes": (0, 1)}, {"axes": (-1, 0)}, {"axes": (1,)}, {"s": (3, 6), "axes": (1, 2)}, {"norm": "ortho"},
                       {"norm": "forward", "axes": (2, 1)}, {"s": (2,), "axes": (0, 1)}, {"axes": (4, 0)}):
            both(name, a, **kwargs)
        both(name, draw(3))


def test_pitfalls(here):
    """BL-180, BL-182: what lies beyond the terms used counts for nothing."""
    check(clary.fft.irfft(clary.array([3 + 0j, 1 + 1j]), n=1), np.array([3.0]))
    expected = [0, -1.2071068, 0.5, -0.2071068, 0, 0.2071068, -0.5, 1.2071068]
    check(clary.fft.irfft(clary.array([0, 1j, 2j, 3j, 4j]), 8), np.array(expected), atol=1e-7)
    twice = draw((151, 229))
    x = clary.array(twice)
    first, second = clary.fft.rfft2(x), clary.fft.rfft2(x)
    assert (first == second).all()
    both("rfft2", draw((151, 229), seed=1))
    for shape in ((8, 34), (512, 510)):  # BL-186
        a = draw(shape, "float32")
        back = host(clary.fft.irfft2(clary.fft.rfft2(clary.array(a)), s=shape))
        assert back.dtype == np.float32
        assert np.abs(back - a).max() < 1e-5
    for shape in ((5, 7, 11), (3, 13, 17), (2, 31, 37)):  # BL-188
        both("fft2", draw(shape))


def test_round_trips_of_every_length(here):
    """BL-190."""
    values = draw(2048)
    for n in range(2, 2049, 1 if here.long else 11):
        back = host(clary.fft.irfft(clary.fft.rfft(clary.array(values[:n])), n))
        assert np.abs(back - values[:n]).max() < 1e-13 * np.abs(values[:n]).max(), n


def test_layouts_and_arguments(here):
    a = draw((6, 8))
    x = clary.array(a)
    for view in (lambda m: m.T, lambda m: m[::-1, ::3], lambda m: m[2:, 1:]):
        check(clary.fft.fft(view(x)), np.fft.fft(view(a)), rtol=1e-13, atol=1e-13)
    check(clary.fft.fft(clary.broadcast_to(x[0], (3, 8))), np.fft.fft(np.broadcast_to(a[0], (3, 8))), rtol=1e-13, atol=1e-13)
    out = clary.zeros((6, 8), "complex128")
    assert clary.fft.fft(x, out=out) is out
    check(out, np.fft.fft(a), rtol=1e-13, atol=1e-13)
    with pytest.raises(TypeError):
        clary.fft.fft(x, out=clary.zeros((6, 8)))
    with pytest.raises(TypeError, match="bfloat16"):
        clary.fft.fft(clary.ones(4, clary.bfloat16))
    assert clary.fft.fft(x).device == x.device
    check(clary.fft.fft([1, 2, 3]), np.fft.fft([1, 2, 3]), rtol=1e-13, atol=1e-13)


def test_shifts(tier):
    for shape in tier.sample([(5,), (6,), (4, 5), (3, 4, 2), (0, 3)], 3):
        a = draw(shape)
        x = clary.array(a)
        for axes in (None, 0, -1, (0,), (-1, 0), ()):
            for name in ("fftshift", "ifftshift"):
                try:
                    theirs = getattr(np.fft, name)(a, axes)
                except IndexError:
                    with pytest.raises(IndexError):
                        getattr(clary.fft, name)(x, axes)
                    continue
                check(getattr(clary.fft, name)(x, axes), theirs)


def test_frequencies(tier):
    for n in tier.sample([1, 2, 7, 8, 101], 4):
        for d in (1.0, 0.1, 3):
            for name in ("fftfreq", "rfftfreq"):
                check(getattr(clary.fft, name)(n, d), getattr(np.fft, name)(n, d), rtol=1e-15)
                single = getattr(clary.fft, name)(n, d=d, dtype=clary.float32, device="reference")
                assert single.device == clary.device("reference")
                check(single, getattr(np.fft, name)(n, d).astype("float32"), rtol=3e-7)
    with pytest.raises(ValueError):
        clary.fft.fftfreq(2.5)


def test_every_kind_of_length(here):
    """Radices, generic odd factors, primes beyond them, one and many transforms at a time."""
    lengths = [*range(1, 36), 97, 121, 255, 256, 257, 1000, 1021, 1024, 31 * 37, 3 * 5 * 7 * 11 * 13, 1 << 15]
    for n in lengths:
        for shape, axis in (((n,), 0), ((3, n), -1), ((2, n, 9), 1)):
            if n > 2000 and len(shape) > 2:
                continue
            for dtype, limit in (("complex128", 1e-15), ("complex64", 6e-7)):
                z = draw(shape, "complex128", n).astype(dtype)
                x = clary.array(z)
                for name, a, ours in (("fft", z, x), ("ifft", z, x), ("rfft", z.real, x.real), ("irfft", z, x)):
                    args = (n,) if name == "irfft" else ()
                    expected = getattr(np.fft, name)(a.astype(np.result_type(a, "float64")), *args, axis=axis)
                    got = host(getattr(clary.fft, name)(ours, *args, axis=axis))
                    assert got.dtype == np.dtype(dtype if name != "irfft" else z.real.dtype)
                    error = np.linalg.norm(got - expected) / np.linalg.norm(expected)
                    assert error < 4 * limit, (name, n, shape, dtype, error)


def test_rows_do_not_touch(here):
    """A NaN and large numbers stay in their row."""
    a = draw((5, 24))
    a[1], a[3, 2] = 1e30, np.nan
    good = [0, 2, 4]
    for name in ("fft", "rfft"):
        check(getattr(clary.fft, name)(clary.array(a))[good], getattr(np.fft, name)(a)[good], rtol=1e-13, atol=1e-13)
    z = a[:, ::-1]
    check(clary.fft.fft(clary.array(a)[:, ::-1])[good], np.fft.fft(z)[good], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("length", [15, 1000])
def test_vkfft(here, monkeypatch, length):
    """The engine of GPUs, asked for on any OpenCL device; it is not built in everywhere."""
    monkeypatch.setenv("CLARY_FFT", "vkfft")
    for shape, axis, dtype, limit in (((3, length), -1, "complex128", 4e-15), ((2, length, 5), 1, "complex64", 3e-6)):
        z = draw(shape, "complex128", length)
        x = clary.array(z.astype(dtype))
        for name, a, ours in (("fft", z, x), ("ifft", z, x), ("rfft", z.real, x.real)):
            expected = getattr(np.fft, name)(a, axis=axis)
            got = host(getattr(clary.fft, name)(ours, axis=axis))
            error = np.linalg.norm(got - expected) / np.linalg.norm(expected)
            assert error < limit, (name, shape, dtype, error)
        assert np.array_equal(host(x), z.astype(dtype))
