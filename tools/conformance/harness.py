"""What the runners of other projects' test suites share: packages beside the environment, runs, results.

A suite runs in a pytest process of its own per device. The packages it needs beyond ours go into a folder
put in front of the environment's (pip install --target), so that ./dev's .venv stays as it is pinned.
Results are read from pytest's JUnit file, which every version of pytest writes.
"""
import collections
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ROOT / "build" / "conformance"

Result = collections.namedtuple("Result", "name outcome message")


def add_arguments(parser):
    """The options common to the runners."""
    parser.add_argument("checkout", type=pathlib.Path, help="folder of the suite's checkout")
    parser.add_argument("-n", "--jobs", type=int, default=1, help="processes (pytest-xdist); default 1")
    parser.add_argument("--python", default=sys.executable, help="interpreter that can import clary; default: this one")
    parser.add_argument("--packages", type=pathlib.Path, default=PACKAGES, metavar="DIR",
                        help="folder for the packages that the suite needs, filled by pip at the first run; default "
                             "build/conformance; 'none': the interpreter has them")


def parse(parser):
    """The options, with what follows -- on the command line as `pytest`."""
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:cut])
    options.pytest = words[cut + 1:]
    return options


def environment(options, suite, requirements):
    """The variables under which a suite runs; installs its packages where they are missing."""
    env = dict(os.environ)
    paths = [str(HERE), env.get("PYTHONPATH", "")]
    env["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    if str(options.packages) == "none":
        return env
    wanted, packages = "\n".join(requirements), options.packages / suite
    stamp = packages / "requirements.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"installing {', '.join(requirements)} into {packages}", flush=True)
        subprocess.run([options.python, "-m", "pip", "install", "--quiet", "--upgrade", "--target", packages,
                        *requirements], check=True)
        stamp.write_text(wanted)
    env["PYTHONPATH"] = os.pathsep.join([str(packages), env["PYTHONPATH"]])
    return env


def run(options, env, arguments, where, report):
    """Runs pytest in the folder `where`; the Results of all tests. Output is kept beside the report."""
    command = [options.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}",
               "-o", "junit_logging=no", "--tb=short", "--no-summary", "--show-capture=no", *arguments]
    if options.jobs > 1:
        command += ["-n", str(options.jobs)]
    log = report.with_suffix(".log")
    report.unlink(missing_ok=True)
    with open(log, "w") as stream:
        code = subprocess.run(command, cwd=where, env=env, stdout=stream, stderr=subprocess.STDOUT).returncode
    if code > 1 or not report.exists():  # 0: all passed, 1: some failed
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-40:])
        if not report.exists():
            sys.exit(f"{tail}\npytest ended with status {code}; all of its output is in {log}")
    return read(report)


def read(report):
    """The Results in a JUnit file."""
    results = []
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname', '')}::{case.get('name')}".lstrip(":")
        outcome, message = "passed", ""
        for child in case:
            if child.tag in ("failure", "error"):
                outcome, message = "failed", f"{child.get('message') or ''}\n{child.text or ''}"
            elif child.tag == "skipped":
                outcome = "xfailed" if child.get("type") == "pytest.xfail" else "skipped"
                message = child.get("message") or ""
        results.append(Result(name, outcome, message))
    return results


def cause(message):
    """The line of a failure that says why: the last exception pytest marked, or the first line."""
    marked = [line[1:].strip() for line in message.splitlines() if line.startswith("E  ")]
    named = [line for line in marked if line.split(":")[0].endswith(("Error", "Exception", "Warning"))]
    lines = named or marked or message.strip().splitlines() or ["?"]
    return lines[-1][:200]


def count(results):
    """{outcome: number of tests}."""
    numbers = collections.Counter(result.outcome for result in results)
    return {outcome: numbers[outcome] for outcome in ("passed", "failed", "xfailed", "skipped")}
