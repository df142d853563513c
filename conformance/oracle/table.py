"""Vectors of the table family, by the definitions of ops/table/spec.md."""

from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction

from vectorlib import TENSOR_LIMITS, Lowering, Operator, build, inside, main, noise, numel, ramp, require, tensor
from wide_functions import (binade, decimal, exp_split, interpolate, nearest, rnd, scale_of, wide_constant_power, wide_exp,
                            wide_log)

CVM_MAX = 2**31 - 1
CORE_MIN, CORE_MAX = TENSOR_LIMITS["core"]


def entry(table, index):
    return table.values[min(max(index, 0), numel(table.shape) - 1)]


def reachable(table, lo, hi):
    """Least and greatest entry for an index in [lo, hi]."""
    last = numel(table.shape) - 1
    reached = table.values[min(max(lo, 0), last):min(max(hi, 0), last) + 1]
    return min(reached), max(reached)


def look_up(c, x, table, interval, offset):
    require(inside(interval, TENSOR_LIMITS[c.profile]), "value_range")
    return [build(x.shape, interval, lambda d: entry(table, x.at(d) - offset))], 2560 + 13 * numel(x.shape)


def cvm_lut(c):
    indices, table = c.operands
    require(1 <= c.attributes["in_dim"] < 2**31, "attribute_range")
    require(numel(table.shape) == c.attributes["in_dim"], "cvm_lut_c1")
    interval = reachable(table, *indices.interval) if table.constant else table.interval
    return look_up(c, indices, table, interval, 0)


def table_of(c):
    (x, table), offset = c.operands, c.attributes["offset"]
    require(inside(x.interval, TENSOR_LIMITS["core"]), "table_c1")
    require(table.constant, "table_c2")
    require(len(table.shape) == 1 and table.shape[0] <= 65536, "table_c3")
    return look_up(c, x, table, reachable(table, x.interval[0] - offset, x.interval[1] - offset), offset)


def normalized(mantissas, exponents, combine, x):
    """The function of a positive x before the last rounding."""
    k, i, rest = binade(x)
    mantissa = interpolate(mantissas, i, rest)
    return mantissa * exponents[k] if combine == "product" else mantissa + exponents[k]


def place(v, a):
    return min(max(rnd(v, a["shift"]) + a["zero_out"], a["lo"]), a["hi"])


def normalized_table(c):
    (x, mantissas, exponents), a = c.operands, c.attributes
    require(inside(x.interval, TENSOR_LIMITS["core"]), "normalized_table_c1")
    require(x.interval[0] >= 1, "normalized_table_c2")
    for table, size in ((mantissas, 1025), (exponents, 47)):
        require(table.constant and table.shape == [size], "normalized_table_c3")
    require(all(abs(m) <= 2**31 for m in mantissas.values), "normalized_table_c4")
    require(a["lo"] <= a["hi"], "normalized_table_c5")
    room = max(2**32, 2 ** (a["shift"] - 1) if a["shift"] else 0)

    def value(v):
        return normalized(mantissas.values, exponents.values, a["combine"], v)

    reached = []
    for k in range(x.interval[0].bit_length() - 1, x.interval[1].bit_length()):
        first, last = max(x.interval[0], 2**k), min(x.interval[1], 2 ** (k + 1) - 1)
        here = [value(first), value(last)]
        for i in range(1, 1024):
            if first << 10 < (1024 + i) << k <= last << 10:
                # The value at entry i, which need not be that of an integer.
                entry, exponent = mantissas.values[i], exponents.values[k]
                here.append(entry * exponent if a["combine"] == "product" else entry + exponent)
        require(max(map(abs, here)) + room < 2**63, "normalized_table_c6")
        reached += here
    interval = place(min(reached), a), place(max(reached), a)
    return [build(x.shape, interval, lambda d: place(value(x.at(d)), a))], 1536 + 112 * numel(x.shape)


def constant(values):
    return tensor([len(values)], values, constant=True)


