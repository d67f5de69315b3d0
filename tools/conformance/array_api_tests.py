"""Runs the array API standard's test suite against Clary, device by device.

    git clone --recurse-submodules https://github.com/data-apis/array-api-tests
    ./dev python tools/conformance/array_api_tests.py array-api-tests [-n JOBS] [-- pytest's arguments]

Prints the numbers and the failing tests of each device and ends with status 1 if a test fails that
tests/conformance/array_api_skips.txt does not name.
"""
import argparse
import pathlib
import sys
import tempfile

import clary
import harness

EXPECTATIONS = harness.ROOT / "tests" / "conformance" / "array_api_skips.txt"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    harness.add_arguments(parser)
    parser.add_argument("--devices", default="reference,pocl", help="selectors, by comma; default reference,pocl")
    parser.add_argument("--max-examples", type=int, default=100, help="examples per test; the suite's default is 100")
    parser.add_argument("--version", default=clary.__array_api_version__,
                        help=f"version of the standard; default {clary.__array_api_version__}")
    options = harness.parse(parser)
    checkout = options.checkout.resolve()
    if not (checkout / "array-api" / "spec").is_dir():
        sys.exit(f"{checkout} is no checkout of data-apis/array-api-tests with its submodule array-api in it")

    requirements = [line for line in (checkout / "requirements.txt").read_text().split("\n") if line.strip()]
    env = harness.environment(options, "array-api", [*requirements, "pytest-xdist"])
    env |= {"ARRAY_API_TESTS_MODULE": "clary", "ARRAY_API_TESTS_VERSION": options.version,
            "CLARY_EXPECTATIONS": str(EXPECTATIONS)}
    unexpected = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        arguments = [f"--max-examples={options.max_examples}", "--disable-deadline", "-p", "expectations"]
        for device in options.devices.split(","):
            report = scratch / "report.xml"
            results = harness.run(options, env | {"CLARY_DEVICE": device},
                                  [*arguments, *options.pytest, "array_api_tests"], checkout, report)
            failed = [result for result in results if result.outcome == "failed"]
            print(f"{device}: " + ", ".join(f"{n} {outcome}" for outcome, n in harness.count(results).items()))
            for result in failed:
                print(f"    {result.name}: {harness.cause(result.message)}")
            sys.stdout.flush()
            unexpected += len(failed)
    return min(unexpected, 1)


if __name__ == "__main__":
    sys.exit(main())
