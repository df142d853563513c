"""Vectors of the layout family."""

from layout_definitions import *
from layout_lowerings import lowering_cases
from vectorlib import *


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
    op.refuse("reshape_c1", "largest dims", [ramp([1])], {"shape": [INT32_MAX] * 8})
    wraps = [2, 5, 7, 11239, 88801, 1056175639]
    assert numel(wraps) % 2**64 == 6
    op.refuse("reshape_c1", "product is right modulo 2^64", [ramp([2, 3])], {"shape": wraps})
    op.refuse("value_range", "value beyond the limit of core", [tensor([1], [2**47], constant=True)],
              {"shape": [1]})
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
    op.case("beyond 32 bits", [tensor([1], [-(2**47)]), tensor([2], [2**47 - 1, 0])], {"axis": 0})
    op.case("hull of declared intervals",
            [tensor([1], [0], (-128, 5)), tensor([2], [1, 2], (1, 40000)), tensor([1], [3])],
            {"axis": 0}, "cvm")
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


def repeat_cases():
    op = Operator("layout", "repeat", repeat)
    op.case("last axis", [ramp([2, 3])], {"repeats": 2, "axis": 1}, "cvm")
    op.case("first axis", [ramp([2, 3])], {"repeats": 3, "axis": 0}, "cvm")
    op.case("middle axis from the back", [ramp([2, 2, 2], -4)], {"repeats": 2, "axis": -2}, "cvm")
    op.case("once", [ramp([3])], {"repeats": 1, "axis": 0}, "cvm")
    op.case("one element many times", [tensor([1], [-300])], {"repeats": 17, "axis": -1}, "cvm")
    op.case("beyond 32 bits", [tensor([2], [-(2**47), 2**47 - 1])], {"repeats": 2, "axis": 0})
    op.refuse("repeat_c1", "axis above the rank", [ramp([2])], {"repeats": 2, "axis": 1})
    op.refuse("repeat_c1", "axis below -rank", [ramp([2])], {"repeats": 2, "axis": -2})
    op.refuse("repeat_c1", "scalar", [tensor([], [1])], {"repeats": 2, "axis": 0})
    op.refuse("attribute_range", "no repeats", [ramp([2])], {"repeats": 0, "axis": 0})
    op.refuse("shape_dim", "dim beyond 2^31 - 1", [ramp([3])], {"repeats": INT32_MAX, "axis": 0})
    op.refuse("shape_elements", "more than 2^36 elements", [ramp([64, 1])], {"repeats": INT32_MAX, "axis": 1})
    return op


def tile_cases():
    op = Operator("layout", "tile", tile)
    op.case("both axes", [ramp([2, 2])], {"reps": [2, 3]}, "cvm")
    op.case("reps shorter than the rank align at the right", [ramp([2, 2])], {"reps": [2]}, "cvm")
    op.case("reps longer than the rank add axes", [ramp([3])], {"reps": [2, 1, 2]}, "cvm")
    op.case("last axis only", [ramp([2, 1, 2], -2)], {"reps": [1, 1, 3]}, "cvm")
    op.case("noise", [noise("tile", [3, 2], -40000, 40000)], {"reps": [2, 1, 2]}, "cvm")
    op.case("scalar", [tensor([], [4])], {"reps": [2, 2]})
    op.refuse("attribute_length", "empty reps", [ramp([2])], {"reps": []})
    op.refuse("attribute_length", "nine reps", [ramp([2])], {"reps": [1] * 9})
    op.refuse("attribute_range", "rep 0", [ramp([2])], {"reps": [0]})
    op.refuse("attribute_range", "rep 4097", [ramp([2])], {"reps": [4097]})
    op.refuse("shape_elements", "eight times 4096", [ramp([2])], {"reps": [4096] * 8})
    return op


