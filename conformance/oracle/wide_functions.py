"""Functions of integers that are too wide for one table: a binade, a straight line between two of 1025 entries."""

from decimal import ROUND_FLOOR, Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60


def rnd(p, s):
    """p / 2^s, half up."""
    return (2 * p + 2**s) // 2 ** (s + 1)


def decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def nearest(v):
    """A decimal as an integer, half up."""
    return int((v + Decimal("0.5")).to_integral_value(ROUND_FLOOR))


def scale_of(fields):
    return Fraction(fields[0], 2 ** fields[1])


def binade(v):
    """(exponent, entry, rest of 30 bits)"""
    k = v.bit_length() - 1
    position = (v << 40 >> k) - 2**40
    return k, position // 2**30, position % 2**30


def interpolate(entries, i, rest):
    return entries[i] + rnd((entries[i + 1] - entries[i]) * rest, 30)


def wide_log(a):
    """The natural logarithm with the scales a["in"] and a["out"], for x > 0 and before zero_out; None where it is too fine."""
    fine = 30 + a["out"][0].bit_length()
    if fine < a["out"][1]:
        return None
    unit = decimal(Fraction(a["out"][0], 2**fine))
    mantissas = [nearest((1 + Decimal(i) / 1024).ln() / unit) for i in range(1025)]

    def log(x):
        k, i, rest = binade(x)
        exponent = nearest(decimal(2**k * scale_of(a["in"])).ln() / unit)
        return rnd(interpolate(mantissas, i, rest) + exponent, fine - a["out"][1])

    return log


def power_of(x, exponent):
    """x ** exponent for a Fraction x > 0, as a decimal."""
    return (decimal(x).ln() * decimal(exponent)).exp() if exponent else Decimal(1)


def wide_constant_power(a):
    """x ** a["exponent"] with the scales a["in"] and a["out"], for x > 0 and clamped; None where it does not fit."""
    exponent = Fraction(*a["exponent"])
    reach = -(-abs(exponent.numerator) // exponent.denominator)
    fine = 31 - reach if exponent > 0 else 31
    shift = min(61 - reach - max(a["hi"] - a["zero_out"], 0).bit_length(), 62 - a["out"][1] + fine)
    if shift < 0 or scale_of(a["out"]) * Fraction(2) ** (fine - shift) >= 2**31:
        return None
    mantissas = [nearest(power_of(1 + Fraction(i, 1024), exponent) * 2**fine) for i in range(1025)]
    unit = decimal(scale_of(a["out"])) * Decimal(2) ** (fine - shift)

    def power(x):
        k, i, rest = binade(x)
        factor = min(nearest(power_of(2**k * scale_of(a["in"]), exponent) / unit), 2**31 - 1)
        return min(max(rnd(interpolate(mantissas, i, rest) * factor, shift) + a["zero_out"], a["lo"]), a["hi"])

    return power


def exp_split(a):
    """How wide_exp cuts x, as a number of lower bits, and its guard bits."""
    step = scale_of(a["in"])
    bits = max([b for b in range(1, 17) if 2**b * step <= Fraction(11, 16)], default=0)
    return bits, min(30 - max(a["hi"] - a["zero_out"], 0).bit_length(), 62 - a["out"][1])


def wide_exp(a):
    """The exponential with the scales a["in"] and a["out"], clamped."""
    bits, guard = exp_split(a)

    def exponential(v, unit, most):
        return min(nearest(decimal(v * scale_of(a["in"])).exp() / decimal(unit)), most)

    def exp(v):
        upper = exponential(v >> bits << bits, scale_of(a["out"]) / 2**guard, 2**31 - 1)
        lower = exponential(v % 2**bits, Fraction(1, 2**30), 2**31)
        return min(max(rnd(upper * lower, 30 + guard) + a["zero_out"], a["lo"]), a["hi"])

    return exp
