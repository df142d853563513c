"""Vectors of the rescale family, by the definitions of ops/rescale/spec.md."""

import random

from broadcasting import broadcast_shape, read_broadcast
from vectorlib import (INT64_LIMIT, TENSOR_LIMITS, Lowering, Operator, axis_of, build, check_accumulator,
                       indices,
                       inside, main, noise, numel, require, tensor)

ROUNDINGS = ["floor", "half_up", "half_away", "half_even", "double", "trunc"]
CVM_MAX = 2**31 - 1
CORE_MIN, CORE_MAX = TENSOR_LIMITS["core"]


def rnd(mode, p, s):
    """p / 2^s as an integer, by quotient and remainder."""
    unit = 2**s
    q, r = divmod(p, unit)
    if mode == "floor" or r == 0:
        return q
    if mode == "half_up":
        return q + (2 * r >= unit)
    if mode == "half_away":
        return q + (2 * r > unit or (2 * r == unit and p > 0))
    if mode == "half_even":
        return q + (2 * r > unit or (2 * r == unit and q % 2 == 1))
    if mode == "trunc":
        return q + (p < 0)
    assert mode == "double"
    return rnd("half_up", p, s) if s <= 31 else rnd("half_away", rnd("half_up", p, 31), s - 31)


def clamp(v, lo, hi):
    return min(max(v, lo), hi)


def intermediates_fit(magnitude, s):
    return magnitude + (2 ** (s - 1) if s else 0) + 2**30 < 2**63


def rescale(c):
    (x, m, b, s), a = c.operands, c.attributes
    require(inside(x.interval, TENSOR_LIMITS["core"]), "rescale_c1")
    require(m.constant and b.constant and s.constant, "rescale_c2")
    require(len(m.shape) == 1 and m.shape == b.shape == s.shape, "rescale_c3")
    channels, axis = m.shape[0], None
    if channels > 1:
        axis = axis_of(a["axis"], len(x.shape), "rescale_c4")
        require(x.shape[axis] == channels, "rescale_c4")
    require(a["lo"] <= a["hi"], "rescale_c5")

    def image(v, k):
        return rnd(a["rounding"], (v - a["zero_in"]) * m.values[k] + b.values[k], s.values[k]) + a["zero_out"]

    ends = []
    for k in range(channels):
        require(abs(m.values[k]) < 2**31 and 0 <= s.values[k] <= 62, "rescale_c6")
        require(a["rounding"] != "double" or (m.values[k] >= 0 and b.values[k] == 0), "rescale_c7")
        widest = max(abs(end - a["zero_in"]) for end in x.interval)
        require(intermediates_fit(widest * abs(m.values[k]) + abs(b.values[k]), s.values[k]), "rescale_c8")
        of_channel = [image(end, k) for end in x.interval]
        require(inside((min(of_channel), max(of_channel)), INT64_LIMIT), "rescale_c9")
        ends += of_channel
    interval = tuple(clamp(end, a["lo"], a["hi"]) for end in (min(ends), max(ends)))
    y = build(x.shape, interval,
              lambda d: clamp(image(x.at(d), 0 if axis is None else d[axis]), a["lo"], a["hi"]))
    return [y], 88 * numel(y.shape) + 56 * numel(m.shape)


def lincomb(c):
    xs, a = c.operands, c.attributes
    require(all(inside(x.interval, TENSOR_LIMITS["core"]) for x in xs), "lincomb_c1")
    require(all(x.shape == xs[0].shape for x in xs), "lincomb_c2")
    require(len(a["multipliers"]) == len(a["zero_points"]) == len(xs), "lincomb_c3")
    require(a["lo"] <= a["hi"], "lincomb_c4")
    require(a["rounding"] != "double", "lincomb_c5")
    terms = [(a["bias"], a["bias"])]
    for x, m, z in zip(xs, a["multipliers"], a["zero_points"]):
        ends = [(end - z) * m for end in x.interval]
        terms.append((min(ends), max(ends)))
    require(intermediates_fit(sum(max(-lo, hi) for lo, hi in terms), a["shift"]), "lincomb_c6")
    ends = [rnd(a["rounding"], sum(t[i] for t in terms), a["shift"]) + a["zero_out"] for i in (0, 1)]
    require(inside(ends, INT64_LIMIT), "lincomb_c7")
    check_accumulator((sum(min(0, lo) for lo, _ in terms), sum(max(0, hi) for _, hi in terms)), c.profile)

    def element(d):
        p = a["bias"] + sum((x.at(d) - z) * m for x, m, z in zip(xs, a["multipliers"], a["zero_points"]))
        return clamp(rnd(a["rounding"], p, a["shift"]) + a["zero_out"], a["lo"], a["hi"])

    y = build(xs[0].shape, tuple(clamp(end, a["lo"], a["hi"]) for end in ends), element)
    return [y], 1536 + (12 * len(xs) + 56) * numel(y.shape)