def lut_cases():
    op = Operator("table", "cvm_lut", cvm_lut)
    indices = tensor([3, 3], [-CVM_MAX, -2, -1, 0, 1, 2, 3, 4, CVM_MAX])
    op.case("clamps the index", [indices, constant([10, -20, 30])], {"in_dim": 3}, "cvm")
    op.case("computed table", [indices, tensor([3], [10, -20, 30], (-99, 99))], {"in_dim": 3}, "cvm")
    # Clamping by the number of indices instead of entries reads past the table, or not to its end.
    op.case("more indices than entries", [noise("more", [4, 5], 0, 30), constant([7, 9])],
            {"in_dim": 2}, "cvm")
    op.case("more entries than indices", [tensor([2], [6, 8]), constant(list(range(100, 109)))],
            {"in_dim": 9}, "cvm")
    op.case("matrix of entries in row-major order", [ramp([5]), ramp([2, 2], 50)], {"in_dim": 4}, "cvm")
    for lo, hi in ((1, 3), (2, 2), (-9, 0), (-9, -1), (4, 99), (-9, 99)):
        op.case(f"constant entries, indices in [{lo}, {hi}]",
                [noise(f"lut {lo} {hi}", [4], lo, hi), constant([50, -1, 3, 2, -60])], {"in_dim": 5}, "cvm")
    op.case("scalar index", [ramp([], 1), constant([5, 6])], {"in_dim": 2})
    op.case("48-bit indices and entries", [tensor([2], [CORE_MIN, CORE_MAX]), constant([CORE_MAX, CORE_MIN])],
            {"in_dim": 2})
    op.case("indices of 64 bits", [constant([-(2**63), 2**63 - 1]), constant([1, 2])], {"in_dim": 2})
    op.refuse("cvm_lut_c1", "in_dim above the table", [ramp([1]), constant([1, 2])], {"in_dim": 3}, "cvm")
    op.refuse("cvm_lut_c1", "in_dim below the table", [ramp([1]), constant([1, 2])], {"in_dim": 1}, "cvm")
    op.refuse("attribute_range", "in_dim 0", [ramp([1]), constant([1])], {"in_dim": 0}, "cvm")
    op.refuse("value_range", "reachable entry of 64 bits", [ramp([1], 1), constant([1, 2**47])],
              {"in_dim": 2})
    return op


def table_cases():
    op = Operator("table", "table", table_of)
    x = tensor([3, 3], [CORE_MIN, -130, -129, -128, 0, 126, 127, 128, CORE_MAX])
    op.case("256 entries of i8", [x, constant([v * v % 251 - 125 for v in range(256)])], {"offset": -128})
    op.case("one entry", [x, constant([4])], {"offset": 0})
    for lo, hi in ((11, 13), (12, 12), (-99, 9), (15, 99), (-99, 99)):
        op.case(f"x in [{lo}, {hi}]", [noise(f"table {lo} {hi}", [4], lo, hi), constant([50, -1, 3, 2, -60])],
                {"offset": 10})
    op.case("scalar", [ramp([], 7), constant([1, 2, 3])], {"offset": 6})
    op.case("offset at the lower limit", [tensor([2], [CORE_MIN, CORE_MAX]), constant([1, 2, 3])],
            {"offset": CORE_MIN})
    op.case("offset at the upper limit", [tensor([2], [CORE_MIN, CORE_MAX]), constant([1, 2])],
            {"offset": CORE_MAX})
    op.case("entries out of reach do not count", [ramp([2]), constant([1, 2, 2**63 - 1])], {"offset": 0})
    op.case("random",
            [noise("table", [2, 3, 4], -40, 40), constant(noise("entries", [64], -999, 999).values)],
            {"offset": -32})
    op.refuse("table_c1", "a constant of 64 bits", [constant([2**47]), constant([1])], {"offset": 0})
    op.refuse("table_c2", "computed table", [ramp([1]), ramp([3])], {"offset": 0})
    op.refuse("table_c3", "matrix", [ramp([1]), tensor([1, 2], [1, 2], constant=True)], {"offset": 0})
    op.refuse("value_range", "reachable entry of 64 bits", [ramp([1], 1), constant([1, 2**47])],
              {"offset": 0})
    return op


def powers(a, mantissa_bits, shift):
    """M and X of x^a for so = 1."""
    a = Decimal(a)
    mantissas = [nearest(2**mantissa_bits * (1 + Decimal(i) / 1024) ** a) for i in range(1025)]
    return constant(mantissas), constant([nearest(Decimal(2) ** (a * k + shift - mantissa_bits)) for k in range(47)])


