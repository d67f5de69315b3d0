"""Speed of Clary beside other libraries, in one run: `./dev bench`.

Bandwidth counts the bytes an ideal implementation must move (each input read once, each output written
once), so a library that makes temporaries shows a lower figure. A figure is the median of repeats after a
warm-up; each repeat runs the work several times and waits for the device at its end. Results are checked
against NumPy before they are timed.

With --json, a line per result and peer: name, device, value, unit, peer, peer_value, ratio. A ratio above 1
means that Clary is faster, whatever the unit.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time

import numpy
from engines import Inputs, Random, cases
from indexed import INDEXED, arrays_of, runner

REPEATS = 9


def parse_args():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--device", metavar="S", help="device selector; the default is $CLARY_DEVICE, else best")
    parser.add_argument("--json", metavar="FILE", help="append JSON lines to FILE")
    parser.add_argument("--case", metavar="NAME", help="only cases whose name has this part")
    parser.add_argument("--repeat", type=int, default=REPEATS, metavar="N", help=f"repeats (default {REPEATS})")
    parser.add_argument("--size", type=int, metavar="N", help="elements of an array (default by device)")
    parser.add_argument("--peers", default="all", help="comma list of peers to measure; none for Clary alone")
    parser.add_argument("--record", help=argparse.SUPPRESS)
    return parser.parse_args()


# ---- libraries ----


class NumPy:
    """The interface of a library here: arrays from NumPy's, a function made ready, a wait for the device."""

    name = "NumPy"

    def put(self, array):
        return array

    def prepare(self, case, arrays):
        return lambda: case.function(self, *arrays)

    def finish(self, result):
        """Starts what the library has put off."""

    def wait(self):
        """Returns when everything started is done."""

    def get(self, result):
        return numpy.asarray(result)

    def copy(self, x):
        return x.copy()

    def std(self, x):
        return x.std()


class Clary(NumPy):
    name = "Clary"

    def __init__(self):
        import clary

        self.clary = clary

    def put(self, array):
        return self.clary.asarray(array)

    def finish(self, result):
        self.clary.eval(result)

    def wait(self):
        self.clary.synchronize()

    def get(self, result):
        return self.clary.asnumpy(result)

    def copy(self, x):
        return abs(x)  # x is not negative: the cheapest kernel there is; a copy proper would share x's buffer


class Numexpr(NumPy):
    name = "numexpr"

    def __init__(self):
        import numexpr

        self.numexpr = numexpr
        numexpr.set_num_threads(os.cpu_count())

    def prepare(self, case, arrays):
        if case.numexpr is None:
            return None
        names = dict(zip("ab", arrays))
        return lambda: self.numexpr.evaluate(case.numexpr, names)


