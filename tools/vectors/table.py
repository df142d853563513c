"""Vectors of the table family, by the definitions of ops/table/spec.md."""

from vectorlib import TENSOR_LIMITS, Operator, build, inside, main, noise, numel, ramp, require, tensor

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
    return [build(x.shape, interval, lambda d: entry(table, x.at(d) - offset))], 2 * numel(x.shape)


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


if __name__ == "__main__":
    main(__file__, [lut_cases(), table_cases()])