def logarithms(unit):
    mantissas = [nearest((1 + Decimal(i) / 1024).ln() / unit) for i in range(1025)]
    return constant(mantissas), constant([nearest(Decimal(2**k).ln() / unit) for k in range(47)])


def normalized_cases():
    op = Operator("table", "normalized_table", normalized_table)
    attributes = lambda **overrides: dict(combine="product", shift=31, zero_out=0, lo=CORE_MIN, hi=CORE_MAX) | overrides
    logs = dict(combine="sum", shift=18)
    edges = [1, 2, 3, 1023, 1024, 1025, 2**20 - 1, 2**20, 2**40 - 1, 2**40, 2**41 - 1, 2**41 + 1, CORE_MAX]
    binades = tensor([len(edges)], edges)
    tables = {"reciprocal": powers(-1, 31, 62), "rsqrt": powers("-0.5", 31, 62), "log": logarithms(Decimal(2) ** -30)}
    for name, (m, e) in tables.items():
        own = logs if name == "log" else {}
        op.case(f"{name} at edges", [binades, m, e], attributes(**own))
        for bits in (4, 16, 31, 47):
            op.case(f"{name} of {bits} bits", [noise(f"{name} {bits}", [2, 4], 1, 2**bits - 1), m, e], attributes(**own))
        op.case(f"{name} of a part of an octave", [noise(name, [5], 5000, 5999), m, e],
                attributes(zero_out=-7, lo=-20000, hi=2**18, **own))
    m, e = powers("0.5", 30, 30)
    op.case("square root", [binades, m, e], attributes(shift=30))
    odd = constant(noise("odd mantissas", [1025], -(2**31), 2**31).values)
    factors = constant(noise("odd exponents", [47], -999, 999).values)
    for combine in ("product", "sum"):
        op.case(f"any tables, {combine}", [noise("odd", [9], 3, 2**33), odd, factors],
                attributes(combine=combine, shift=7))
    one, last = tensor([1], [1]), constant([2**62] * 47)
    op.case("exponents out of reach do not count", [one, m, constant([5] + [2**63 - 1] * 46)], attributes(shift=20))
    op.refuse("normalized_table_c1", "a constant of 64 bits", [constant([2**47]), m, e], attributes())
    op.refuse("normalized_table_c2", "x may be 0", [tensor([1], [1], (0, 1)), m, e], attributes())
    op.refuse("normalized_table_c3", "computed mantissas", [one, tensor([1025], [1] * 1025), e], attributes())
    op.refuse("normalized_table_c3", "62 exponents", [one, m, constant([1] * 62)], attributes())
    op.refuse("normalized_table_c4", "mantissa above 2^31", [one, constant([2**31 + 1] * 1025), e], attributes())
    op.refuse("normalized_table_c5", "empty clamp", [one, m, e], attributes(lo=1, hi=0))
    op.refuse("normalized_table_c6", "product of 93 bits", [one, m, last], attributes())
    op.refuse("normalized_table_c6", "no room to round", [one, m, constant([3 * 2**61] * 47)],
              attributes(combine="sum", shift=62))
    return op


def wide_log_of(c):
    (x,), a = c.operands, c.attributes
    require(x.interval[1] > a["zero_in"], "lowering_operands")
    log = wide_log(a)
    require(log, "lowering_operands")

    def element(v):
        return min(max(log(v) + a["zero_out"], a["lo"]), a["hi"]) if v > 0 else a["lo"]

    return [(x.shape, [element(v - a["zero_in"]) for v in x.values])]


def wide_exp_of(c):
    (x,), a = c.operands, c.attributes
    bits, guard = exp_split(a)
    first, last = [(end - a["zero_in"]) >> bits for end in x.interval]
    require(guard >= 0 and last - first < 65536, "lowering_operands")
    exp = wide_exp(a)
    return [(x.shape, [exp(v - a["zero_in"]) for v in x.values])]


