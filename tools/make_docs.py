"""make_docs.py DIRECTORY: lays out the documentation's source there, for MkDocs.

The pages of docs/ are copied; the C reference is made from the comments and declarations of the public
headers, the tables of operations and reductions from their X-macros, and the Python reference from the
docstrings of the installed package. `./dev docs` turns the result into a site.
"""

import inspect
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ["base", "dtype", "device", "array", "ops", "reduce", "manip", "linalg", "random", "io", "engine", "interop"]

# What a header needs to work but a reader does not.
PLUMBING = re.compile(r"(?m)^#(if|ifdef|else|elif|endif|define CLARY_(API|BEGIN|END))\b.*$")

CONFIG = """\
site_name: Clary
docs_dir: pages
theme: readthedocs
plugins: [search]
use_directory_urls: false
markdown_extensions: [tables, fenced_code, toc]
nav:
  - Home: index.md
  - Architecture: architecture.md
  - Add an operation: add-an-operation.md
  - Conformance: conformance.md
  - NumPy functions: numpy-coverage.md
  - Environment variables: environment.md
  - Operations: operations.md
  - C reference:
{c_pages}
  - Python reference:
      - Functions: python-functions.md
      - Element-wise functions: python-ufuncs.md
      - Classes and errors: python-classes.md
  - Changes: changelog.md
"""


# ---- C ----


def comment_text(comment):
    """The words of a C comment, without its frame."""
    lines = comment.strip()[2:-2].split("\n")
    return "\n".join(re.sub(r"^\s*\* ?", "", line) if i else line.strip() for i, line in enumerate(lines)).strip()


def prose(text):
    """A comment as Markdown: code examples stay indented, `<` and `*` mean themselves."""
    lines = []
    for line in text.split("\n"):
        if not line.startswith("    "):
            words = line.strip().split("`")
            words[::2] = [re.sub(r"([<*_])", r"\\\1", word) for word in words[::2]]
            line = "`".join(words)
        lines.append(line)
    return "\n".join(lines)


def blocks(source):
    """Pieces of a header in order: ("section", name), ("comment", text) or ("code", text)."""
    guard = re.compile(r"^#(ifndef|define) CLARY_\w*_H$|^#endif$|^#include .*|^CLARY_(BEGIN|END)$|^#undef X$")
    code, lines = [], source.split("\n")
    while lines:
        line = lines.pop(0)
        if line.startswith("/*"):
            comment = line
            while "*/" not in comment:
                comment += "\n" + lines.pop(0)
            if code:
                yield "code", "\n".join(code)
                code = []
            section = re.match(r"/\* ---- (.*) ---- \*/", comment)
            yield ("section", section[1]) if section else ("comment", comment_text(comment))
        elif guard.match(line):
            continue
        elif line.strip() == "" and code and not code[-1].endswith(("\\", "{", ",", ";{")) and balanced(code):
            yield "code", "\n".join(code)
            code = []
        elif line.strip() or code:
            code.append(line)
    if code:
        yield "code", "\n".join(code)


def balanced(code):
    text = "\n".join(code)
    return text.count("{") == text.count("}")


def without_macro(code):
    """Code without CLARY_API, and continuation lines moved to fit."""
    if "CLARY_API " in code and "#define" not in code:
        code = re.sub(r"(?m)^ {10}( +)", r"\1", code)
    return code.replace("CLARY_API ", "").rstrip()


def names(code):
    """What a piece of code declares: function and type names."""
    found = re.findall(r"\b(clary_\w+)\(", code) + re.findall(r"^\}? ?(clary_\w+);$", code, re.MULTILINE)
    found += re.findall(r"^typedef struct (clary_\w+) \1;$", code, re.MULTILINE)
    return list(dict.fromkeys(found))


def c_page(name):
    source = (ROOT / "include" / "clary" / f"{name}.h").read_text()
    pieces = list(blocks(source))
    out = []
    if pieces and pieces[0][0] == "comment":
        first = pieces.pop(0)[1]
        title, _, rest = first.partition(" - ")
        out += [f"# {title}", prose(rest[:1].upper() + rest[1:])]
    pending = []
    for kind, text in pieces:
        if kind == "section":
            out += pending + [f"## {text[:1].upper()}{text[1:]}"]
            pending = []
        elif kind == "comment":
            out += pending
            pending = [prose(text)]
        elif not PLUMBING.sub("", text).strip():
            continue
        else:
            declared = names(text)
            title = ", ".join(declared[:4]) + (", …" if len(declared) > 4 else "")
            out += [f"### {title}".replace("_", r"\_")] if title else []
            out += [f"```c\n{without_macro(text)}\n```", *pending]
            pending = []
    return "\n\n".join(out + pending) + "\n"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell).replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def operations_page():
    """Element-wise operations and reductions, from their tables."""
    out = ["# Operations", "The library's element-wise operations. Each is a function `clary_<name>` in C and "
           "`clary.<name>` in Python. *Result* is the rule for dtypes, *error* the bound in units in the last place "
           "on any device; exact operations give the same bits everywhere. *Kinds* are those of the dtypes it "
           "computes in: bool, signed, unsigned, float, complex."]
    rows, section = [], None
    for line in (ROOT / "include" / "clary" / "ops.def").read_text().split("\n"):
        heading = re.match(r"/\* ---- (.*) ---- \*/", line)
        row = re.match(r'CLARY_OP\((\w+), (\d), (\w+), "([^"]*)", (\w+), (\w+), (\w+),.*"((?:[^"\\]|\\.)*)"\)', line)
        if heading:
            if rows:
                out.append(table(("name", "arguments", "result", "kinds", "error", "meaning"), rows))
            rows, section = [], heading[1]
            out.append(f"## {section[:1].upper()}{section[1:]}")
        elif row:
            name, arity, rule, kinds, _, ulp, _, doc = row.groups()
            rows.append((f"`{name}`", arity, rule, kinds.lstrip("-"), "exact" if ulp == "0" else f"{ulp} ulp", doc))
    out.append(table(("name", "arguments", "result", "kinds", "error", "meaning"), rows))
    reductions = re.findall(r'X\((\w+), "([^"]+)"\)', (ROOT / "include" / "clary" / "reduce.h").read_text())
    out += ["## Reductions", table(("name", "meaning"), [(f"`{n}`", d) for n, d in reductions])]
    return "\n\n".join(out) + "\n"


