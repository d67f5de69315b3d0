"""Matrix products, Fourier transforms and random numbers, in milliseconds beside other libraries.

Cases as in indexed.py; inputs are named by dtype and shape, "float32:64x512x512". Part of `./dev bench`.
"""
import numpy
from indexed import Indexed


class Random(Indexed):
    """A draw: no two libraries give the same numbers, so results are not compared."""


def _products(dtype, *sides):
    return [Indexed(f"matmul {dtype} {side}", f"{dtype}:{side}x{side} {dtype}:{side}x{side}",
                    lambda xp, a, b: xp.matmul(a, b), lambda t, a, b: t.matmul(a, b)) for side in sides]


def _transforms(points, *lengths):
    return [Indexed(f"fft complex64 {n}", f"complex64:{max(1, points // n)}x{n}", lambda xp, a: xp.fft.fft(a),
                    lambda t, a: t.fft.fft(a)) for n in lengths]


def cases(gpu):
    sides = (1024, 4096, 8192) if gpu else (512, 1024, 2048)
    batch = 64 if gpu else 8
    points = 1 << (26 if gpu else 22)
    n = 1 << (28 if gpu else 24)
    batched = f"float32:{batch}x512x512"
    return [
        *_products("float32", *sides),
        *_products("float64", sides[1]),
        *(_products("float16", *sides[1:]) if gpu else []),
        Indexed(f"matmul float32 {batch} x 512", f"{batched} {batched}", lambda xp, a, b: xp.matmul(a, b),
                lambda t, a, b: t.matmul(a, b)),
        *_transforms(points, 256, 1000, 1024, 4096, 5000, 1 << 16, 1 << 20),
        Random("random uniform float32", "", lambda xp: xp.random.default_rng(1).random(n, dtype=xp.float32),
               lambda t: t.rand(n, device="cuda" if gpu else "cpu")),
        Random("random normal float32", "", lambda xp: xp.random.default_rng(1).standard_normal(n, dtype=xp.float32),
               lambda t: t.randn(n, device="cuda" if gpu else "cpu")),
    ]


class Inputs(dict):
    """Arrays by name, made when asked for. One is kept: the cases are large."""

    def __missing__(self, name):
        dtype, shape = name.split(":")
        shape = [int(n) for n in shape.split("x")]
        rng = numpy.random.default_rng(3)
        array = rng.random(shape, dtype=numpy.float32)
        if dtype == "complex64":
            array = array + 1j * rng.random(shape, dtype=numpy.float32)
        self.clear()
        self[name] = array.astype(dtype)
        return self[name]
