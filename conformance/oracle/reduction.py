"""sum, max, reduce, arg_extreme and cumulative_sum again, from ops/reduction/spec.md."""

import math
from fractions import Fraction

from vectorlib import (Lowering, Operator, axis_of, build, check_accumulator, indices, main, noise, numel, ramp,
                       require, runs, tensor)
from wide_functions import decimal, nearest, rnd, scale_of, wide_log


def listed(axes, rank, operator):
    normal = [axis_of(axis, rank, f"{operator}_c1") for axis in axes]
    require(len(set(normal)) == len(normal), f"{operator}_c2")
    return set(normal)


def groups(x, reduced, keepdims):
    """The result's shape, and for an index of it the elements that meet there, row-major."""
    rank = len(x.shape)
    kept = [axis for axis in range(rank) if axis not in reduced]
    inner = [axis for axis in range(rank) if axis in reduced]
    shape = [1 if axis in reduced else x.shape[axis] for axis in range(rank) if keepdims or axis in kept]

    def members(index):
        outer = dict(zip(range(rank) if keepdims else kept, index))
        for place in indices([x.shape[axis] for axis in inner]):
            at = outer | dict(zip(inner, place))
            yield x.at([at[axis] for axis in range(rank)])

    return shape, members


def product_of(interval, count):
    """Products of `count` factors, one after the other. Nothing beyond 2^126 matters."""
    products = {1}
    for _ in range(count):
        products = {a * b for a in products for b in interval}
        products = {min(products), max(products)}
    return min(products), max(products)


def reduction_gas(c, shape, units=28):
    x = c.operands[0].shape
    return 512 + units * numel(x) + 24 * runs(x) + 16 * numel(shape)


def fold(c, kind, shape, members, count):
    lo, hi = c.operands[0].interval
    if kind == "sum":
        check_accumulator((count * min(lo, 0), count * max(hi, 0)), c.profile)
        lo, hi = count * lo, count * hi
    if kind == "product":
        check_accumulator(product_of((min(lo, 1), max(hi, 1)), count), c.profile)
        lo, hi = product_of((lo, hi), count)
    reducer = {"sum": sum, "max": max, "min": min, "product": math.prod}[kind]
    return [build(shape, (lo, hi), lambda index: reducer(members(index)))], reduction_gas(c, shape)


def cvm_reduction(kind):
    def define(c):
        x, axes = c.operands[0], c.attributes["axis"]
        rank = len(x.shape)
        reduced = listed(axes, rank, kind)
        if not axes:
            reduced = set(range(rank))
        elif c.attributes["exclude"]:
            reduced = set(range(rank)) - reduced
        keepdims = c.attributes["keepdims"]
        shape, members = groups(x, reduced, keepdims)
        count = numel(x.shape) // numel(shape)
        if len(reduced) == rank and not keepdims:
            whole = members
            shape, members = [1], lambda index: whole(())
        return fold(c, kind, shape, members, count)

    return define


