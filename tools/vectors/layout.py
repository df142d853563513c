"""Vectors of the layout family, from ops/layout/spec.md."""

from vectorlib import *

INT32_MAX = 2**31 - 1


def moved(x, shape, source):
    """The result of `shape` that has x[source(d)] at d, and its gas."""
    check_shape(shape)
    y = build(shape, x.interval, lambda d: x.at(source(d)))
    return [y], size_bytes(y)


def unflattened(flat, shape):
    index = []
    for dim in reversed(shape):
        flat, i = divmod(flat, dim)
        index.insert(0, i)
    return index


def in_order(x, shape):
    return moved(x, shape, lambda d: unflattened(offset(d, shape), x.shape))


def reshape(c):
    x, shape = c.operands[0], c.attributes["shape"]
    check_list(shape, 1, INT32_MAX, 0, 8)
    check_shape(shape)
    require(numel(shape) == numel(x.shape), "reshape_c1")
    return in_order(x, shape)


def flatten(c):
    x = c.operands[0]
    require(len(x.shape) >= 1, "flatten_c1")
    return in_order(x, [x.shape[0], numel(x.shape[1:])])


def expand_dims(c):
    x, axis, count = c.operands[0], c.attributes["axis"], c.attributes["num_newaxis"]
    check_int(axis, -9, 8)
    check_int(count, 1, 4096)
    rank = len(x.shape)
    require(-rank - 1 <= axis <= rank, "expand_dims_c1")
    if axis < 0:
        axis += rank + 1
    shape = x.shape[:axis] + [1] * count + x.shape[axis:]
    return moved(x, shape, lambda d: d[:axis] + d[axis + count:])


def squeeze(c):
    x, axes = c.operands[0], c.attributes["axis"]
    check_list(axes, -8, 7, 0, 8)
    rank = len(x.shape)
    removed = set()
    for entry in axes:
        axis = axis_of(entry, rank, "squeeze_c1")
        require(x.shape[axis] == 1, "squeeze_c2")
        removed.add(axis)
    if not axes:
        removed = {axis for axis in range(rank) if x.shape[axis] == 1}
    shape = [dim for axis, dim in enumerate(x.shape) if axis not in removed]
    return in_order(x, shape or [1])


def transpose(c):
    x, axes = c.operands[0], c.attributes["axes"]
    check_list(axes, -8, 7, 0, 8)
    rank = len(x.shape)
    require(len(axes) in (0, rank), "transpose_c1")
    axes = [axis_of(axis, rank, "transpose_c2") for axis in axes] or list(range(rank))[::-1]
    require(len(set(axes)) == rank, "transpose_c3")
    return moved(x, [x.shape[axis] for axis in axes], lambda d: [d[axes.index(axis)] for axis in range(rank)])


def concatenate(c):
    require(1 <= len(c.operands) <= 1024, "operand_count")
    check_int(c.attributes["axis"], -8, 7)
    first = c.operands[0]
    rank = len(first.shape)
    axis = axis_of(c.attributes["axis"], rank, "concatenate_c1")
    for x in c.operands:
        require(len(x.shape) == rank, "concatenate_c2")
        for j in range(rank):
            require(j == axis or x.shape[j] == first.shape[j], "concatenate_c3")
    # The slices of every operand along the axis, in order: slice s of the result is (operand, its index).
    slices = [(x, i) for x in c.operands for i in range(x.shape[axis])]
    shape = first.shape[:axis] + [len(slices)] + first.shape[axis + 1:]

    def element(d):
        x, i = slices[d[axis]]
        return x.at(d[:axis] + (i,) + d[axis + 1:])

    y = build(shape, hull(*(x.interval for x in c.operands)), element)
    return [y], size_bytes(y)


