"""Bits packed into bytes and back: shifts and a sum over eight neighbours."""
from ._core import ArgumentError, DTypeError, lib
from ._create import arange, asarray, zeros
from ._dtypes import KINDS
from ._manip import axis_of, cut, moveaxis


def _shifts(name, bitorder, a):
    """How far up each of eight bits belongs, as a row of uint8."""
    if bitorder not in ("big", "little"):
        raise ArgumentError(f'{name}: bitorder must be "big" or "little", not {bitorder!r}')
    order = (7, -1, -1) if bitorder == "big" else (0, 8, 1)
    return arange(*order, dtype="uint8", device=a._device)


def packbits(a, /, axis=None, bitorder="big"):
    """Eight elements along an axis, zero or not, as the bits of one uint8; the last byte is filled with
    zeros. axis None: flattened."""
    a = asarray(a)
    if KINDS[lib.clary_array_dtype(a._h)] not in "biu":
        raise DTypeError(f"packbits: elements are integers or bool, not {a.dtype}")
    a = a.reshape(-1) if axis is None or not a.ndim else a
    axis = axis_of("packbits", axis or 0, a.ndim)
    last = moveaxis(a != 0, axis, -1)
    count = -(-last.shape[-1] // 8)
    if last.shape[-1] % 8:
        whole = zeros((*last.shape[:-1], 8 * count), bool, device=a._device)
        whole[..., : last.shape[-1]] = last
        last = whole
    bits = last.reshape((*last.shape[:-1], count, 8)).astype("uint8") << _shifts("packbits", bitorder, a)
    return moveaxis(bits.sum(axis=-1, dtype="uint8"), -1, axis)


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """The bits of each uint8 as eight elements along an axis. count: as many of them, zeros beyond those
    there are; negative: without as many at the end."""
    a = asarray(a)
    if lib.clary_array_dtype(a._h) != lib.CLARY_UINT8:
        raise DTypeError(f"unpackbits: elements are uint8, not {a.dtype}")
    a = a.reshape(-1) if axis is None or not a.ndim else a
    axis = axis_of("unpackbits", axis or 0, a.ndim)
    last = moveaxis(a, axis, -1)
    bits = (last[..., None] >> _shifts("unpackbits", bitorder, a)) & 1
    result = moveaxis(bits.reshape((*last.shape[:-1], 8 * last.shape[-1])), -1, axis)
    if count is None:
        return result
    there = result.shape[axis]
    if count < -there:
        raise ArgumentError(f"unpackbits: count {count} leaves less than nothing of {there} bits")
    if count <= there:
        return cut(result, axis, 0, count if count >= 0 else there + count)
    longer = zeros((*result.shape[:axis], count, *result.shape[axis + 1:]), "uint8", device=a._device)
    cut(longer, axis, 0, there)[...] = result
    return longer


public = {f.__name__: f for f in (packbits, unpackbits)}
