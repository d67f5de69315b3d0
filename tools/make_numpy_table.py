"""Writes docs/numpy-coverage.md: NumPy's functions and methods beside Clary's, read from both packages.

    ./dev python tools/make_numpy_table.py

A name is present, absent (why, where OUTSIDE has a reason) or different (parameters that NumPy's has and
ours has not, or what DIFFERENT says). A test compares the file with what this makes.
"""
import inspect
import pathlib

import numpy
import numpy.fft
import numpy.random

import clary

OUTPUT = pathlib.Path(__file__).resolve().parents[1] / "docs" / "numpy-coverage.md"
AIM = 90  # per cent, of the main namespace and of ndarray
CUPY = (458, 544)  # functions of NumPy's that CuPy's comparison table lists as covered

# Names that do not concern numeric arrays, by reason; they are listed but do not count.
OUTSIDE = {
    "dates and times": "busday_count busday_offset busdaycalendar is_busday datetime64 timedelta64 datetime_as_string "
                       "datetime_data isnat",
    "texts, objects and records": "bytes_ str_ object_ void record recarray character flexible fromregex genfromtxt",
    "extended precision, which no OpenCL device has": "longdouble clongdouble float96 float128 complex192 complex256",
    "floating-point warnings, which devices do not raise": "errstate geterr geterrcall seterr seterrcall getbufsize "
                                                           "setbufsize",
    "the class matrix, which NumPy advises against": "matrix asmatrix bmat",
    "memory of the host: a Clary array is on a device": "memmap ctypes data dump setfield getfield byteswap itemset "
                                                        "newbyteorder setflags resize tostring",
    "facts of NumPy's build": "get_include show_config show_runtime test info",
    "host iterators over elements": "nditer nested_iters flatiter",
    "Python functions of elements, which no device runs": "frompyfunc vectorize",
    "old names of dtypes as text": "sctypeDict typecodes ScalarType typename mintypecode",
}
# What is present and means something else.
DIFFERENT = {
    "finfo": "the limits are Python numbers, not NumPy scalars",
}
# Parameters that mean nothing here: subclasses of the array class, and dispatch on one more array.
IGNORED = {"subok", "like", "signature", "self", "args", "kwargs", "x1", "x2", "x"}
ABSENT = object()
LEGACY = ("beta binomial bytes chisquare choice dirichlet exponential f gamma geometric get_bit_generator get_state gumbel "
          "hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial "
          "noncentral_chisquare noncentral_f normal pareto permutation poisson power rand randint randn random "
          "random_integers random_sample ranf rayleigh sample seed set_bit_generator set_state shuffle standard_cauchy "
          "standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull zipf "
          "RandomState").split()

_REASONS = {name: reason for reason, names in OUTSIDE.items() for name in names.split()}


def names_of(space):
    """Public names of a module or class: functions, methods, attributes and classes, not modules, constants, errors."""
    found = []
    for name in dir(space):
        value = getattr(space, name)
        constant = isinstance(value, (int, float, str, numpy.bool_)) and not inspect.isclass(space)
        error = inspect.isclass(value) and issubclass(value, BaseException)
        if not (name.startswith("_") or name == "test" or inspect.ismodule(value) or constant or error):
            found.append(name)
    return found


def parameters(function):
    """Names of a function's parameters; None where Python cannot tell or where it takes any."""
    try:
        listed = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in listed):
        return None
    return [p.name for p in listed if p.kind is not p.POSITIONAL_ONLY]


def compare(name, theirs, ours):
    """(state, remark) of one name."""
    if ours is ABSENT:
        return ("outside", _REASONS[name]) if name in _REASONS else ("absent", "")
    if name in DIFFERENT:
        return "different", DIFFERENT[name]
    if callable(theirs) and not inspect.isclass(theirs):
        wanted, has = parameters(theirs), parameters(ours)
        if wanted is not None and has is not None:
            lacking = [p for p in wanted if p not in has and p not in IGNORED]
            if lacking:
                return "different", "without " + ", ".join(f"`{p}`" for p in lacking)
    return "present", ""


def section(theirs, ours, names):
    """[(name, state, remark)] of a module or class."""
    return [(name, *compare(name, getattr(theirs, name), getattr(ours, name, ABSENT))) for name in names]


def sections():
    """[(title, rows)]."""
    generator = getattr(clary.random, "Generator", None)
    return [
        ("Main namespace", section(numpy, clary, names_of(numpy))),
        ("ndarray", section(numpy.ndarray, clary.Array, names_of(numpy.ndarray))),
        ("linalg", section(numpy.linalg, clary.linalg, names_of(numpy.linalg))),
        ("fft", section(numpy.fft, getattr(clary, "fft", None), names_of(numpy.fft))),
        ("random", section(numpy.random, clary.random, [n for n in names_of(numpy.random) if n not in LEGACY])),
        ("random.Generator", section(numpy.random.Generator, generator, names_of(numpy.random.Generator))),
    ]


def count(rows):
    """(present, different, absent, outside)."""
    states = [state for _, state, _ in rows]
    return tuple(states.count(state) for state in ("present", "different", "absent", "outside"))


def table():
    """The text of the page."""
    made = sections()
    text = f"""# NumPy's functions in Clary

Made by `tools/make_numpy_table.py` from NumPy {numpy.__version__}; do not edit. *Different* is present with fewer
parameters or with another meaning, as said; *outside* does not concern numeric arrays on a device, for the
reason said, and does not count in the last column. NumPy's legacy random functions are left out.

| | names | present | different | absent | outside | provided |
|---|---|---|---|---|---|---|
"""
    totals = [0, 0, 0, 0]
    rates = {}
    for title, rows in made:
        numbers = count(rows)
        totals = [a + b for a, b in zip(totals, numbers)]
        rates[title] = rate(numbers)
        text += line(title, numbers)
    text += line("All", totals)
    provided, main = totals[0] + totals[1], count(made[0][1])
    text += f"""
Aims: {AIM} % of the main namespace ({rates["Main namespace"]:.0f} %) and of ndarray ({rates["ndarray"]:.0f} %); more
functions than CuPy's comparison table, which has {CUPY[0]} of {CUPY[1]}: here {provided} of {sum(totals)}, and in the main
namespace alone {main[0] + main[1]} of {sum(main)}.
"""
    for title, rows in made:
        text += f"\n## {title}\n\n"
        for state in ("absent", "different", "outside", "present"):
            text += listing(state, [(name, remark) for name, found, remark in rows if found == state])
    return text


def rate(numbers):
    """The part provided of the names that count, in per cent."""
    present, different, absent, _ = numbers
    return 100 * (present + different) / max(present + different + absent, 1)


def line(title, numbers):
    return f"| {title} | {sum(numbers)} | {' | '.join(map(str, numbers))} | {rate(numbers):.0f} % |\n"


def listing(state, rows):
    """One state's names: with remarks as a table, else as a paragraph."""
    if not rows:
        return ""
    if state == "outside":
        reasons = {}
        for name, reason in rows:
            reasons.setdefault(reason, []).append(f"`{name}`")
        return "".join(f"Outside ({reason}): {', '.join(names)}.\n\n" for reason, names in reasons.items())
    if any(remark for _, remark in rows):
        return "| different | why |\n|---|---|\n" + "".join(f"| `{n}` | {remark} |\n" for n, remark in rows) + "\n"
    return f"{state.capitalize()}: " + ", ".join(f"`{name}`" for name, _ in rows) + ".\n\n"


if __name__ == "__main__":
    OUTPUT.write_text(table())
    print(f"wrote {OUTPUT}")
