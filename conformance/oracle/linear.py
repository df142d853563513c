"""The linear operators again, from ops/linear/spec.md."""

import itertools

from deformable_definitions import deformable_conv2d_cases
from vectorlib import (Lowering, Operator, build, check_accumulator, hull, indices, main, noise, numel,
                       ramp, require, size_bytes, tensor)

ZERO = (0, 0)


def bit_length(n):
    return n.bit_length()


def precision(interval):
    return bit_length(max(abs(interval[0]), abs(interval[1]))) + 1


def corners(a, b):
    products = [x * y for x, y in itertools.product(a, b)]
    return min(products), max(products)


def add(*intervals):
    return sum(lo for lo, _ in intervals), sum(hi for _, hi in intervals)


def bounds(x, channels, count, w, bias):
    """(result, accumulator) intervals; `channels` lists the weights of each sum, or is None when they vary."""
    if channels is None:
        terms = [[corners(x, w.interval)] * count]
        biases = [bias.interval if bias else ZERO]
    else:
        terms = [[corners(x, (weight, weight)) for weight in weights] for weights in channels]
        biases = [((v, v) if bias.constant else bias.interval) for v in bias.values] if bias else [ZERO] * len(terms)
    totals = [add(*sums, b) for sums, b in zip(terms, biases)]
    # A partial sum has any of the terms: each contributes itself or nothing.
    partial = [add(*(hull(t, ZERO) for t in sums + [b])) for sums, b in zip(terms, biases)]
    return hull(*totals), hull(*partial)


def check_factors(c, label):
    if c.profile == "cvm":
        require(max(precision(t.interval) for t in c.operands[:2]) <= 8, label)


def sums_gas(c, rows, columns, terms, lines=0, groups=1, depthwise=False):
    """Products of matrices: in each group rows by columns, each a sum of terms."""
    x, w = c.operands[:2]
    paid_columns, of_group = (2, 0) if depthwise else (max(columns, 16), 512)
    return size_bytes(x) + 16 * size_bytes(w) + groups * (of_group + 20 * rows * paid_columns * (terms + 16) + 64 * lines * terms)


def convolution_gas(c, y):
    w, groups = c.operands[1], c.attributes["groups"]
    columns, pixels = y.shape[1] // groups, y.shape[0] * numel(y.shape[2:])
    return sums_gas(c, rows=pixels, columns=columns, terms=numel(w.shape[1:]), lines=pixels // y.shape[-1],
                    groups=groups, depthwise=groups > 1 and w.shape[1] == columns == 1)


