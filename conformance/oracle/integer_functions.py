"""The functions of the elementwise operators of profile core, and the intervals of their values.

Each is stated over fractions or over bits, without the formulas of the C++.
"""

import math
from fractions import Fraction

from vectorlib import hull


def round_fraction(mode, q):
    """A fraction as an integer."""
    floor = math.floor(q)
    rest = q - floor
    if mode == "floor" or rest == 0:
        return floor
    if mode == "trunc":
        return floor + (q < 0)
    if rest != Fraction(1, 2):
        return floor + (rest > Fraction(1, 2))
    return floor + {"half_up": 1, "half_away": q > 0, "half_even": floor % 2 == 1}[mode]


def divide(mode, a, b):
    return 0 if b == 0 else round_fraction(mode, Fraction(a, b))


def modulo(mode, a, b):
    return a - b * divide(mode, a, b) if b else 0


def corners(image, a, b):
    values = [image(p, q) for p in a for q in b]
    return min(values), max(values)


def by_sign(b, part):
    """The hull of part(b below 0), part(b above 0) and, where b may be 0, 0."""
    parts = []
    if b[0] < 0:
        parts.append(part((b[0], min(b[1], -1))))
    if b[1] > 0:
        parts.append(part((max(b[0], 1), b[1])))
    if b[0] <= 0 <= b[1]:
        parts.append((0, 0))
    return hull(*parts)


def quotients(mode, a, b):
    return by_sign(b, lambda part: corners(lambda p, q: divide(mode, p, q), a, part))


def remainders(mode, a, b):

    def of_one_sign(part):
        least, greatest = corners(lambda p, q: divide(mode, p, q), a, part)
        if least == greatest:
            return corners(lambda p, q: p - q * least, a, part)
        largest = max(abs(end) for end in part) - 1
        if mode == "trunc" or (a[0] >= 0 if part[0] > 0 else a[1] <= 0):
            return max(min(a[0], 0), -largest), min(max(a[1], 0), largest)
        return (0, largest) if part[0] > 0 else (-largest, 0)

    return by_sign(b, of_one_sign)


def powers(a, b):
    """Every exponent, at the ends of a and where |a| is least."""
    values = [p**q for p in (a[0], a[1], min(max(0, a[0]), a[1])) for q in range(b[0], b[1] + 1)]
    return min(values), max(values)


def shifted_right(mode, a, b):
    return round_fraction(mode, Fraction(a, 2**b))


def blocks(interval):
    """The interval as (first, k): all numbers that differ from `first` in their last k bits only."""
    lo, hi = interval
    while lo <= hi:
        k = 0
        while lo % 2**(k + 1) == 0 and lo + 2**(k + 1) - 1 <= hi:
            k += 1
        yield lo, k
        lo += 2**k


BITWISE = {"and": int.__and__, "or": int.__or__, "xor": int.__xor__}


def bitwise_bounds(name, a, b):
    """Over each pair of blocks every bit is fixed or free, and the free ones are independent."""
    op, ends = BITWISE[name], []
    for p, i in blocks(a):
        for q, j in blocks(b):
            if name == "xor":
                free = 2**max(i, j) - 1
                ends += [(p ^ q) & ~free, (p ^ q) | free]
            else:
                ends += [op(p, q), op(p + 2**i - 1, q + 2**j - 1)]
    return min(ends), max(ends)


def leading_zeros(bits, x):
    return 0 if x < 0 else bits - len(f"{x:b}".lstrip("0"))


def root(mode, x):
    if x < 0:
        return 0
    floor = math.isqrt(x)
    return floor + (mode == "nearest" and 4 * x > (2 * floor + 1)**2)


def word(x, bits):
    """The machine word with the last `bits` bits of x."""
    return (x + 2**(bits - 1)) % 2**bits - 2**(bits - 1)
