"""What the operators that sample between pixels share: exact values by hat functions, and the limits of their proofs."""

import math
from fractions import Fraction

from vectorlib import INT64_LIMIT, check_accumulator, hull, require, tensor


def half_up(value):
    return math.floor(Fraction(value) + Fraction(1, 2))


def half_away(value):
    return half_up(value) if value >= 0 else -half_up(-value)


def clamp(value, lo, hi):
    return min(max(value, lo), hi)


def hat(distance):
    return max(Fraction(0), 1 - abs(Fraction(distance)))


def bilinear(x, n, c, v, u):
    """The value of x [N, C, H, W] at row v and column u, 0 outside, as a sum over all pixels."""
    rows = [(h, hat(v - h)) for h in range(x.shape[2]) if abs(v - h) < 1]
    columns = [(w, hat(u - w)) for w in range(x.shape[3]) if abs(u - w) < 1]
    return sum((a * b * x.at((n, c, h, w)) for h, a in rows for w, b in columns), Fraction(0))


def magnitude(interval):
    return max(abs(end) for end in interval)


def check_positions(reach, label):
    require(reach <= 2**61, label)


def quotients(c, shape, values, value_bounds, divisor, fraction, label, parts=1, partial=None):
    """The rounded results of exact `values`, with the bounds of the division by at most `divisor`."""
    low, high = partial or hull(value_bounds, (0, 0))
    low, high = math.floor(Fraction(low * divisor, parts)), math.ceil(Fraction(high * divisor, parts))
    require(magnitude((low, high)) * 2 ** (fraction + 1) + 2 * divisor <= INT64_LIMIT[1], label)
    check_accumulator((low, high), c.profile)
    interval = tuple(half_up(Fraction(bound, parts) * 2**fraction) for bound in value_bounds)
    return tensor(shape, [half_up(value * 2**fraction) for value in values], interval)
