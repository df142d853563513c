"""The lowerings of the gather family, each from its meaning in ops/gather/lowerings.md."""

from vectorlib import *


def refused_axis(c, rank):
    return axis_of(c.attributes["axis"], rank, "lowering_operands")


def embedding(c):
    table, ids = c.operands
    require(table.shape, "lowering_operands")
    rows = table.shape[0]

    def row(d):
        i = ids.at(d[:len(ids.shape)])
        return min(max(i + rows if i < 0 else i, 0), rows - 1)

    return [build(ids.shape + table.shape[1:], None, lambda d: table.at([row(d), *d[len(ids.shape):]]))]


def dynamic_slice(c):
    x, begin = c.operands
    axis, size = refused_axis(c, len(x.shape)), c.attributes["size"]
    require(size <= x.shape[axis] and numel(begin.shape) == 1, "lowering_operands")
    start = min(max(begin.values[0], 0), x.shape[axis] - size)
    return [build(x.shape[:axis] + [size] + x.shape[axis + 1:], None,
                  lambda d: x.at(d[:axis] + (start + d[axis],) + d[axis + 1:]))]


def one_hot(c):
    picks, on, off = c.operands
    depth = c.attributes["depth"]
    axis = refused_axis(c, len(picks.shape) + 1)
    require(numel(on.shape) == numel(off.shape) == 1, "lowering_operands")

    def element(d):
        i = picks.at(d[:axis] + d[axis + 1:])
        if i < 0 and c.attributes["from_back"]:
            i += depth
        return (on if i == d[axis] else off).values[0]

    return [build(picks.shape[:axis] + [depth] + picks.shape[axis:], None, element)]


def compress(c):
    x, mask = c.operands
    bound, value = c.attributes["bound"], c.attributes["value"]
    if c.attributes["axis"]:
        axis = axis_of(c.attributes["axis"][0], len(x.shape), "lowering_operands")
    else:
        x, axis = tensor([numel(x.shape)], x.values), 0
    require(len(mask.shape) == 1 and mask.shape[0] <= x.shape[axis], "lowering_operands")
    kept = [k for k, keep in enumerate(mask.values) if keep]
    y = build(x.shape[:axis] + [bound] + x.shape[axis + 1:], None,
              lambda d: x.at(d[:axis] + (kept[d[axis]],) + d[axis + 1:]) if d[axis] < len(kept) else value)
    return [y, ([], [len(kept)])]


def nonzero(c):
    x, bound = c.operands[0], c.attributes["bound"]
    require(x.shape, "lowering_operands")
    rows = [d for d in indices(x.shape) if x.at(d)]
    shown = (rows + [[c.attributes["value"]] * len(x.shape)] * bound)[:bound]
    return [([bound, len(x.shape)], [i for row in shown for i in row]), ([], [len(rows)])]


def lowering_cases():
    def new(name, define):
        operators.append(Lowering("gather", name, define))
        return operators[-1]

    operators = []
    op = new("embedding", embedding)
    op.case("matrix of ids", [noise("table", [5, 3], -300, 300), tensor([2, 2], [4, 0, -1, 2])])
    op.case("ids outside", [ramp([3, 2]), tensor([3], [3, -4, 99])])
    op.refuse("lowering_operands", "scalar table", [tensor([], [1]), ramp([1])])

    op = new("dynamic_slice", dynamic_slice)
    for begin in (-5, 0, 1, 2, 9):
        op.case(f"begin {begin}", [ramp([2, 5]), tensor([], [begin])], {"axis": -1, "size": 3})
    op.case("begin of rank 1", [ramp([3, 2]), tensor([1], [2])], {"axis": 0, "size": 1})
    op.refuse("lowering_operands", "too large", [ramp([2]), tensor([], [0])], {"axis": 0, "size": 3})
    op.refuse("lowering_operands", "two begins", [ramp([2]), ramp([2])], {"axis": 0, "size": 1})

    op = new("one_hot", one_hot)
    picks = tensor([2, 3], [0, 2, 3, -1, -3, -4])
    for axis in (0, 1, -1):
        for from_back in (False, True):
            op.case(f"axis {axis}, from_back {from_back}", [picks, tensor([], [5]), tensor([1], [-300])],
                    {"depth": 3, "axis": axis, "from_back": from_back})
    op.case("scalar index", [tensor([], [1]), tensor([], [1]), tensor([], [0])],
            {"depth": 2, "axis": 0, "from_back": False})
    op.refuse("lowering_operands", "axis", [picks, ramp([]), ramp([])], {"depth": 1, "axis": 3, "from_back": False})
    op.refuse("lowering_operands", "two values", [picks, ramp([2]), ramp([])],
              {"depth": 1, "axis": 0, "from_back": False})

    op = new("compress", compress)
    op.case("axis", [ramp([3, 2]), tensor([3], [0, 1, 1])], {"axis": [0], "bound": 2, "value": 0})
    op.case("shorter mask", [ramp([2, 3]), tensor([2], [1, 0])], {"axis": [-1], "bound": 3, "value": -1})
    op.case("flattened", [ramp([2, 3]), tensor([5], [0, 1, 0, 0, 1])], {"axis": [], "bound": 4, "value": 9})
    op.refuse("lowering_operands", "longer mask", [ramp([2]), ramp([3])], {"axis": [0], "bound": 1, "value": 0})
    op.refuse("lowering_operands", "matrix", [ramp([2]), ramp([2, 1])], {"axis": [0], "bound": 1, "value": 0})

    op = new("nonzero", nonzero)
    op.case("matrix", [tensor([2, 3], [0, 5, -1, 0, 0, 2])], {"bound": 4, "value": -1})
    op.case("cube, bound too low", [noise("cube", [2, 2, 2], 0, 1)], {"bound": 2, "value": 0})
    op.case("vector of zeros", [tensor([3], [0, 0, 0], (0, 1))], {"bound": 2, "value": -1})
    op.refuse("lowering_operands", "scalar", [tensor([], [1])], {"bound": 1, "value": 0})
    return operators
