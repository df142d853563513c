"""Vectors of the elementwise family, by the definitions of ops/elementwise/spec.md."""

from broadcasting import broadcast_gas, broadcast_shape, read_broadcast
from elementwise_core import core_operators
from vectorlib import TENSOR_LIMITS, Operator, build, hull, inside, main, noise, numel, ramp, require, tensor

CVM_MAX = 2**31 - 1
CORE_MIN, CORE_MAX = TENSOR_LIMITS["core"]


def precision_of(interval):
    """CVM's precision of an interval: the bits of the larger magnitude, and a sign."""
    magnitude = max(abs(end) for end in interval)
    return magnitude.bit_length() + 1 if magnitude else 1


def divide(a, b):
    """Toward zero; 0 where b = 0."""
    if b == 0:
        return 0
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def corners(image, a, b):
    values = [image(p, q) for p in a for q in b]
    return min(values), max(values)


def quotients(a, b):
    """The parts of b on either side of 0, and 0 itself."""
    parts = []
    if b[0] < 0:
        parts.append(corners(divide, a, (b[0], min(b[1], -1))))
    if b[1] > 0:
        parts.append(corners(divide, a, (max(b[0], 1), b[1])))
    if b[0] <= 0 <= b[1]:
        parts.append((0, 0))
    return hull(*parts)


# name: (the function, its interval rule, the published precision)
BINARY = {
    "add": (lambda a, b: a + b, lambda a, b: (a[0] + b[0], a[1] + b[1]), lambda p, q: max(p, q) + 1),
    "sub": (lambda a, b: a - b, lambda a, b: (a[0] - b[1], a[1] - b[0]), lambda p, q: max(p, q) + 1),
    "mul": (lambda a, b: a * b, lambda a, b: corners(lambda p, q: p * q, a, b), lambda p, q: p + q),
    "div": (divide, quotients, lambda p, q: p),
    "max": (max, lambda a, b: (max(a[0], b[0]), max(a[1], b[1])), lambda p, q: max(p, q)),
}


def binary(name, function, shape_rule, gas):
    image, interval_rule, precision_rule = BINARY[function]

    def define(c):
        a, b = c.operands
        shape = shape_rule(a.shape, b.shape, f"{name}_c1")
        interval = interval_rule(a.interval, b.interval)
        require(inside(interval, TENSOR_LIMITS[c.profile]), "value_range")
        if c.profile == "cvm":
            require(precision_rule(precision_of(a.interval), precision_of(b.interval)) <= 32, "cvm_precision")
        y = build(shape, interval, lambda d: image(read_broadcast(a, d), read_broadcast(b, d)))
        return [y], gas(shape)

    return Operator("elementwise", name, define)


def equal_shape(a, b, label):
    require(a == b, label)
    return a


def magnitudes(x):
    return max(x[0], -x[1], 0), max(-x[0], x[1])


def bits(v):
    return max(1, len(f"{abs(v):b}"))


# name: (the function, its interval rule, gas of an element)
UNARY = {
    "abs": (abs, magnitudes, 5),
    "negative": (lambda v: -v, lambda x: (-x[1], -x[0]), 5),
    "relu": (lambda v: max(v, 0), lambda x: (max(x[0], 0), max(x[1], 0)), 5),
    "cvm_precision": (bits, lambda x: tuple(bits(m) for m in magnitudes(x)), 320),
}


def unary(name):
    image, interval_rule, gas = UNARY[name]

    def define(c):
        x = c.operands[0]
        require(name != "cvm_precision" or inside(x.interval, TENSOR_LIMITS[c.profile]), "cvm_precision_c1")
        interval = interval_rule(x.interval)
        require(inside(interval, TENSOR_LIMITS[c.profile]), "value_range")
        return [build(x.shape, interval, lambda d: image(x.at(d)))], gas * numel(x.shape)

    return Operator("elementwise", name, define)