def reduce(c):
    x = c.operands[0]
    rank = len(x.shape)
    reduced = listed(c.attributes["axes"], rank, "reduce") or set(range(rank))
    shape, members = groups(x, reduced, c.attributes["keepdims"])
    return fold(c, c.attributes["kind"], shape, members, numel(x.shape) // numel(shape))


def arg_extreme(c):
    x = c.operands[0]
    axis = axis_of(c.attributes["axis"], len(x.shape), "arg_extreme_c1")
    shape, members = groups(x, {axis}, c.attributes["keepdims"])
    extreme = {"max": max, "min": min}[c.attributes["kind"]]
    choose = {"lowest": min, "highest": max}[c.attributes["ties"]]

    def element(index):
        values = list(members(index))
        return choose(i for i, value in enumerate(values) if value == extreme(values))

    return [build(shape, (0, x.shape[axis] - 1), element)], reduction_gas(c, shape, 56)


def cumulative_sum(c):
    x = c.operands[0]
    axis = axis_of(c.attributes["axis"], len(x.shape), "cumulative_sum_c1")
    n, (lo, hi) = x.shape[axis], x.interval
    check_accumulator((min(0, n * lo), max(0, n * hi)), c.profile)

    def summed(i):
        """The places whose sum stands at place i."""
        places = range(i, n) if c.attributes["reverse"] else range(i + 1)
        return [j for j in places if j != i or not c.attributes["exclusive"]]

    lengths = [len(summed(i)) for i in range(n)]
    interval = (min(k * lo for k in lengths), max(k * hi for k in lengths))
    y = build(x.shape, interval,
              lambda d: sum(x.at(d[:axis] + (j,) + d[axis + 1:]) for j in summed(d[axis])))
    return [y], 28 * numel(x.shape)


def cvm(axis=(), keepdims=False, exclude=False):
    return {"axis": list(axis), "keepdims": keepdims, "exclude": exclude}


def cvm_cases(name):
    op = Operator("reduction", name, cvm_reduction(name))
    cube = noise(1, [2, 3, 4], -20, 30)
    op.case("one axis", [cube], cvm([1]))
    op.case("a negative axis", [cube], cvm([-1]))
    op.case("two axes in any order", [cube], cvm([2, 0]))
    op.case("keepdims", [cube], cvm([2, 0], keepdims=True))
    op.case("exclude", [cube], cvm([1], exclude=True))
    op.case("exclude with keepdims", [cube], cvm([0, -1], keepdims=True, exclude=True))
    op.case("exclude of every axis is the identity", [cube], cvm([2, 1, 0], exclude=True))
    op.case("every axis leaves one element", [cube], cvm([0, 1, 2]))
    op.case("every axis with keepdims", [cube], cvm([0, 1, 2], keepdims=True))
    op.case("no axis means every axis", [cube], cvm())
    op.case("no axis with keepdims", [cube], cvm(keepdims=True))
    op.case("no axis with exclude still means every axis", [cube], cvm(exclude=True))
    op.case("a kept axis of one element behind the reduced one", [tensor([2, 3, 1], [1, 2, 3, 10, 20, 30])],
            cvm([1]), "cvm")
    op.case("negative values over no axis", [tensor([3], [-7, -5, -9])], cvm(), "cvm")
    op.case("negative values over one axis", [tensor([3, 2], [-7, -5, -9, -1, -3, -8])], cvm([0]), "cvm")
    op.case("a scalar", [tensor([], [-3])], cvm())
    op.case("a scalar with keepdims", [tensor([], [-3])], cvm(keepdims=True))
    op.case("eight axes", [ramp([2] * 8, -128)], cvm([0, 2, 4, -2]))
    op.refuse(f"{name}_c1", "an axis behind the rank", [cube], cvm([3]))
    op.refuse(f"{name}_c1", "an axis before the rank", [cube], cvm([0, -4]))
    op.refuse(f"{name}_c1", "an axis of a scalar", [tensor([], [0])], cvm([0]))
    op.refuse(f"{name}_c1", "an axis behind the rank after one listed twice", [cube], cvm([1, 1, 3]))
    op.refuse(f"{name}_c2", "an axis listed twice", [cube], cvm([1, 1]))
    op.refuse(f"{name}_c2", "an axis listed from both ends", [cube], cvm([1, -2]))
    return op


def sum_cases():
    op = cvm_cases("sum")
    op.case("a sum that leaves 32 bits in profile core", [tensor([2], [2**31 - 1, 2**31 - 1])], cvm())
    op.case("a sum of published precision 32", [tensor([3], [2**29 - 1] * 3)], cvm(), "cvm")
    op.refuse("accumulator_range", "a sum that leaves 32 bits in profile cvm", [tensor([2], [2**30, 2**30])], cvm(),
              "cvm")
    op.refuse("value_range", "a sum of 2^47", [tensor([2], [2**46, 2**46])], cvm())
    return op


def reduce_cases():
    op = Operator("reduction", "reduce", reduce)
    cube = noise(2, [3, 2, 4], -40, 20)

    def attributes(kind, axes=(), keepdims=False):
        return {"kind": kind, "axes": list(axes), "keepdims": keepdims}

    for kind in ("sum", "max", "min"):
        op.case(f"{kind} over one axis", [cube], attributes(kind, [1]))
        op.case(f"{kind} over two axes with keepdims", [cube], attributes(kind, [-1, 0], True))
        op.case(f"{kind} over no axis is a scalar of every axis", [cube], attributes(kind))
        op.case(f"{kind} over every axis is a scalar", [cube], attributes(kind, [0, 1, 2]))
        op.case(f"{kind} over every axis with keepdims", [cube], attributes(kind, [], True))
        op.case(f"{kind} of a scalar", [tensor([], [-9])], attributes(kind))
    op.case("min of positive values does not start from 0", [tensor([2, 2], [5, 3, 4, 9])], attributes("min", [0]))
    op.case("max of negative values does not start from 0", [tensor([2, 2], [-5, -3, -4, -9])], attributes("max", [0]))
    op.case("wide values", [tensor([2], [2**46, -(2**46)])], attributes("max"))
    small = tensor([2, 3], [3, -2, 0, 1, 5, -7])
    op.case("product over one axis", [small], attributes("product", [1]))
    op.case("product over all axes with keepdims", [small], attributes("product", [], True))
    op.case("product of a scalar", [tensor([], [-9])], attributes("product"))
    op.case("product of negatives", [tensor([3], [-5, -3, -4])], attributes("product"))
    op.case("product of signs", [tensor([3], [-1, 1, -1])], attributes("product"))
    op.case("largest product", [tensor([46], [2] * 46)], attributes("product"))
    op.refuse("value_range", "a product of 2^47", [tensor([47], [2] * 47)], attributes("product"))
    op.refuse("accumulator_range", "a product of 2^63", [tensor([63], [2] * 63)], attributes("product"))
    op.refuse("reduce_c1", "an axis behind the rank", [cube], attributes("sum", [3]))
    op.refuse("reduce_c1", "an axis before the rank", [cube], attributes("max", [-4]))
    op.refuse("reduce_c2", "an axis listed from both ends", [cube], attributes("min", [2, -1]))
    op.refuse("value_range", "a sum below -2^47", [tensor([3], [-(2**46)] * 3)], attributes("sum"))
    return op


def arg_extreme_cases():
    op = Operator("reduction", "arg_extreme", arg_extreme)

    def attributes(axis, keepdims=False, kind="max", ties="lowest"):
        return {"kind": kind, "ties": ties, "axis": axis, "keepdims": keepdims}

    tied = tensor([3, 4], [1, 9, 9, 0, -5, -5, -5, -5, -3, -1, -3, -1])
    for kind in ("max", "min"):
        for ties in ("lowest", "highest"):
            op.case(f"{kind}, {ties} position", [tied], attributes(1, kind=kind, ties=ties))
            op.case(f"{kind}, {ties} position, middle axis", [noise(5, [2, 5, 3], -2, 2)],
                    attributes(1, kind=kind, ties=ties))
    op.case("along the first axis", [noise(3, [4, 3], -2, 2)], attributes(0))
    op.case("along a middle axis with keepdims", [noise(4, [2, 5, 3], -2, 2)], attributes(-2, True))
    op.case("of a vector", [tensor([5], [-4, -2, -9, -2, -3])], attributes(0))
    op.case("of a vector with keepdims", [tensor([3], [4, 6, 5])], attributes(-1, True))
    op.case("along an axis of one element", [ramp([2, 1, 2])], attributes(1))
    op.case("whole values are compared", [tensor([4], [0, 255, 2**40 + 1, 2**40])], attributes(0))
    op.refuse("arg_extreme_c1", "an axis behind the rank", [ramp([2, 3])], attributes(2))
    op.refuse("arg_extreme_c1", "an axis before the rank", [ramp([2, 3])], attributes(-3))
    op.refuse("arg_extreme_c1", "a scalar", [tensor([], [1])], attributes(0))
    return op


def cumulative_sum_cases():
    op = Operator("reduction", "cumulative_sum", cumulative_sum)

    def attributes(axis, exclusive=False, reverse=False):
        return {"axis": axis, "exclusive": exclusive, "reverse": reverse}

    for exclusive in (False, True):
        for reverse in (False, True):
            name = f"exclusive {exclusive}, reverse {reverse}"
            op.case(name, [noise(6, [2, 4], -20, 30)], attributes(1, exclusive, reverse))
            op.case(f"{name}, negative values", [noise(7, [3, 2, 2], -9, -2)], attributes(-3, exclusive, reverse))
    op.case("an axis of one element", [ramp([2, 1], 5)], attributes(1, True))
    op.case("largest sum", [tensor([2], [2**46, 2**46 - 1], (0, 2**46 - 1 + 1))], attributes(0, True))
    op.refuse("cumulative_sum_c1", "an axis behind the rank", [ramp([2])], attributes(1))
    op.refuse("cumulative_sum_c1", "a scalar", [tensor([], [1])], attributes(0))
    op.refuse("value_range", "a sum of 2^47", [tensor([2], [2**46, 2**46])], attributes(0))
    op.refuse("accumulator_range", "a constant of 64 bits", [tensor([2], [2**63 - 1, 1], constant=True)],
              attributes(0))
    return op


def rounded(mode, a, n):
    """a / n as an integer, n > 0."""
    require(mode != "double", "divide_c2")
    down, rest = divmod(a, n)
    if mode == "trunc":
        return -(-a // n) if a < 0 else down
    if mode == "floor" or 2 * rest < n:
        return down
    up = {"half_up": True, "half_away": a > 0, "half_even": down % 2 == 1}[mode]
    return down + 1 if 2 * rest > n or up else down


def over_axes(finish):
    """A lowering that gives finish(the elements that meet in a result)."""
    def define(c):
        x = c.operands[0]
        rank = len(x.shape)
        axes = c.attributes["axes"]
        normal = [axis_of(axis, rank, "reduce_c1") for axis in axes]
        require(len(set(normal)) == len(normal), "reduce_c2")
        shape, members = groups(x, set(normal) or set(range(rank)), c.attributes["keepdims"])
        return [build(shape, None, lambda index: finish(c, list(members(index))))]

    return define


def nearest_root(v):
    root = math.isqrt(v)
    return root + 1 if v > root * root + root else root


def lowering_cases():
    operators = []
    cube = noise(8, [2, 3, 4], -40, 50)
    for name, finish in {
        "reduce_l1": lambda c, xs: sum(map(abs, xs)),
        "reduce_l2": lambda c, xs: nearest_root(sum(x * x for x in xs)),
        "reduce_sum_square": lambda c, xs: sum(x * x for x in xs),
        "reduce_and": lambda c, xs: int(all(xs)),
        "reduce_or": lambda c, xs: int(any(xs)),
    }.items():
        op = Lowering("reduction", name, over_axes(finish))
        for x, of in ((cube, "wide"), (noise(9, [3, 3, 2], -1, 1), "signs")):
            op.case(f"{of}, one axis", [x], {"axes": [1], "keepdims": False})
            op.case(f"{of}, two axes kept", [x], {"axes": [-1, 0], "keepdims": True})
            op.case(f"{of}, all", [x], {"axes": [], "keepdims": False})
        op.refuse("reduce_c1", "axis", [cube], {"axes": [3], "keepdims": False})
        operators.append(op)
    op = Lowering("reduction", "reduce_mean",
                  over_axes(lambda c, xs: rounded(c.attributes["rounding"], sum(xs), len(xs))))
    for mode in ("floor", "half_up", "half_away", "half_even", "trunc"):
        attributes = {"axes": [1], "keepdims": False, "rounding": mode}
        ties = tensor([8, 2], [v for s in (-5, -3, -1, 1, 3, 5, 7, -2) for v in (s, 0)])
        op.case(f"{mode}, ties", [ties], attributes)
        op.case(f"{mode}, ties of wide values", [tensor(ties.shape, ties.values, (-(2**40), 2**40))], attributes)
        for n in (1, 3, 5, 6, 7):
            op.case(f"{mode}, {n} elements", [noise(f"mean {n}", [6, n], -30000, 30000)], attributes)
        op.case(f"{mode}, all axes kept", [cube], attributes | {"axes": [], "keepdims": True})
    op.refuse("divide_c2", "double", [cube], {"axes": [], "keepdims": False, "rounding": "double"})
    return [*operators, op, *logarithm_cases()]


def placed(v, a):
    return min(max(v + a["zero_out"], a["lo"]), a["hi"])


def log_sum(c, xs):
    a, total = c.attributes, sum(xs) - c.attributes["zero_in"] * len(xs)
    return placed(wide_log(a)(total), a) if total > 0 else a["lo"]


def log_sum_exp(c, xs):
    a, top = c.attributes, max(xs)
    ratio = scale_of(a["in"]) / scale_of(a["out"])
    s = max(s for s in range(31) if math.floor(ratio * 2**s + Fraction(1, 2)) < 2**31)
    m = math.floor(ratio * 2**s + Fraction(1, 2))
    g = min(16, s, 30 + a["out"][0].bit_length() - a["out"][1])
    total = sum(nearest(2**30 * decimal((x - top) * scale_of(a["in"])).exp()) for x in xs)
    log = wide_log({"in": [1, 30], "out": [a["out"][0], a["out"][1] + g]})(total)
    return placed(rnd((top - a["zero_in"]) * m + log * 2 ** (s - g), s), a)


def logarithm_cases():
    base = {"axes": [-1], "keepdims": False, "in": [1, 4], "out": [1, 7], "zero_in": 0, "zero_out": 0, "lo": -(2**47),
            "hi": 2**47 - 1}
    for name, finish in (("reduce_log_sum", log_sum), ("reduce_log_sum_exp", log_sum_exp)):
        op = Lowering("reduction", name, over_axes(finish))
        op.case("last axis", [noise(f"{name} 1", [3, 5], -30, 100)], base)
        op.case("all axes kept", [noise(f"{name} 2", [2, 3, 4], 0, 100)], base | {"axes": [], "keepdims": True})
        op.case("first and last axis", [noise(f"{name} 3", [2, 3, 4], 0, 100)], base | {"axes": [0, -1]})
        op.case("zero points and clamp", [noise(f"{name} 4", [6, 3], -128, 127)],
                base | {"zero_in": -128, "zero_out": -100, "lo": -128, "hi": 127})
        op.case("odd scales of 16 bits", [noise(f"{name} 5", [2, 50], -32768, 32767)],
                base | {"in": [77, 15], "out": [12345, 22], "zero_in": -32768})
        op.case("a fine result", [noise(f"{name} 6", [2, 4], -100, 100)], base | {"out": [1, 30], "zero_in": -100})
        op.refuse("reduce_c1", "axis", [noise(f"{name} 7", [3], 0, 9)], base | {"axes": [1]})
        yield op


if __name__ == "__main__":
    main(__file__, [sum_cases(), cvm_cases("max"), reduce_cases(), arg_extreme_cases(), cumulative_sum_cases(),
                    *lowering_cases()])
