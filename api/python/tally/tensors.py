"""What callers have as tensors, as arrays of integers that libtally reads where they are."""

from __future__ import annotations

from typing import Any

import numpy

from tally import _native
from tally.values import Value

Array = numpy.ndarray[Any, Any]

def integers(given: Any, value: Value, floats: bool) -> Array:
    """`given` as an array of signed integers for the parameter `value`; the same object where it is one.

    Unsigned integers and booleans are widened. Floats are quantized by the grid of the parameter, where `floats` asks for
    that. Errors: TypeError, ValueError (NaN, infinities, no grid).
    """
    if isinstance(given, numpy.ndarray) and given.dtype.kind == "i" and given.dtype.isnative:
        return given
    if hasattr(given, "__dlpack__") and not isinstance(given, numpy.ndarray):
        given = numpy.from_dlpack(given)
    array = numpy.asarray(given)
    if array.dtype.kind == "i":
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype.kind == "b":
        return array.astype(numpy.int8)
    if array.dtype.kind == "u":
        if array.dtype.itemsize == 8 and array.size > 0 and int(array.max()) >= 2**63:
            raise ValueError(f"'{value.name}': an element is above 2^63 - 1")
        return array.astype(f"int{min(64, 16 * array.dtype.itemsize)}")
    if array.dtype.kind != "f":
        raise TypeError(f"'{value.name}' takes integers, not {array.dtype}")
    if not floats:
        raise TypeError(f"'{value.name}' takes integers, not {array.dtype}; floats=True quantizes by the grid of the module")
    return quantized(array, value)


def quantized(reals: Array, value: Value) -> Array:
    """Finite reals as the nearest integers of the grid, in the storage of the value. Errors: ValueError."""
    if value.grid is None:
        raise ValueError(f"'{value.name}' has no grid: it takes integers of {value.lowest} to {value.highest}")
    if not numpy.isfinite(reals).all():
        raise ValueError(f"'{value.name}': NaN or an infinity")
    grid = value.grid
    exact = numpy.ascontiguousarray(reals, numpy.float64)
    codes = numpy.empty(exact.shape, numpy.int64)
    _native.quantize(exact, codes, grid.multiplier, grid.shift, grid.zero_point, value.lowest, value.highest)
    return codes.reshape(reals.shape).astype(value.dtype)


def reals(codes: Array, value: Value) -> Array:
    """What integers stand for, in double precision; the integers themselves where the value has no grid."""
    if value.grid is None:
        return codes
    real: Array = (codes.astype(numpy.float64) - value.grid.zero_point) * value.grid.scale
    return real
