"""Fixtures of the Python tests: each test runs on every tier, and nothing may be left alive at the end.

A tier is a device and a mode of the compiler: the reference device, PoCL as it comes ("auto": small work
on the reference executor) and PoCL compiling everything ("always"). $CLARY_TEST_DEVICES picks others:
a comma list of selector[:mode]. Compiling costs a quarter second a kernel on PoCL, so tests with many
kernels draw a covering subset on "always" unless --long is given (or CLARY_LONG is set).
"""
import gc
import os
import sys
import tempfile

import pytest

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # before SciPy is imported: see test_programs.py
sys.path.insert(0, os.path.dirname(__file__))
if "CLARY_CACHE_DIR" not in os.environ:  # before the library reads it
    _cache = tempfile.TemporaryDirectory(prefix="clary-test-cache-")
    os.environ["CLARY_CACHE_DIR"] = _cache.name

import clary  # noqa: E402


class Tier:
    """Where a test runs: `device` is its default device while it runs."""

    def __init__(self, text, long):
        self.selector, _, mode = text.rpartition(":")
        if mode not in ("auto", "always", "never"):
            self.selector, mode = text, "auto"
        self.mode = mode
        self.compiled = mode == "always"
        self.long = long
        self.name = self.selector if mode == "auto" else f"{self.selector}-{mode}"

    def sample(self, cases, keep=4):
        """All cases; on a compiled tier, without --long, every keep-th of them."""
        cases = list(cases)
        return cases if self.long or not self.compiled else cases[:: max(1, keep)]


def _long(config):
    return config.getoption("--long") or bool(os.environ.get("CLARY_LONG"))


def _tiers():
    text = os.environ.get("CLARY_TEST_DEVICES")
    if text:
        return text.split(",")
    tiers = ["reference"]
    if any(d.usable and "portable computing language" in d.platform.lower() for d in clary.devices()):
        tiers += ["pocl", "pocl:always"]
    return tiers


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="also the tests that take minutes")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes minutes; runs with --long")


def pytest_collection_modifyitems(config, items):
    if not _long(config):
        for item in items:
            if "long" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="needs --long"))


def pytest_generate_tests(metafunc):
    if "tier" in metafunc.fixturenames:
        metafunc.parametrize("tier", _tiers(), indirect=True)


@pytest.fixture
def tier(request):
    """The tier a test runs on, made the default."""
    chosen = Tier(request.param, _long(request.config))
    before, mode = clary.default_device(), clary.get_jit()
    clary.set_device(chosen.selector)
    clary.set_jit(chosen.mode)
    yield chosen
    clary.set_jit(mode)
    clary.set_device(before)


@pytest.fixture(autouse=True, scope="session")
def nothing_leaks(request):
    """At the end of the session every array and value is gone."""
    yield
    if request.session.testsfailed:
        return  # a failure's traceback keeps its arrays
    gc.collect()
    counts = clary.counters()
    assert counts.live_arrays == 0, f"{counts.live_arrays} arrays are still alive"
    assert counts.live_values == 0, f"{counts.live_values} values are still alive"
