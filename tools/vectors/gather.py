"""Vectors of the gather family, from ops/gather/spec.md."""

from vectorlib import *


def take(c):
    x, picks = c.operands
    check_list(c.attributes["axis"], -8, 7, 0, 1)
    if c.attributes["axis"]:
        axis = axis_of(c.attributes["axis"][0], len(x.shape), "take_c1")
    else:
        x, axis = tensor([numel(x.shape)], x.values, x.interval), 0
    behind = axis + len(picks.shape)  # where the axes of x that follow `axis` start in the result
    shape = x.shape[:axis] + picks.shape + x.shape[axis + 1:]
    check_shape(shape)

    def element(d):
        pick = min(max(picks.at(d[axis:behind]), 0), x.shape[axis] - 1)
        return x.at(d[:axis] + (pick,) + d[behind:])

    y = build(shape, x.interval, element)
    return [y], size_bytes(y)


def take_cases():
    op = Operator("gather", "take", take)
    op.case("no axis indexes the flattened data", [ramp([2, 3], 10), tensor([2, 2], [5, 0, 3, 3])],
            {"axis": []}, "cvm")
    op.case("no axis, clamped", [ramp([2, 3], 10), tensor([4], [-1, -7, 6, 10**9])], {"axis": []}, "cvm")
    op.case("first axis", [ramp([3, 2]), tensor([4], [2, 0, 2, 1])], {"axis": [0]}, "cvm")
    op.case("last axis from the back", [ramp([2, 3]), tensor([2], [2, 0])], {"axis": [-1]}, "cvm")
    op.case("middle axis, matrix of indices", [ramp([2, 3, 2]), tensor([2, 2], [0, 2, 1, 1])], {"axis": [1]},
            "cvm")
    op.case("negative index is 0, not the back", [ramp([3], 5), tensor([2], [-1, -3])], {"axis": [0]}, "cvm")
    op.case("index beyond the dim is the last", [ramp([2, 2]), tensor([2], [2, 2**31 - 1])], {"axis": [1]},
            "cvm")
    op.case("extreme indices of core", [ramp([3], 5), tensor([2], [-(2**47), 2**47 - 1])], {"axis": [0]})
    op.case("interval is that of the data", [noise("take", [4, 3], -300, 300), noise("picks", [2], -1, 4)],
            {"axis": [0]}, "cvm")
    op.case("scalar index drops the axis", [ramp([2, 3]), tensor([], [1])], {"axis": [0]})
    op.case("scalar index without axis", [ramp([2, 3]), tensor([], [4])], {"axis": []})
    op.case("scalar data without axis", [tensor([], [9]), tensor([3], [-1, 0, 1])], {"axis": []})
    op.refuse("take_c1", "axis above the rank", [ramp([2, 3]), tensor([1], [0])], {"axis": [2]})
    op.refuse("take_c1", "axis below -rank", [ramp([2, 3]), tensor([1], [0])], {"axis": [-3]})
    op.refuse("take_c1", "axis of a scalar", [tensor([], [9]), tensor([1], [0])], {"axis": [0]})
    op.refuse("attribute_length", "two axes", [ramp([2, 3]), tensor([1], [0])], {"axis": [0, 1]})
    op.refuse("shape_rank", "rank 9", [ramp([2, 2]), tensor([1] * 8, [0])], {"axis": [0]})
    op.refuse("value_range", "data beyond the limit of core",
              [tensor([1], [-(2**47) - 1], constant=True), ramp([1])], {"axis": []})
    return op


main(__file__, [take_cases()])