def strided_slice_cases():
    op = Operator("layout", "strided_slice", strided_slice)

    def case(name, begin, end, stride, x=ramp([6])):
        op.case(name, [x], {"begin": begin, "end": end, "stride": stride}, "cvm")

    def refuse(label, name, begin, end, stride, x=ramp([6])):
        op.refuse(label, name, [x], {"begin": begin, "end": end, "stride": stride})

    case("upward", [1], [4], [1])
    case("upward by two", [1], [6], [2])
    case("upward by more than the dim", [2], [6], [7])
    case("last element, upward", [5], [6], [1])
    case("downward from the last element", [5], [1], [-1])
    case("downward to the first element", [-1], [-7], [-2])
    case("negative indices count from the back", [-4], [-1], [1])
    case("indices beyond the ends clamp, upward", [-50], [50], [1])
    case("indices beyond the ends clamp, downward", [50], [-50], [-1])
    case("extreme attributes", [INT32_MAX], [-(2**31)], [-(2**31)])
    case("defaults are the whole axis", [], [], [])
    case("absent end is the dim", [2], [], [])
    case("absent begin is 0", [], [-2], [])
    case("lists of different lengths", [1], [2, 3], [1, 2, 2], ramp([2, 4, 3]))
    case("every axis", [1, -1, 0], [2, 0, 9], [1, -2, 3], ramp([2, 4, 5]))
    op.case("scalar", [tensor([], [1])], {"begin": [], "end": [], "stride": []})
    refuse("strided_slice_c1", "begin longer than the rank", [0, 0], [6], [1])
    refuse("strided_slice_c1", "end longer than the rank", [0], [6, 1], [1])
    refuse("strided_slice_c1", "stride longer than the rank", [0], [6], [1, 1])
    refuse("strided_slice_c1", "length before stride", [0, 0], [6], [0])
    refuse("strided_slice_c2", "stride 0", [0], [6], [0])
    refuse("strided_slice_c3", "begin equals end", [3], [3], [1])
    refuse("strided_slice_c3", "begin behind end", [4], [2], [1])
    refuse("strided_slice_c3", "begin behind the last element", [6], [], [1])
    refuse("strided_slice_c3", "downward with the default end", [5], [], [-1])
    refuse("strided_slice_c3", "end -1 is the last element", [5], [-1], [-1])
    refuse("strided_slice_c3", "second axis", [0, 2], [2, 2], [1, 1], ramp([2, 3]))
    refuse("attribute_range", "begin below int32", [-(2**31) - 1], [6], [1])
    return op


def slice_like_cases():
    op = Operator("layout", "slice_like", slice_like)
    op.case("every axis", [ramp([3, 4]), ramp([2, 3])], {"axis": []}, "cvm")
    op.case("listed axis", [ramp([3, 4]), ramp([2, 9])], {"axis": [0]}, "cvm")
    op.case("listed from the back", [ramp([3, 4]), ramp([9, 3])], {"axis": [-1]}, "cvm")
    op.case("duplicates count once", [ramp([3, 4]), ramp([2, 3])], {"axis": [1, -1, 1]}, "cvm")
    op.case("model of lower rank", [ramp([3, 2, 2]), ramp([2])], {"axis": [0]}, "cvm")
    op.case("model of higher rank", [ramp([4]), ramp([2, 3, 1])], {"axis": [0]}, "cvm")
    op.case("same dims", [ramp([2, 2]), ramp([2, 2], -9)], {"axis": []}, "cvm")
    op.case("interval of the first operand only", [ramp([2]), tensor([1], [70000])], {"axis": []}, "cvm")
    op.case("scalars", [tensor([], [1]), tensor([], [2])], {"axis": []})
    op.refuse("slice_like_c1", "ranks differ and no axis is listed", [ramp([2, 2]), ramp([2])], {"axis": []})
    op.refuse("slice_like_c2", "axis above the rank", [ramp([2]), ramp([2, 2])], {"axis": [1]})
    op.refuse("slice_like_c2", "axis below -rank", [ramp([2]), ramp([2, 2])], {"axis": [-2]})
    op.refuse("slice_like_c2", "axis not in the model", [ramp([2, 2]), ramp([2])], {"axis": [-1]})
    op.refuse("slice_like_c3", "model is longer", [ramp([2, 2]), ramp([2, 3])], {"axis": []})
    op.refuse("slice_like_c3", "entries in order: longer before absent", [ramp([2, 2]), ramp([3])],
              {"axis": [0, 1]})
    return op


