"""The layout operators again, from ops/layout/spec.md."""

from broadcasting import broadcast_gas
from vectorlib import *

INT32_MAX = 2**31 - 1


def moved(x, shape, source, gas, base=0):
    """The result of `shape` that has x[source(d)] at d, and its gas: so many units for each element, and `base`."""
    check_shape(shape)
    y = build(shape, x.interval, lambda d: x.at(source(d)))
    return [y], base + gas * numel(shape)


def unflattened(flat, shape):
    index = []
    for dim in reversed(shape):
        flat, i = divmod(flat, dim)
        index.insert(0, i)
    return index


def in_order(x, shape):
    return moved(x, shape, lambda d: unflattened(offset(d, shape), x.shape), 3)


def reshape(c):
    x, shape = c.operands[0], c.attributes["shape"]
    check_list(shape, 1, INT32_MAX, 0, 8)
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
    return moved(x, shape, lambda d: d[:axis] + d[axis + count:], 3)


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
    return moved(x, [x.shape[axis] for axis in axes], lambda d: [d[axes.index(axis)] for axis in range(rank)], 14, 320)


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
    return [y], 320 * len(c.operands) + 20 * numel(shape)


def repeat(c):
    x, repeats = c.operands[0], c.attributes["repeats"]
    check_int(repeats, 1, INT32_MAX)
    check_int(c.attributes["axis"], -8, 7)
    axis = axis_of(c.attributes["axis"], len(x.shape), "repeat_c1")
    shape = [dim * repeats if j == axis else dim for j, dim in enumerate(x.shape)]
    return moved(x, shape, lambda d: [i // repeats if j == axis else i for j, i in enumerate(d)], 44, 512)


def tile(c):
    x, reps = c.operands[0], c.attributes["reps"]
    check_list(reps, 1, 4096, 1, 8)
    rank = max(len(x.shape), len(reps))
    dims = [1] * (rank - len(x.shape)) + x.shape
    reps = [1] * (rank - len(reps)) + reps
    shape = [n * m for n, m in zip(dims, reps)]
    return moved(x, shape, lambda d: [i % n for i, n in zip(d, dims)][rank - len(x.shape):], 44, 512)


def strided_slice(c):
    x = c.operands[0]
    rank = len(x.shape)
    for name in ("begin", "end", "stride"):
        check_list(c.attributes[name], -(2**31), INT32_MAX, 0, 8)
    require(all(len(c.attributes[name]) <= rank for name in ("begin", "end", "stride")), "strided_slice_c1")
    require(0 not in c.attributes["stride"], "strided_slice_c2")
    picked = []
    for axis, n in enumerate(x.shape):
        begin, end, stride = (
            c.attributes[name][axis] if axis < len(c.attributes[name]) else default
            for name, default in (("begin", 0), ("end", n), ("stride", 1)))
        picked.append(walk(n, begin + n if begin < 0 else begin, end + n if end < 0 else end, stride))
        require(picked[-1], "strided_slice_c3")
    return moved(x, [len(p) for p in picked], lambda d: [p[i] for p, i in zip(picked, d)], 28)


def walk(n, begin, end, stride):
    """Indices of [0, n) from begin until end, by enumeration: no clamp is written down."""
    if stride > 0:
        inside = [i for i in range(n) if begin <= i < end]
    else:
        inside = [i for i in reversed(range(n)) if begin >= i > end]
    return inside[::abs(stride)]


def slice_like(c):
    x, like = c.operands
    check_list(c.attributes["axis"], -8, 7, 0, 8)
    rank = len(x.shape)
    if not c.attributes["axis"]:
        require(len(like.shape) == rank, "slice_like_c1")
    shape = list(x.shape)
    for entry in c.attributes["axis"] or range(rank):
        axis = axis_of(entry, rank, "slice_like_c2")
        require(axis < len(like.shape), "slice_like_c2")
        require(like.shape[axis] <= x.shape[axis], "slice_like_c3")
        shape[axis] = like.shape[axis]
    return moved(x, shape, lambda d: d, 28)


def continued(mode, i, n):
    """The element at place i of an axis that goes on for ever, found by walking there from inside."""
    if mode == "edge":
        return min(max(i, 0), n - 1)
    period = {"reflect": [*range(n), *range(n - 2, 0, -1)], "symmetric": [*range(n), *reversed(range(n))],
              "wrap": list(range(n))}[mode]
    return period[i % len(period)]


def pad(c):
    x, before, after = c.operands[0], c.attributes["before"], c.attributes["after"]
    value, mode = c.attributes["value"], c.attributes["mode"]
    check_list(before, 0, INT32_MAX, 0, 8)
    check_list(after, 0, INT32_MAX, 0, 8)
    check_int(value, *TENSOR_LIMITS["core"])
    require(len(before) == len(after) == len(x.shape), "pad_c1")
    shape = [b + n + a for b, n, a in zip(before, x.shape, after)]
    require(mode == "constant" or value == 0, "pad_c2")
    check_shape(shape)

    def element(d):
        source = [i - b for i, b in zip(d, before)]
        if mode != "constant":
            source = [continued(mode, i, n) for i, n in zip(source, x.shape)]
        return x.at(source) if all(0 <= i < n for i, n in zip(source, x.shape)) else value

    padded = mode == "constant" and (any(before) or any(after))
    y = build(shape, hull(x.interval, (value, value)) if padded else x.interval, element)
    return [y], 80 * numel(shape)


def broadcast_to(c):
    x, shape = c.operands[0], c.attributes["shape"]
    check_list(shape, 1, INT32_MAX, 0, 8)
    new = len(shape) - len(x.shape)
    require(new >= 0 and all(n in (1, m) for n, m in zip(x.shape, shape[new:])), "broadcast_to_c1")
    check_shape(shape)
    [y], _ = moved(x, shape, lambda d: [i % n for i, n in zip(d[new:], x.shape)], 0)
    return [y], broadcast_gas(shape)


def reverse_sequence(c):
    x, lengths = c.operands
    rank = len(x.shape)
    check_int(c.attributes["batch_axis"], -8, 7)
    check_int(c.attributes["seq_axis"], -8, 7)
    batch = axis_of(c.attributes["batch_axis"], rank, "reverse_sequence_c1")
    sequence = axis_of(c.attributes["seq_axis"], rank, "reverse_sequence_c1")
    require(batch != sequence, "reverse_sequence_c2")
    require(lengths.shape == [x.shape[batch]], "reverse_sequence_c3")
    time = x.shape[sequence]

    def source(d):
        order = list(range(time))
        head = min(max(lengths.values[d[batch]], 0), time)
        order[:head] = reversed(order[:head])
        return [order[i] if axis == sequence else i for axis, i in enumerate(d)]

    return moved(x, x.shape, source, 128)


def iota(c):
    shape, start, step = c.attributes["shape"], c.attributes["start"], c.attributes["step"]
    require(not c.operands, "operand_count")
    check_list(shape, 1, INT32_MAX, 0, 8)
    check_int(c.attributes["axis"], -8, 7)
    check_int(start, *TENSOR_LIMITS["core"])
    check_int(step, *TENSOR_LIMITS["core"])
    axis = axis_of(c.attributes["axis"], len(shape), "iota_c1")
    check_shape(shape)
    last = start + step * (shape[axis] - 1)
    require(inside((last, last), TENSOR_LIMITS["core"]), "value_range")
    y = build(shape, (min(start, last), max(start, last)), lambda d: start + step * d[axis])
    return [y], 28 * numel(shape)


def fill(c):
    shape, value = c.attributes["shape"], c.attributes["value"]
    check_list(shape, 1, INT32_MAX, 0, 8)
    check_int(value, *TENSOR_LIMITS["core"])
    check_shape(shape)
    y = build(shape, (value, value), lambda d: value)
    return [y], 3 * numel(shape)
