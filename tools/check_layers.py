"""Checks that the folders of src/ include each other in one direction only.

A file may include headers of its own folder and of the folders listed for it here, and the public headers.
Only src/opencl may include OpenCL's headers. Public headers include public headers alone.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYERS = {
    "core": [],
    "device": ["core"],
    "graph": ["core", "device"],
    "codegen": ["core", "device", "graph"],
    "reference": ["core", "device", "graph"],
    "array": ["core", "device", "graph"],
    "host": ["core", "device", "graph"],
    "opencl": ["core", "device", "graph", "codegen", "reference", "host"],
    "op": ["core", "device", "graph", "array"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def included_folder(path, name):
    """The folder of src/ that an include names, or None for public, system and generated files."""
    first = name.split("/")[0]
    if first in LAYERS and "/" in name:
        return first
    if (path.parent / name).is_file():
        return path.parent.name
    return None


def check_source(path):
    folder = path.relative_to(ROOT / "src").parts[0]
    if folder not in LAYERS:
        yield f"folder src/{folder} is not in the list of layers in tools/check_layers.py"
        return
    for bracket, name in INCLUDE.findall(path.read_text()):
        if name.startswith("CL/") and folder != "opencl":
            yield f"includes {name}; only src/opencl may"
        other = included_folder(path, name) if bracket == '"' else None
        if other and other != folder and other not in LAYERS[folder]:
            allowed = ", ".join(LAYERS[folder]) or "nothing"
            yield f"includes {name}; {folder} may use {allowed}"


def check_header(path):
    for bracket, name in INCLUDE.findall(path.read_text()):
        if bracket == '"' and not any((base / name).is_file() for base in (path.parent, ROOT / "include")):
            yield f"includes {name}, which is not a public header"


def main():
    found = 0
    sources = sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in (".c", ".h"))
    headers = sorted(p for p in (ROOT / "include").rglob("*.h"))
    for check, paths in ((check_source, sources), (check_header, headers)):
        for path in paths:
            for problem in check(path):
                print(f"{path.relative_to(ROOT)}: {problem}")
                found += 1
    if not found:
        print(f"layers: {len(sources)} sources and {len(headers)} public headers keep to them")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