def pad(c):
    x, before, after = c.operands[0], c.attributes["before"], c.attributes["after"]
    value = c.attributes["value"]
    check_list(before, 0, INT32_MAX, 0, 8)
    check_list(after, 0, INT32_MAX, 0, 8)
    check_int(value, *TENSOR_LIMITS["core"])
    require(len(before) == len(after) == len(x.shape), "pad_c1")
    shape = [b + n + a for b, n, a in zip(before, x.shape, after)]
    check_shape(shape)

    def element(d):
        source = [i - b for i, b in zip(d, before)]
        return x.at(source) if all(0 <= i < n for i, n in zip(source, x.shape)) else value

    padded = any(before) or any(after)
    y = build(shape, hull(x.interval, (value, value)) if padded else x.interval, element)
    return [y], size_bytes(y)


def reshape_cases():
    op = Operator("layout", "reshape", reshape)
    op.case("row-major order stays", [ramp([2, 3])], {"shape": [3, 2]})
    op.case("rank up", [ramp([6], -3)], {"shape": [1, 3, 1, 2]}, "cvm")
    op.case("rank down, 16-bit values", [noise("reshape", [2, 2, 3], -30000, 30000)], {"shape": [12]}, "cvm")
    op.case("same shape", [ramp([2, 2])], {"shape": [2, 2]})
    op.case("one element to a scalar", [tensor([1, 1], [-9])], {"shape": []})
    op.case("a scalar to rank 8", [tensor([], [2**47 - 1])], {"shape": [1] * 8})
    op.case("declared interval survives", [tensor([2], [0, 1], (-(2**31), 2**31))], {"shape": [2, 1]})
    op.case("least value of profile cvm", [tensor([1], [-(2**31 - 1)])], {"shape": [1, 1]}, "cvm")
    op.refuse("reshape_c1", "fewer elements", [ramp([2, 3])], {"shape": [5]})
    op.refuse("reshape_c1", "more elements", [ramp([2, 3])], {"shape": [2, 4]})
    op.refuse("attribute_range", "0 does not copy a dim", [ramp([2, 3])], {"shape": [0, 3]})
    op.refuse("attribute_range", "-1 does not infer a dim", [ramp([2, 3])], {"shape": [-1]})
    op.refuse("attribute_length", "rank 9", [ramp([1])], {"shape": [1] * 9})
    op.refuse("shape_elements", "largest dims", [ramp([1])], {"shape": [INT32_MAX] * 8})
    wraps = [2, 5, 7, 11239, 88801, 1056175639]
    assert numel(wraps) % 2**64 == 6
    op.refuse("shape_elements", "product is right modulo 2^64", [ramp([2, 3])], {"shape": wraps})
    op.refuse("value_range", "value beyond the limit of core", [tensor([1], [2**47], constant=True)], {"shape": [1]})
    return op


def flatten_cases():
    op = Operator("layout", "flatten", flatten)
    op.case("keeps the first axis", [ramp([2, 3, 2])], {}, "cvm")
    op.case("matrix stays", [ramp([2, 3])], {}, "cvm")
    op.case("vector gets a second axis", [ramp([4], -2)], {}, "cvm")
    op.case("rank 8", [noise("flatten", [2, 1, 2, 1, 2, 1, 1, 2], -128, 127)], {})
    op.refuse("flatten_c1", "scalar", [tensor([], [3])])
    return op


def expand_dims_cases():
    op = Operator("layout", "expand_dims", expand_dims)
    for axis in range(-3, 3):
        op.case(f"axis {axis}", [ramp([2, 3])], {"axis": axis, "num_newaxis": 1}, "cvm")
    op.case("several new axes", [ramp([2, 3])], {"axis": 1, "num_newaxis": 3}, "cvm")
    op.case("several new axes, counted from the back", [ramp([2, 3])], {"axis": -2, "num_newaxis": 2}, "cvm")
    op.case("scalar", [tensor([], [-1])], {"axis": 0, "num_newaxis": 2})
    op.case("up to rank 8", [ramp([2])], {"axis": -1, "num_newaxis": 7})
    op.refuse("expand_dims_c1", "axis above the rank", [ramp([2, 3])], {"axis": 3, "num_newaxis": 1})
    op.refuse("expand_dims_c1", "axis below -rank - 1", [ramp([2, 3])], {"axis": -4, "num_newaxis": 1})
    op.refuse("shape_rank", "rank 9", [ramp([2])], {"axis": 0, "num_newaxis": 8})
    op.refuse("shape_rank", "most new axes", [ramp([2])], {"axis": 0, "num_newaxis": 4096})
    op.refuse("attribute_range", "no new axis", [ramp([2])], {"axis": 0, "num_newaxis": 0})
    op.refuse("attribute_range", "too many new axes", [ramp([2])], {"axis": 0, "num_newaxis": 4097})
    return op