class Torch(NumPy):
    def __init__(self, device):
        import torch

        if device == "cuda" and not torch.cuda.is_available():
            raise ImportError("PyTorch has no CUDA here")
        self.torch, self.device = torch, device
        self.name = "PyTorch"

    def put(self, array):
        return self.torch.from_numpy(array).to(self.device)

    def wait(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def get(self, result):
        return result.cpu().numpy()

    def copy(self, x):
        return x.clone()

    def std(self, x):
        return x.std(correction=0)


class CuPy(NumPy):
    name = "CuPy"

    def __init__(self):
        import cupy

        if cupy.cuda.runtime.getDeviceCount() < 1:
            raise ImportError("CuPy has no device here")
        self.cupy = cupy

    def put(self, array):
        return self.cupy.asarray(array)

    def wait(self):
        self.cupy.cuda.get_current_stream().synchronize()

    def get(self, result):
        return self.cupy.asnumpy(result)


class Jax(NumPy):
    name = "JAX jit"

    def __init__(self, platform):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax

        self.jax, self.last = jax, None
        self.device = jax.devices(platform)[0]

    def put(self, array):
        return self.jax.device_put(array, self.device)

    def prepare(self, case, arrays):
        compiled = self.jax.jit(lambda *args: case.function(self, *args))
        return lambda: compiled(*arrays)

    def finish(self, result):
        self.last = result

    def wait(self):
        if self.last is not None:
            self.last.block_until_ready()
            self.last = None


def peers(device_type, chosen):
    """The libraries that can be imported and run on the same kind of device."""
    if device_type == "gpu":
        makers = {"cupy": CuPy, "torch": lambda: Torch("cuda"), "jax": lambda: Jax("gpu")}
    else:
        makers = {"numpy": NumPy, "numexpr": Numexpr, "torch": lambda: Torch("cpu"), "jax": lambda: Jax("cpu")}
    found = []
    for key, make in makers.items():
        if chosen != "all" and key not in chosen.split(","):
            continue
        try:
            found.append(make())
        except Exception as error:  # a library that is there but broken is no reason to stop
            if not isinstance(error, ImportError):
                print(f"({key} left out: {str(error).splitlines()[0]})", file=sys.stderr)
    return found


# ---- cases ----


class Case:
    """function(library, *arrays); `arrays` inputs of n elements, made square where `square`; `moved` is the
    number of array passes an ideal implementation makes."""

    def __init__(self, name, arrays, moved, function, numexpr=None, square=False):
        self.name, self.arrays, self.moved = name, arrays, moved
        self.function, self.numexpr, self.square = function, numexpr, square


CASES = [
    Case("copy", 1, 2, lambda lib, a: lib.copy(a)),
    Case("a + b", 2, 3, lambda lib, a, b: a + b, "a + b"),
    Case("a*b + a*2 - b/3", 2, 3, lambda lib, a, b: a * b + a * 2 - b / 3, "a*b + a*2 - b/3"),
    Case("sum", 1, 1, lambda lib, a: a.sum(), "sum(a)"),
    Case("sum, axis 0", 1, 1, lambda lib, a: a.sum(0), "sum(a, 0)", square=True),
    Case("sum, axis 1", 1, 1, lambda lib, a: a.sum(1), "sum(a, 1)", square=True),
    Case("sum((a-b)**2)", 2, 2, lambda lib, a, b: ((a - b) ** 2).sum(), "sum((a-b)**2)"),
    Case("mean", 1, 1, lambda lib, a: a.mean()),
    # two passes are what an exact deviation takes
    Case("std", 1, 2, lambda lib, a: lib.std(a)),
]


def reference(case, inputs):
    """The result in float64 by NumPy, in pieces where a whole copy would not fit."""
    wide = [x.astype(numpy.float64) for x in inputs]
    return numpy.asarray(case.function(NumPy(), *wide))


def agrees(result, expected):
    result = result.astype(numpy.float64)
    return result.shape == expected.shape and numpy.allclose(result, expected, rtol=1e-3, atol=1e-5)


def seconds(library, function, repeats):
    """Median time of one call. Several calls make a repeat, so that waiting counts for little."""

    def calls(count):
        start = time.perf_counter()
        for _ in range(count):
            library.finish(function())
        library.wait()
        return time.perf_counter() - start

    calls(2)
    count = max(1, min(1000, int(0.02 / max(calls(1), 1e-7))))
    return sorted(calls(count) / count for _ in range(repeats))[repeats // 2]


def gigabytes(case, library, inputs, expected, repeats):
    """Bandwidth in GB/s, or None where the library has no such function."""
    arrays = [library.put(x) for x in inputs]
    function = library.prepare(case, arrays)
    if function is None:
        return None
    result = function()
    library.finish(result)
    if not agrees(library.get(result), expected):
        if library.name == "Clary":
            raise SystemExit(f"{case.name}: the result is wrong")
        print(f"({library.name}: {case.name} is more than 0.1 % off)", file=sys.stderr)
    del result
    time_one = seconds(library, function, repeats)
    return 1e-9 * case.moved * inputs[0].nbytes / time_one


# ---- costs of a call ----


def microseconds(function, repeats, calls=2000):
    def once():
        start = time.perf_counter()
        for _ in range(calls):
            function()
        return 1e6 * (time.perf_counter() - start) / calls

    once()
    return sorted(once() for _ in range(repeats))[repeats // 2]


def call_costs(clary, others, repeats):
    """(name, microseconds, [(peer, microseconds)]) for small work from Python."""
    np = clary.clary
    a, b = np.ones(1, dtype=np.float32), np.ones(1, dtype=np.float32)
    np.eval(a, b)
    # NumPy has no recording: its figure is the whole addition.
    x, y = numpy.ones(1, numpy.float32), numpy.ones(1, numpy.float32)
    yield ("record a + b (Python)", microseconds(lambda: a + b, repeats),
           [("NumPy, computing it", microseconds(lambda: x + y, repeats))])

    host = [numpy.ones(1024, numpy.float32)] * 2
    rows = []
    for library in [clary, NumPy(), *[p for p in others if p.name not in ("NumPy", "numexpr")]]:
        p, q = (library.put(h) for h in host)
        run = library.prepare(CASES[1], [p, q])

        def once(library=library, run=run):
            library.finish(run())

        rows.append((library.name, microseconds(once, repeats, 500)))
        library.wait()
    yield "a + b of 1024, started (Python)", rows[0][1], rows[1:]


# ---- work on indices, products, transforms, random numbers ----


def times(clary, others, chosen_from, data, repeats, chosen):
    """(name, milliseconds, [(peer, milliseconds)]); results are those of NumPy."""
    for case in chosen_from:
        if chosen and chosen not in case.name:
            continue
        random = isinstance(case, Random)
        expected = None if random else runner(NumPy(), case, data)()
        rows = []
        for library in [clary, *others]:
            run = runner(library, case, data)
            if run is None:
                continue
            result = run()
            library.finish(result)
            if not random and not close(library.get(result), expected):
                if library is clary:
                    raise SystemExit(f"{case.name}: the result is wrong")
                print(f"({library.name}: {case.name} differs from NumPy)", file=sys.stderr)
            del result
            rows.append((library.name, 1e3 * seconds(library, run, repeats)))
        yield case.name, rows[0][1], rows[1:]


def close(result, expected):
    """Sums of many terms, and halves, are compared with the largest element."""
    scale = float(numpy.max(numpy.abs(expected), initial=0))
    tolerance = 1e-2 if result.dtype.itemsize == 2 else 1e-5
    return numpy.allclose(result, expected, rtol=1e-3, atol=max(tolerance * scale, 1e-5))


# ---- the table ----


class Report:
    def __init__(self, device, path):
        self.device = device
        self.file = open(path, "a", encoding="utf-8") if path else None
        print(f"{'':34}{'Clary':>12}  peers (ratio above 1: Clary is faster)")

    def row(self, name, value, unit, others, note=""):
        parts = []
        for peer, other in others:
            ratio = value / other if unit == "GB/s" else other / value
            parts.append(f"{peer} {other:.4g} ({ratio:.2f})")
            self.line(name, value, unit, peer, other, ratio)
        if not others:
            self.line(name, value, unit, None, None, None)
        print(f"{name:34}{value:9.4g} {unit:4} {note}{'; '.join(parts)}", flush=True)

    def line(self, name, value, unit, peer, peer_value, ratio):
        if self.file:
            record = {"name": name, "device": self.device, "value": value, "unit": unit, "peer": peer,
                      "peer_value": peer_value, "ratio": ratio}
            self.file.write(json.dumps(record) + "\n")
            self.file.flush()


def main():
    args = parse_args()
    if args.device:
        os.environ["CLARY_DEVICE"] = args.device
    clary = Clary()
    info = clary.clary.default_device().info
    others = peers(info.type, args.peers)
    n = args.size or (1 << 28 if info.type == "gpu" else 10_000_000)
    if not args.size and info.memory:
        n = min(n, info.memory // 40)  # ten arrays
    side = int(min(n, 16384**2 if info.type == "gpu" else 4096**2) ** 0.5)
    print(f"{info.name} ({info.platform}, driver {info.driver}), {n:,} float32, sides of {side}")
    print("beside " + (", ".join(p.name for p in others) or "nothing") + "\n")

    report = Report(info.name, args.json)
    rng = numpy.random.default_rng(1)
    pool = [rng.random(n, dtype=numpy.float32) for _ in range(2)]
    copy_speed = None
    for case in CASES:
        if args.case and args.case not in case.name:
            continue
        inputs = [x[: side * side].reshape(side, side) if case.square else x for x in pool[: case.arrays]]
        expected = reference(case, inputs)
        speed = gigabytes(case, clary, inputs, expected, args.repeat)
        measured = [(p.name, gigabytes(case, p, inputs, expected, args.repeat)) for p in others]
        measured = [(name, value) for name, value in measured if value is not None]
        if case.name == "copy":
            copy_speed = max([speed] + [value for _, value in measured])
        share = f"{100 * speed / copy_speed:4.0f} % of copy  " if copy_speed else ""
        report.row(case.name, speed, "GB/s", measured, share)
    del pool

    few = min(n, 1 << (26 if info.type == "gpu" else 22))
    repeats = min(args.repeat, 5)
    for name, value, measured in times(clary, others, INDEXED, arrays_of(few), repeats, args.case):
        report.row(f"{name}, {few:,}", value, "ms", measured)
    for name, value, measured in times(clary, others, cases(info.type == "gpu"), Inputs(), repeats, args.case):
        report.row(name, value, "ms", measured)
    for name, value, measured in call_costs(clary, others, args.repeat):
        if not args.case or args.case in name:
            report.row(name, value, "us", measured)
    if args.record and (not args.case or args.case in "record evaluate"):
        environment = dict(os.environ, CLARY_DEVICE="reference")
        output = subprocess.run([args.record], env=environment, check=True, capture_output=True, text=True).stdout
        report.device = "reference"
        for line in filter(None, re.split(r"\n", output)):
            found = json.loads(line)
            report.row(found["name"], found["value"], found["unit"], [])


if __name__ == "__main__":
    main()
