"""Vectors of the elementwise operators of profile core, and of the lowerings of the family."""

from broadcasting import broadcast_gas, broadcast_shape, read_broadcast
from integer_functions import (BITWISE, bitwise_bounds, corners, divide, leading_zeros, modulo, powers,
                               quotients,
                               remainders, root, shifted_right, word)
from vectorlib import (TENSOR_LIMITS, Lowering, Operator, build, indices, inside, noise, numel, ramp, require,
                       tensor)

CORE_MIN, CORE_MAX = TENSOR_LIMITS["core"]
ROUNDINGS = ["floor", "half_up", "half_away", "half_even", "trunc"]
WIDEST = (-(2**63), 2**63 - 1)


def one(v, constant=False):
    return tensor([1], [v], constant=constant)


def binary(name, image, interval_rule, check=lambda a, b, attributes: None, rate=None):
    """image(a, b, attributes) for each pair, after check; for each result rate(the interval of b), else what broadcasts pays."""

    def define(c):
        (a, b), attributes = c.operands, c.attributes
        shape = broadcast_shape(a.shape, b.shape, f"{name}_c1")
        check(a.interval, b.interval, attributes)
        interval = interval_rule(a.interval, b.interval, attributes)
        require(inside(interval, TENSOR_LIMITS[c.profile]), "value_range")
        y = build(shape, interval, lambda d: image(read_broadcast(a, d), read_broadcast(b, d), attributes))
        return [y], rate(b.interval) * numel(shape) if rate else broadcast_gas(shape)

    return Operator("elementwise", name, define)


def add_broadcasts(op, attributes, *, a=(-7, 7), b=(1, 5)):
    """Shapes that broadcast, and one pair that does not."""
    for left, right in (([2, 3], [2, 3]), ([2, 3], [3]), ([], [2, 2]), ([2, 1], [1, 3]), ([2, 3, 2], [3, 1]),
                        ([4, 2], [2])):
        op.case(f"{left} with {right}", [noise(op.name, left, *a), noise(f"{op.name} b", right, *b)],
                attributes)
    op.refuse(f"{op.name}_c1", "[2] with [3]", [ramp([2], 1), ramp([3], 1)], attributes)


def divide_cases():

    def check(a, b, attributes):
        require(attributes["rounding"] != "double", "divide_c2")
        if attributes["rounding"] != "trunc":
            require(inside(a, TENSOR_LIMITS["core"]) and inside(b, TENSOR_LIMITS["core"]), "divide_c3")

    op = binary("divide", lambda a, b, attributes: divide(attributes["rounding"], a, b),
                lambda a, b, attributes: quotients(attributes["rounding"], a, b), check, lambda b: 112)
    add_broadcasts(op, {"rounding": "half_up"}, b=(-5, 5))
    column, row = tensor([25, 1], range(-12, 13)), tensor([11], range(-5, 6))
    for mode in ROUNDINGS:
        rounding = {"rounding": mode}
        op.case(f"{mode}: all small pairs", [column, row], rounding)
        for lo, hi in ((-9, -3), (-9, 0), (0, 9), (0, 0), (3, 9)):
            op.case(f"{mode}: b in [{lo}, {hi}]",
                    [noise(mode, [6], -50, 40), noise(f"{mode} {lo}", [6], lo, hi)],
                    rounding)
        op.case(f"{mode}: extremes",
                [tensor([3, 1], [CORE_MIN + 1, 0, CORE_MAX]),
                 tensor([6], [CORE_MIN, -2, -1, 1, 2, CORE_MAX])], rounding)
        op.case(f"{mode}: random",
                [noise(f"{mode} a", [12], -(10**6), 10**6), noise(f"{mode} b", [12], -999, 999)],
                rounding)
        op.refuse("value_range", f"{mode}: the lowest value by -1 leaves 48 bits", [one(CORE_MIN), one(-1)],
                  rounding)
    op.case("trunc: constants of 64 bits",
            [tensor([2], WIDEST, constant=True),
             tensor([2], [2**40, 2**41], constant=True)], {"rounding": "trunc"})
    op.refuse("divide_c2", "double", [one(1), one(1)], {"rounding": "double"})
    op.refuse("divide_c3", "a constant of 64 bits is rounded", [one(2**47, True), one(2)],
              {"rounding": "half_up"})
    op.refuse("divide_c3", "a divisor of 64 bits is rounded", [one(2), one(2**47, True)],
              {"rounding": "floor"})
    return op