def squeeze_cases():
    op = Operator("layout", "squeeze", squeeze)
    op.case("listed axes", [ramp([1, 2, 1, 3])], {"axis": [2]}, "cvm")
    op.case("listed from the back", [ramp([1, 2, 1, 3])], {"axis": [-2, -4]}, "cvm")
    op.case("duplicates count once", [ramp([1, 2, 1, 3])], {"axis": [0, -4, 0]}, "cvm")
    op.case("empty list removes every 1", [ramp([1, 2, 1, 3, 1])], {"axis": []}, "cvm")
    op.case("empty list, nothing to remove", [ramp([2, 3])], {"axis": []}, "cvm")
    op.case("nothing left", [tensor([1, 1], [5])], {"axis": []}, "cvm")
    op.case("nothing left of listed axes", [tensor([1, 1], [5])], {"axis": [0, 1]}, "cvm")
    op.case("scalar becomes a vector", [tensor([], [5])], {"axis": []})
    op.refuse("squeeze_c1", "axis above the rank", [ramp([1, 2])], {"axis": [2]})
    op.refuse("squeeze_c1", "axis below -rank", [ramp([1, 2])], {"axis": [-3]})
    op.refuse("squeeze_c1", "axis of a scalar", [tensor([], [5])], {"axis": [0]})
    op.refuse("squeeze_c2", "dim 2", [ramp([1, 2])], {"axis": [0, 1]})
    op.refuse("squeeze_c2", "first offending entry decides", [ramp([1, 2])], {"axis": [1, 7]})
    return op


def transpose_cases():
    op = Operator("layout", "transpose", transpose)
    op.case("empty list reverses", [ramp([2, 3, 4])], {"axes": []}, "cvm")
    op.case("matrix", [ramp([2, 3], -3)], {"axes": [1, 0]}, "cvm")
    op.case("cycle", [ramp([2, 3, 4])], {"axes": [1, 2, 0]}, "cvm")
    op.case("inverse cycle", [ramp([2, 3, 4])], {"axes": [2, 0, 1]}, "cvm")
    op.case("identity", [ramp([2, 3, 4])], {"axes": [0, 1, 2]}, "cvm")
    op.case("negative entries", [ramp([2, 3, 4])], {"axes": [-1, 0, -2]}, "cvm")
    op.case("NCHW to NHWC", [noise("nchw", [2, 3, 2, 2], -128, 127)], {"axes": [0, 2, 3, 1]}, "cvm")
    op.case("rank 8", [ramp([2, 1, 2, 1, 3, 1, 1, 2])], {"axes": [7, 0, 6, 1, 5, 2, 4, 3]})
    op.case("scalar", [tensor([], [1])], {"axes": []})
    op.refuse("transpose_c1", "list shorter than the rank", [ramp([2, 3, 4])], {"axes": [1, 0]})
    op.refuse("transpose_c1", "list longer than the rank", [ramp([2, 3])], {"axes": [1, 0, 2]})
    op.refuse("transpose_c2", "axis above the rank", [ramp([2, 3])], {"axes": [2, 0]})
    op.refuse("transpose_c2", "axis below -rank", [ramp([2, 3])], {"axes": [0, -3]})
    op.refuse("transpose_c2", "range before duplicates", [ramp([2, 3, 4])], {"axes": [0, 0, 3]})
    op.refuse("transpose_c3", "axis listed twice in two spellings", [ramp([2, 3])], {"axes": [1, -1]})
    return op


