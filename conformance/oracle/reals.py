"""The codes of reals, written from docs/spec/types.md#reals with rational numbers.

`python3 conformance/oracle/reals.py` writes quant/grid/vectors/reals.json; with --check it compares it instead.
"""

import json
import pathlib
import struct
from fractions import Fraction

from commitment import current

PATH = pathlib.Path(__file__).absolute().parents[2] / "quant/grid/vectors/reals.json"

# Multiplier, shift, zero point and interval: small grids, pixels, a scale that is no power of two, and one of
# 53 bits.
GRIDS = [
    (1, 0, 0, (-128, 127)),
    (1, 1, 3, (-100, 300)),
    (1, 4, 0, (0, 16)),
    (13421773, 27, -7, (-128, 127)),
    (11184811, 25, 128, (0, 255)),
    (6004799503160661, 54, 0, (-(2**31), 2**31 - 1)),
    (3, -4, 0, (-(2**47), 2**47 - 1)),
]


def float32(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(real):
    return struct.unpack("<I", struct.pack("<f", float(real)))[0]


def code(real, multiplier, shift, zero_point, interval):
    # round() of a Fraction takes the even one of two integers that are equally near.
    nearest = round(Fraction(real) / (Fraction(multiplier) * Fraction(2) ** -shift))
    return min(max(nearest + zero_point, interval[0]), interval[1])


def reals(multiplier, shift):
    """Floats at, just below and just above the middles between codes, whole codes, and the ends of float32."""
    scale = Fraction(multiplier) * Fraction(2) ** -shift
    found = [0x00000000, 0x80000000, 0x00000001, 0x7F7FFFFF, 0xFF7FFFFF]
    for k in [0, 1, 2, 3, 5, 10, 63, 126, 127, 128, 1000, 2**20 + 1]:
        for quotient in (Fraction(k), k + Fraction(1, 2)):
            nearest = bits_of(quotient * scale)
            for bits in (nearest - 1, nearest, nearest + 1):
                if 0 <= bits < 0x7F800000:
                    found += [bits, bits | 0x80000000]
    return sorted(set(found))


def document():
    grids = [{"multiplier": m, "shift": s, "zero_point": z, "interval": list(interval),
              "codes": [[f"{bits:08x}", code(float32(bits), m, s, z, interval)] for bits in reals(m, s)]}
             for m, s, z, interval in GRIDS]
    info = {"label": "codes of float32 numbers", "source": "docs/spec/types.md#reals", "generator": "conformance/oracle/reals.py"}
    lines = ",\n".join(json.dumps(grid, separators=(",", ":")) for grid in grids)
    return '{"_info": %s,\n"grids": [\n%s\n]}\n' % (json.dumps(info), lines)


if __name__ == "__main__":
    current(PATH, document())
