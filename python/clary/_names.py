"""Names of NumPy's that mean the same here: dtypes and their families, constants, number formats.

seterr and errstate are accepted and set NumPy's own state: Clary's operations never warn, whatever it says.
"""
import numpy

from ._array import Array
from ._core import DTypeError
from ._dtypes import DTYPES, KINDS, bfloat16, code_of, promote_types

_SAME = """
    generic number integer signedinteger unsignedinteger inexact floating complexfloating
    byte ubyte short ushort intc uintc int_ uint long ulong longlong ulonglong half csingle cdouble
    True_ False_ euler_gamma little_endian typecodes exceptions mintypecode typename
    base_repr binary_repr
    errstate seterr geterr seterrcall geterrcall getbufsize setbufsize
""".split()


def issubdtype(arg1, arg2):
    """Whether a dtype is, or belongs to, another or a family such as floating."""
    if bfloat16 == arg1:
        return bfloat16 == arg2 or arg2 in (numpy.floating, numpy.inexact, numpy.number, numpy.generic)
    return bfloat16 != arg2 and numpy.issubdtype(arg1, arg2)


def min_scalar_type(a, /):
    """The smallest dtype that holds a scalar; of an array with axes its own dtype."""
    if isinstance(a, Array):
        return a.dtype if a.ndim or bfloat16 == a.dtype else numpy.min_scalar_type(numpy.asarray(a))
    return numpy.min_scalar_type(a)


def common_type(*arrays):
    """The inexact type in which arrays meet; integers count as float64."""
    codes = [code_of(a.dtype) for a in arrays]
    for code in codes:
        if KINDS[code] == "b":
            raise DTypeError("common_type: bool has no inexact counterpart")
    met = DTYPES[code_of("float16")]
    for code in codes:
        met = promote_types(met, DTYPES[code] if KINDS[code] in "fc" else float)
    return met.type


public = {name: getattr(numpy, name) for name in _SAME}
public.update({f.__name__: f for f in (issubdtype, min_scalar_type, common_type)})