def wide_exp_cases():
    op = Lowering("table", "wide_exp", wide_exp_of)
    attributes = lambda **overrides: {"in": [1, 20], "out": [1, 15], "zero_in": 0, "zero_out": 0, "lo": 0,
                                      "hi": 32767} | overrides
    op.case("24 bits below 0", [noise("wide exp", [2, 20], -(2**24), 0)], attributes())
    op.case("saturates", [noise("wide exp above", [9], -(2**20), 2**26)], attributes(out=[1, 0]))
    op.case("odd scales and zero points", [noise("wide exp odd", [3, 5], -(2**21), 2**21)],
            attributes(zero_in=1000, zero_out=-128, lo=-128, hi=127, out=[99, 10]) | {"in": [12345, 34]})
    op.case("a coarse operand", [noise("wide exp coarse", [9], -12, 9)], attributes(out=[1, 4]) | {"in": [3, 1]})
    op.case("a wide result", [noise("wide exp wide", [9], -(2**20), 2**21)], attributes(out=[1, 24], hi=2**30 - 1))
    op.refuse("lowering_operands", "32 bits", [noise("wide exp 32", [2], -(2**31), 2**31 - 1)], attributes() |
              {"in": [1, 16]})
    op.refuse("lowering_operands", "a result of 31 bits", [noise("wide exp 31", [2], 0, 9)], attributes(hi=2**30))
    return op


def wide_power(c):
    (x, p), a = c.operands, c.attributes
    require(a["power"][1] <= 58, "lowering_operands")
    log = wide_log({"in": a["in"], "out": [1, 24]})
    exp = wide_exp(a | {"in": [1, 20]})

    def element(v, power):
        exponent = (log(v) if v > 0 else -(2**31)) * (power - a["zero_power"]) * a["power"][0]
        return exp(min(max(rnd(exponent, a["power"][1] + 4), -(2**26)), 2**26))

    return [(x.shape, [element(v - a["zero_in"], power) for v, power in zip(x.values, p.values)])]


def wide_power_cases():
    op = Lowering("table", "wide_power", wide_power)
    attributes = lambda **overrides: {"in": [1, 7], "power": [1, 4], "out": [1, 7], "zero_in": 0, "zero_power": 0,
                                      "zero_out": 0, "lo": -32768, "hi": 32767} | overrides
    op.case("8 bits", [noise("power x", [3, 6], -128, 127), noise("power p", [3, 6], -128, 127)], attributes())
    op.case("32 bits", [noise("power wide", [12], 1, 2**31 - 1), noise("power q", [12], -32, 32)], attributes())
    op.case("zero points and odd scales", [noise("power y", [10], -128, 127), noise("power r", [10], -128, 127)],
            attributes(power=[77, 10], zero_in=-128, zero_power=-128, zero_out=-128, lo=-128, hi=127) |
            {"in": [3, 9], "out": [5, 3]})
    op.refuse("lowering_operands", "too fine an exponent", [noise("fine x", [2], 1, 9), noise("fine p", [2], 1, 9)],
              attributes(power=[1, 59]))
    return op


def wide_constant_power_of(c):
    (x,), a = c.operands, c.attributes
    require(a["exponent"][1] > 0 and abs(a["exponent"][0]) <= 16 * a["exponent"][1], "lowering_operands")
    require(x.interval[1] > a["zero_in"], "lowering_operands")
    power = wide_constant_power(a)
    require(power, "lowering_operands")

    def of_zero():
        if a["exponent"][0] < 0:
            return a["hi"]
        one = nearest(1 / decimal(scale_of(a["out"]))) if a["exponent"][0] == 0 else 0
        return min(max(one + a["zero_out"], a["lo"]), a["hi"])

    return [(x.shape, [power(v - a["zero_in"]) if v > a["zero_in"] else of_zero() for v in x.values])]


