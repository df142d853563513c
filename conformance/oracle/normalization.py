"""Vectors of the normalization family, by the definitions of ops/normalization/spec.md."""

import math
import random
from decimal import Decimal
from fractions import Fraction

from vectorlib import (TENSOR_LIMITS, Lowering, Operator, axis_of, build, check_accumulator, indices, inside, main, noise,
                       numel, require, runs, tensor)
from wide_functions import binade, decimal, interpolate, nearest, rnd, scale_of

CORE_MIN, CORE_MAX = TENSOR_LIMITS["core"]


def clamp(v, a):
    return min(max(v + a["zero_out"], a["lo"]), a["hi"])


def placed(bounds, a):
    return tuple(clamp(end, a) for end in bounds)


def rounds(magnitude, shift):
    return magnitude + max(2**32, 2 ** (shift - 1) if shift else 0) < 2**63


def rows(x, axes):
    """Lists of the indices that agree outside `axes`."""
    found = {}
    for d in indices(x.shape):
        found.setdefault(tuple(0 if k in axes else i for k, i in enumerate(d)), []).append(d)
    return list(found.values())


def exponential_table(table, lists, entry):
    require(table.constant and len(table.shape) == 1 and table.shape[0] <= 65536, lists)
    require(all(0 <= e <= 2**30 for e in table.values) and table.values[0] >= 1, entry)


def exponentials(values, table):
    top = max(values)
    return [table.values[top - v] if top - v < table.shape[0] else 0 for v in values]