# ---- Python ----


def signature(thing):
    try:
        return re.sub(r" at 0x[0-9a-f]+", "", str(inspect.signature(thing)))
    except (TypeError, ValueError):
        return "(...)"


def docstring(thing):
    text = getattr(thing, "__doc__", None)
    if not isinstance(text, str):
        return ""
    return re.sub(r"^\w+\(.*\)\n\n", "", inspect.cleandoc(text))  # without NumPy's line of arguments


def is_ours(thing):
    module = getattr(thing, "__module__", None) or type(thing).__module__
    return module.split(".")[0] == "clary"


def described(level, name, thing):
    head = f"{'#' * level} {name}".replace("_", r"\_")
    return [head, f"```python\n{name}{signature(thing)}\n```", prose(docstring(thing))]


def class_section(clary, name):
    cls = getattr(clary, name)
    out = [f"## {name}", prose(docstring(cls))]
    for member, value in sorted(vars(cls).items()):
        if member.startswith("_") or not docstring(value):
            continue
        if isinstance(value, property):
            out.append(f"**`{name}.{member}`** — {prose(docstring(value))}")
        elif callable(value):
            out += described(3, f"{name}.{member}", value)
    return out


def python_pages(clary):
    functions, ufuncs, classes, errors = ["# Functions"], [], ["# Classes and errors"], []
    for name in clary.__all__:
        thing = getattr(clary, name)
        if inspect.isclass(thing):
            if is_ours(thing) and issubclass(thing, Exception):
                errors.append((f"`{name}`", ", ".join(b.__name__ for b in thing.__bases__), docstring(thing)))
            elif is_ours(thing) and thing.__name__ == name:
                classes += class_section(clary, name)
        elif isinstance(thing, clary.ufunc):
            ufuncs.append((f"`{name}`", docstring(thing).split("\n")[0]))
        elif callable(thing) and is_ours(thing):
            functions += described(2, name, thing)
        elif inspect.ismodule(thing) and is_ours(thing):
            for member in getattr(thing, "__all__", [m for m in vars(thing) if not m.startswith("_")]):
                value = getattr(thing, member)
                if is_ours(value) and inspect.isclass(value):
                    functions += [f"## {name}.{member}", prose(docstring(value))]
                    for method, function in sorted(vars(value).items()):
                        if callable(function) and not method.startswith("_"):
                            functions += described(3, f"{member}.{method}", function)
                elif is_ours(value) and inspect.isfunction(value):
                    functions += described(2, f"{name}.{member}", value)
    classes += ["## Errors", table(("name", "also a", "meaning"), errors)]
    ufuncs = ["# Element-wise functions", "They take `out=`, `where=` and `dtype=` as NumPy's do, and have the "
              "methods `reduce` and `accumulate` where they are binary.", table(("name", "meaning"), ufuncs)]
    return {"python-functions": functions, "python-ufuncs": ufuncs, "python-classes": classes}


def main():
    target = pathlib.Path(sys.argv[1])
    pages = target / "pages"
    shutil.rmtree(target, ignore_errors=True)
    pages.mkdir(parents=True)
    for page in (ROOT / "docs").glob("*.md"):
        shutil.copy(page, pages)
    shutil.copy(ROOT / "CHANGELOG.md", pages / "changelog.md")
    (pages / "operations.md").write_text(operations_page())
    nav = []
    for name in HEADERS:
        (pages / f"c-{name}.md").write_text(c_page(name))
        nav.append(f"      - clary/{name}.h: c-{name}.md")
    import clary

    for name, parts in python_pages(clary).items():
        (pages / f"{name}.md").write_text("\n\n".join(part for part in parts if part) + "\n")
    (target / "mkdocs.yml").write_text(CONFIG.format(c_pages="\n".join(nav)))


if __name__ == "__main__":
    main()