def mulshift(c):
    (x, y), a = c.operands, c.attributes
    require(all(inside(t.interval, TENSOR_LIMITS["core"]) for t in c.operands), "mulshift_c1")
    shape = broadcast_shape(x.shape, y.shape, "mulshift_c2")
    require(a["lo"] <= a["hi"], "mulshift_c3")
    require(a["rounding"] != "double" or a["multiplier"] >= 0, "mulshift_c4")

    def image(p, q):
        product = (p - a["zero_a"]) * (q - a["zero_b"]) * a["multiplier"]
        return rnd(a["rounding"], product, a["shift"]) + a["zero_out"]

    pairs = [(p, q) for p in x.interval for q in y.interval]
    widest = max(abs((p - a["zero_a"]) * (q - a["zero_b"])) for p, q in pairs)
    require(intermediates_fit(widest * max(abs(a["multiplier"]), 1), a["shift"]), "mulshift_c5")
    ends = [image(p, q) for p, q in pairs]
    require(inside((min(ends), max(ends)), INT64_LIMIT), "mulshift_c6")
    interval = (clamp(min(ends), a["lo"], a["hi"]), clamp(max(ends), a["lo"], a["hi"]))
    r = build(shape, interval, lambda d: clamp(image(read_broadcast(x, d), read_broadcast(y, d)), a["lo"],
                                               a["hi"]))
    return [r], 192 + 72 * numel(shape)


def saturated(x, precision, image):
    """image(x), monotone, within a CVM precision."""
    require(1 <= precision <= 32, "attribute_range")
    alpha = 2 ** (precision - 1) - 1
    return build(x.shape, tuple(clamp(image(end), -alpha, alpha) for end in x.interval),
                 lambda d: clamp(image(x.at(d)), -alpha, alpha))


def cvm_clip(c):
    x = c.operands[0]
    return [saturated(x, c.attributes["precision"], lambda v: v)], 10 * numel(x.shape)


