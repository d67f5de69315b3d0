"""A pytest plugin: skips and expected failures from a list that gives a reason for each.

$CLARY_EXPECTATIONS names the list. A line is `skip PATTERN  # reason` or `xfail PATTERN  # reason`; a
pattern is found anywhere in a test's name, and * in it is any text.
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
        match = re.fullmatch(r"(skip|xfail)\s+(.*?)\s+#\s+(.+)", line)
        if not match:
            raise ValueError(f"{path}:{number}: expected `skip PATTERN  # reason` or `xfail PATTERN  # reason`")
        found.append(Entry(*match.groups()))
    return found


def matcher(pattern):
    """The compiled expression of a pattern."""
    return re.compile(re.escape(pattern).replace(r"\*", ".*"))


def pytest_collection_modifyitems(config, items):
    listed = [(entry, matcher(entry.pattern)) for entry in entries(os.environ["CLARY_EXPECTATIONS"])]
    for item in items:
        for entry, expression in listed:
            if expression.search(item.nodeid):
                item.add_marker(getattr(pytest.mark, entry.kind)(reason=entry.reason))
                break