def modulo_cases():

    def check(a, b, _):
        require(inside(a, TENSOR_LIMITS["core"]) and inside(b, TENSOR_LIMITS["core"]), "modulo_c2")

    op = binary("modulo", lambda a, b, attributes: modulo(attributes["rounding"], a, b),
                lambda a, b, attributes: remainders(attributes["rounding"], a, b), check, lambda b: 60)
    add_broadcasts(op, {"rounding": "floor"}, b=(-5, 5))
    column, row = tensor([25, 1], range(-12, 13)), tensor([11], range(-5, 6))
    for mode in ("trunc", "floor"):
        rounding = {"rounding": mode}
        op.case(f"{mode}: all small pairs", [column, row], rounding)
        for lo, hi in ((-9, -3), (-9, 0), (0, 9), (0, 0), (3, 9)):
            op.case(f"{mode}: b in [{lo}, {hi}]",
                    [noise(mode, [6], -50, 40), noise(f"{mode} {lo}", [6], lo, hi)],
                    rounding)
        for lo, hi in ((0, 4), (-4, 0), (12, 14), (-14, -12), (8, 31), (-31, -8)):
            for b in (-10, 10):
                op.case(f"{mode}: a from {lo} to {hi} by {b}", [noise(mode, [5], lo, hi), one(b)], rounding)
        op.case(f"{mode}: extremes",
                [tensor([3, 1], [CORE_MIN, 0, CORE_MAX]),
                 tensor([6], [CORE_MIN, -2, -1, 1, 2, CORE_MAX])], rounding)
    op.refuse("modulo_c2", "a constant of 64 bits", [one(2**47, True), one(2)], {"rounding": "trunc"})
    op.refuse("modulo_c2", "a divisor of 64 bits", [one(2), one(-(2**47) - 1, True)], {"rounding": "trunc"})
    return op


def power_cases():

    def check(_a, b, _):
        require(inside(b, (0, 62)), "power_c2")

    op = binary("power", lambda a, b, _: a**b, lambda a, b, _: powers(a, b), check,
                rate=lambda b: 4 * max(b[1], 1) + 22)
    add_broadcasts(op, {})
    op.case("all small pairs", [tensor([9, 1], range(-4, 5)), tensor([7], range(7))])
    for lo, hi in ((0, 0), (1, 1), (2, 2), (3, 3), (0, 1), (1, 2), (2, 3), (3, 5)):
        for a in ((-3, -2), (-3, 0), (-3, 2), (-1, 1), (0, 3), (2, 3)):
            op.case(f"a from {a[0]} to {a[1]}, b from {lo} to {hi}",
                    [noise("a", [4], *a), noise("b", [4], lo, hi)])
    op.case("the largest exponent", [tensor([3, 1], [-1, 0, 1]), tensor([2], [61, 62])])
    op.case("the largest powers", [tensor([2], [-2, 2]), one(46)])
    op.case("the lowest value", [one(-2), one(47)])
    op.case("a constant of 64 bits to the power 0", [tensor([2], WIDEST, constant=True), one(0)])
    op.refuse("value_range", "2 to the power 47", [one(2), one(47)])
    op.refuse("value_range", "far beyond 64 bits", [one(CORE_MIN), one(62)])
    op.refuse("power_c2", "a negative exponent", [one(1), one(-1)])
    op.refuse("power_c2", "an exponent that might be 63", [one(1), tensor([1], [0], (0, 63))])
    return op


def shift_cases():
    left = binary("shift_left", lambda a, b, _: a * 2**b,
                  lambda a, b, _: corners(lambda p, q: p * 2**q, a, b),
                  lambda a, b, _: require(inside(b, (0, 62)), "shift_left_c2"), lambda b: 40)
    add_broadcasts(left, {})
    left.case("all small pairs", [tensor([9, 1], range(-4, 5)), tensor([5], range(5))])
    left.case("to the limits", [tensor([3], [-1, 0, 1]), tensor([3], [46, 46, 46])])
    left.case("the lowest value", [one(-1), one(47)])
    left.case("zero by 62", [one(0), one(62)])
    left.refuse("value_range", "1 by 47", [one(1), one(47)])
    left.refuse("value_range", "a constant of 64 bits by 62", [one(WIDEST[0], True), one(62)])
    left.refuse("shift_left_c2", "by -1", [one(0), one(-1)])
    left.refuse("shift_left_c2", "perhaps by 63", [one(0), tensor([1], [0], (0, 63))])

    def check(a, b, attributes):
        require(attributes["rounding"] != "double", "shift_right_c2")
        require(inside(b, (0, 62)), "shift_right_c3")
        require(inside(a, TENSOR_LIMITS["core"]), "shift_right_c4")

    right = binary("shift_right", lambda a, b, attributes: shifted_right(attributes["rounding"], a, b),
                   lambda a, b, attributes: corners(lambda p, q: shifted_right(attributes["rounding"], p, q),
                                                    a, b), check, lambda b: 40)
    add_broadcasts(right, {"rounding": "floor"})
    for mode in ROUNDINGS:
        rounding = {"rounding": mode}
        right.case(f"{mode}: all small pairs", [tensor([25, 1], range(-12, 13)), tensor([6], range(6))],
                   rounding)
        right.case(f"{mode}: extremes",
                   [tensor([4, 1], [CORE_MIN, -1, 1, CORE_MAX]), tensor([6], [0, 1, 46, 47, 48, 62])],
                   rounding)
        for a in ((-40, -9), (-40, 0), (0, 40), (9, 40)):
            right.case(f"{mode}: a from {a[0]} to {a[1]}",
                       [noise(mode, [6], *a), noise(f"{mode} b", [6], 1, 3)], rounding)
    right.refuse("shift_right_c2", "double", [one(1), one(1)], {"rounding": "double"})
    right.refuse("shift_right_c3", "by -1", [one(1), one(-1)], {"rounding": "floor"})
    right.refuse("shift_right_c3", "perhaps by 63", [one(1), tensor([1], [0], (0, 63))],
                 {"rounding": "floor"})
    right.refuse("shift_right_c4", "a constant of 64 bits", [one(2**47, True), one(1)], {"rounding": "floor"})
    return left, right


