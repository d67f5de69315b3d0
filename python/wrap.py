"""Writes the C source of the extension module clary._clary from preprocessed declarations.

    python wrap.py clary.cdef _clary.c
"""
import sys

import cffi


def main(declarations, output):
    ffi = cffi.FFI()
    with open(declarations, encoding="utf-8") as file:
        ffi.cdef(file.read())
    ffi.set_source("clary._clary", '#include "shim.h"\n')
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
