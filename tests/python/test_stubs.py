"""The type stubs are what the generator makes of the package as it is."""
import pathlib
import runpy

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_stubs_are_up_to_date():
    tool = ROOT / "tools" / "make_stubs.py"
    if not tool.exists():
        pytest.skip("not in a source tree")
    made = runpy.run_path(str(tool))["stubs"]()
    kept = (ROOT / "python" / "clary" / "__init__.pyi").read_text()
    assert kept == made, "run tools/make_stubs.py"


def test_stubs_are_python():
    compile((ROOT / "python" / "clary" / "__init__.pyi").read_text(), "__init__.pyi", "exec")
    assert (ROOT / "python" / "clary" / "py.typed").exists()