def pad_cases():
    op = Operator("layout", "pad", pad)
    op.case("both sides of both axes", [ramp([2, 2], 1)], {"before": [1, 0], "after": [1, 2], "value": -7, "mode": "constant"})
    op.case("image", [noise("pad", [1, 2, 2, 2], -128, 127)],
            {"before": [0, 0, 1, 1], "after": [0, 0, 1, 1], "value": 0, "mode": "constant"})
    op.case("nothing added, value not counted", [ramp([2])], {"before": [0], "after": [0], "value": 1000, "mode": "constant"})
    op.case("value widens the storage", [ramp([2])], {"before": [1], "after": [0], "value": 1000, "mode": "constant"})
    op.case("value inside the interval", [tensor([2], [1, 2], (-5, 5))],
            {"before": [0], "after": [1], "value": -5, "mode": "constant"})
    op.case("extreme value", [ramp([1])], {"before": [1], "after": [1], "value": -(2**47), "mode": "constant"})
    op.case("scalar", [tensor([], [3])], {"before": [], "after": [], "value": 9, "mode": "constant"})
    op.refuse("pad_c1", "before too short", [ramp([2, 2])], {"before": [1], "after": [1, 1], "value": 0, "mode": "constant"})
    op.refuse("pad_c1", "after too long", [ramp([2])], {"before": [1], "after": [1, 1], "value": 0, "mode": "constant"})
    op.refuse("attribute_range", "negative amount", [ramp([2])], {"before": [-1], "after": [0], "value": 0, "mode": "constant"})
    op.refuse("attribute_range", "value beyond the limit", [ramp([2])],
              {"before": [1], "after": [0], "value": 2**47, "mode": "constant"})
    op.refuse("shape_dim", "dim beyond 2^31 - 1", [ramp([1])],
              {"before": [INT32_MAX], "after": [0], "value": 0, "mode": "constant"})
    op.refuse("shape_elements", "more than 2^36 elements", [ramp([1, 1])],
              {"before": [2**20, 2**20], "after": [0, 0], "value": 0, "mode": "constant"})
    op.refuse("shape_elements", "axes in order: product of two before the third dim", [ramp([1, 1, 1])],
              {"before": [2**20, 2**20, INT32_MAX], "after": [0, 0, 0], "value": 0, "mode": "constant"})
    for mode in ("edge", "reflect", "symmetric", "wrap"):
        for dim in (1, 2, 3):
            op.case(f"{mode}, far beyond {dim} elements", [ramp([dim])],
                    {"before": [7], "after": [8], "value": 0, "mode": mode})
        op.case(f"{mode}, both axes", [noise("pad", [1, 3, 2], -128, 127)],
                {"before": [0, 1, 1], "after": [0, 2, 1], "value": 0, "mode": mode})
        op.case(f"{mode}, nothing added", [ramp([2])], {"before": [0], "after": [0], "value": 0, "mode": mode})
        op.case(f"{mode}, scalar", [tensor([], [3])], {"before": [], "after": [], "value": 0, "mode": mode})
        op.refuse("pad_c2", f"{mode} with a value", [ramp([2])],
                  {"before": [1], "after": [0], "value": 1, "mode": mode})
    return op


def broadcast_to_cases():
    op = Operator("layout", "broadcast_to", broadcast_to)
    op.case("axes of one element", [ramp([2, 1, 3])], {"shape": [2, 4, 3]})
    op.case("new axes", [ramp([2])], {"shape": [3, 1, 2]})
    op.case("scalar", [tensor([], [-5])], {"shape": [2, 2]})
    op.case("scalar to scalar", [tensor([], [-5])], {"shape": []})
    op.case("same shape", [ramp([2, 2])], {"shape": [2, 2]})
    op.case("rank 8", [ramp([2, 1])], {"shape": [1, 2, 1, 1, 1, 1, 2, 3]})
    op.refuse("broadcast_to_c1", "another dim", [ramp([2])], {"shape": [4]})
    op.refuse("broadcast_to_c1", "smaller dim", [ramp([2])], {"shape": [1]})
    op.refuse("broadcast_to_c1", "lower rank", [ramp([1, 1])], {"shape": [1]})
    op.refuse("attribute_range", "0 does not copy a dim", [ramp([2])], {"shape": [0]})
    op.refuse("broadcast_to_c1", "broadcast before shape", [ramp([2])], {"shape": [INT32_MAX, INT32_MAX, 3]})
    op.refuse("shape_elements", "too many elements", [ramp([2])], {"shape": [INT32_MAX, INT32_MAX, 2]})
    return op


