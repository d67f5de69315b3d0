"""Runs CuPy's own test suite with Clary in CuPy's place, and counts.

    git clone https://github.com/cupy/cupy
    ./dev python tools/conformance/cupy_tests.py cupy [--device S] [--select FOLDER...] [-n JOBS] [-- pytest's arguments]

Nothing of CuPy is built or copied: the tests and cupy.testing come from the checkout, `import cupy` gives
Clary (cupy_shim.py). What concerns CUDA is left out, by the list tests/conformance/cupy_exclusions.txt, or
skips itself when it calls something of CUDA. Prints the numbers of each folder and the most frequent causes
of failure; --json keeps everything.
"""
import argparse
import collections
import json
import pathlib
import re
import sys

import harness

EXCLUSIONS = harness.ROOT / "tests" / "conformance" / "cupy_exclusions.txt"
FOLDERS = ("core", "creation", "indexing", "manipulation", "math", "logic", "sorting", "statistics", "padding", "lib")
REQUIREMENTS = ("pytest<9", "pytest-xdist", "hypothesis", "packaging")


def table(results):
    """{folder: {outcome: number}}, with what concerns CUDA apart from other skips, and the total."""
    rows = collections.defaultdict(collections.Counter)
    for result in results:
        folder = re.search(r"(\w+)_tests\b(?!.*_tests\b)", result.name.split("::")[0].replace("cupy_tests.", ""))
        outcome = "excluded" if result.outcome == "skipped" and excluded(result.message) else result.outcome
        for row in (folder.group(1) if folder else "other", "all"):
            rows[row][outcome] += 1
    return rows


def excluded(message):
    """Whether a test was skipped by us, or by the suite because it wants several GPUs."""
    return "excluded: " in message or "GPUs required" in message


def rate(row):
    """The part passed of what ran, in per cent."""
    ran = row["passed"] + row["failed"]
    return 100 * row["passed"] / ran if ran else 100.0


def causes(results, limit):
    """The most frequent causes of failure, with names and numbers of tests; texts in quotes are one."""
    groups = collections.defaultdict(list)
    for result in results:
        if result.outcome == "failed":
            groups[re.sub(r"\d+", "N", harness.cause(result.message))[:160]].append(result.name)
    return sorted(groups.items(), key=lambda group: -len(group[1]))[:limit]


def text(rows, grouped):
    """The summary as a text."""
    lines = [f"{'':14}" + "".join(f"{o:>10}" for o in ("passed", "failed", "xfailed", "skipped", "excluded", "rate"))]
    for name, row in sorted(rows.items(), key=lambda item: (item[0] == "all", item[0])):
        numbers = "".join(f"{row[o]:10}" for o in ("passed", "failed", "xfailed", "skipped", "excluded"))
        lines.append(f"{name:14}{numbers}{rate(row):9.1f}%")
    lines += ["", "failures by cause:"]
    lines += [f"{len(names):6}  {cause}   e.g. {names[0]}" for cause, names in grouped]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    harness.add_arguments(parser)
    parser.add_argument("--device", default="reference", help="selector; default reference")
    parser.add_argument("--select", nargs="+", default=FOLDERS, metavar="FOLDER",
                        help=f"folders of tests (or files in them); default {' '.join(FOLDERS)}")
    parser.add_argument("--causes", type=int, default=40, metavar="N", help="how many causes to print; default 40")
    parser.add_argument("--output", default=str(harness.ROOT / "build" / "conformance-cupy"), metavar="PATH",
                        help="where PATH.json, PATH.txt, PATH.xml and PATH.log go; default build/conformance-cupy")
    options = harness.parse(parser)
    checkout = options.checkout.resolve()
    tests = checkout / "tests" / "cupy_tests"
    if not tests.is_dir() or not (checkout / "cupy" / "testing").is_dir():
        sys.exit(f"{checkout} is no checkout of cupy/cupy")

    env = harness.environment(options, "cupy", REQUIREMENTS)
    env |= {"CLARY_CUPY": str(checkout), "CLARY_EXPECTATIONS": str(EXCLUSIONS), "CLARY_DEVICE": options.device,
            "CUPY_TEST_GPU_LIMIT": "1"}
    output = pathlib.Path(options.output).resolve()
    output.parent.mkdir(parents=True, exist_ok=True)
    folders = [f"cupy_tests/{name.replace('/', '_tests/', 1) if '/' in name else name + '_tests'}"
               for name in options.select]
    arguments = ["-p", "cupy_shim", "-p", "expectations", "-W", "ignore", "--continue-on-collection-errors"]
    results = harness.run(options, env, [*arguments, *options.pytest, *folders], tests.parent, output.with_suffix(".xml"))
    rows, grouped = table(results), causes(results, 10**6)
    summary = text(rows, grouped[: options.causes])
    output.with_suffix(".txt").write_text(summary)
    output.with_suffix(".json").write_text(json.dumps(
        {"device": options.device, "folders": {name: dict(row) | {"rate": rate(row)} for name, row in rows.items()},
         "causes": dict(grouped)}, indent=1))
    print(summary, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