def conv2d(c):
    x, w = c.operands[:2]
    bias = c.operands[2] if len(c.operands) == 3 else None
    (ph, pw), (sh, sw), (dh, dw) = (c.attributes[name] for name in ("padding", "stride", "dilation"))
    groups = c.attributes["groups"]
    require(len(x.shape) == 4 and len(w.shape) == 4, "conv2d_c1")
    (batch, channels, height, width), (oc, ic, kh, kw) = x.shape, w.shape
    require(channels % groups == 0 and oc % groups == 0, "conv2d_c2")
    require(ic == channels // groups, "conv2d_c3")
    spare_h = height + 2 * ph - (dh * (kh - 1) + 1)
    spare_w = width + 2 * pw - (dw * (kw - 1) + 1)
    require(spare_h >= 0 and spare_w >= 0, "conv2d_c4")
    require(bias is None or bias.shape == [oc], "conv2d_c5")
    check_factors(c, "conv2d_c6")

    def pad(n, j, h, v):
        return x.at((n, j, h, v)) if 0 <= h < height and 0 <= v < width else 0

    def element(index):
        n, o, p, q = index
        first = o // (oc // groups) * ic
        total = bias.values[o] if bias else 0
        for i, ki, kj in indices([ic, kh, kw]):
            total += pad(n, first + i, p * sh - ph + ki * dh, q * sw - pw + kj * dw) * w.at((o, i, ki, kj))
        return total

    count = ic * kh * kw
    weights = [w.values[o * count:(o + 1) * count] for o in range(oc)] if w.constant else None
    padded = hull(x.interval, ZERO) if ph > 0 or pw > 0 else x.interval
    result, accumulator = bounds(padded, weights, count, w, bias)
    check_accumulator(accumulator, c.profile)
    y = build([batch, oc, spare_h // sh + 1, spare_w // sw + 1], result, element)
    return [y], convolution_gas(c, y)


def dense(c):
    x, w = c.operands[:2]
    bias = c.operands[2] if len(c.operands) == 3 else None
    require(len(x.shape) == 2 and len(w.shape) == 2, "dense_c1")
    (rows, count), (units, length) = x.shape, w.shape
    require(count == length, "dense_c2")
    require(bias is None or bias.shape == [units], "dense_c3")
    check_factors(c, "dense_c4")
    weights = [w.values[u * count:(u + 1) * count] for u in range(units)] if w.constant else None
    result, accumulator = bounds(x.interval, weights, count, w, bias)
    check_accumulator(accumulator, c.profile)

    def element(index):
        m, u = index
        return sum(x.at((m, k)) * w.at((u, k)) for k in range(count)) + (bias.values[u] if bias else 0)

    y = build([rows, units], result, element)
    return [y], sums_gas(c, rows=rows, columns=units, terms=count, lines=rows)


def shifted(interval, zero):
    return interval[0] - zero, interval[1] - zero


def check_zero(operand, zero, label):
    require(all(-(2**63) <= end < 2**63 for end in shifted(operand.interval, zero)), label)


def totals(factor, channels, count, weights_interval):
    """bounds() of sums without a bias whose weights and factors are less their zeros already."""
    return bounds(factor, channels, count, tensor([1], [weights_interval[0]], weights_interval), None)


def matmul(c):
    a, b = c.operands
    zero_a, zero_b = c.attributes["zero_a"], c.attributes["zero_b"]
    require(len(a.shape) >= 2 and len(b.shape) >= 2, "matmul_c1")
    flip_a, flip_b = c.attributes["transpose_a"], c.attributes["transpose_b"]
    m, k = reversed(a.shape[-2:]) if flip_a else a.shape[-2:]
    length, n = reversed(b.shape[-2:]) if flip_b else b.shape[-2:]
    require(k == length, "matmul_c2")
    batch = []
    for da, db in itertools.zip_longest(a.shape[-3::-1], b.shape[-3::-1], fillvalue=1):
        require(da == db or 1 in (da, db), "matmul_c3")
        batch.insert(0, max(da, db))
    check_zero(a, zero_a, "matmul_c4")
    check_zero(b, zero_b, "matmul_c4")

    def entry(t, front, row, column, flip):
        own = t.shape[:-2]
        aligned = front[len(front) - len(own):]
        place = [0 if dim == 1 else i for i, dim in zip(aligned, own)]
        return t.at((*place, column, row) if flip else (*place, row, column))

    def left(front, row, i):
        return entry(a, front, row, i, flip_a) - zero_a

    def right(front, i, column):
        return entry(b, front, i, column, flip_b) - zero_b

    def element(index):
        *front, row, column = index
        return sum(left(front, row, i) * right(front, i, column) for i in range(k))

    of_a, of_b = shifted(a.interval, zero_a), shifted(b.interval, zero_b)
    if a.constant and not b.constant:
        rows = [[left(front, row, i) for i in range(k)] for front in indices(a.shape[:-2]) for row in range(m)]
        result, accumulator = totals(of_b, rows, k, of_a)
    else:
        columns = [[right(front, i, column) for i in range(k)]
                   for front in indices(b.shape[:-2]) for column in range(n)] if b.constant else None
        result, accumulator = totals(of_a, columns, k, of_b)
    check_accumulator(accumulator, c.profile)
    y = build([*batch, m, n], result, element)
    return [y], sums_gas(c, rows=m, columns=n, terms=k, groups=numel(batch))


class Axis:
    """A spatial axis: how far each tap reaches from a position."""

    def __init__(self, attributes, i, taps):
        self.stride, self.begin, self.end = (attributes[name][i] for name in ("stride", "pad_begin", "pad_end"))
        self.reach = [k * attributes["dilation"][i] for k in range(taps)]


def spatial_axes(c, label):
    """C1 and C2."""
    x, w = c.operands[:2]
    names = ["stride", "dilation", "pad_begin", "pad_end"] + ["output_padding"] * ("output_padding" in c.attributes)
    require(3 <= len(x.shape) <= 5 and len(w.shape) == len(x.shape), f"{label}_c1")
    require(all(len(c.attributes[name]) == len(x.shape) - 2 for name in names), f"{label}_c2")
    return [Axis(c.attributes, i, taps) for i, taps in enumerate(w.shape[2:])]


def bias_of(c, channels, label):
    bias = c.operands[2] if len(c.operands) == 3 else None
    require(bias is None or bias.shape == [channels], label)
    return bias


def check_zeros(c, label):
    check_zero(c.operands[0], c.attributes["zero_x"], label)
    check_zero(c.operands[1], c.attributes["zero_w"], label)


def less(t, zero):
    """A tensor less its zero point."""
    return tensor(t.shape, [v - zero for v in t.values], shifted(t.interval, zero), t.constant)


def convolution_nd(c):
    axes = spatial_axes(c, "convolution")
    groups = c.attributes["groups"]
    x, w = c.operands[:2]
    require(x.shape[1] % groups == 0 and w.shape[0] % groups == 0, "convolution_c3")
    require(w.shape[1] == x.shape[1] // groups, "convolution_c4")
    # A window counts when its last tap lies inside the padded axis.
    sizes = [max(0, (n + axis.begin + axis.end - axis.reach[-1] - 1) // axis.stride + 1)
             for n, axis in zip(x.shape[2:], axes)]
    require(all(sizes), "convolution_c5")
    oc = w.shape[0]
    bias = bias_of(c, oc, "convolution_c6")
    check_zeros(c, "convolution_c7")
    x, w = less(x, c.attributes["zero_x"]), less(w, c.attributes["zero_w"])

    def value(n, channel, place):
        inside = all(0 <= p < length for p, length in zip(place, x.shape[2:]))
        return x.at((n, channel, *place)) if inside else 0

    def element(index):
        n, o, *p = index
        total = bias.values[o] if bias else 0
        for i, *k in indices(w.shape[1:]):
            place = [q * axis.stride - axis.begin + axis.reach[tap] for q, axis, tap in zip(p, axes, k)]
            total += value(n, o // (oc // groups) * w.shape[1] + i, place) * w.at((o, i, *k))
        return total

    count = numel(w.shape[1:])
    weights = [w.values[o * count:(o + 1) * count] for o in range(oc)] if w.constant else None
    padded = any(axis.begin or axis.end for axis in axes)
    result, accumulator = bounds(hull(x.interval, ZERO) if padded else x.interval, weights, count, w, bias)
    check_accumulator(accumulator, c.profile)
    y = build([x.shape[0], oc, *sizes], result, element)
    return [y], convolution_gas(c, y)


def conv_transpose(c):
    axes = spatial_axes(c, "conv_transpose")
    groups = c.attributes["groups"]
    x, w = c.operands[:2]
    require(x.shape[1] % groups == 0, "conv_transpose_c3")
    require(w.shape[0] == x.shape[1], "conv_transpose_c4")
    sizes = [(n - 1) * axis.stride + axis.reach[-1] + 1 - axis.begin - axis.end + extra
             for n, axis, extra in zip(x.shape[2:], axes, c.attributes["output_padding"])]
    require(min(sizes) >= 1, "conv_transpose_c5")
    ic, opg = w.shape[0] // groups, w.shape[1]
    bias = bias_of(c, groups * opg, "conv_transpose_c6")
    check_zeros(c, "conv_transpose_c7")
    x, w = less(x, c.attributes["zero_x"]), less(w, c.attributes["zero_w"])

    # Every input spreads its products over the result.
    values = {}
    for n, channel, *q in indices(x.shape):
        for o, *k in indices(w.shape[1:]):
            place = [position * axis.stride + axis.reach[tap] - axis.begin for position, axis, tap in zip(q, axes, k)]
            index = (n, channel // ic * opg + o, *place)
            values[index] = values.get(index, 0) + x.at((n, channel, *q)) * w.at((channel, o, *k))

    # Taps share a result when they reach the same position from some inputs.
    def residue(k):
        return tuple(axis.reach[tap] % axis.stride for axis, tap in zip(axes, k))

    taps = list(indices(w.shape[2:]))
    classes = [[k for k in taps if residue(k) == r] for r in {residue(k) for k in taps}]
    of_x = hull(x.interval, ZERO)
    if w.constant:
        sums = [(o, [w.at((o // opg * ic + i, o % opg, *k)) for i in range(ic) for k in members])
                for o in range(groups * opg) for members in classes]
        biases = [bias.values[o] for o, _ in sums] if bias else []
        per_class = tensor([len(sums)], biases, bias.interval, bias.constant) if bias else None
        ends, accumulator = bounds(of_x, [weights for _, weights in sums], 0, w, per_class)
    else:
        ends, accumulator = bounds(of_x, None, ic * max(map(len, classes)), w, bias)
    check_accumulator(accumulator, c.profile)
    y = build([x.shape[0], groups * opg, *sizes], ends,
              lambda index: values.get(index, 0) + (bias.values[index[1]] if bias else 0))
    pixels = x.shape[0] * numel(sizes)
    return [y], sums_gas(c, rows=pixels, columns=opg, terms=ic * len(taps), lines=pixels // sizes[-1], groups=groups)


def constant(shape, values):
    return tensor(shape, values, constant=True)


def constant_noise(seed, shape, lo, hi):
    return constant(shape, noise(seed, shape, lo, hi).values)


def same(shape, value, interval=None):
    return tensor(shape, [value] * numel(shape), interval)


def convolution(padding=(0, 0), stride=(1, 1), dilation=(1, 1), groups=1):
    return {"padding": list(padding), "stride": list(stride), "dilation": list(dilation), "groups": groups}


def conv2d_cases():
    op = Operator("linear", "conv2d", conv2d)
    image = ramp([1, 1, 3, 3], 1)
    op.case("the kernel stops before its extent", [image, tensor([1, 1, 2, 2], [1, 10, 100, 1000])], convolution())
    op.case("a bias for each output channel",
            [image, tensor([2, 1, 3, 3], [1] * 9 + [-1] * 9), tensor([2], [100, -100])], convolution())
    op.case("padding contributes zero, not the lower bound",
            [same([1, 1, 2, 2], 5, (3, 9)), constant([1, 1, 3, 3], [1] * 9)], convolution(padding=(1, 1)))
    op.case("padding per axis", [image, constant([1, 1, 1, 2], [1, 10])], convolution(padding=(0, 2)))
    op.case("strides and dilations per axis", [ramp([1, 1, 5, 7]), tensor([1, 1, 2, 2], [1, 0, 0, 100])],
            convolution(stride=(2, 1), dilation=(1, 3)))
    op.case("a kernel as large as the padded input", [image, ramp([1, 1, 5, 5])], convolution(padding=(1, 1)))
    op.case("groups equal to the output channels read two channels each",
            [tensor([1, 4, 1, 1], [1, 2, 3, 4]), tensor([2, 2, 1, 1], [1, 10, 100, 1000])], convolution(groups=2))
    op.case("depthwise with two outputs for each channel",
            [noise(1, [1, 2, 3, 3], -9, 9), noise(2, [4, 1, 2, 2], -9, 9)], convolution(groups=2))
    op.case("products of the least values", [same([1, 2, 3, 3], -127), same([1, 2, 3, 3], -127)],
            convolution(), "cvm")
    op.case("products of opposite extremes", [same([1, 2, 3, 3], -127), same([1, 2, 3, 3], 127)],
            convolution(), "cvm")
    op.case("factors wider than eight bits", [same([1, 1, 2, 2], 300), same([1, 1, 2, 2], -300)], convolution())
    op.case("exact bounds per channel behind constant weights",
            [tensor([1, 2, 1, 1], [0, 0], (-10, 20)), constant([2, 2, 1, 1], [3, -1, 1, 1]), constant([2], [100, -5])],
            convolution())
    op.case("a variable bias on constant weights",
            [tensor([1, 1, 1, 1], [4], (2, 5)), constant([2, 1, 1, 1], [3, -3]), tensor([2], [0, 1], (-1, 2))],
            convolution())
    op.case("a constant bias on variable weights",
            [tensor([1, 1, 1, 1], [4], (2, 5)), tensor([2, 1, 1, 1], [3, -3], (-3, 4)), constant([2], [-50, 70])],
            convolution())
    op.case("the largest result of profile core",
            [tensor([1, 2, 1, 1], [2**46 - 1, -(2**46)]), constant([1, 2, 1, 1], [1, -1])], convolution())
    op.case("noise, batches and groups",
            [noise(3, [2, 4, 4, 5], -100, 127), constant_noise(4, [6, 2, 3, 2], -128, 127), noise(5, [6], -1000, 1000)],
            convolution((1, 2), (2, 1), (1, 2), 2))
    op.case("noise in profile cvm", [noise(6, [1, 3, 5, 5], -127, 127), constant_noise(7, [4, 3, 3, 3], -127, 127),
                                     constant_noise(8, [4], -10000, 10000)], convolution((1, 1), (2, 2)), "cvm")

    one = tensor([1, 1, 1, 1], [1])
    four = ramp([1, 4, 1, 1])
    op.refuse("conv2d_c1", "x of rank 3", [tensor([1, 1, 1], [1]), one], convolution())
    op.refuse("conv2d_c1", "w of rank 2", [one, tensor([1, 1], [1])], convolution())
    op.refuse("conv2d_c2", "groups that do not divide C", [four, ramp([3, 1, 1, 1])], convolution(groups=3))
    op.refuse("conv2d_c2", "groups that do not divide OC", [four, ramp([3, 2, 1, 1])], convolution(groups=2))
    op.refuse("conv2d_c3", "weights of too few channels", [four, ramp([1, 3, 1, 1])], convolution())
    op.refuse("conv2d_c3", "weights of all channels in a group", [four, ramp([2, 4, 1, 1])], convolution(groups=2))
    op.refuse("conv2d_c4", "a dilated kernel taller than the input", [image, ramp([1, 1, 2, 1])],
              convolution(dilation=(3, 1)))
    op.refuse("conv2d_c4", "a kernel wider than the padded input", [image, ramp([1, 1, 1, 6])],
              convolution(padding=(0, 1)))
    op.refuse("conv2d_c5", "a bias of another length", [one, one, ramp([2])], convolution())
    op.refuse("conv2d_c6", "x of 9 bits in profile cvm", [same([1, 1, 1, 1], 128), one], convolution(), "cvm")
    op.refuse("conv2d_c6", "w of -128 in profile cvm", [one, same([1, 1, 1, 1], -128)], convolution(), "cvm")
    op.refuse("value_range", "a result of 2^47", [same([1, 2, 1, 1], 2**46), constant([1, 2, 1, 1], [1, 1])],
              convolution())
    op.refuse("accumulator_range", "terms that cancel but do not fit int64 on the way",
              [same([1, 4, 1, 1], 2**46), constant([1, 4, 1, 1], [2**16, 2**16, -(2**16), -(2**16)])], convolution())
    return op


def dense_cases():
    op = Operator("linear", "dense", dense)
    op.case("rows times rows", [tensor([2, 3], [1, 2, 3, -4, 5, -6]), tensor([2, 3], [1, 10, 100, 0, -1, 7])])
    op.case("a bias for each unit", [ramp([2, 2]), ramp([3, 2], -2), tensor([3], [1000, 0, -1000])])
    op.case("one term", [tensor([1, 1], [-7]), tensor([1, 1], [9])])
    op.case("exact bounds per unit behind constant weights",
            [tensor([1, 3], [1, 4, 2], (1, 4)), constant([2, 3], [2, 2, 2, -1, -1, 1]), tensor([2], [3, -3], (-3, 3))])
    op.case("zero weights", [noise(11, [2, 3], -50, 60), constant([2, 3], [0] * 6)])
    op.case("a long sum of eight-bit extremes",
            [same([1, 130], 127), constant([1, 130], [127] * 130)], profile="cvm")
    op.case("noise", [noise(12, [3, 7], -128, 127), constant_noise(13, [4, 7], -128, 127), noise(14, [4], -99, 99)])
    op.case("noise in profile cvm", [noise(15, [2, 5], -127, 127), noise(16, [3, 5], -127, 127)], profile="cvm")
    op.refuse("dense_c1", "a vector", [ramp([3]), ramp([1, 3])])
    op.refuse("dense_c1", "weights of rank 3", [ramp([1, 3]), ramp([1, 3, 1])])
    op.refuse("dense_c2", "rows of different lengths", [ramp([1, 3]), ramp([3, 2])])
    op.refuse("dense_c3", "a bias of another length", [ramp([3, 1]), ramp([2, 1]), ramp([3])])
    op.refuse("dense_c3", "a bias of rank 2", [ramp([3, 1]), ramp([2, 1]), ramp([1, 2])])
    op.refuse("dense_c4", "x of 9 bits in profile cvm", [same([1, 1], -128), same([1, 1], 1)], profile="cvm")
    op.refuse("dense_c4", "w of 9 bits in profile cvm", [same([1, 1], 1), same([1, 1], 255)], profile="cvm")
    op.refuse("value_range", "a result above 2^47", [same([1, 3], 2**45), same([1, 3], 2)])
    op.refuse("accumulator_range", "products of 2^92", [same([1, 1], 2**46), same([1, 1], 2**46)])
    op.refuse("accumulator_range", "a bias that leaves profile cvm on the way",
              [tensor([1, 1], [1], (-1, 1)), tensor([1, 1], [-1], (-1, 1)), same([1], 2**31 - 1)], profile="cvm")
    return op


def matmul_cases():
    op = Operator("linear", "matmul", matmul)

    def flips(a=False, b=False, zero_a=0, zero_b=0):
        return {"transpose_a": a, "transpose_b": b, "zero_a": zero_a, "zero_b": zero_b}

    for flip_a, flip_b in itertools.product((False, True), repeat=2):
        op.case(f"transpose_a {flip_a}, transpose_b {flip_b}",
                [ramp([3, 2] if flip_a else [2, 3], -3), ramp([4, 3] if flip_b else [3, 4], 10)], flips(flip_a, flip_b))
    op.case("batches broadcast", [ramp([2, 1, 1, 2]), ramp([3, 2, 2], -5)], flips())
    op.case("transposed batches of one row", [ramp([2, 1, 3]), ramp([2, 2, 1])], flips(True, True))
    op.case("one matrix against many", [ramp([2, 2]), ramp([3, 1, 2, 1])], flips())
    op.case("exact bounds per column of a constant", [tensor([1, 2], [-1, 10], (-1, 10)),
                                                      constant([2, 2], [1, 5, 1, -5])], flips())
    op.case("exact bounds per row of a transposed constant", [tensor([1, 2], [-1, 10], (-1, 10)),
                                                              constant([2, 2], [1, 1, 5, -5])], flips(b=True))
    op.case("every batch of a constant counts", [tensor([1, 1], [5], (0, 9)), constant([3, 1, 1], [1, -2, 3])], flips())
    op.case("exact bounds per row of a constant on the left",
            [constant([2, 2], [3, -3, 1, 1]), tensor([2, 1], [2, 2], (-1, 2))], flips())
    op.case("exact bounds per column of a transposed constant on the left",
            [constant([2, 2], [3, 1, -3, 1]), tensor([2, 1], [2, 2], (-1, 2))], flips(a=True))
    op.case("of two constants the right one", [constant([1, 2], [3, -3]), constant([2, 1], [2, 2])], flips())
    op.case("zero points", [noise(24, [2, 3], 0, 9), noise(25, [3, 2], 0, 9)], flips(zero_a=4, zero_b=5))
    op.case("zero points and a constant on the right",
            [noise(26, [2, 3], 0, 9), constant_noise(27, [3, 2], 0, 9)], flips(zero_a=4, zero_b=5))
    op.case("zero points and constants on the left, in batches",
            [constant_noise(28, [2, 2, 3], 0, 9), noise(29, [3, 2], 0, 9)], flips(zero_a=4, zero_b=5))
    op.case("many columns",
            [tensor([1, 2], [-3, 3], (-3, 3)), constant_noise(21, [2, 70], -128, 127)], flips())
    op.case("noise", [noise(22, [2, 3, 5], -300, 300), noise(23, [5, 4], -300, 300)], flips())
    op.refuse("matmul_c1", "a vector", [ramp([2]), ramp([2, 1])], flips())
    op.refuse("matmul_c1", "a scalar", [ramp([1, 1]), tensor([], [0])], flips())
    op.refuse("matmul_c2", "rows that do not match columns", [ramp([1, 2]), ramp([1, 2])], flips())
    op.refuse("matmul_c2", "a transposition too many", [ramp([1, 2]), ramp([2, 1])], flips(a=True))
    op.refuse("matmul_c3", "batches that do not broadcast", [ramp([2, 1, 1]), ramp([3, 1, 1])], flips())
    op.refuse("matmul_c4", "a less its zero leaves 64 bits",
              [constant([1, 1], [-(2**63)]), tensor([1, 1], [0])], flips(zero_a=1))
    op.refuse("matmul_c4", "b less its zero leaves 64 bits",
              [tensor([1, 1], [0]), constant([1, 1], [2**63 - 1])], flips(zero_b=-1))
    op.refuse("value_range", "a product of 2^62", [tensor([1, 1], [0], (0, 2**31)), tensor([1, 1], [0], (0, 2**31))],
              flips())
    op.refuse("accumulator_range", "two products of 2^62",
              [tensor([1, 2], [0, 0], (0, 2**31)), tensor([2, 1], [0, 0], (0, 2**31))], flips())
    return op


def spatial(axes, stride=None, dilation=None, pad_begin=None, pad_end=None, groups=1, zero_x=0, zero_w=0):
    ones, zeros = [1] * axes, [0] * axes
    return {"stride": list(stride or ones), "dilation": list(dilation or ones), "pad_begin": list(pad_begin or zeros),
            "pad_end": list(pad_end or zeros), "groups": groups, "zero_x": zero_x, "zero_w": zero_w}


def refuse_zeros(op, of):
    op.refuse(f"{op.name}_c7", "x less its zero leaves 64 bits",
              [constant([1, 1, 1], [-(2**63)]), same([1, 1, 1], 0)], of(1, zero_x=1))
    op.refuse(f"{op.name}_c7", "w less its zero leaves 64 bits",
              [same([1, 1, 1], 0), constant([1, 1, 1], [2**63 - 1])], of(1, zero_w=-1))
    op.refuse("value_range", "a result above 2^47", [same([1, 1, 1], 2**46), same([1, 1, 1], 2)], of(1))
    op.refuse("accumulator_range", "products of 2^92", [same([1, 1, 1], 2**46), same([1, 1, 1], 2**46)], of(1))


def convolution_cases():
    op = Operator("linear", "convolution", convolution_nd)
    image = ramp([1, 1, 3, 3], 1)
    op.case("one axis", [noise(31, [2, 2, 7], -9, 9), noise(32, [3, 2, 3], -9, 9)], spatial(1, stride=(2,)))
    op.case("two axes", [image, tensor([1, 1, 2, 2], [1, 10, 100, 1000])], spatial(2))
    op.case("three axes", [noise(33, [1, 2, 3, 4, 3], -9, 9), noise(34, [2, 2, 2, 3, 2], -9, 9), tensor([2], [5, -5])],
            spatial(3, pad_begin=(1, 0, 1), pad_end=(0, 1, 1)))
    op.case("asymmetric padding", [image, constant([1, 1, 2, 2], [1, 10, 100, 1000])],
            spatial(2, pad_begin=(1, 0), pad_end=(0, 2)))
    op.case("stride and dilation", [ramp([1, 1, 7, 8]), tensor([1, 1, 2, 2], [1, 0, 0, 100])],
            spatial(2, stride=(2, 3), dilation=(3, 2)))
    op.case("depthwise with two outputs for each channel",
            [noise(35, [1, 2, 3, 3], -9, 9), noise(36, [4, 1, 2, 2], -9, 9)], spatial(2, groups=2))
    op.case("groups of two channels", [noise(37, [1, 4, 4], -9, 9), noise(38, [2, 2, 2], -9, 9)], spatial(1, groups=2))
    op.case("depthwise, a plane of padding behind the only plane",
            [noise("plane", [1, 2, 1, 3, 3], -9, 9), constant([2, 1, 1, 1, 1], [2, 3])],
            spatial(3, groups=2, pad_end=(1, 0, 0)))
    op.case("a first layer, a plane of padding behind the only plane",
            [noise("first", [1, 3, 1, 9, 9], -9, 9), constant_noise("kernel", [2, 3, 1, 3, 3], -9, 9)],
            spatial(3, stride=(1, 2, 2), pad_end=(1, 0, 0)))
    op.case("padding stands for the zero point of x",
            [same([1, 1, 2], 100, (0, 255)), same([1, 1, 3], 7)], spatial(1, pad_begin=(1,), pad_end=(1,), zero_x=128))
    op.case("both zero points", [noise(39, [1, 2, 4, 4], 0, 255), noise(40, [2, 2, 3, 3], 0, 255)],
            spatial(2, pad_begin=(1, 1), pad_end=(1, 1), zero_x=128, zero_w=120))
    op.case("exact bounds per channel behind constant weights",
            [tensor([1, 2, 1], [0, 0], (-10, 20)), constant([2, 2, 1], [3, -1, 1, 1]), constant([2], [100, -5])],
            spatial(1))
    op.case("exact bounds with zero points",
            [tensor([1, 2, 1], [0, 0], (-10, 20)), constant([2, 2, 1], [3, -1, 1, 1]), tensor([2], [0, 1], (-1, 2))],
            spatial(1, zero_x=3, zero_w=-2))
    op.case("i16 data on i8 weights", [noise(41, [1, 3, 5], -32768, 32767), constant_noise(42, [2, 3, 3], -128, 127)],
            spatial(1))
    op.case("i8 data on i16 weights", [noise(43, [1, 3, 5], -128, 127), constant_noise(44, [2, 3, 3], -32768, 32767)],
            spatial(1))
    op.case("more padding than data", [ramp([1, 1, 2], 1), ramp([1, 1, 2], 1)],
            spatial(1, pad_begin=(3,), pad_end=(3,)))
    op.refuse("convolution_c1", "no spatial axis", [ramp([1, 1]), ramp([1, 1])], spatial(1))
    op.refuse("convolution_c1", "four spatial axes", [ramp([1] * 6), ramp([1] * 6)], spatial(3))
    op.refuse("convolution_c1", "weights of another rank", [ramp([1, 1, 1]), ramp([1, 1, 1, 1])], spatial(1))
    op.refuse("convolution_c2", "lists for another rank", [image, ramp([1, 1, 1, 1])], spatial(1))
    op.refuse("convolution_c2", "one list for another rank", [image, ramp([1, 1, 1, 1])], spatial(2, pad_end=(0,)))
    op.refuse("convolution_c3", "groups that do not divide the channels", [ramp([1, 3, 1]), ramp([2, 1, 1])],
              spatial(1, groups=2))
    op.refuse("convolution_c3", "groups that do not divide the output channels", [ramp([1, 2, 1]), ramp([3, 1, 1])],
              spatial(1, groups=2))
    op.refuse("convolution_c4", "weights of other input channels", [ramp([1, 2, 1]), ramp([1, 1, 1])], spatial(1))
    op.refuse("convolution_c5", "a kernel that does not fit", [image, ramp([1, 1, 2, 2])], spatial(2, dilation=(1, 3)))
    op.refuse("convolution_c6", "a bias of another length", [ramp([1, 1, 1]), ramp([2, 1, 1]), ramp([1])], spatial(1))
    op.refuse("convolution_c6", "a bias of rank 2", [ramp([1, 1, 1]), ramp([2, 1, 1]), ramp([2, 1])], spatial(1))
    refuse_zeros(op, spatial)
    return op


def transposed(axes, output_padding=None, **rest):
    attributes = spatial(axes, **rest)
    first = {name: attributes.pop(name) for name in ("stride", "dilation", "pad_begin", "pad_end")}
    return first | {"output_padding": list(output_padding or [0] * axes)} | attributes


def conv_transpose_cases():
    op = Operator("linear", "conv_transpose", conv_transpose)
    op.case("one axis spreads each element", [tensor([1, 1, 3], [1, 2, 3]), tensor([1, 1, 3], [1, 10, 100])],
            transposed(1))
    op.case("a stride leaves no gap under a longer kernel",
            [tensor([1, 1, 3], [1, 2, 3]), tensor([1, 1, 3], [1, 10, 100])], transposed(1, stride=(2,)))
    op.case("a stride longer than the kernel leaves gaps",
            [tensor([1, 1, 2], [1, 2]), tensor([1, 1, 1], [7]), ramp([1], 5)], transposed(1, stride=(3,)))
    op.case("padding cuts and output padding adds",
            [noise(51, [1, 1, 3, 4], -9, 9), noise(52, [1, 2, 3, 3], -9, 9)],
            transposed(2, stride=(2, 2), pad_begin=(1, 0), pad_end=(0, 1), output_padding=(1, 0)))
    op.case("output padding behind the last tap holds the bias",
            [tensor([1, 1, 2], [1, 2]), tensor([1, 1, 2], [1, 10]), tensor([1], [-4])],
            transposed(1, stride=(4,), output_padding=(3,)))
    op.case("dilation", [noise(53, [2, 2, 3, 3], -9, 9), noise(54, [2, 2, 2, 3], -9, 9), tensor([2], [100, -100])],
            transposed(2, stride=(2, 3), dilation=(3, 2)))
    op.case("three axes", [noise(55, [1, 1, 2, 2, 2], -9, 9), noise(56, [1, 1, 2, 3, 2], -9, 9)],
            transposed(3, stride=(2, 1, 2), pad_begin=(0, 1, 0)))
    op.case("groups", [noise(57, [1, 4, 3], -9, 9), noise(58, [4, 3, 2], -9, 9)], transposed(1, groups=2, stride=(2,)))
    op.case("depthwise", [noise(59, [1, 3, 2, 2], -9, 9), noise(60, [3, 1, 2, 2], -9, 9)],
            transposed(2, groups=3, stride=(2, 2)))
    op.case("depthwise with constant weights", [tensor([1, 2, 1], [1, 1], (-128, 127)), constant([2, 1, 2], [1, 2, 3, 4])],
            transposed(1, groups=2))
    op.case("depthwise, cut deeper than the kernel reaches",
            [noise(65, [1, 64, 4], -128, 127), constant([64, 1, 1], [1] * 64)],
            transposed(1, groups=64, pad_begin=(1,)))
    op.case("zero points", [noise(61, [1, 2, 3], 0, 255), noise(62, [2, 2, 3], 0, 255)],
            transposed(1, stride=(2,), pad_begin=(1,), pad_end=(1,), zero_x=128, zero_w=100))
    op.case("exact bounds per channel and class of taps",
            [tensor([1, 1, 3], [-10, 0, 20], (-10, 20)), constant([1, 2, 4], [1, 2, 3, -4, 5, 0, -6, 0]),
             constant([2], [1000, 0])], transposed(1, stride=(2,)))
    op.case("classes of a stride and a dilation that share a factor",
            [tensor([1, 1, 3], [-10, 0, 20], (-10, 20)), constant([1, 1, 5], [1, -2, 4, -8, 16])],
            transposed(1, stride=(4,), dilation=(2,)))
    op.case("classes of two axes and two groups, with zero points",
            [noise(63, [1, 4, 2, 2], 0, 9), constant_noise(64, [4, 2, 3, 3], -9, 9), tensor([4], [1, 2, 3, 4], (0, 9))],
            transposed(2, stride=(2, 3), groups=2, zero_x=4, zero_w=-1))
    op.refuse("conv_transpose_c1", "no spatial axis", [ramp([1, 1]), ramp([1, 1])], transposed(1))
    op.refuse("conv_transpose_c1", "weights of another rank", [ramp([1, 1, 1]), ramp([1, 1, 1, 1])], transposed(1))
    op.refuse("conv_transpose_c2", "lists for another rank", [ramp([1, 1, 1, 1]), ramp([1, 1, 1, 1])], transposed(1))
    op.refuse("conv_transpose_c2", "output padding for another rank", [ramp([1, 1, 1]), ramp([1, 1, 1])],
              transposed(1, output_padding=(0, 0)))
    op.refuse("conv_transpose_c3", "groups that do not divide the channels", [ramp([1, 3, 1]), ramp([3, 1, 1])],
              transposed(1, groups=2))
    op.refuse("conv_transpose_c4", "weights of other input channels", [ramp([1, 2, 1]), ramp([1, 2, 1])], transposed(1))
    op.refuse("conv_transpose_c5", "padding that leaves nothing", [ramp([1, 1, 2]), ramp([1, 1, 2])],
              transposed(1, pad_begin=(1,), pad_end=(2,)))
    op.refuse("conv_transpose_c6", "a bias of one group", [ramp([1, 2, 1]), ramp([2, 1, 1]), ramp([1])],
              transposed(1, groups=2))
    refuse_zeros(op, transposed)
    return op


def fully_connected(c):
    x, w = c.operands[:2]
    axis = c.attributes["axis"] % len(x.shape)
    front, features = x.shape[:axis], numel(x.shape[axis:])
    units = w.shape[0]
    require(numel(w.shape) == units * features, "lowering_operands")
    values = []
    for row in range(numel(front)):
        for u in range(units):
            total = sum((x.values[row * features + k] - c.attributes["zero_x"]) *
                        (w.values[u * features + k] - c.attributes["zero_w"]) for k in range(features))
            values.append(total + (c.operands[2].values[u] if len(c.operands) == 3 else 0))
    return [([*front, units], values)]


def product(a, b, flip_a, flip_b, zero_a, zero_b):
    """The product of two matrices."""
    (m, k), (length, n) = (t.shape[::-1] if flip else t.shape for t, flip in ((a, flip_a), (b, flip_b)))
    require(k == length, "matmul_c2")
    return build([m, n], ZERO, lambda i: sum((a.at((j, i[0]) if flip_a else (i[0], j)) - zero_a) *
                                             (b.at((i[1], j) if flip_b else (j, i[1])) - zero_b) for j in range(k)))


def gemm(c):
    a, b = c.operands[:2]
    require(len(a.shape) == 2 and len(b.shape) == 2, "lowering_operands")
    y = product(a, b, *c.attributes.values())
    values = y.values
    if len(c.operands) == 3:
        addend = c.operands[2]
        require(len(addend.shape) <= 2, "lowering_operands")
        shape = [1] * (2 - len(addend.shape)) + addend.shape
        require(all(d in (1, n) for d, n in zip(shape, y.shape)), "lowering_operands")
        places = [tuple(0 if d == 1 else i for i, d in zip(index, shape)) for index in indices(y.shape)]
        values = [v + tensor(shape, addend.values).at(place) for v, place in zip(values, places)]
    return [(y.shape, values)]


def numpy_matmul(c):
    a, b = c.operands
    flips = [c.attributes["transpose_a"], c.attributes["transpose_b"]]
    shape_a = [1, *a.shape] if len(a.shape) == 1 else a.shape
    shape_b = [*b.shape, 1] if len(b.shape) == 1 else b.shape
    assert len(shape_a) == len(shape_b) == 2, "the cases of matmul have batches"
    y = product(tensor(shape_a, a.values), tensor(shape_b, b.values), flips[0] and len(a.shape) == 2,
                flips[1] and len(b.shape) == 2, c.attributes["zero_a"], c.attributes["zero_b"])
    return [(y.shape[:1] * (len(a.shape) > 1) + y.shape[1:] * (len(b.shape) > 1), y.values)]


def binary_convolution(c):
    x, w = c.operands
    require(all(0 <= end <= 1 for t in c.operands for end in t.interval), "lowering_operands")
    lists = [c.attributes[name] for name in ("stride", "dilation", "pad_begin", "pad_end")]
    require(all(len(entries) == len(x.shape) - 2 for entries in lists), "lowering_operands")
    stride, dilation, begin, end = lists
    sizes = [(n + b + e - d * (k - 1) - 1) // s + 1
             for n, k, s, d, b, e in zip(x.shape[2:], w.shape[2:], stride, dilation, begin, end)]

    def bit(n, channel, place):
        inside = all(0 <= p < length for p, length in zip(place, x.shape[2:]))
        return x.at((n, channel, *place)) if inside else int(c.attributes["pad_value"])

    def element(index):
        n, o, *p = index
        equal = 0  # popcount of xnor
        for i, *k in indices(w.shape[1:]):
            place = [q * s - b + tap * d for q, tap, s, d, b in zip(p, k, stride, dilation, begin)]
            equal += bit(n, i, place) == w.at((o, i, *k))
        return 2 * equal - numel(w.shape[1:])

    shape = [x.shape[0], w.shape[0], *sizes]
    return [(shape, [element(index) for index in indices(shape)])]


def lowering_cases():
    connected = Lowering("linear", "fully_connected", fully_connected)

    def rows(axis=1, zero_x=0, zero_w=0):
        return {"axis": axis, "zero_x": zero_x, "zero_w": zero_w}

    connected.case("features of a plane", [noise(71, [2, 3, 2], -9, 9), constant_noise(72, [4, 6], -9, 9),
                                           noise(73, [4], -99, 99)], rows())
    connected.case("the last axis of three", [noise(74, [2, 3, 4], -9, 9), noise(75, [2, 4], -9, 9)], rows(-1))
    connected.case("a vector", [noise(76, [4], -9, 9), noise(77, [3, 2, 2], -9, 9)], rows(0))
    connected.case("zero points", [noise(78, [2, 3], 0, 9), constant_noise(79, [2, 3], 0, 9)], rows(1, 4, 5))
    connected.refuse("lowering_operands", "rows of another length", [ramp([2, 3]), ramp([2, 2])], rows())

    def flips(a=False, b=False, zero_a=0, zero_b=0):
        return {"transpose_a": a, "transpose_b": b, "zero_a": zero_a, "zero_b": zero_b}

    general = Lowering("linear", "gemm", gemm)
    general.case("an addend for each column", [ramp([2, 3]), ramp([4, 3], -5), ramp([4], 100)], flips(b=True))
    general.case("an addend for each row", [ramp([3, 2]), ramp([3, 4], -5), ramp([2, 1], 100)], flips(a=True))
    general.case("no addend", [ramp([2, 3]), ramp([3, 1])], flips(zero_a=2, zero_b=1))
    general.refuse("lowering_operands", "a vector", [ramp([3]), ramp([3, 1])], flips())
    general.refuse("lowering_operands", "an addend larger than the product", [ramp([1, 2]), ramp([2, 1]), ramp([2, 1])],
                   flips())

    numpy = Lowering("linear", "numpy_matmul", numpy_matmul)
    numpy.case("two vectors", [ramp([3], 1), ramp([3], 4)], flips())
    numpy.case("a vector on the left", [ramp([3], 1), ramp([3, 2], 4)], flips(zero_a=1))
    numpy.case("a vector on the right", [ramp([2, 3], 1), constant([3], [4, 5, 6])], flips(zero_b=2))
    numpy.case("a vector is not transposed", [ramp([3], 1), ramp([2, 3], 4)], flips(True, True))
    numpy.case("two matrices", [ramp([2, 3], 1), ramp([3, 2], 4)], flips())

    binary = Lowering("linear", "binary_convolution", binary_convolution)
    bits, kernels = noise(81, [1, 2, 4, 4], 0, 1), noise(82, [3, 2, 3, 3], 0, 1)

    def bitwise(pad_value=False, **rest):
        full = spatial(2, **rest)
        return {name: full[name] for name in ("stride", "dilation", "pad_begin", "pad_end")} | {"pad_value": pad_value}

    binary.case("without padding", [bits, kernels], bitwise())
    for pad_value in (False, True):
        binary.case(f"padding of {int(pad_value)}", [bits, constant(kernels.shape, kernels.values)],
                    bitwise(pad_value, stride=(2, 1), pad_begin=(1, 1), pad_end=(0, 1)))
    binary.refuse("lowering_operands", "more than bits", [noise(83, [1, 1, 2, 2], 0, 2), ramp([1, 1, 1, 1])], bitwise())
    return [connected, general, numpy, binary]


OPERATORS = [conv2d_cases(), dense_cases(), matmul_cases(), convolution_cases(), conv_transpose_cases(),
             deformable_conv2d_cases(), *lowering_cases()]

if __name__ == "__main__":
    main(__file__, OPERATORS)
