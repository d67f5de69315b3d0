"""The tour behind `./dev demo`: devices, large random arrays, a shaded terrain; each checked against NumPy."""

import argparse
import os
import pathlib
import subprocess
import sys
import threading
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))


def parse_args():
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__)
    parser.add_argument("--device", metavar="S", help="device selector; the default is $CLARY_DEVICE, else best")
    parser.add_argument("--small", action="store_true", help="small arrays, for a quick look")
    parser.add_argument("--hillshade", help=argparse.SUPPRESS)
    return parser.parse_args()


class Progress:
    """Says what is being done, and on a terminal how long it has taken so far. `with Progress("..."):`"""

    def __init__(self, what):
        self.what, self.done, self.seconds = what, threading.Event(), 0.0

    def __enter__(self):
        self.start = time.perf_counter()
        self.thread = threading.Thread(target=self.tick, daemon=True)
        if sys.stdout.isatty():
            self.thread.start()
        else:
            print(f"  {self.what} ...", flush=True)
        return self

    def tick(self):
        while not self.done.wait(0.2):
            print(f"\r  {self.what} ... {time.perf_counter() - self.start:.1f} s", end="", flush=True)

    def __exit__(self, *exc):
        self.seconds = time.perf_counter() - self.start
        if sys.stdout.isatty():
            self.done.set()
            self.thread.join()
            print("\r\033[K", end="")


def heading(text):
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}")


def verdict(good, what):
    print(f"  {'checked' if good else 'WRONG'}: {what}")
    return good


# ---- 1 ----


def list_devices(np):
    heading("1. Devices")
    chosen = np.default_device().info
    for index, info in enumerate(np.devices()):
        same = (info.name, info.platform) == (chosen.name, chosen.platform)
        state = f"{info.units} units, {info.memory / 2**30:.1f} GiB" if info.usable else f"not usable: {info.reason}"
        print(f"  {'*' if same else ' '} {index}  {info.type:10} {info.name} ({info.platform}), {state}")
    if chosen.type == "reference":
        print("  No OpenCL device can be used:", np.diagnosis(), sep="\n")
    a = np.arange(5) * 2
    return verdict(np.asnumpy(a).tolist() == [0, 2, 4, 6, 8], "a first result on the device marked *")


# ---- 2 ----


def free_memory():
    """Bytes of host memory that can be used without swapping."""
    try:
        for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 2 << 30


def large_shape(info, small):
    """12000 x 19200, or less where memory is short: four arrays on the device, and two at a time on the
    host for the check (twice that where they share the memory)."""
    rows, columns = (1200, 1920) if small else (12000, 19200)
    while rows > 64:
        array = rows * columns * 4
        device_needs, host_needs = 4 * array, 4 * array
        if info.shares_host_memory or info.type == "reference":
            host_needs += device_needs
        if device_needs <= 0.8 * info.memory and host_needs <= 0.6 * free_memory():
            break
        rows, columns = rows // 2, columns // 2
    return rows, columns


def timed(np, function):
    start = time.perf_counter()
    results = function()
    np.eval(*results)
    np.synchronize()
    return results, time.perf_counter() - start