def wide_constant_power_cases():
    op = Lowering("table", "wide_constant_power", wide_constant_power_of)
    attributes = lambda **overrides: {"exponent": [1, 2], "in": [1, 0], "out": [1, 6], "zero_in": 0, "zero_out": 0,
                                      "lo": -(2**31), "hi": 2**20} | overrides
    binades = tensor([9], [1, 2, 3, 1000, 2**20, 2**30 + 12345, 2**40 + 1, 2**45 - 1, CORE_MAX])
    for exponent in ([1, 2], [-1, 2], [2, 3], [5, 2], [-7, 3], [22, 10], [1, 1], [0, 1], [16, 1], [-16, 1]):
        op.case(f"x ** {exponent[0]}/{exponent[1]}", [binades], attributes(exponent=exponent))
        op.case(f"x ** {exponent[0]}/{exponent[1]}, odd scales", [noise(f"power {exponent}", [12], -(2**31), 2**31 - 1)],
                attributes(exponent=exponent, out=[777, 12], zero_in=-12345, zero_out=-100, lo=-128, hi=127) |
                {"in": [12345, 40]})
    op.refuse("lowering_operands", "an exponent beyond 16", [binades], attributes(exponent=[33, 2]))
    op.refuse("lowering_operands", "a denominator of 0", [binades], attributes(exponent=[1, 0]))
    op.refuse("lowering_operands", "never positive", [noise("never", [3], -9, 0)], attributes())
    op.refuse("lowering_operands", "a clamp of 47 bits", [binades], attributes(exponent=[16, 1], hi=CORE_MAX))
    return op


def wide_log_cases():
    op = Lowering("table", "wide_log", wide_log_of)
    attributes = lambda **overrides: {"in": [1, 0], "out": [1, 10], "zero_in": 0, "zero_out": 0, "lo": CORE_MIN,
                                      "hi": CORE_MAX} | overrides
    binades = tensor([9], [1, 2, 3, 1000, 2**20, 2**30 + 12345, 2**40 + 1, 2**45 - 1, CORE_MAX])
    for text, own in {"units": {}, "of Q30": {"in": [1, 30]}, "odd scales": {"in": [12345, 20], "out": [777, 15]},
                      "the finest result": {"out": [1, 31]}, "a coarse result": {"out": [3, 0]},
                      "an exponent of in below every octave": {"in": [7, 60]}}.items():
        op.case(text, [binades], attributes(**own))
    op.case("zero points and clamp", [noise("wide log", [3, 4], -50, 2**20)],
            attributes(zero_in=-5, zero_out=-100, out=[1, 4], lo=-128, hi=127))
    op.case("32 bits", [noise("wide log 32", [20], -(2**31), 2**31 - 1)], attributes(out=[1, 11], lo=-32768, hi=32767))
    op.refuse("lowering_operands", "never positive", [noise("never", [3], -9, 0)], attributes())
    op.refuse("lowering_operands", "too fine a result", [binades], attributes(out=[1, 32]))
    return op


def sigmoid(x, a, b):
    return 1 / (1 + (-decimal(x)).exp())


UNARY = {
    "exp": lambda x, a, b: decimal(x).exp(),
    "log": lambda x, a, b: decimal(x).ln() if x > 0 else Decimal("-Infinity"),
    "sigmoid": sigmoid,
    "silu": lambda x, a, b: decimal(x) * sigmoid(x, a, b),
    "elu": lambda x, a, b: decimal(x) if x > 0 else decimal(a) * (decimal(x).exp() - 1),
    "sqrt": lambda x, a, b: decimal(max(x, Fraction(0))).sqrt(),
    "hard_swish": lambda x, a, b: decimal(x * min(max(a * x + b, Fraction(0)), Fraction(1))),
    "reciprocal": lambda x, a, b: 1 / decimal(x) if x != 0 else Decimal("Infinity"),
    "identity": lambda x, a, b: decimal(x),
}


def unary(c):
    """No case has a tie whose decimal quotient is rounded: scales of outputs are powers of two."""
    (x,), t = c.operands, c.attributes
    scale = [Fraction(t[key][0], 2 ** t[key][1]) for key in ("in", "out")]
    a, b = Fraction(*t["alpha"]), Fraction(*t["beta"])

    def entry(code):
        y = UNARY[t["function"]]((code - t["zero_in"]) * scale[0], a, b) / decimal(scale[1]) + t["zero_out"]
        if not t["lo"] <= y < t["hi"]:
            return t["lo"] if y < t["lo"] else t["hi"]
        return int((y + Decimal("0.5")).to_integral_value(ROUND_FLOOR))

    return [(x.shape, [entry(code) for code in x.values])]


def clamped(value, lo, n):
    return min(max(value - lo, 0), n - 1)