def reverse_sequence_cases():
    op = Operator("layout", "reverse_sequence", reverse_sequence)
    op.case("each length", [ramp([5, 4]), tensor([5], [0, 1, 2, 3, 4])], {"batch_axis": 0, "seq_axis": 1})
    op.case("clamped lengths", [ramp([2, 3]), tensor([2], [-(2**63), 2**63 - 1], constant=True)],
            {"batch_axis": 0, "seq_axis": 1})
    op.case("sequence first", [ramp([4, 3]), tensor([3], [2, 4, 3])], {"batch_axis": 1, "seq_axis": 0})
    op.case("axes from the back, slices move whole", [noise("seq", [2, 3, 2, 2], -300, 300), tensor([2], [3, 2])],
            {"batch_axis": -2, "seq_axis": -3})
    op.refuse("reverse_sequence_c1", "batch axis", [ramp([2, 3]), ramp([2])], {"batch_axis": 2, "seq_axis": 1})
    op.refuse("reverse_sequence_c1", "sequence axis", [ramp([2]), ramp([2])], {"batch_axis": 0, "seq_axis": 1})
    op.refuse("reverse_sequence_c2", "one axis", [ramp([2, 3]), ramp([2])], {"batch_axis": 0, "seq_axis": -2})
    op.refuse("reverse_sequence_c3", "too few lengths", [ramp([2, 3]), ramp([1])], {"batch_axis": 0, "seq_axis": 1})
    op.refuse("reverse_sequence_c3", "a matrix of lengths", [ramp([2, 3]), ramp([2, 1])],
              {"batch_axis": 0, "seq_axis": 1})
    return op


def iota_cases():
    op = Operator("layout", "iota", iota)

    def attributes(shape, axis=0, start=0, step=1):
        return {"shape": shape, "axis": axis, "start": start, "step": step}

    op.case("vector", [], attributes([5]))
    op.case("downward along the last axis", [], attributes([2, 3], -1, 5, -2))
    op.case("middle axis", [], attributes([2, 3, 2], 1, -1, 100))
    op.case("constant step", [], attributes([3], 0, 7, 0))
    op.case("largest value", [], attributes([2], 0, -1, 2**47 - 1))
    op.case("one element ignores the step", [], attributes([1, 1], 1, -(2**47), 2**47 - 1))
    op.refuse("iota_c1", "axis above the rank", [], attributes([2], 1))
    op.refuse("iota_c1", "scalar", [], attributes([]))
    op.refuse("value_range", "beyond the limit", [], attributes([2], 0, 1, 2**47 - 1))
    op.refuse("value_range", "far beyond 64 bits", [], attributes([INT32_MAX], 0, 0, -(2**47)))
    op.refuse("iota_c1", "axis before shape", [], attributes([INT32_MAX] * 2, 2))
    op.refuse("shape_elements", "too many elements", [], attributes([INT32_MAX] * 2))
    op.refuse("operand_count", "an operand", [ramp([1])], attributes([1]))
    return op


def fill_cases():
    op = Operator("layout", "fill", fill)
    op.case("matrix", [], {"shape": [2, 3], "value": -7})
    op.case("scalar", [], {"shape": [], "value": 2**47 - 1})
    op.case("16 bits", [], {"shape": [4], "value": 1000})
    op.refuse("attribute_range", "beyond the limit", [], {"shape": [1], "value": 2**47})
    op.refuse("shape_elements", "too many elements", [], {"shape": [2**30, 2**7], "value": 0})
    return op


main(__file__, [
    reshape_cases(), flatten_cases(), expand_dims_cases(), squeeze_cases(), transpose_cases(),
    concatenate_cases(), repeat_cases(), tile_cases(), strided_slice_cases(), slice_like_cases(), pad_cases(),
    broadcast_to_cases(), reverse_sequence_cases(), iota_cases(), fill_cases(),
    *lowering_cases(),
])