def bitwise_cases():
    operators = []
    for kind, image in BITWISE.items():
        op = binary(f"bitwise_{kind}", lambda a, b, _, image=image: image(a, b),
                    lambda a, b, _, kind=kind: bitwise_bounds(kind, a, b))
        add_broadcasts(op, {}, b=(-9, 9))
        op.case("all small pairs", [tensor([16, 1], range(-8, 8)), tensor([16], range(-8, 8))])
        for a in ((-21, -11), (-5, 9), (6, 19), (12, 13), (0, 255)):
            for b in ((-13, -7), (-2, 3), (5, 10), (20, 20)):
                op.case(f"a from {a[0]} to {a[1]}, b from {b[0]} to {b[1]}",
                        [noise(f"{kind} a", [6], *a), noise(f"{kind} b", [6], *b)])
        op.case("extremes",
                [tensor([4, 1], [CORE_MIN, -1, 0, CORE_MAX]), tensor([4], [CORE_MIN, -1, 0, CORE_MAX])])
        op.case("alternating bits", [tensor([3, 1], [0x5555_5555_5555, -1 - 0x5555_5555_5555, 0x0f0f]),
                                     tensor([2], [0x2aaa_aaaa_aaaa, 0x33])])
        op.case("random",
                [noise(f"{kind} wide a", [3, 4], -(2**40), 2**41),
                 noise(f"{kind} wide b", [3, 1], -99, 2**33)])
        wide = [tensor([2], WIDEST, constant=True), tensor([1], [CORE_MAX if kind == "and" else CORE_MIN])]
        op.refuse("value_range", "a constant of 64 bits",
                  [tensor([2], WIDEST, constant=True), one(-1 if kind == "and" else 0)])
        if kind == "and":
            op.case("the low bits of 64", wide)
        operators.append(op)
    return operators


def unary_cases():

    def clz_rule(c):
        x, bits = c.operands[0], c.attributes["bits"]
        require(1 <= bits <= 48, "attribute_range")
        require(x.interval[1] < 2**bits, "clz_c1")
        lo = 0 if x.interval[0] < 0 else leading_zeros(bits, x.interval[1])
        hi = leading_zeros(bits, min(max(0, x.interval[0]), x.interval[1]))
        return [build(x.shape, (lo, hi), lambda d: leading_zeros(bits, x.at(d)))], 280 * numel(x.shape)

    clz = Operator("elementwise", "clz", clz_rule)
    clz.case("around every power of two",
             [tensor([63], [0] + [2**e + d for e in range(1, 32) for d in (-1, 0)])], {"bits": 32})
    clz.case("negative values", [tensor([4], [CORE_MIN, -1, 0, 1])], {"bits": 8})
    clz.case("only negative values", [noise("clz", [3], -9, -2)], {"bits": 8})
    clz.case("only positive values", [noise("clz +", [2, 3], 3, 99)], {"bits": 16})
    clz.case("one bit", [tensor([2], [0, 1])], {"bits": 1})
    clz.case("48 bits", [tensor([2], [0, CORE_MAX])], {"bits": 48})
    clz.case("a constant of 64 bits below 0", [tensor([2], [WIDEST[0], 3], constant=True)], {"bits": 8})
    clz.refuse("clz_c1", "one bit too many", [one(256)], {"bits": 8})
    clz.refuse("attribute_range", "no bits", [one(0)], {"bits": 0})
    clz.refuse("attribute_range", "49 bits", [one(0)], {"bits": 49})

    def sqrt_rule(c):
        x, mode = c.operands[0], c.attributes["rounding"]
        require(inside(x.interval, TENSOR_LIMITS["core"]), "sqrt_c1")
        y = build(x.shape, tuple(root(mode, end) for end in x.interval), lambda d: root(mode, x.at(d)))
        return [y], 320 * numel(x.shape)

    sqrt = Operator("elementwise", "sqrt", sqrt_rule)
    for mode in ("floor", "nearest"):
        rounding = {"rounding": mode}
        sqrt.case(f"{mode}: small values", [tensor([34], range(-3, 31))], rounding)
        edges = [r * r + d for r in (181, 46341, 2**20, 11863282) for d in (-1, 0, r, r + 1)]
        sqrt.case(f"{mode}: around squares and midpoints", [tensor([4, 4], edges)], rounding)
        sqrt.case(f"{mode}: limits", [tensor([2], [CORE_MIN, CORE_MAX])], rounding)
        sqrt.case(f"{mode}: scalar", [tensor([], [2])], rounding)
    sqrt.refuse("sqrt_c1", "a constant of 64 bits", [one(2**47, True)], {"rounding": "floor"})
    return clz, sqrt