def table2(c):
    (a, b, table), t = c.operands, c.attributes
    n_a, n_b = numel(table.shape) // t["n_b"], t["n_b"]
    row, column = numel(a.shape), numel(b.shape)  # the cases are an outer product
    values = [table.values[clamped(a.values[i], t["lo_a"], n_a) * n_b + clamped(b.values[j], t["lo_b"], n_b)]
              for i in range(row) for j in range(column)]
    return [([row, column], values)]


def table_interpolated(c):
    x, table = c.operands

    def at(code):
        code = min(max(code, -32768), 32767)
        base, following = table.values[(code >> 7) + 256:(code >> 7) + 258]
        return (base << 7) + (following - base) * (code & 127)

    return [(x.shape, [at(code) for code in x.values])]


def table_per_channel(c):
    (x, tables), t = c.operands, c.attributes
    n = tables.shape[1]
    return [build(x.shape, None, lambda d: tables.at((d[t["axis"]], clamped(x.at(d), t["offset"], n))))]


def unary_cases():
    op = Lowering("table", "unary", unary)

    def add(function, x, alpha=(0, 1), beta=(0, 1), **fields):
        attributes = {"function": function, "alpha": list(alpha), "beta": list(beta), "in": [1, 4],
                      "out": [1, 7], "zero_in": 0, "zero_out": 0, "lo": -128, "hi": 127}
        op.case(function, [x], attributes | fields)

    add("exp", noise("exp", [9], -128, 0))
    add("log", noise("log", [12], -4, 127), zero_in=-2, out=[3, 6])
    add("sigmoid", noise("sigmoid", [2, 5], -128, 127), out=[1, 8], zero_out=-128)
    add("silu", noise("silu", [3, 3], -32768, 32767), **{"in": [5, 15], "out": [1, 12], "lo": -32768, "hi": 32767})
    add("elu", noise("elu", [9], -128, 127), alpha=(2, 3), out=[1, 3])
    add("sqrt", tensor([7], [-3, 0, 1, 4, 36, 100, 127], (-128, 127)), out=[1, 0])
    add("hard_swish", noise("hard_swish", [9], -128, 127), alpha=(1, 6), beta=(1, 2), out=[1, 3])
    add("reciprocal", tensor([7], [-2, -1, 0, 1, 2, 32, 127], (-128, 127)), out=[1, 0])
    add("identity", tensor([4], [-9, -8, 8, 9], (-9, 9)), out=[1, 0])  # ties go up
    return op


def combined_cases():
    two = Lowering("table", "table2", table2)
    entries = constant(noise("table2", [12], -99, 99).values)
    two.case("outer product", [tensor([5, 1], [-9, -2, -1, 0, 9]), tensor([6], [-1, 5, 6, 7, 8, 99]), entries],
             {"lo_a": -2, "lo_b": 5, "n_b": 4})
    two.case("one column", [tensor([3, 1], [0, 4, 11]), tensor([1], [7]), entries], {"lo_a": 0, "lo_b": 7, "n_b": 1})
    two.case("one row", [tensor([1, 1], [3]), tensor([4], [-5, 0, 3, 50]), entries],
             {"lo_a": 3, "lo_b": -4, "n_b": 12})
    points = [i * i // 9 - 14000 for i in range(513)]
    interpolated = Lowering("table", "table_interpolated", table_interpolated)
    edges = tensor([11], [-40000, -32768, -32767, -32641, -32640, -1, 0, 127, 128, 32767, 40000])
    interpolated.case("edges of the segments", [edges, constant(points)])
    interpolated.case("falling", [noise("falling", [3, 7], -32768, 32767), constant(points[::-1])])
    channel = Lowering("table", "table_per_channel", table_per_channel)
    tables = tensor([3, 4], noise("channels", [12], -50, 50).values, constant=True)
    for axis, shape in ((0, [3, 5]), (1, [2, 3, 4]), (-1, [4, 3])):
        channel.case(f"axis {axis}", [noise(f"axis {axis}", shape, -3, 6), tables], {"axis": axis, "offset": 0})
    channel.case("offset", [noise("offset", [3, 6], -9, 9), tables], {"axis": 0, "offset": -2})
    return [two, interpolated, channel]


if __name__ == "__main__":
    main(__file__, [lut_cases(), table_cases(), normalized_cases(), unary_cases(), *combined_cases(), wide_log_cases(),
                    wide_exp_cases(), wide_power_cases(), wide_constant_power_cases()])