def concatenate_cases():
    op = Operator("layout", "concatenate", concatenate)
    op.case("first axis", [ramp([1, 2]), ramp([2, 2], 10)], {"axis": 0}, "cvm")
    op.case("last axis", [ramp([2, 1]), ramp([2, 3], 10), ramp([2, 2], -9)], {"axis": 1}, "cvm")
    op.case("middle axis from the back", [ramp([2, 1, 2]), ramp([2, 2, 2], 50)], {"axis": -2}, "cvm")
    op.case("one operand", [ramp([2, 2])], {"axis": 0}, "cvm")
    op.case("hull of declared intervals",
            [tensor([1], [0], (-128, 5)), tensor([2], [1, 2], (1, 40000)), tensor([1], [3])], {"axis": 0}, "cvm")
    op.case("eight operands", [noise(f"concatenate {k}", [2, k + 1], -100 * k, 100 * k) for k in range(8)],
            {"axis": 1}, "cvm")
    op.refuse("operand_count", "no operand", [], {"axis": 0})
    op.refuse("concatenate_c1", "axis above the rank", [ramp([2]), ramp([2])], {"axis": 1})
    op.refuse("concatenate_c1", "axis below -rank", [ramp([2]), ramp([2])], {"axis": -2})
    op.refuse("concatenate_c1", "scalars", [tensor([], [1]), tensor([], [2])], {"axis": 0})
    op.refuse("concatenate_c2", "another rank", [ramp([2]), ramp([2, 1])], {"axis": 0})
    op.refuse("concatenate_c3", "another dim off the axis", [ramp([2, 2]), ramp([1, 3])], {"axis": 0})
    op.refuse("concatenate_c3", "operands in order: dim of the second before rank of the third",
              [ramp([2, 2]), ramp([1, 3]), ramp([2])], {"axis": 0})
    op.refuse("value_range", "value beyond the limit of core",
              [ramp([1]), tensor([1], [2**47], constant=True)], {"axis": 0})
    return op


def pad_cases():
    op = Operator("layout", "pad", pad)
    op.case("both sides of both axes", [ramp([2, 2], 1)], {"before": [1, 0], "after": [1, 2], "value": -7})
    op.case("image", [noise("pad", [1, 2, 2, 2], -128, 127)],
            {"before": [0, 0, 1, 1], "after": [0, 0, 1, 1], "value": 0})
    op.case("nothing added, value not counted", [ramp([2])], {"before": [0], "after": [0], "value": 1000})
    op.case("value widens the storage", [ramp([2])], {"before": [1], "after": [0], "value": 1000})
    op.case("value inside the interval", [tensor([2], [1, 2], (-5, 5))], {"before": [0], "after": [1], "value": -5})
    op.case("extreme value", [ramp([1])], {"before": [1], "after": [1], "value": -(2**47)})
    op.case("scalar", [tensor([], [3])], {"before": [], "after": [], "value": 9})
    op.refuse("pad_c1", "before too short", [ramp([2, 2])], {"before": [1], "after": [1, 1], "value": 0})
    op.refuse("pad_c1", "after too long", [ramp([2])], {"before": [1], "after": [1, 1], "value": 0})
    op.refuse("attribute_range", "negative amount", [ramp([2])], {"before": [-1], "after": [0], "value": 0})
    op.refuse("attribute_range", "value beyond the limit", [ramp([2])],
              {"before": [1], "after": [0], "value": 2**47})
    op.refuse("shape_dim", "dim beyond 2^31 - 1", [ramp([1])], {"before": [INT32_MAX], "after": [0], "value": 0})
    op.refuse("shape_elements", "more than 2^36 elements", [ramp([1, 1])],
              {"before": [2**20, 2**20], "after": [0, 0], "value": 0})
    return op


main(__file__, [
    reshape_cases(), flatten_cases(), expand_dims_cases(), squeeze_cases(), transpose_cases(), concatenate_cases(),
    pad_cases(),
])
