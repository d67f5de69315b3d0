"""Dtypes: NumPy's own objects, and one of ours for bfloat16.

C's codes follow the order of CLARY_DTYPE_LIST; everything here is derived from the names it gives.
"""
import numpy

from ._core import DTypeError, lib, text

try:
    import ml_dtypes
except ImportError:  # bfloat16 then leaves for NumPy as float32
    ml_dtypes = None


class BFloat16:
    """The dtype bfloat16: float32's range with 8 bits of precision. Equal to ml_dtypes' dtype of that
    name where that package is installed. Called with a value it makes an array of this dtype."""

    __slots__ = ()
    name = "bfloat16"
    kind = "f"
    str = "<V2"
    itemsize = 2
    alignment = 2
    isnative = True

    def __call__(self, value=0):
        from ._create import array

        return array(value, dtype=self)

    def __eq__(self, other):
        if other is self or other == "bfloat16":
            return True
        return getattr(other, "name", getattr(other, "__name__", None)) == "bfloat16"

    def __hash__(self):
        return hash("bfloat16")

    def __repr__(self):
        return "clary.bfloat16"

    def __str__(self):
        return "bfloat16"

    def __reduce__(self):
        return "bfloat16"

    @property
    def type(self):
        return ml_dtypes.bfloat16 if ml_dtypes else self


bfloat16 = BFloat16()
BFLOAT16 = lib.CLARY_BFLOAT16
NO_DTYPE = lib.CLARY_DTYPE_COUNT

NAMES = [text(lib.clary_dtype_name(code)) for code in range(NO_DTYPE)]
KINDS = [lib.clary_dtype_kind(code).decode() for code in range(NO_DTYPE)]
DTYPES = [bfloat16 if name == "bfloat16" else numpy.dtype(name) for name in NAMES]

_BY_KIND = {(d.kind, d.itemsize): code for code, d in enumerate(DTYPES) if d is not bfloat16}
_CODES = {bfloat16: BFLOAT16, "bfloat16": BFLOAT16, bool: 0}
for _code, _dtype in enumerate(DTYPES):
    if _dtype is not bfloat16:
        _CODES.update({_dtype: _code, _dtype.type: _code, NAMES[_code]: _code})
for _type in (int, float, complex):
    _CODES[_type] = _CODES[numpy.dtype(_type)]


def code_of(dtype):
    """C's code of anything that names a dtype."""
    try:
        return _CODES[dtype]
    except (KeyError, TypeError):
        pass
    if getattr(dtype, "name", getattr(dtype, "__name__", None)) == "bfloat16":
        return BFLOAT16
    known = numpy.dtype(dtype)
    code = _BY_KIND.get((known.kind, known.itemsize))
    if code is None or known.name == "longdouble":
        raise DTypeError(f"dtype {known} has no counterpart in Clary: use one of {', '.join(NAMES)}")
    return code


def numpy_dtype(code):
    """The NumPy dtype that elements of `code` have on the host, or None for bfloat16 without ml_dtypes."""
    if code == BFLOAT16:
        return numpy.dtype(ml_dtypes.bfloat16) if ml_dtypes else None
    return DTYPES[code]


def _dtype_of(item):
    """The dtype of an array or NumPy scalar; a dtype is itself (NumPy's scalar classes have a `dtype` too)."""
    return item if isinstance(item, type) else getattr(item, "dtype", item)


# Weak scalars in the order in which their kinds dominate, with the dtype each has alone.
_WEAK = {bool: (0, lib.CLARY_BOOL), int: (1, lib.CLARY_INT64), float: (2, lib.CLARY_FLOAT64),
         complex: (3, lib.CLARY_COMPLEX128)}


