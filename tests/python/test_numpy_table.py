"""docs/numpy-coverage.md is what its tool makes of NumPy and the package as they are."""
import pathlib
import re
import runpy

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "make_numpy_table.py"
PAGE = ROOT / "docs" / "numpy-coverage.md"
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="not in a source tree")


def test_table_is_up_to_date():
    kept = PAGE.read_text()
    version = re.search(r"from NumPy (\d+\.\d+)", kept).group(1)
    if not numpy.__version__.startswith(version + "."):
        pytest.skip(f"the page is about NumPy {version}")
    assert runpy.run_path(str(TOOL))["table"]().split("do not edit")[1] == kept.split("do not edit")[1], \
        "run tools/make_numpy_table.py"


def test_comparison_of_parameters():
    compare = runpy.run_path(str(TOOL))["compare"]

    def theirs(a, axis=None, out=None, *, subok=True):
        pass

    def fewer(a, axis=None):
        pass

    def positional(a, /, axis=None, out=None):
        pass

    assert compare("f", theirs, theirs) == ("present", "")
    assert compare("f", theirs, fewer) == ("different", "without `out`")
    assert compare("f", theirs, positional) == ("different", "without `a`")