def cvm_right_shift(c):
    x, a = c.operands[0], c.attributes
    require(1 <= a["shift_bit"] <= 32, "attribute_range")
    require(inside(x.interval, TENSOR_LIMITS[c.profile]), "cvm_right_shift_c1")
    # The nested floors of the CVM document.
    image = lambda v: (v // 2 ** (a["shift_bit"] - 1) + 1) // 2
    return [saturated(x, a["precision"], image)], 768 + 22 * numel(x.shape)


def cvm_left_shift(c):
    x, a = c.operands[0], c.attributes
    require(1 <= a["precision"] <= 32 and 1 <= a["shift_bit"] <= 32, "attribute_range")
    precision = max(abs(end) for end in x.interval).bit_length() + 1 if any(x.interval) else 1
    require(c.profile != "cvm" or precision + a["shift_bit"] <= 32, "cvm_left_shift_c1")
    return [saturated(x, a["precision"], lambda v: v * 2 ** a["shift_bit"])], 768 + 22 * numel(x.shape)


def parameters(m, b, s):
    return [tensor([len(values)], values, constant=True) for values in (m, b, s)]


def rescale_attributes(**overrides):
    return dict(axis=0, zero_in=0, zero_out=0, lo=-128, hi=127, rounding="half_up") | overrides


def rescale_cases():
    op = Operator("rescale", "rescale", rescale)
    attributes = rescale_attributes
    ties = tensor([12], [-12, -11, -10, -7, -6, -5, 5, 6, 7, 10, 11, 12])
    for mode in ROUNDINGS:
        op.case(f"{mode}: around and at the halves", [ties, *parameters([1], [0], [2])],
                attributes(rounding=mode))
        op.case(f"{mode}: shift 0 is the identity", [ties, *parameters([3], [0], [0])],
                attributes(rounding=mode))
        op.case(f"{mode}: everything at once",
                [noise(mode, [2, 3], -1000, 1000),
                 *parameters([77], [0 if mode == "double" else -1234], [7])],
                attributes(zero_in=-9, zero_out=20, rounding=mode))
        op.case(f"{mode}: shift 62 rounds the largest 48-bit values",
                [tensor([4], [CORE_MIN, -1, 1, CORE_MAX]), *parameters([32767], [0], [62])],
                attributes(rounding=mode))
        op.case(f"{mode}: 31-bit multiplier",
                [noise(mode, [8], -CVM_MAX, CVM_MAX), *parameters([CVM_MAX], [0], [33])],
                attributes(lo=CORE_MIN, hi=CORE_MAX, rounding=mode))
    for s in (31, 32, 40):
        # Values within 2^30 of a tie become the tie in the first step and leave zero in the second.
        near = [sign * (k * 2 ** (s - 1) + delta) for k in (1, 3) for sign in (-1, 1)
                for delta in (-(2**30) - 1, -(2**30), 2**30 - 1, 2**30)]
        op.case(f"double: near its two ties at shift {s}",
                [tensor([16], near), *parameters([1], [0], [s])], attributes(rounding="double"))
    op.case("double: multiplier 0", [tensor([2], [-5, 5]), *parameters([0], [0], [40])],
            attributes(rounding="double", zero_out=3))
    op.case("one channel serves a scalar, whatever the axis", [tensor([], [7]), *parameters([2], [1], [0])],
            attributes(axis=7))
    op.case("per channel, last axis",
            [noise("last", [3, 4], -99, 99), *parameters([1, -2, 3, 0], [0, 5, -5, 9], [0, 1, 2, 3])],
            attributes(axis=-1))
    op.case("per channel, first axis",
            [noise("first", [3, 4], -99, 99), *parameters([1, -2, 3], [0, 5, -5], [0, 1, 2])],
            attributes(axis=0, rounding="half_even"))
    op.case("per channel, inner axis of rank 4",
            [noise("inner", [2, 3, 2, 2], -99, 99),
             *parameters([1000, -2000, 3000], [0, 500, -500], [10, 11, 12])],
            attributes(axis=1, rounding="half_away"))
    op.case("clamp narrower than the result", [noise("clamp", [6], -50, 50), *parameters([1], [0], [0])],
            attributes(lo=-3, hi=4))
    op.case("clamp to one value", [noise("one", [3], -50, 50), *parameters([1], [0], [0])],
            attributes(lo=5, hi=5))
    op.case("negative multiplier turns the interval round",
            [tensor([3], [-7, 0, 7], (-8, 7)), *parameters([-1], [0], [0])], attributes())
    op.case("bias of 62 bits", [tensor([2], [-1, 1]), *parameters([1], [2**62], [62])], attributes())
    op.case("largest product", [tensor([1], [3]), *parameters([2], [2**63 - 1 - 2**30 - 6], [0])],
            attributes(lo=CORE_MIN, hi=CORE_MAX))
    rng = random.Random("rescale")
    for i in range(24):
        channels = rng.choice([1, 3])
        mode = rng.choice(ROUNDINGS)
        bits = rng.randint(1, 31)
        m = [rng.randint(0 if mode == "double" else 1 - 2**bits, 2**bits - 1) for _ in range(channels)]
        b = [0 if mode == "double" else rng.randint(-(2**40), 2**40) for _ in range(channels)]
        s = [rng.randint(max(0, bits - 2), bits + 8) for _ in range(channels)]
        op.case(f"random {i}", [noise(f"rescale {i}", [2, 3, 2], -2000, 2000), *parameters(m, b, s)],
                attributes(axis=1, zero_in=rng.randint(-300, 300), zero_out=rng.randint(-99, 99), lo=-(2**20),
                           hi=2**20, rounding=mode))
    one = tensor([1], [1])
    op.refuse("rescale_c1", "x is a constant of 64 bits",
              [tensor([1], [2**47], constant=True), *parameters([0], [0], [0])], attributes())
    op.refuse("rescale_c2", "computed multiplier", [one, one, *parameters([1], [0], [0])[1:]], attributes())
    op.refuse("rescale_c2", "computed shift", [one, *parameters([1], [0], [0])[:2], one], attributes())
    op.refuse("rescale_c3", "lists of different length", [one, *parameters([1], [0, 0], [0])], attributes())
    op.refuse("rescale_c3", "matrices", [one] + [tensor([1, 1], [1], constant=True)] * 3, attributes())
    op.refuse("rescale_c4", "channels that the axis lacks",
              [noise("c4", [2, 3], 0, 9), *parameters([1, 1], [0, 0], [0, 0])], attributes(axis=1))
    op.refuse("rescale_c4", "no such axis",
              [noise("c4 axis", [2, 3], 0, 9), *parameters([1, 1], [0, 0], [0, 0])], attributes(axis=2))
    op.refuse("rescale_c5", "empty clamp", [one, *parameters([1], [0], [0])], attributes(lo=1, hi=0))
    op.refuse("rescale_c6", "multiplier 2^31", [one, *parameters([2**31], [0], [0])], attributes())
    op.refuse("rescale_c6", "multiplier -2^31", [one, *parameters([-(2**31)], [0], [0])], attributes())
    op.refuse("rescale_c6", "shift 63", [one, *parameters([1], [0], [63])], attributes())
    op.refuse("rescale_c6", "shift -1", [one, *parameters([1], [0], [-1])], attributes())
    op.refuse("rescale_c7", "double with a negative multiplier", [one, *parameters([-1], [0], [0])],
              attributes(rounding="double"))
    op.refuse("rescale_c7", "double with a bias", [one, *parameters([1], [1], [0])],
              attributes(rounding="double"))
    op.refuse("rescale_c8", "one above the largest product",
              [tensor([1], [3]), *parameters([2], [2**63 - 1 - 2**30 - 5], [0])], attributes())
    op.refuse("rescale_c8", "31-bit multiplier of 48-bit values",
              [tensor([1], [CORE_MAX]), *parameters([CVM_MAX], [0], [31])], attributes())
    op.refuse("rescale_c8", "in the last channel only",
              [tensor([2], [1, 1]), *parameters([1, 1], [0, -(2**63)], [0, 0])], attributes())
    op.refuse("rescale_c9", "zero point behind the largest product",
              [tensor([1], [0]), *parameters([0], [2**63 - 1 - 2**30], [0])], attributes(zero_out=2**30 + 1))
    return op


def lincomb_cases():
    op = Operator("rescale", "lincomb", lincomb)

    def attributes(multipliers, **overrides):
        return dict(multipliers=multipliers, zero_points=[0] * len(multipliers), bias=0, shift=0,
                    rounding="half_up", zero_out=0, lo=-128, hi=127) | overrides

    pairs = list(indices([5, 5]))
    a = tensor([25], [i - 2 for i, _ in pairs])
    b = tensor([25], [j - 2 for _, j in pairs])
    for mode in ROUNDINGS:
        if mode != "double":
            op.case(f"{mode}: halves are rounded once", [a, b], attributes([1, 1], shift=1, rounding=mode))
            op.case(f"{mode}: three operands, everything at once",
                    [noise(f"{mode} {k}", [2, 3], -200, 200) for k in range(3)],
                    attributes([77, -301, 1024], zero_points=[3, -4, 128], bias=-5555, shift=9, rounding=mode,
                               zero_out=-7))
    op.case("one operand is a rescale", [noise("single", [6], -99, 99)],
            attributes([-3], zero_points=[2], bias=1, shift=2))
    op.case("four operands", [noise(f"four {k}", [2, 2], -128, 127) for k in range(4)],
            attributes([2**20, -(2**20), 2**21, 2**19], shift=22))
    op.case("difference", [a, b], attributes([1, -1]))
    op.case("multiplier 0 forgets its operand", [a, noise("forgotten", [25], -(2**40), 2**40)],
            attributes([1, 0]))
    op.case("shift 62", [tensor([2], [-1, 1]), tensor([2], [-1, 1])],
            attributes([CVM_MAX, CVM_MAX], bias=2**61, shift=62, rounding="half_even"))
    op.case("scalars", [tensor([], [3]), tensor([], [4])], attributes([10, 100]))
    op.case("clamp narrower than the sum", [a, b], attributes([3, 3], lo=-2, hi=5))
    op.case("largest sum", [tensor([1], [-3]), tensor([1], [4])],
            attributes([2, 2], bias=2**63 - 1 - 2**30 - 14, lo=CORE_MIN, hi=CORE_MAX))
    rng = random.Random("lincomb")
    for i in range(16):
        count, bits = rng.randint(1, 4), rng.randint(1, 31)
        op.case(f"random {i}", [noise(f"lincomb {i} {k}", [3, 2], -300, 300) for k in range(count)],
                attributes([rng.randint(1 - 2**bits, 2**bits - 1) for _ in range(count)],
                           zero_points=[rng.randint(-128, 127) for _ in range(count)],
                           bias=rng.randint(-(2**30), 2**30), shift=rng.randint(max(0, bits - 3), bits + 6),
                           zero_out=rng.randint(-99, 99), lo=-(2**16), hi=2**16,
                           rounding=rng.choice([mode for mode in ROUNDINGS if mode != "double"])))
    one = tensor([1], [1])
    op.refuse("lincomb_c1", "a constant of 64 bits", [one, tensor([1], [2**47], constant=True)],
              attributes([1, 0]))
    op.refuse("lincomb_c2", "shapes that would broadcast", [one, tensor([1, 1], [1])], attributes([1, 1]))
    op.refuse("lincomb_c3", "too few multipliers", [one, one], attributes([1]))
    op.refuse("lincomb_c3", "too many zero points", [one], attributes([1], zero_points=[0, 0]))
    op.refuse("lincomb_c4", "empty clamp", [one], attributes([1], lo=1, hi=0))
    op.refuse("lincomb_c5", "double", [one], attributes([1], rounding="double"))
    op.refuse("lincomb_c6", "one above the largest sum", [tensor([1], [-3]), tensor([1], [4])],
              attributes([2, 2], bias=2**63 - 1 - 2**30 - 13))
    op.refuse("lincomb_c7", "zero point below the smallest sum", [tensor([1], [0])],
              attributes([0], bias=2**30 + 1 - 2**63, zero_out=-(2**30) - 2))
    return op


def mulshift_cases():
    op = Operator("rescale", "mulshift", mulshift)

    def attributes(**overrides):
        return dict(zero_a=0, zero_b=0, multiplier=1, shift=0, rounding="half_up", zero_out=0, lo=-128,
                    hi=127) | overrides

    small = [tensor([9, 1], range(-4, 5)), tensor([9], range(-4, 5))]
    for mode in ROUNDINGS:
        op.case(f"{mode}: halves and quarters", small, attributes(shift=2, rounding=mode))
        op.case(f"{mode}: everything at once",
                [noise(f"{mode} a", [2, 3], -128, 127), noise(f"{mode} b", [3], -128, 127)],
                attributes(zero_a=-9, zero_b=7, multiplier=77, shift=14, rounding=mode, zero_out=20))
        op.case(f"{mode}: products of 62 bits at shift 62",
                [tensor([2, 1], [-(2**31), 2**31 - 1]), tensor([2], [-(2**31), 2**31 - 1])],
                attributes(shift=62, rounding=mode))
    for s in (31, 32, 40):
        near = [sign * (2 ** (s - 1) + delta) for sign in (-1, 1) for delta in (-(2**30) - 1, -(2**30),
                                                                                2**30 - 1, 2**30)]
        op.case(f"double: near its tie at shift {s}", [tensor([8], near), tensor([2, 1], [-1, 1])],
                attributes(shift=s, rounding="double"))
    for left, right in (([2, 3], [2, 3]), ([], [2, 2]), ([2, 1], [1, 3]), ([2, 3, 2], [3, 1])):
        op.case(f"{left} with {right}", [noise("a", left, -50, 50), noise("b", right, -50, 50)],
                attributes(shift=4))
    op.case("a negative multiplier", small, attributes(multiplier=-3, shift=1))
    op.case("multiplier 0", small, attributes(multiplier=0, zero_out=5))
    op.case("multiplier 0 in mode double", small, attributes(multiplier=0, shift=40, rounding="double"))
    op.case("a quantized product of 31-bit multiplier",
            [noise("a", [8], -128, 127), noise("b", [8], -128, 127)],
            attributes(zero_a=-128, zero_b=3, multiplier=1518500250, shift=38, rounding="double",
                       zero_out=-4))
    op.case("clamp narrower than the product", small, attributes(lo=-2, hi=5))
    op.case("largest product", [tensor([1], [2**31]), tensor([1], [2**31])],
            attributes(shift=62, lo=CORE_MIN, hi=CORE_MAX))
    rng = random.Random("mulshift")
    for i in range(16):
        bits = rng.randint(1, 31)
        op.case(f"random {i}",
                [noise(f"mulshift {i} a", [3, 2], -300, 300), noise(f"mulshift {i} b", [2], -300, 300)],
                attributes(multiplier=rng.randint(0, 2**bits - 1), zero_a=rng.randint(-128, 127),
                           zero_b=rng.randint(-128, 127), shift=rng.randint(bits, bits + 12),
                           zero_out=rng.randint(-99, 99), lo=-(2**16), hi=2**16,
                           rounding=rng.choice(ROUNDINGS)))
    one = tensor([1], [1])
    op.refuse("mulshift_c1", "a constant of 64 bits", [one, tensor([1], [2**47], constant=True)],
              attributes())
    op.refuse("mulshift_c2", "[2] with [3]", [tensor([2], [0, 1]), tensor([3], [0, 1, 2])], attributes())
    op.refuse("mulshift_c3", "empty clamp", [one, one], attributes(lo=1, hi=0))
    op.refuse("mulshift_c4", "double with a negative multiplier", [one, one],
              attributes(multiplier=-1, rounding="double"))
    op.refuse("mulshift_c5", "product of 94 bits", [tensor([1], [CORE_MAX]), tensor([1], [CORE_MAX])],
              attributes())
    op.refuse("mulshift_c5", "a multiplier of 0 hides the product",
              [tensor([1], [CORE_MAX]), tensor([1], [CORE_MAX])], attributes(multiplier=0))
    op.refuse("mulshift_c6", "zero point behind the largest product",
              [tensor([1], [2**17]), tensor([1], [2**46 - 2**14 + 1])],
              attributes(zero_out=2**31 - 1))
    return op


def prelu(c):
    (x, m, s), a = c.operands, c.attributes
    require(len(m.shape) == 1, "lowering_operands")
    require(m.constant and s.constant, "rescale_c2")

    def element(d):
        v, k = x.at(d) - a["zero_in"], d[a["axis"]] if m.shape[0] > 1 else 0
        factor, shift = (a["multiplier"], a["shift"]) if v >= 0 else (m.values[k], s.values[k])
        return clamp(rnd(a["rounding"], v * factor, shift) + a["zero_out"], a["lo"], a["hi"])

    return [(x.shape, [element(d) for d in indices(x.shape)])]


def prelu_cases():
    op = Lowering("rescale", "prelu", prelu)

    def attributes(**overrides):
        return dict(axis=0, multiplier=2**30, shift=31, zero_in=0, zero_out=0, lo=-128, hi=127,
                    rounding="half_up") | overrides

    def slopes(m, s):
        return [tensor([len(values)], values, constant=True) for values in (m, s)]

    x = tensor([2, 3, 5], range(-17, 13))
    for mode in ROUNDINGS:
        op.case(f"{mode}: one slope", [x, *slopes([2**28], [31])],
                attributes(rounding=mode, zero_in=-3, zero_out=4))
        op.case(f"{mode}: a slope for each channel", [x, *slopes([2**28, 0, 2**30], [31, 30, 33])],
                attributes(axis=1, rounding=mode))
    op.case("negative slopes", [x, *slopes([-(2**30)], [32])], attributes())
    op.case("below zero only", [noise("below", [4], -90, -1), *slopes([3], [2])], attributes())
    op.case("above zero only", [noise("above", [4], 0, 90), *slopes([3], [2])], attributes())
    op.case("zero_in beyond the interval", [noise("above", [4], 0, 90), *slopes([3], [2])],
            attributes(zero_in=90))
    op.refuse("lowering_operands", "a scalar slope",
              [x, tensor([], [1], constant=True), tensor([], [0], constant=True)], attributes())
    op.refuse("rescale_c2", "a computed slope", [x, tensor([1], [1]), tensor([1], [0])], attributes())
    return op


def cvm_cases():
    clip = Operator("rescale", "cvm_clip", cvm_clip)
    right = Operator("rescale", "cvm_right_shift", cvm_right_shift)
    left = Operator("rescale", "cvm_left_shift", cvm_left_shift)
    extremes = tensor([7], [-CVM_MAX, -129, -1, 0, 1, 128, CVM_MAX])
    for precision in (1, 2, 8, 31, 32):
        clip.case(f"precision {precision}", [extremes], {"precision": precision}, "cvm")
    clip.case("inside the range", [noise("clip", [2, 3], -100, 20)], {"precision": 8}, "cvm")
    clip.case("48-bit values", [tensor([2], [CORE_MIN, CORE_MAX])], {"precision": 32})
    clip.case("a constant of 64 bits", [tensor([2], [-(2**63), 2**63 - 1], constant=True)], {"precision": 16})
    clip.refuse("attribute_range", "precision 0", [extremes], {"precision": 0}, "cvm")
    clip.refuse("attribute_range", "precision 33", [extremes], {"precision": 33}, "cvm")

    halves = tensor([12], [-12, -11, -10, -7, -6, -5, 5, 6, 7, 10, 11, 12])
    for shift_bit in (1, 2, 3):
        right.case(f"ties go up at shift {shift_bit}", [halves], {"precision": 8, "shift_bit": shift_bit},
                   "cvm")
    # Implementations of CVM disagree here: shifts by 31 and 32 floor every negative value to -1 ...
    for shift_bit in (30, 31, 32):
        edges = [sign * (2**30 + delta) for sign in (-1, 1) for delta in (-1, 0, 1)]
        right.case(f"shift {shift_bit} rounds like any other",
                   [tensor([9], [-CVM_MAX, *edges, -1, CVM_MAX])],
                   {"precision": 8, "shift_bit": shift_bit}, "cvm")
    # ... saturation is forgotten when precision + shift_bit >= 32 ...
    for shift_bit in (23, 24, 25):
        right.case(f"saturates at precision 8 and shift {shift_bit}", [extremes],
                   {"precision": 8, "shift_bit": shift_bit}, "cvm")
    # ... and the addition before the shift wraps at 32 bits.
    for precision in (8, 31, 32):
        right.case(f"the largest value plus 1 does not wrap at precision {precision}", [extremes],
                   {"precision": precision, "shift_bit": 1}, "cvm")
    right.case("tighter than its precision", [noise("right", [2, 3], -1000, 1000)],
               {"precision": 16, "shift_bit": 4}, "cvm")
    right.case("precision 1", [extremes], {"precision": 1, "shift_bit": 3}, "cvm")
    right.case("48-bit values", [tensor([4], [CORE_MIN, -(2**31), 2**31, CORE_MAX])],
               {"precision": 17, "shift_bit": 32})
    rng = random.Random("right")
    for i in range(12):
        right.case(f"random {i}", [noise(f"right {i}", [8], -CVM_MAX, CVM_MAX)],
                   {"precision": rng.randint(2, 32), "shift_bit": rng.randint(1, 32)}, "cvm")
    right.refuse("cvm_right_shift_c1", "a constant of 64 bits", [tensor([1], [2**47], constant=True)],
                 {"precision": 8, "shift_bit": 1})
    right.refuse("attribute_range", "shift 0", [extremes], {"precision": 8, "shift_bit": 0}, "cvm")
    right.refuse("attribute_range", "shift 33", [extremes], {"precision": 8, "shift_bit": 33}, "cvm")

    small = tensor([7], [-9, -8, -7, 0, 7, 8, 9])
    for precision, shift_bit in ((8, 1), (8, 4), (8, 27), (1, 3), (32, 27)):
        left.case(f"shift {shift_bit} to precision {precision}", [small],
                  {"precision": precision, "shift_bit": shift_bit}, "cvm")
    left.case("the published bound exactly", [tensor([2], [-127, 127])], {"precision": 32, "shift_bit": 24},
              "cvm")
    left.case("zero by 31", [tensor([2], [0, 0])], {"precision": 2, "shift_bit": 31}, "cvm")
    left.case("profile core has no published bound", [extremes], {"precision": 32, "shift_bit": 32})
    left.case("48-bit values saturate", [tensor([4], [CORE_MIN, -1, 1, CORE_MAX])],
              {"precision": 32, "shift_bit": 31})
    left.case("a constant of 64 bits saturates", [tensor([2], [-(2**63), 2**63 - 1], constant=True)],
              {"precision": 20, "shift_bit": 32})
    left.refuse("cvm_left_shift_c1", "one above the published bound", [tensor([2], [-127, 127])],
                {"precision": 32, "shift_bit": 25}, "cvm")
    left.refuse("attribute_range", "precision 33", [small], {"precision": 33, "shift_bit": 1}, "cvm")
    return clip, right, left


if __name__ == "__main__":
    main(__file__, [rescale_cases(), lincomb_cases(), mulshift_cases(), prelu_cases(), *cvm_cases()])