def promote(codes, weak_types=()):
    """The code in which dtypes and Python scalar types meet (NEP 50)."""
    from ._ufunc import add

    result = None
    for code in codes:
        result = code if result is None else lib.clary_promote(result, code)
    if weak_types:
        weak = max(weak_types, key=lambda kind: _WEAK[kind][0])
        alone = _WEAK[weak][1]
        result = alone if result is None else add.resolve([result, alone], [False, True])[1]
    return result


def result_type(*arrays_and_dtypes):
    """The dtype that arrays, dtypes and Python scalars combine to."""
    if not arrays_and_dtypes:
        raise ValueError("result_type: at least one array or dtype is required")
    codes, weak = [], []
    for item in arrays_and_dtypes:
        if type(item) in _WEAK:
            weak.append(type(item))
        else:
            codes.append(code_of(_dtype_of(item)))
    return DTYPES[promote(codes, weak)]


def promote_types(type1, type2):
    """The dtype in which two dtypes meet."""
    return DTYPES[lib.clary_promote(code_of(type1), code_of(type2))]


CASTING = {"no": lib.CLARY_CAST_NO, "equiv": lib.CLARY_CAST_NO, "safe": lib.CLARY_CAST_SAFE,
           "same_kind": lib.CLARY_CAST_SAME_KIND, "unsafe": lib.CLARY_CAST_UNSAFE}


def casting_rule(casting):
    try:
        return CASTING[casting]
    except KeyError:
        raise ValueError(f"casting must be one of {', '.join(CASTING)}, not {casting!r}") from None


def can_cast(from_, to, casting="safe"):
    """Whether a cast from one dtype (or an array's) to another is allowed by `casting`."""
    if type(from_) in _WEAK:
        raise TypeError("can_cast: give an array or a dtype; a Python scalar has no dtype of its own")
    source = _dtype_of(from_)
    return lib.clary_can_cast(code_of(source), code_of(to), casting_rule(casting))


_GROUPS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu",
           "real floating": "f", "complex floating": "c", "numeric": "iufc"}


def isdtype(dtype, kind):
    """Whether a dtype is of a kind: a dtype, a name such as "real floating", or a tuple of those."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    code = code_of(dtype)
    if isinstance(kind, str) and kind in _GROUPS:
        return KINDS[code] in _GROUPS[kind]
    if isinstance(kind, str):
        raise ValueError(f"isdtype: kind must be a dtype or one of {', '.join(_GROUPS)}, not {kind!r}")
    return code == code_of(kind)


class finfo:
    """Limits of a floating-point dtype: bits, eps, min, max, smallest_normal, ... as Python numbers, which are
    weak: an expression with them keeps its arrays' dtype."""

    __module__ = "clary"
    _FIELDS = ("bits", "eps", "epsneg", "iexp", "machep", "max", "maxexp", "min", "minexp", "negep", "nexp", "nmant",
               "precision", "resolution", "smallest_normal", "smallest_subnormal", "tiny")
    _BFLOAT16 = (16, 2.0**-7, 2.0**-8, 8, -7, (2 - 2.0**-7) * 2.0**127, 128, -(2 - 2.0**-7) * 2.0**127, -126, -8, 8, 7,
                 2, 0.01, 2.0**-126, 2.0**-133, 2.0**-126)
    __slots__ = ("dtype", *_FIELDS)

    def __init__(self, dtype):
        code = code_of(_dtype_of(dtype))
        if code == BFLOAT16:
            self.dtype, values = bfloat16, self._BFLOAT16
        else:
            known = numpy.finfo(DTYPES[code])
            self.dtype = known.dtype
            values = [getattr(known, field) for field in self._FIELDS]
        for field, value in zip(self._FIELDS, values):
            setattr(self, field, value.item() if isinstance(value, numpy.generic) else value)

    def __repr__(self):
        return f"finfo(resolution={self.resolution:g}, min={self.min}, max={self.max}, dtype={self.dtype})"


def iinfo(dtype):
    """Limits of an integer dtype."""
    return numpy.iinfo(DTYPES[code_of(_dtype_of(dtype))])