def clip(c):
    x, lo, hi = c.operands[0], c.attributes["a_min"], c.attributes["a_max"]
    require(inside((min(lo, hi), max(lo, hi)), TENSOR_LIMITS["core"]), "attribute_range")
    require(lo <= hi, "clip_c1")
    require(inside((lo, hi), TENSOR_LIMITS[c.profile]), "clip_c2")
    clamp = lambda v: min(max(v, lo), hi)
    return [build(x.shape, tuple(clamp(end) for end in x.interval), lambda d: clamp(x.at(d)))], 5 * numel(x.shape)


def one(v):
    return tensor([1], [v])


def broadcast_cases():
    operators = []
    # The fourth pair grows both operands; the second, fifth and sixth fit only when aligned at the right.
    shapes = [([2, 3], [2, 3]), ([2, 3], [3]), ([], [2, 2]), ([2, 1], [1, 3]), ([2, 3, 2], [3, 1]),
              ([4, 2], [2]), ([1, 1, 1], [2])]
    signs = (tensor([5, 1], [-7, -1, 0, 1, 7]), tensor([6], [-7, -2, -1, 0, 2, 3]))
    for function in BINARY:
        name = f"broadcast_{function}"
        op = binary(name, function, broadcast_shape, (lambda shape: 60 * numel(shape)) if function == "div" else broadcast_gas)
        for a, b in shapes:
            op.case(f"{a} with {b}", [ramp(a, -2), ramp(b, -1)], profile="core")
        op.case("all pairs of signs", list(signs), profile="cvm")
        for lo, hi in ((-9, -3), (-9, 0), (-9, 9), (0, 9), (0, 0), (3, 9)):
            op.case(f"b in [{lo}, {hi}]", [noise(name, [6], -50, 40), noise(f"{name} {lo}", [6], lo, hi)])
        op.case("random", [noise(f"{name} a", [3, 1, 4], -9999, 9999), noise(f"{name} b", [2, 1], -99, 99)],
                profile="cvm")
        op.refuse(f"{name}_c1", "[2] with [3]", [ramp([2]), ramp([3])])
        op.refuse(f"{name}_c1", "aligned at the left only", [ramp([2, 3]), ramp([2])])
        operators.append(op)
    add, sub, mul, div, greatest = operators

    add.case("largest 32-bit sum", [one(2**30 - 1), one(2**30 - 1)], profile="cvm")
    add.refuse("value_range", "leaves profile cvm", [one(CVM_MAX), one(1)], profile="cvm")
    add.refuse("value_range", "leaves 48 bits", [one(CORE_MAX), one(1)])
    sub.case("the limits of profile core", [one(-1), one(CORE_MAX)])
    sub.refuse("value_range", "leaves 48 bits", [one(CORE_MIN), one(1)])
    mul.case("largest product", [one(2**24), one(-(2**23))])
    mul.refuse("value_range", "leaves 48 bits", [one(2**24), one(2**23)])
    mul.refuse("cvm_precision", "the published rule counts the sign twice", [one(2**16), one(2**14)],
               profile="cvm")
    div.case("the lowest value by -1", [one(-CVM_MAX), one(-1)], profile="cvm")
    div.case("extremes by both signs",
             [tensor([3, 1], [CORE_MIN + 1, 0, CORE_MAX]), tensor([5], [-2, -1, 0, 1, 2])])
    div.case("the lowest value by -2", [one(CORE_MIN), one(-2)])
    div.refuse("value_range", "the lowest value by -1 leaves 48 bits", [one(CORE_MIN), one(-1)])
    greatest.case("extremes", [tensor([2, 1], [CORE_MIN, CORE_MAX]), tensor([2], [CORE_MIN, CORE_MAX])])
    return operators