def softmax(c):
    (x, table), a = c.operands, c.attributes
    require(7 <= a["bits"] <= 15, "attribute_range")
    require(inside(x.interval, TENSOR_LIMITS["core"]), "softmax_c1")
    axis = axis_of(a["axis"], len(x.shape), "softmax_c2")
    exponential_table(table, "softmax_c3", "softmax_c4")
    require(a["lo"] <= a["hi"], "softmax_c5")
    y = {}
    for row in rows(x, {axis}):
        e = exponentials([x.at(d) for d in row], table)
        total = sum(e)
        reciprocal = (2**61 + total // 2) // total
        for d, one in zip(row, e):
            y[d] = clamp(rnd(one * reciprocal, 61 - a["bits"]), a)
    gas = 88 * numel(x.shape) + 448 * (numel(x.shape) // x.shape[axis])
    return [build(x.shape, placed((0, 2 ** a["bits"]), a), y.get)], gas


def log_softmax(c):
    (x, table, logs), a = c.operands, c.attributes
    require(inside(x.interval, TENSOR_LIMITS["core"]), "log_softmax_c1")
    axis = axis_of(a["axis"], len(x.shape), "log_softmax_c2")
    exponential_table(table, "log_softmax_c3", "log_softmax_c4")
    require(logs.constant and logs.shape == [1025], "log_softmax_c5")
    require(all(0 <= t <= 2**32 for t in logs.values), "log_softmax_c6")
    require(a["lo"] <= a["hi"], "log_softmax_c7")
    length = x.shape[axis]
    binades = [table.values[0].bit_length() - 31, (length * max(table.values)).bit_length() - 31]
    bounds = [binades[0] * logs.values[1024] + min(logs.values), binades[1] * logs.values[1024] + max(logs.values)]
    farthest = (x.interval[1] - x.interval[0]) * a["multiplier"]
    require(rounds(farthest + max(abs(bounds[0]), abs(bounds[1])), a["shift"]), "log_softmax_c8")
    y = {}
    for row in rows(x, {axis}):
        values = [x.at(d) for d in row]
        k, i, rest = binade(sum(exponentials(values, table)))
        log = (k - 30) * logs.values[1024] + interpolate(logs.values, i, rest)
        for d, v in zip(row, values):
            y[d] = clamp(rnd((v - max(values)) * a["multiplier"] - log, a["shift"]), a)
    interval = placed((rnd(-farthest - bounds[1], a["shift"]), rnd(-bounds[0], a["shift"])), a)
    return [build(x.shape, interval, y.get)], 88 * numel(x.shape) + 448 * (numel(x.shape) // length)


def norm_of(name):
    """layer_norm or rms_norm."""

    def norm(c):
        (x, m, b), a = c.operands, c.attributes
        require(inside(x.interval, TENSOR_LIMITS["core"]), f"{name}_c1")
        axes = [axis_of(axis, len(x.shape), f"{name}_c2") for axis in a["axes"]]
        require(len(set(axes)) == len(axes), f"{name}_c3")
        require(m.constant and b.constant and m.shape == b.shape, f"{name}_c4")
        aligned = [1] * (len(x.shape) - len(m.shape)) + m.shape
        require(len(aligned) == len(x.shape) and all(k in (1, n) for k, n in zip(aligned, x.shape)), f"{name}_c5")
        require(a["lo"] <= a["hi"], f"{name}_c6")
        length = math.prod(x.shape[axis] for axis in axes)
        zero = a.get("zero_in")
        reach = x.interval[1] - x.interval[0] if zero is None else max(abs(end - zero) for end in x.interval)
        reach *= length
        require(reach <= 2**31, f"{name}_c7")
        variance = reach**2 // 4 if zero is None else reach**2
        require(variance * 4 ** a["guard"] + a["epsilon"] < 2**62, f"{name}_c8")
        require(a["epsilon_mode"] != "outside" or a["epsilon"] < 2**31, f"{name}_c8")
        root = math.isqrt((length - (zero is None)) << 40)
        largest = root + root // 2**29 + 2
        ends = []
        for k, j in zip(m.values, b.values):
            require(rounds(largest * abs(k) + abs(j), a["shift"]), f"{name}_c9")
            ends += [rnd(sign * largest * k + j, a["shift"]) for sign in (-1, 1)]
        check_accumulator((-reach**2, reach**2), c.profile)
        y = {}
        for row in rows(x, axes):
            values = [x.at(d) for d in row]
            n = [length * v - (sum(values) if zero is None else length * zero) for v in values]
            # N V is the sum of n^2, for both centres.
            variance, remainder = divmod(sum(v * v for v in n), length)
            assert remainder == 0
            for d, v in zip(row, n):
                z = normalized(v, variance, a)
                at = [0 if k == 1 else i for k, i in zip(aligned, d)]
                y[d] = clamp(rnd(z * m.at(at[len(at) - len(m.shape):]) + b.at(at[len(at) - len(b.shape):]),
                                 a["shift"]), a)
        gas = 1024 + 304 * numel(x.shape) + 320 * (numel(x.shape) // length)
        return [build(x.shape, placed((min(ends), max(ends)), a), y.get)], gas

    return norm


def normalized(n, variance, a):
    if variance == 0:
        return 0
    w = variance * 4 ** a["guard"]
    if a["epsilon_mode"] == "added":
        w += a["epsilon"]
    if a["epsilon_mode"] == "maximum":
        w = max(w, a["epsilon"])
    t = (62 - w.bit_length()) // 2
    root = math.isqrt(w * 4**t) + (a["epsilon"] * 2**t if a["epsilon_mode"] == "outside" else 0)
    return rnd(n * (2**61 // root), 41 - a["guard"] - t)


def local_response_norm(c):
    (x, mantissas, exponents), a = c.operands, c.attributes
    name = "local_response_norm"
    require(inside(x.interval, TENSOR_LIMITS["core"]), f"{name}_c1")
    axes = [axis_of(listed, len(x.shape), f"{name}_c2") for listed in a["axes"]]
    require(len(set(axes)) == len(axes), f"{name}_c3")
    require(len(axes) == len(a["before"]) == len(a["after"]), f"{name}_c4")
    for table, size in ((mantissas, 1025), (exponents, 62)):
        require(table.constant and table.shape == [size], f"{name}_c5")
        require(all(0 <= v <= 2**31 for v in table.values), f"{name}_c6")
    require(a["lo"] <= a["hi"], f"{name}_c7")
    window = math.prod(min(p + 1 + q, x.shape[axis]) for p, q, axis in zip(a["before"], a["after"], axes))
    ends = [end - a["zero_in"] for end in x.interval]
    squares = window * max(v * v for v in ends)
    most = a["bias"] + a["alpha"] * squares
    require(most < 2**62, f"{name}_c8")
    check_accumulator((0, squares), c.profile)
    reached = exponents.values[a["bias"].bit_length() - 1:most.bit_length()]
    powers = [rnd(min(mantissas.values) * min(reached), 31), rnd(max(mantissas.values) * max(reached), 31)]
    products = [v * p for v in ends for p in powers]
    assert rounds(max(abs(p) for p in products), a["shift"])

    def element(d):
        total = 0
        for j in indices(x.shape):
            near = {axis: range(d[axis] - p, d[axis] + q + 1) for axis, p, q in zip(axes, a["before"], a["after"])}
            if all(j[k] in near.get(k, [d[k]]) for k in range(len(d))):
                total += (x.at(j) - a["zero_in"])**2
        k, i, rest = binade(a["bias"] + a["alpha"] * total)
        power = rnd(interpolate(mantissas.values, i, rest) * exponents.values[k], 31)
        return clamp(rnd((x.at(d) - a["zero_in"]) * power, a["shift"]), a)

    interval = placed((rnd(min(products), a["shift"]), rnd(max(products), a["shift"])), a)
    return [build(x.shape, interval, element)], 6144 + (768 + 16 * window) * numel(x.shape) + 112 * window * runs(x.shape)


def constant(values, shape=None):
    return tensor(shape or [len(values)], values, constant=True)


def halving(n, step):
    """2^30 * 2^(-d / step), rounded down: an exponential of integers alone."""
    return constant([math.isqrt((2**60 << 32) >> (2 * d // step)) >> 16 for d in range(n)])


def logarithms(unit):
    """unit * log2(1 + i / 1024), by squaring."""
    entries = []
    for i in range(1024):
        v, log = (1024 + i) << 50, 0
        for _ in range(40):
            v = v * v >> 60
            log = 2 * log + (v >= 2**61)
            v >>= v >= 2**61
        entries.append(unit * log >> 40)
    return constant(entries + [unit])


def softmax_attributes(**overrides):
    return dict(axis=-1, bits=15, zero_out=0, lo=0, hi=32767) | overrides


def softmax_cases():
    op = Operator("normalization", "softmax", softmax)
    table = halving(200, 8)
    op.case("flat row", [tensor([4], [5, 5, 5, 5]), table], softmax_attributes())
    op.case("one element is certain, and meets the clamp", [tensor([2, 1], [-3, 9]), table], softmax_attributes())
    op.case("distances beyond the table are 0", [tensor([3], [0, -199, -200]), table], softmax_attributes())
    for bits in range(7, 16):
        op.case(f"{bits} bits", [noise(f"softmax {bits}", [2, 5], -40, 40), table], softmax_attributes(bits=bits))
    op.case("8 bits around a zero point", [noise("zero", [3, 4], -20, 20), table],
            softmax_attributes(bits=8, zero_out=-128, lo=-128, hi=127))
    op.case("first axis", [noise("first", [4, 3], -30, 30), table], softmax_attributes(axis=0))
    op.case("middle axis", [noise("middle", [2, 4, 3], -30, 30), table], softmax_attributes(axis=-2))
    op.case("extremes of 48 bits", [tensor([2], [CORE_MIN, CORE_MAX]), table], softmax_attributes())
    op.case("any table with a positive head", [noise("odd", [2, 6], 0, 5), constant([1, 0, 2**30, 7, 2**30, 1])],
            softmax_attributes())
    op.case("300 elements", [noise("long", [300], -100, 100), table], softmax_attributes(bits=12))
    op.refuse("softmax_c1", "x is a constant of 64 bits", [constant([2**47]), table], softmax_attributes())
    op.refuse("softmax_c2", "no such axis", [tensor([2], [1, 2]), table], softmax_attributes(axis=1))
    op.refuse("softmax_c3", "computed table", [tensor([2], [1, 2]), tensor([1], [2**30])], softmax_attributes())
    op.refuse("softmax_c3", "matrix", [tensor([2], [1, 2]), constant([1], [1, 1])], softmax_attributes())
    op.refuse("softmax_c4", "entry above 2^30", [tensor([2], [1, 2]), constant([1, 2**30 + 1])],
              softmax_attributes())
    op.refuse("softmax_c4", "negative entry", [tensor([2], [1, 2]), constant([1, -1])], softmax_attributes())
    op.refuse("softmax_c4", "head 0", [tensor([2], [1, 2]), constant([0, 1])], softmax_attributes())
    op.refuse("softmax_c5", "empty clamp", [tensor([2], [1, 2]), table], softmax_attributes(lo=1, hi=0))
    op.refuse("attribute_range", "6 bits", [tensor([2], [1, 2]), table], softmax_attributes(bits=6))
    return op


def log_softmax_cases():
    op = Operator("normalization", "log_softmax", log_softmax)
    # Scales 2^(-1/8) per unit of x, and log2 in Q11.
    table, logs = halving(250, 8), logarithms(2**19)
    attributes = lambda **overrides: dict(axis=-1, multiplier=2**16, shift=8, zero_out=0, lo=-32768,
                                          hi=32767) | overrides
    op.case("flat row", [tensor([4], [5, 5, 5, 5]), table, logs], attributes())
    op.case("flat row of three", [tensor([3], [5, 5, 5]), table, logs], attributes())
    op.case("random", [noise("log", [3, 7], -60, 60), table, logs], attributes())
    op.case("beyond the table the distance still counts", [tensor([2], [0, -999]), table, logs],
            attributes(lo=CORE_MIN, hi=CORE_MAX))
    op.case("first axis, zero point and clamp", [noise("log first", [4, 2], -60, 60), table, logs],
            attributes(axis=0, zero_out=20000))
    op.case("small sums lie below 2^30", [noise("small", [5], -4, 4), constant([1, 0, 3, 1]), logs], attributes())
    op.case("shift 0", [noise("shift", [5], -40, 40), table, logarithms(2000)], attributes(shift=0, multiplier=250))
    one = tensor([1], [1])
    op.refuse("log_softmax_c1", "x is a constant of 64 bits", [constant([2**47]), table, logs], attributes())
    op.refuse("log_softmax_c2", "no such axis", [one, table, logs], attributes(axis=1))
    op.refuse("log_softmax_c3", "computed exponentials", [one, one, logs], attributes())
    op.refuse("log_softmax_c4", "head 0", [one, constant([0]), logs], attributes())
    op.refuse("log_softmax_c5", "1024 logarithms", [one, table, constant([0] * 1024)], attributes())
    op.refuse("log_softmax_c6", "negative logarithm", [one, table, constant([0] * 1024 + [-1])], attributes())
    op.refuse("log_softmax_c6", "logarithm above 2^32", [one, table, constant([0] * 1024 + [2**32 + 1])],
              attributes())
    op.refuse("log_softmax_c7", "empty clamp", [one, table, logs], attributes(lo=1, hi=0))
    op.refuse("log_softmax_c8", "product of 64 bits", [tensor([2], [0, 2**17]), table, logs],
              attributes(multiplier=2**46))
    return op


def norm_attributes(name, **overrides):
    zero = {} if name == "layer_norm" else {"zero_in": 0}
    return dict(axes=[-1], guard=0, epsilon=0, epsilon_mode="added", shift=12, zero_out=0, lo=CORE_MIN,
                hi=CORE_MAX) | zero | overrides


def parameters(m, b, shape=None):
    return [constant(m, shape), constant(b, shape)]


def norm_cases(name):
    op = Operator("normalization", name, norm_of(name))
    attributes = lambda **overrides: norm_attributes(name, **overrides)
    one = parameters([1], [0])
    op.case("two elements", [tensor([2], [1, 3]), *one], attributes())
    op.case("a constant row", [tensor([2, 3], [7] * 3 + [0] * 3), *parameters([3], [-5000])], attributes())
    op.case("gamma and beta", [noise("gamma", [3, 4], -128, 127), *parameters([3, -2, 0, 1], [0, 4096, -9000, 5])],
            attributes(lo=-128, hi=127, shift=14))
    op.case("spatial axes with parameters for each channel",
            [noise("instance", [2, 3, 2, 2], -128, 127), *parameters([1, -2, 3], [5, 0, -5], [3, 1, 1])],
            attributes(axes=[2, -1]))
    op.case("every axis", [noise("all", [2, 2, 3], -9, 9), *one], attributes(axes=[2, 0, 1]))
    op.case("16 bits", [noise("wide", [2, 64], -32768, 32767), *one], attributes(shift=6))
    op.case("the widest row of two", [tensor([2], [0, 2**30 - (name == "rms_norm")]), *one], attributes(shift=8))
    for mode in ("added", "maximum", "outside"):
        op.case(f"epsilon {mode}", [noise(mode, [4, 5], -3, 3), *one],
                attributes(epsilon=100, epsilon_mode=mode, guard=2))
        op.case(f"epsilon {mode} without variance", [tensor([3], [0, 0, 0]), *parameters([1], [77])],
                attributes(epsilon=9, epsilon_mode=mode))
        op.case(f"large epsilon {mode}", [noise(mode, [2, 5], -3, 3), *one],
                attributes(epsilon=2**31 - 1, epsilon_mode=mode, guard=10))
    op.case("zero point and clamp", [noise("clamp", [3, 3], -50, 50), *one],
            attributes(zero_out=-100, lo=-128, hi=127))
    op.case("one large element", [tensor([100], [100] + [0] * 99), *one], attributes())
    rng = random.Random(name)
    for i in range(12):
        shape = [rng.randint(1, 3), rng.randint(1, 4), rng.randint(1, 4)]
        size = 1 << rng.randint(1, 15)
        channels = [shape[1], 1]
        op.case(f"random {i}",
                [noise(f"{name} {i}", shape, -size, size),
                 *parameters([rng.randint(-999, 999) for _ in range(shape[1])],
                             [rng.randint(-10**6, 10**6) for _ in range(shape[1])], channels)],
                attributes(axes=rng.choice([[-1], [0, 2], [1]]), guard=rng.randint(0, 5),
                           epsilon=rng.randint(0, 10**6), epsilon_mode=rng.choice(["added", "maximum", "outside"]),
                           shift=rng.randint(0, 24), zero_out=rng.randint(-99, 99)))
    x = tensor([2, 3], range(6))
    if name == "rms_norm":
        op.case("around a zero point", [noise("zero", [3, 4], -128, 127), *one], attributes(zero_in=-128))
    op.refuse(f"{name}_c1", "x is a constant of 64 bits", [constant([2**47]), *one], attributes())
    op.refuse(f"{name}_c2", "no such axis", [x, *one], attributes(axes=[2]))
    op.refuse(f"{name}_c3", "an axis twice", [x, *one], attributes(axes=[1, -1]))
    op.refuse(f"{name}_c4", "computed m", [x, tensor([1], [1]), one[1]], attributes())
    op.refuse(f"{name}_c4", "two shapes", [x, constant([1, 1, 1]), one[1]], attributes())
    op.refuse(f"{name}_c5", "m of another length", [x, *parameters([1, 1], [0, 0])], attributes())
    op.refuse(f"{name}_c5", "m of higher rank", [x, *parameters([1], [0], [1, 1, 1])], attributes())
    op.refuse(f"{name}_c6", "empty clamp", [x, *one], attributes(lo=1, hi=0))
    op.refuse(f"{name}_c7", "a row that is too long for its range", [tensor([4], [0, 0, 0, 2**29 + 1]), *one],
              attributes())
    op.refuse(f"{name}_c8", "epsilon 2^62", [x, *one], attributes(epsilon=2**62))
    op.refuse(f"{name}_c8", "epsilon 2^31 outside", [x, *one], attributes(epsilon=2**31, epsilon_mode="outside"))
    op.refuse(f"{name}_c8", "guard bits of a wide variance", [tensor([4], [0, 0, 0, 2**28]), *one],
              attributes(guard=2))
    op.refuse(f"{name}_c9", "m of 48 bits", [x, *parameters([2**47], [0])], attributes())
    op.refuse(f"{name}_c9", "b of 64 bits", [x, *parameters([0], [2**63 - 1])], attributes())
    return op


def response_cases():
    name = "local_response_norm"
    op = Operator("normalization", name, local_response_norm)
    # u^-0.75 in Q31 / 2^(k * 3/4), by integer roots.
    root = lambda v: math.isqrt(math.isqrt(v))
    mantissas = constant([2**31 * 2**20 // root((1024 + i)**3 * 2**50) if i else 2**31 for i in range(1025)])
    exponents = constant([2**62 // root(2 ** (3 * k + 124)) for k in range(62)])
    tables = [mantissas, exponents]
    attributes = lambda **overrides: dict(axes=[1], before=[2], after=[2], zero_in=0, alpha=3, bias=2**10, shift=24,
                                          zero_out=0, lo=-32768, hi=32767) | overrides
    op.case("across channels", [noise("channels", [2, 7, 2], -128, 127), *tables], attributes())
    op.case("within a channel", [noise("within", [1, 2, 4, 4], -128, 127), *tables],
            attributes(axes=[-2, -1], before=[1, 1], after=[1, 1]))
    op.case("an even window", [noise("even", [1, 6], -128, 127), *tables], attributes(before=[1], after=[2]))
    op.case("a window wider than x", [noise("wide", [2, 3], -128, 127), *tables],
            attributes(before=[4096], after=[9]))
    op.case("alpha 0", [noise("alpha", [1, 4], -128, 127), *tables], attributes(alpha=0, bias=1))
    op.case("zero points", [noise("zero", [1, 5], -128, 127), *tables],
            attributes(zero_in=-128, zero_out=5, lo=-128, hi=127))
    op.case("large sums drop bits", [noise("large", [1, 5], -30000, 30000), *tables], attributes(alpha=2**20))
    op.case("entries 2^31", [tensor([1, 2], [-9, 9]), constant([2**31] * 1025), constant([2**31] * 62)],
            attributes(shift=31))
    x = tensor([1, 2], [1, 2])
    op.refuse(f"{name}_c1", "x is a constant of 64 bits", [constant([2**47], [1, 1]), *tables], attributes())
    op.refuse(f"{name}_c2", "no such axis", [x, *tables], attributes(axes=[2]))
    op.refuse(f"{name}_c3", "an axis twice", [x, *tables], attributes(axes=[1, -1], before=[0, 0], after=[0, 0]))
    op.refuse(f"{name}_c4", "two axes and one extent", [x, *tables], attributes(axes=[0, 1]))
    op.refuse(f"{name}_c5", "computed table", [x, tensor([1025], [1] * 1025), exponents], attributes())
    op.refuse(f"{name}_c5", "63 exponents", [x, mantissas, constant([1] * 63)], attributes())
    op.refuse(f"{name}_c6", "negative entry", [x, constant([-1] * 1025), exponents], attributes())
    op.refuse(f"{name}_c6", "entry above 2^31", [x, mantissas, constant([2**31 + 1] * 62)], attributes())
    op.refuse(f"{name}_c7", "empty clamp", [x, *tables], attributes(lo=1, hi=0))
    op.refuse("accumulator_range", "squares of 63 bits", [tensor([1, 1], [2**32]), *tables], attributes(alpha=0))
    op.refuse(f"{name}_c8", "u of 62 bits", [tensor([1, 1], [2**10]), *tables], attributes(alpha=2**42))
    op.refuse(f"{name}_c8", "before the accumulator", [tensor([1, 1], [2**32]), *tables], attributes(alpha=1))
    op.refuse(f"{name}_c2", "a missing axis behind one listed twice", [x, *tables],
              attributes(axes=[1, 1, 5], before=[0, 0, 0], after=[0, 0, 0]))
    return op


def feature_norm(groups_of):
    """A row is a sample and a group of channels, or several channels; groups_of(attributes, C) says how many."""

    def norm(c):
        (x, m, b), a = c.operands, c.attributes
        channels = x.shape[1] if len(x.shape) > 1 else 0
        require(all(t.constant and t.shape == [channels] for t in (m, b)), "lowering_operands")
        groups = groups_of(a, x.shape)
        require(channels % groups == 0, "lowering_operands")
        found = {}
        for d in indices(x.shape):
            found.setdefault((d[0], d[1] // (channels // groups)), []).append(d)
        y = {}
        for row in found.values():
            total, length = sum(x.at(d) for d in row), len(row)
            n = [length * x.at(d) - total for d in row]
            variance = sum(v * v for v in n) // length
            for d, v in zip(row, n):
                z = normalized(v, variance, a) if a.get("normalize_variance", True) else v
                y[d] = clamp(rnd(z * m.at([d[1]]) + b.at([d[1]]), a["shift"]), a)
        return [(x.shape, [y[d] for d in indices(x.shape)])]

    return norm


def spatial(groups_of):
    def with_axes(a, shape):
        require(len(shape) >= 3, "lowering_operands")
        return groups_of(a, shape)

    return with_axes


def feature_norm_cases(name, groups_of, *variants):
    op = Lowering("normalization", name, feature_norm(groups_of))
    base = {k: v for k, v in norm_attributes("layer_norm").items() if k != "axes"}
    m, b = constant([3, -1, 2, 0, 900, 5]), constant([0, 9, -4096, 50000, 1, 2])
    for i, variant in enumerate(variants):
        for shape in ([2, 6, 3], [1, 6, 2, 2], [2, 6, 1, 2, 2]):
            text = ", ".join(f"{k} {v}" for k, v in variant.items()) or "plain"
            op.case(f"{text} of {shape}", [noise(f"{name} {i}", shape, -128, 127), m, b],
                    base | variant | dict(epsilon=3, guard=2, lo=-128, hi=127, zero_out=7))
        op.refuse("lowering_operands", f"five channels {i}", [noise("five", [1, 5, 2], -9, 9), m, b], base | variant)
        op.refuse("lowering_operands", f"computed m {i}",
                  [noise("computed", [1, 6, 2], -9, 9), tensor([6], [1] * 6), b], base | variant)
    return op


def batch_norm(c):
    (x, m, b, s), a = c.operands, c.attributes
    require(len(x.shape) > 1 and all(t.constant and t.shape == [x.shape[1]] for t in (m, b, s)), "lowering_operands")
    return [build(x.shape, None, lambda d: clamp(rnd((x.at(d) - a["zero_in"]) * m.at([d[1]]) + b.at([d[1]]),
                                                     s.at([d[1]])), a))]


def batch_norm_cases():
    op = Lowering("normalization", "batch_norm", batch_norm)
    m, b, s = constant([2**30, -(2**30), 12345]), constant([0, 2**35, -99]), constant([33, 31, 12])
    a = dict(zero_in=0, zero_out=0, lo=-128, hi=127)
    for shape in ([2, 3], [1, 3, 4], [2, 3, 2, 2], [1, 3, 1, 2, 2]):
        op.case(f"{shape}", [noise(f"batch {shape}", shape, -128, 127), m, b, s], a)
    op.case("zero points", [noise("batch zero", [2, 3, 3], -128, 127), m, b, s], a | dict(zero_in=-128, zero_out=5))
    op.refuse("lowering_operands", "two channels", [noise("two", [1, 2], -9, 9), m, b, s], a)
    op.refuse("lowering_operands", "a vector", [noise("vector", [3], -9, 9), m, b, s], a)
    op.refuse("lowering_operands", "computed b", [noise("computed", [1, 3], -9, 9), m, tensor([3], [1, 2, 3]), s], a)
    return op


def row_axes(c):
    axes = [axis_of(axis, len(c.operands[0].shape), "lowering_operands") for axis in c.attributes["axes"]]
    require(len(set(axes)) == len(axes), "lowering_operands")
    return axes


def l1_normalize(c):
    (x,), a = c.operands, c.attributes
    y = {}
    for row in rows(x, row_axes(c)):
        v = [x.at(d) - a["zero_in"] for d in row]
        total = sum(map(abs, v))
        for d, one in zip(row, v):
            quotient = Fraction(one << a["bits"], total) if total else 0
            y[d] = math.floor(quotient + Fraction(1, 2)) + a["zero_out"]
    return [build(x.shape, None, y.get)]


def l1_cases():
    op = Lowering("normalization", "l1_normalize", l1_normalize)
    a = dict(axes=[-1], bits=7, zero_in=0, zero_out=0)
    op.case("last axis", [noise("l1", [4, 5], -128, 127)], a)
    op.case("rows of zeros, of one and of ties", [tensor([3, 2], [0, 0, -7, 0, 3, -253])], a)
    op.case("two axes around zero points", [noise("l1 two", [2, 3, 4], -128, 127)],
            a | dict(axes=[0, -1], zero_in=-128, zero_out=-128))
    op.case("16 bits and 30 bits", [noise("l1 wide", [3, 9], -32768, 32767)], a | dict(bits=30))
    return op


def l2_normalize(c):
    (x,), a = c.operands, c.attributes
    axes = row_axes(c)
    length = math.prod(x.shape[axis] for axis in axes)
    fine = min(62, 39 + a["out"][0].bit_length())
    shift = min(62, fine + 20 - a["out"][1])
    require(shift >= 0, "lowering_operands")
    m = nearest(1 / (decimal(scale_of(a["out"])) * Decimal(length).sqrt()) * Decimal(2) ** (shift - 20))
    norm = a | {"epsilon_mode": "maximum" if a["maximum"] else "added", "epsilon": a["epsilon"] * length}
    require(norm["epsilon"] <= 2**62, "lowering_operands")
    y = {}
    for row in rows(x, axes):
        n = [length * (x.at(d) - a["zero_in"]) for d in row]
        variance = sum(v * v for v in n) // length
        for d, v in zip(row, n):
            y[d] = clamp(rnd(normalized(v, variance, norm) * m, shift), a)
    return [build(x.shape, None, y.get)]


def l2_cases(name):
    """l2_normalize, and grn, which is the same over the channels."""

    def define(c):
        if name == "grn":
            require(len(c.operands[0].shape) > 1, "lowering_operands")
            c.attributes = c.attributes | {"axes": [1], "maximum": False}
        return l2_normalize(c)

    op = Lowering("normalization", name, define)
    own = {} if name == "grn" else dict(axes=[-1], maximum=False)
    a = dict(guard=0, epsilon=0, out=[1, 7], zero_in=0, zero_out=0, lo=-128, hi=127) | own
    x = noise(name, [2, 6, 3], -128, 127)
    op.case("8 bits", [x], a)
    op.case("zero points and epsilon", [x], a | dict(zero_in=-128, zero_out=-128, epsilon=500, guard=3))
    op.case("16 bits", [noise(f"{name} 16", [2, 40, 2], -32768, 32767)], a | dict(out=[777, 24], lo=-32768, hi=32767))
    op.case("a row of zeros", [tensor([1, 3, 1], [0, 0, 0])], a | dict(zero_out=9))
    op.case("a coarse result", [x], a | dict(out=[2**31 - 1, 34]))
    op.refuse("lowering_operands", "too fine a result", [x], a | dict(out=[1, 61]))
    op.refuse("lowering_operands", "epsilon", [x], a | dict(epsilon=2**62))
    if name == "grn":
        op.refuse("lowering_operands", "a vector", [noise("vector", [3], -9, 9)], a)
    else:
        op.case("two axes and a least sum", [x], a | dict(axes=[0, -1], maximum=True, epsilon=10**5))
        op.refuse("lowering_operands", "an axis twice", [x], a | dict(axes=[0, -3]))
    return op


def nearest_root(v):
    root = math.isqrt(v)
    return root + (v - root * root > root)


def global_response_norm(c):
    (x, m, b), a = c.operands, c.attributes
    require(len(x.shape) >= 3, "lowering_operands")
    channels = x.shape[1]
    require(all(t.constant and t.shape == [channels] for t in (m, b)), "lowering_operands")
    y = {}
    for sample in range(x.shape[0]):
        places = [d for d in indices(x.shape) if d[0] == sample]
        of = [sum((x.at(d) - a["zero_in"])**2 for d in places if d[1] == k) for k in range(channels)]
        norms = [nearest_root(4**a["guard"] * squares) for squares in of]
        mean = Fraction(sum(norms) + a["epsilon"], channels)
        shares = [math.floor(2**a["bits"] * norm / mean + Fraction(1, 2)) if mean else 0 for norm in norms]
        for d in places:
            gain = a["residual"] + m.values[d[1]] * shares[d[1]]
            y[d] = clamp(rnd((x.at(d) - a["zero_in"]) * gain + b.values[d[1]], a["shift"]), a)
    return [build(x.shape, None, y.get)]


def global_response_norm_cases():
    op = Lowering("normalization", "global_response_norm", global_response_norm)
    a = dict(guard=6, bits=10, epsilon=0, residual=2**20, shift=20, zero_in=0, zero_out=0, lo=-128, hi=127)
    x = noise("response", [2, 6, 3, 2], -128, 127)

    def lists(seed, channels, m, b):
        drawn = [noise(f"{seed} m", [channels], -m, m), noise(f"{seed} b", [channels], -b, b)]
        return [tensor(t.shape, t.values, constant=True) for t in drawn]

    op.case("8 bits", [x, *lists("plain", 6, 900, 2**22)], a)
    op.case("zero points and epsilon", [x, *lists("zero", 6, 900, 2**22)],
            a | dict(zero_in=-128, zero_out=-100, epsilon=777))
    op.case("no guard, no bits", [x, *lists("coarse", 6, 2**19, 0)], a | dict(guard=0, bits=0, residual=0))
    op.case("one channel", [noise("one", [1, 1, 9], -99, 99), *lists("one", 1, 1000, 1000)], a)
    op.case("zeros", [tensor([1, 2, 2], [0] * 4), *lists("zeros", 2, 1000, 2**24)], a)
    op.case("16 bits", [noise("wide", [1, 3, 4], -32768, 32767), *lists("wide", 3, 300, 2**30)],
            a | dict(guard=3, bits=8, residual=2**16, shift=16, lo=-(2**31), hi=2**31 - 1))
    op.refuse("lowering_operands", "no places", [noise("flat", [2, 3], -9, 9), *lists("flat", 3, 9, 9)], a)
    op.refuse("lowering_operands", "a list of other channels", [x, *lists("five", 5, 9, 9)], a)
    return op


def lowerings():
    yield global_response_norm_cases()
    yield batch_norm_cases()
    yield l1_cases()
    yield l2_cases("l2_normalize")
    yield l2_cases("grn")
    yield feature_norm_cases("instance_norm", spatial(lambda a, shape: shape[1]), {},
                             {"epsilon_mode": "outside"})
    yield feature_norm_cases("group_norm", lambda a, shape: a["groups"], {"groups": 1}, {"groups": 2},
                             {"groups": 6})
    yield feature_norm_cases("mvn", spatial(lambda a, shape: 1 if a["across_channels"] else shape[1]),
                             *[{"across_channels": across, "normalize_variance": normalize}
                               for across in (False, True) for normalize in (False, True)])


if __name__ == "__main__":
    main(__file__, [softmax_cases(), log_softmax_cases(), norm_cases("layer_norm"), norm_cases("rms_norm"),
                    response_cases(), *lowerings()])
