"""Vectors of the comparison family, by the definitions of ops/comparison/spec.md."""

import operator

from broadcasting import broadcast_gas, broadcast_shape, read_broadcast
from vectorlib import (TENSOR_LIMITS, Lowering, Operator, build, hull, indices, inside, main, noise, numel,
                       ramp,
                       require, tensor)

CVM_MAX = 2**31 - 1
CORE_MIN, CORE_MAX = TENSOR_LIMITS["core"]


def broadcast_greater(c):
    a, b = c.operands
    shape = broadcast_shape(a.shape, b.shape, "broadcast_greater_c1")
    always, possible = a.interval[0] > b.interval[1], a.interval[1] > b.interval[0]
    y = build(shape, (int(always), int(possible)), lambda d: int(read_broadcast(a, d) > read_broadcast(b, d)))
    return [y], broadcast_gas(shape)


COMPARISONS = {"equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le,
               "greater": operator.gt, "greater_equal": operator.ge}


def verdicts(kind, a, b):
    """The results that some pair of the intervals gives, by their ends and the values next to them."""
    near = lambda i, j: {v for end in j for v in (end - 1, end, end + 1) if i[0] <= v <= i[1]} | set(i)
    found = [int(COMPARISONS[kind](p, q)) for p in near(a, b) for q in near(b, a)]
    return min(found), max(found)


def compare(c):
    (a, b), kind = c.operands, c.attributes["kind"]
    shape = broadcast_shape(a.shape, b.shape, "compare_c1")
    y = build(shape, verdicts(kind, a.interval, b.interval),
              lambda d: int(COMPARISONS[kind](read_broadcast(a, d), read_broadcast(b, d))))
    return [y], broadcast_gas(shape)


def selection(cond, x, y):
    """The interval of what the condition may select."""
    if cond == (0, 0):
        return y
    return hull(x, y) if cond[0] <= 0 <= cond[1] else x


def select(c):
    cond, x, y = c.operands
    shape = broadcast_shape(cond.shape, broadcast_shape(x.shape, y.shape, "select_c1"), "select_c1")
    interval = selection(cond.interval, x.interval, y.interval)
    require(inside(interval, TENSOR_LIMITS[c.profile]), "value_range")
    r = build(shape, interval, lambda d: read_broadcast(x if read_broadcast(cond, d) else y, d))
    return [r], 640 + 24 * numel(shape)


def where(c):
    cond, x, y = c.operands
    require(x.shape == y.shape, "where_c1")
    by_element = cond.shape == x.shape
    require(by_element or (len(x.shape) > 0 and cond.shape == x.shape[:1]), "where_c2")
    interval = selection(cond.interval, x.interval, y.interval)
    require(inside(interval, TENSOR_LIMITS[c.profile]), "value_range")
    r = build(x.shape, interval, lambda d: (x if cond.at(d if by_element else d[:1]) != 0 else y).at(d))
    return [r], broadcast_gas(x.shape)


def greater_cases():
    op = Operator("comparison", "broadcast_greater", broadcast_greater)
    op.case("strict", [tensor([5, 1], [-2, -1, 0, 1, 2]), tensor([5], [-2, -1, 0, 1, 2])], profile="cvm")
    op.case("scalar", [ramp([], 1), ramp([2, 2])])
    op.case("both operands grow", [ramp([2, 1, 2], -1), ramp([3, 1], -1)])
    for name, a, b in (("never", (0, 5), (5, 9)), ("perhaps, by the highest", (0, 6), (5, 9)),
                       ("always", (6, 9), (0, 5)), ("perhaps, by the lowest", (5, 9), (0, 5))):
        op.case(name, [noise(f"{name} a", [4], *a), noise(f"{name} b", [4], *b)])
    op.case("a tensor of zeros can be greater", [tensor([2], [0, 0]), tensor([2], [-1, 1])], profile="cvm")
    op.case("extremes", [tensor([2, 1], [CORE_MIN, CORE_MAX]), tensor([2], [CORE_MIN, CORE_MAX])])
    widest = [-(2**63), 2**63 - 1]
    op.case("constants of 64 bits",
            [tensor([2, 1], widest, constant=True), tensor([2], widest, constant=True)])
    op.case("random", [noise("a", [2, 3, 4], -9, 9), noise("b", [3, 1], -9, 9)], profile="cvm")
    op.refuse("broadcast_greater_c1", "[2] with [3]", [ramp([2]), ramp([3])])
    return op