def elemwise_cases():
    operators = []
    for function in ("add", "sub"):
        name = f"elemwise_{function}"
        op = binary(name, function, equal_shape, lambda shape: 5 * numel(shape))
        op.case("matrix", [ramp([2, 3], -2), ramp([2, 3], -5)], profile="cvm")
        op.case("scalar", [ramp([], 3), ramp([], 4)])
        op.case("random",
                [noise(f"{name} a", [2, 2, 2], -(2**20), 99), noise(f"{name} b", [2, 2, 2], 5, 2**40)])
        op.refuse(f"{name}_c1", "shapes that would broadcast", [ramp([2, 3]), ramp([3])])
        op.refuse(f"{name}_c1", "same elements, other shape", [ramp([2, 3]), ramp([3, 2])])
        op.refuse("value_range", "leaves profile cvm",
                  [one(-CVM_MAX), one(-CVM_MAX if function == "add" else 1)], profile="cvm")
        operators.append(op)
    return operators


def unary_cases():
    operators = []
    for name in UNARY:
        op = unary(name)
        op.case("both signs", [tensor([9], [-128, -4, -3, -1, 0, 1, 2, 7, 127])], profile="cvm")
        op.case("scalar", [one(-6)])
        for lo, hi in ((-9, -3), (-9, 0), (-9, 4), (-4, 9), (0, 9), (3, 9), (0, 0)):
            op.case(f"x in [{lo}, {hi}]", [noise(f"{name} {lo} {hi}", [2, 3], lo, hi)])
        op.case("limits of profile cvm", [tensor([2], [-CVM_MAX, CVM_MAX])], profile="cvm")
        op.case("symmetric limits of profile core", [tensor([2], [-CORE_MAX, CORE_MAX])])
        op.case("random", [noise(name, [2, 2, 4], -(2**40), 2**40)])
        operators.append(op)
    absolute, negative, relu, precision = operators

    lowest = one(CORE_MIN)
    absolute.refuse("value_range", "the lowest value has no magnitude", [lowest])
    negative.refuse("value_range", "the lowest value has no opposite", [lowest])
    relu.case("the lowest value", [lowest])
    precision.case("the lowest value", [lowest])
    powers = [0] + [v for e in range(31) for v in (2**e - 1, 2**e)][1:]
    precision.case("around every power of two", [tensor([len(powers)], powers)], profile="cvm")
    precision.refuse("cvm_precision_c1", "a constant of 64 bits", [tensor([1], [-(2**63)], constant=True)])
    return operators


def clip_cases():
    op = Operator("elementwise", "clip", clip)
    x = tensor([9], [-9, -5, -4, -3, 0, 2, 3, 4, 9])
    for lo, hi in ((-4, 3), (-4, -4), (3, 3), (0, 100), (-100, 0), (-100, 100), (50, 60), (-60, -50)):
        op.case(f"[{lo}, {hi}]", [x], {"a_min": lo, "a_max": hi}, "cvm")
    op.case("the whole of profile cvm", [tensor([2], [-CVM_MAX, CVM_MAX])],
            {"a_min": -CVM_MAX, "a_max": CVM_MAX}, "cvm")
    op.case("the whole of profile core", [tensor([2], [CORE_MIN, CORE_MAX])],
            {"a_min": CORE_MIN, "a_max": CORE_MAX})
    op.case("random", [noise("clip", [2, 3, 2], -1000, 1000)], {"a_min": -127, "a_max": 127}, "cvm")
    op.case("a constant of 64 bits", [tensor([2], [-(2**63), 2**63 - 1], constant=True)],
            {"a_min": -1, "a_max": 5})
    op.refuse("clip_c1", "empty range", [x], {"a_min": 1, "a_max": 0})
    op.refuse("clip_c2", "beyond profile cvm", [x], {"a_min": 0, "a_max": 2**31}, "cvm")
    op.refuse("attribute_range", "beyond profile core", [x], {"a_min": 0, "a_max": 2**47})
    return op


if __name__ == "__main__":
    main(__file__, [*broadcast_cases(), *elemwise_cases(), *unary_cases(), clip_cases(), *core_operators()])