def add_and_multiply(np, small):
    info = np.default_device().info
    shape = large_shape(info, small)
    heading(f"2. Add and multiply: {shape[0]} x {shape[1]} float32 random numbers, made on the device")
    if not small and shape != (12000, 19200):
        print("  (smaller than 12000 x 19200, because memory is short)")
    rng = np.random.default_rng(2024)
    with Progress("making two random arrays") as p:
        a = rng.random(shape, dtype=np.float32)
        b = rng.random(shape, dtype=np.float32)
        np.eval(a, b)
        np.synchronize()
    print(f"  two random arrays made               {1e3 * p.seconds:9.2f} ms")

    times, builds = [], []
    for run in ("first", "second"):
        np.reset_counters()
        with Progress(f"{run} run of a + b and a * b"):
            (total, product), seconds = timed(np, lambda: (a + b, a * b))
        counters = np.counters()
        times.append(seconds)
        builds.append(counters.builds)
        print(f"  {run + ' run of a + b and a * b':36} {1e3 * seconds:9.2f} ms   "
              f"{counters.launches} launch{'es' if counters.launches != 1 else ''}, "
              f"{counters.bytes_kernels / 1e9 / seconds:.1f} GB/s, {counters.builds} built, "
              f"{counters.disk_hits} from the disk cache")
        if run == "first":
            del total, product
    reason = "compiling the kernel" if builds[0] else "fetching its memory and its kernel"
    print(f"  The first run also had to do the work of {reason}; the second found everything ready.")

    with Progress("copying to the host"):
        x, y = np.asnumpy(a), np.asnumpy(b)
    start = time.perf_counter()
    with Progress("the same in NumPy"):
        expected = x + y
        numpy_seconds = time.perf_counter() - start
        good = numpy.array_equal(np.asnumpy(total), expected)
        del expected
        start = time.perf_counter()
        expected = x * y
        numpy_seconds += time.perf_counter() - start
        good = good and numpy.array_equal(np.asnumpy(product), expected)
    print(f"  {'the same in NumPy':36} {1e3 * numpy_seconds:9.2f} ms   "
          f"{numpy_seconds / times[1]:.1f} times the second run")
    spread = float(x.min()) >= 0 and float(x.max()) < 1 and abs(float(x.mean(dtype=numpy.float64)) - 0.5) < 0.01
    return verdict(good, "sum and product have NumPy's bits, every one") & verdict(
        spread, "the random numbers are in [0, 1) and their mean is a half")


# ---- 3 ----


def shade_terrain(np, program):
    import hillshade

    elevation, dx, dy = hillshade.jacksboro()
    heading(f"3. Shaded relief of real terrain: {elevation.shape[0]} x {elevation.shape[1]} elevations near Jacksboro")
    host = elevation.astype(numpy.float32)
    z = np.asarray(host)
    np.eval(z)
    np.synchronize()
    for run in ("first", "second"):
        np.reset_counters()
        with Progress(f"{run} run"):
            (shade,), seconds = timed(np, lambda: (hillshade.hillshade(z, dx, dy),))
        counters = np.counters()
        print(f"  {run + ' run':36} {1e3 * seconds:9.2f} ms   slope, aspect and light in "
              f"{counters.launches} kernel{'s' if counters.launches != 1 else ''}; "
              f"{counters.bytes_kernels / 1e6:.2f} MB read and written")
    start = time.perf_counter()
    expected = hillshade.hillshade(host.astype(numpy.float64), dx, dy)
    print(f"  {'the same in NumPy (float64)':36} {1e3 * (time.perf_counter() - start):9.2f} ms")
    error = float(numpy.abs(np.asnumpy(shade) - expected).max())
    good = verdict(error < 1e-4, f"the largest difference to NumPy is {error:.1e}")

    out = ROOT / "out"
    out.mkdir(exist_ok=True)
    hillshade.save_png(out / "hillshade.png", shade)
    print(f"  wrote {out / 'hillshade.png'}")

    if program:
        print("  The same by the C program examples/hillshade.c:")
        numpy.save(out / "jacksboro.npy", elevation)
        command = [program, out / "jacksboro.npy", repr(dx), repr(dy), out / "hillshade.pgm", out / "shade.npy"]
        result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        for line in (result.stdout + result.stderr).splitlines():
            print("   ", line)
        if result.returncode != 0:
            return verdict(False, "the C program failed")
        error = float(numpy.abs(numpy.load(out / "shade.npy") - expected).max())
        good &= verdict(error < 1e-4, f"the C program's largest difference to NumPy is {error:.1e}")
    return good


def main():
    args = parse_args()
    if args.device:
        os.environ["CLARY_DEVICE"] = args.device
    import clary as np

    good = list_devices(np)
    good &= add_and_multiply(np, args.small)
    good &= shade_terrain(np, args.hillshade)
    heading("All three agree with NumPy." if good else "Something is wrong: see above.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
