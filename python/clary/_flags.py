"""`array.flags`: facts about an array's memory, readable as attributes and by NumPy's names."""

_NAMES = {"C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "C_CONTIGUOUS": "c_contiguous", "F": "f_contiguous",
          "FORTRAN": "f_contiguous", "F_CONTIGUOUS": "f_contiguous", "O": "owndata", "OWNDATA": "owndata",
          "W": "writeable", "WRITEABLE": "writeable", "A": "aligned", "ALIGNED": "aligned", "CA": "carray",
          "CARRAY": "carray", "FA": "farray", "FARRAY": "farray", "B": "behaved", "BEHAVED": "behaved",
          "FNC": "fnc", "FORC": "forc", "X": "writebackifcopy", "WRITEBACKIFCOPY": "writebackifcopy"}


class Flags:
    """Facts about an array's memory. `writeable` can be assigned."""

    __slots__ = ("_array",)
    __hash__ = None
    aligned = property(lambda self: True)
    writebackifcopy = property(lambda self: False)
    c_contiguous = contiguous = property(lambda self: self._array.c_contiguous)
    f_contiguous = fortran = property(lambda self: self._array.T.c_contiguous)
    owndata = property(lambda self: self._array.base is None)
    behaved = property(lambda self: self.writeable)
    carray = property(lambda self: self.writeable and self.c_contiguous)
    farray = property(lambda self: self.writeable and self.f_contiguous and not self.c_contiguous)
    forc = property(lambda self: self.f_contiguous or self.c_contiguous)
    fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)

    def __init__(self, array):
        self._array = array

    @property
    def writeable(self):
        return self._array.writeable

    @writeable.setter
    def writeable(self, value):
        self._array.setflags(write=value)

    @property
    def num(self):
        """The flags as NumPy's bits."""
        return self.c_contiguous + 2 * self.f_contiguous + 4 * self.owndata + 0x100 + 0x400 * self.writeable

    def __getitem__(self, name):
        if name not in _NAMES:
            raise KeyError(f"unknown flag {name!r}")
        return getattr(self, _NAMES[name])

    def __setitem__(self, name, value):
        if _NAMES.get(name) != "writeable":
            raise KeyError(f"flag {name!r} cannot be set")
        self.writeable = value

    def __eq__(self, other):
        return self.num == other.num if isinstance(other, Flags) else NotImplemented

    def __repr__(self):
        shown = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "\n".join(f"  {name} : {self[name]}" for name in shown) + "\n"
