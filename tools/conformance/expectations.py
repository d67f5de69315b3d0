"""A pytest plugin: skips and expected failures from a list that gives a reason for each.

$CLARY_EXPECTATIONS names the list. A line is `skip PATTERN  # reason` or `xfail PATTERN  # reason`, where
a pattern is found anywhere in a test's name and * in it is any text; or `leave PATH  # reason`: that file
or folder is not even imported.
"""
import collections
import os
import pathlib
import re

import pytest

Entry = collections.namedtuple("Entry", "kind pattern reason")


def entries(path):
    """The Entries of a list; a line without a reason is an error."""
    found = []
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"(skip|xfail|leave)\s+(.*?)\s+#\s+(.+)", line)
        if not match:
            raise ValueError(f"{path}:{number}: expected `skip|xfail|leave PATTERN  # reason`")
        found.append(Entry(*match.groups()))
    return found


def matcher(pattern):
    """The compiled expression of a pattern."""
    return re.compile(re.escape(pattern).replace(r"\*", ".*"))


def listed():
    return entries(os.environ["CLARY_EXPECTATIONS"])


def pytest_ignore_collect(collection_path):
    path = collection_path.as_posix()
    if any(entry.kind == "leave" and path.endswith("/" + entry.pattern.rstrip("/")) for entry in listed()):
        return True
    return None


def pytest_collection_modifyitems(config, items):
    marks = [(entry, matcher(entry.pattern)) for entry in listed() if entry.kind != "leave"]
    for item in items:
        for entry, expression in marks:
            if expression.search(item.nodeid):
                item.add_marker(getattr(pytest.mark, entry.kind)(reason=f"excluded: {entry.reason}"))
                break