def where_cases():
    op = Operator("comparison", "where", where)
    x, y = ramp([3, 2, 2], 1), ramp([3, 2, 2], -100)
    op.case("by element", [noise("elements", [3, 2, 2], -1, 1), x, y], profile="cvm")
    # Some implementations of CVM copy a quarter of each row: the unit of their copy is a byte.
    op.case("by row", [tensor([3], [1, 0, -7]), x, y], profile="cvm")
    op.case("lists: both readings agree", [tensor([4], [0, 1, 0, 2]), ramp([4], 1), ramp([4], -9)],
            profile="cvm")
    op.case("one row", [tensor([1], [5]), ramp([1, 3]), ramp([1, 3], 7)])
    op.case("scalars", [ramp([], 0), ramp([], 3), ramp([], 4)])
    op.case("16-bit values behind a condition of one bit",
            [tensor([2, 1], [0, 1]), tensor([2, 1], [30000, -30000]), tensor([2, 1], [1, 2])], profile="cvm")
    op.case("every value but 0 selects x",
            [tensor([5], [CORE_MIN, -1, 0, 1, CORE_MAX]), ramp([5], 10), ramp([5], 20)])
    op.case("a condition of 64 bits",
            [tensor([2], [2**32, -(2**63)], constant=True), ramp([2]), ramp([2], 5)])
    op.refuse("where_c1", "sources of different shapes", [ramp([2]), ramp([2, 3]), ramp([3, 2])])
    op.refuse("where_c2", "a list of the last dimension", [ramp([3]), ramp([2, 3]), ramp([2, 3])])
    op.refuse("where_c2", "a shape that would broadcast", [ramp([2, 1]), ramp([2, 3]), ramp([2, 3])])
    op.refuse("where_c2", "a list for scalars", [ramp([1]), ramp([]), ramp([])])
    op.refuse("value_range", "a source of 64 bits",
              [tensor([1], [0], (0, 1)), tensor([1], [2**47], constant=True), ramp([1])])
    op.case("a source of 64 bits that is never selected",
            [ramp([1]), tensor([1], [2**47], constant=True), ramp([1])])
    return op


def compare_cases():
    op = Operator("comparison", "compare", compare)
    square = [tensor([5, 1], [-2, -1, 0, 1, 2]), tensor([5], [-2, -1, 0, 1, 2])]
    for kind in COMPARISONS:
        attributes = {"kind": kind}
        op.case(f"{kind}: all small pairs", square, attributes)
        op.case(f"{kind}: both operands grow", [ramp([2, 1, 2], -1), ramp([3, 1], -1)], attributes)
        for a, b in (((0, 5), (5, 9)), ((0, 4), (5, 9)), ((0, 6), (5, 9)), ((6, 9), (0, 5)), ((5, 9), (0, 5)),
                     ((5, 5), (5, 5)), ((5, 5), (5, 9)), ((5, 5), (6, 6)), ((3, 7), (5, 5))):
            op.case(f"{kind}: {a} against {b}", [noise(f"{kind} a", [4], *a), noise(f"{kind} b", [4], *b)],
                    attributes)
        op.case(f"{kind}: constants of 64 bits",
                [tensor([2, 1], [-(2**63), 2**63 - 1], constant=True),
                 tensor([2], [-(2**63), 2**63 - 1], constant=True)], attributes)
    op.refuse("compare_c1", "[2] with [3]", [ramp([2]), ramp([3])], {"kind": "less"})
    return op


def select_cases():
    op = Operator("comparison", "select", select)
    x, y = ramp([2, 3], 1), ramp([2, 3], -100)
    op.case("by element", [noise("elements", [2, 3], -1, 1), x, y])
    op.case("by row", [tensor([2, 1], [1, 0]), x, y])
    op.case("by column", [tensor([3], [0, -7, 0]), x, y])
    op.case("by a scalar that is not 0", [ramp([], 5), x, y])
    op.case("by a scalar 0", [ramp([], 0), x, y])
    op.case("every operand grows", [tensor([2, 1, 1], [0, 1]), ramp([3, 1], 1), ramp([4], -9)])
    op.case("the condition has the largest rank", [tensor([2, 2, 2], [0, 1, 1, 0, 2, 0, 0, -1]), ramp([2], 1),
                                                   ramp([], 9)])
    op.case("never 0", [noise("positive", [3], 1, 9), ramp([3], 1), ramp([3], -9)])
    op.case("a source of 64 bits that is never selected",
            [ramp([1]), tensor([1], [2**47], constant=True), ramp([1])])
    op.refuse("select_c1", "sources that do not broadcast", [ramp([1]), ramp([2]), ramp([3])])
    op.refuse("select_c1", "a condition that does not broadcast", [ramp([2]), ramp([3]), ramp([3])])
    op.refuse("value_range", "a source of 64 bits",
              [tensor([1], [0], (0, 1)), tensor([1], [2**47], constant=True), ramp([1])])
    return op


def logical_cases():
    lowerings = []
    images = {"and": lambda a, b: bool(a) and bool(b), "or": lambda a, b: bool(a) or bool(b),
              "xor": lambda a, b: bool(a) != bool(b)}
    for name, image in images.items():

        def define(c, image=image):
            a, b = c.operands
            shape = broadcast_shape(a.shape, b.shape, "lowering_operands")
            return [(shape, [int(image(read_broadcast(a, d), read_broadcast(b, d))) for d in indices(shape)])]

        op = Lowering("comparison", f"logical_{name}", define)
        op.case("truths", [tensor([2, 1], [0, 1]), tensor([2], [0, 1])])
        op.case("every value but 0 is true", [tensor([4, 1], [-3, 0, 1, 2**40]), tensor([4], [-1, 0, 1, 2])])
        op.case("one operand is made a truth", [tensor([2, 1], [0, 1]), tensor([3], [-1, 0, 4])])
        lowerings.append(op)
    op = Lowering("comparison", "logical_not",
                  lambda c: [(c.operands[0].shape, [int(v == 0) for v in c.operands[0].values])])
    op.case("every value but 0 is true", [tensor([2, 2], [-3, 0, 1, 2**40])])
    return [*lowerings, op]


if __name__ == "__main__":
    main(__file__, [greater_cases(), where_cases(), compare_cases(), select_cases(), *logical_cases()])