def minimum_cases():
    op = binary("broadcast_min", lambda a, b, _: min(a, b), lambda a, b,
                _: (min(a[0], b[0]), min(a[1], b[1])))
    add_broadcasts(op, {}, b=(-9, 9))
    op.case("extremes", [tensor([2, 1], [CORE_MIN, CORE_MAX]), tensor([2], [CORE_MIN, CORE_MAX])])
    return op


def lowering_cases():
    sign = Lowering("elementwise", "sign",
                    lambda c: [(c.operands[0].shape, [(v > 0) - (v < 0) for v in c.operands[0].values])])
    sign.case("both signs", [tensor([2, 3], [CORE_MIN, -2, -1, 0, 1, CORE_MAX])])
    square = Lowering("elementwise", "square",
                      lambda c: [(c.operands[0].shape, [v * v for v in c.operands[0].values])])
    square.case("both signs", [tensor([2, 2], [-3, 0, 2, 2**23])])
    inverse = Lowering("elementwise", "bitwise_not",
                       lambda c: [(c.operands[0].shape, [~v for v in c.operands[0].values])])
    inverse.case("both signs", [tensor([5], [CORE_MIN, -1, 0, 1, CORE_MAX])])

    def pairwise(name, image):
        def define(c):
            a, b = c.operands
            shape = broadcast_shape(a.shape, b.shape, "lowering_operands")
            return [(shape,
                     [image(read_broadcast(a, d), read_broadcast(b, d),
                            c.attributes) for d in indices(shape)])]
        return Lowering("elementwise", name, define)

    difference = pairwise("squared_difference", lambda a, b, _: (a - b)**2)
    difference.case("broadcast", [noise("a", [2, 3], -99, 99), noise("b", [3], -99, 99)])

    def shift_of_words(name, image):
        op = pairwise(name, lambda a, s,
                      attributes: word(image(a % 2**attributes["bits"], s), attributes["bits"]))
        of_any = op.define

        def define(c):
            (x, amount), bits = c.operands, c.attributes["bits"]
            require(inside(x.interval, (-(2**(bits - 1)), 2**(bits - 1) - 1)), "lowering_operands")
            require(inside(amount.interval, (0, bits - 1)), "lowering_operands")
            return of_any(c)

        op.define = define
        return op

    left = shift_of_words("logical_shift_left", lambda a, s: a << s)
    right = shift_of_words("logical_shift_right", lambda a, s: a >> s)
    for op in (left, right):
        for bits in (8, 16, 32, 47):
            edges = tensor([6, 1], [-(2**(bits - 1)), -(2**(bits - 1)) + 1, -1, 0, 1, 2**(bits - 1) - 1])
            op.case(f"{bits} bits by every amount", [edges, tensor([bits], range(bits))], {"bits": bits})
        op.case("random", [noise("x", [2, 3, 4], -(2**31), 2**31 - 1), noise("s", [3, 1], 0, 31)],
                {"bits": 32})
        op.case("by at least 1", [noise("x", [8], -128, 127), noise("s", [8], 1, 7)], {"bits": 8})
        op.case("by 0, of another shape",
                [noise("x", [3], -128, 127),
                 ramp([2, 1], 0, (0, 1)) if op is right else tensor([2, 1], [0, 0])], {"bits": 8})
        op.case("one bit", [tensor([2], [-1, 0]), tensor([1], [0])], {"bits": 1})
        op.refuse("lowering_operands", "a value beyond the word", [one(128), one(1)], {"bits": 8})
        op.refuse("lowering_operands", "by the whole word", [one(1), one(8)], {"bits": 8})
    return [sign, square, inverse, difference, left, right]


def core_operators():
    return [minimum_cases(), divide_cases(), modulo_cases(), power_cases(), *shift_cases(), *bitwise_cases(),
            *unary_cases(), *lowering_cases()]
