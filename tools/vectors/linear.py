"""conv2d, dense and matmul again, from ops/linear/spec.md."""

import itertools

from vectorlib import (Operator, build, check_accumulator, hull, indices, main, noise, numel, ramp, require, tensor)

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
    return [y], numel(y.shape) * (count + 1)


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

    return [build([rows, units], result, element)], rows * units * (count + 1)


def matmul(c):
    a, b = c.operands
    require(len(a.shape) >= 2 and len(b.shape) >= 2, "matmul_c1")
    flip_a, flip_b = c.attributes["transpose_a"], c.attributes["transpose_b"]
    m, k = reversed(a.shape[-2:]) if flip_a else a.shape[-2:]
    length, n = reversed(b.shape[-2:]) if flip_b else b.shape[-2:]
    require(k == length, "matmul_c2")
    batch = []
    for da, db in itertools.zip_longest(a.shape[-3::-1], b.shape[-3::-1], fillvalue=1):
        require(da == db or 1 in (da, db), "matmul_c3")
        batch.insert(0, max(da, db))

    def entry(t, front, row, column, flip):
        own = t.shape[:-2]
        aligned = front[len(front) - len(own):]
        place = [0 if dim == 1 else i for i, dim in zip(aligned, own)]
        return t.at((*place, column, row) if flip else (*place, row, column))

    def element(index):
        *front, row, column = index
        return sum(entry(a, front, row, i, flip_a) * entry(b, front, i, column, flip_b) for i in range(k))

    columns = [[entry(b, front, i, column, flip_b) for i in range(k)]
               for front in indices(b.shape[:-2]) for column in range(n)] if b.constant else None
    result, accumulator = bounds(a.interval, columns, k, b, None)
    check_accumulator(accumulator, c.profile)
    y = build([*batch, m, n], result, element)
    return [y], numel(y.shape) * (k + 1)


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
    op.case("the kernel stops before its extent (S2)", [image, tensor([1, 1, 2, 2], [1, 10, 100, 1000])], convolution())
    op.case("a bias for each output channel",
            [image, tensor([2, 1, 3, 3], [1] * 9 + [-1] * 9), tensor([2], [100, -100])], convolution())
    op.case("padding contributes zero, not the lower bound",
            [same([1, 1, 2, 2], 5, (3, 9)), constant([1, 1, 3, 3], [1] * 9)], convolution(padding=(1, 1)))
    op.case("padding per axis", [image, constant([1, 1, 1, 2], [1, 10])], convolution(padding=(0, 2)))
    op.case("strides and dilations per axis", [ramp([1, 1, 5, 7]), tensor([1, 1, 2, 2], [1, 0, 0, 100])],
            convolution(stride=(2, 1), dilation=(1, 3)))
    op.case("a kernel as large as the padded input", [image, ramp([1, 1, 5, 5])], convolution(padding=(1, 1)))
    op.case("groups equal to the output channels read two channels each (D11)",
            [tensor([1, 4, 1, 1], [1, 2, 3, 4]), tensor([2, 2, 1, 1], [1, 10, 100, 1000])], convolution(groups=2))
    op.case("depthwise with two outputs for each channel",
            [noise(1, [1, 2, 3, 3], -9, 9), noise(2, [4, 1, 2, 2], -9, 9)], convolution(groups=2))
    op.case("products of the least values (D18)", [same([1, 2, 3, 3], -127), same([1, 2, 3, 3], -127)],
            convolution(), "cvm")
    op.case("products of opposite extremes (D18)", [same([1, 2, 3, 3], -127), same([1, 2, 3, 3], 127)],
            convolution(), "cvm")
    op.case("factors wider than eight bits (D17)", [same([1, 1, 2, 2], 300), same([1, 1, 2, 2], -300)], convolution())
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

    def flips(a=False, b=False):
        return {"transpose_a": a, "transpose_b": b}

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
    op.case("a constant on the left is bounded by its interval",
            [constant([1, 2], [3, -3]), tensor([2, 1], [2, 2], (0, 2))], flips())
    op.case("many columns",
            [tensor([1, 2], [-3, 3], (-3, 3)), constant_noise(21, [2, 70], -128, 127)], flips())
    op.case("noise", [noise(22, [2, 3, 5], -300, 300), noise(23, [5, 4], -300, 300)], flips())
    op.refuse("matmul_c1", "a vector", [ramp([2]), ramp([2, 1])], flips())
    op.refuse("matmul_c1", "a scalar", [ramp([1, 1]), tensor([], [0])], flips())
    op.refuse("matmul_c2", "rows that do not match columns", [ramp([1, 2]), ramp([1, 2])], flips())
    op.refuse("matmul_c2", "a transposition too many", [ramp([1, 2]), ramp([2, 1])], flips(a=True))
    op.refuse("matmul_c3", "batches that do not broadcast", [ramp([2, 1, 1]), ramp([3, 1, 1])], flips())
    op.refuse("value_range", "a product of 2^62", [tensor([1, 1], [0], (0, 2**31)), tensor([1, 1], [0], (0, 2**31))],
              flips())
    op.refuse("accumulator_range", "two products of 2^62",
              [tensor([1, 2], [0, 0], (0, 2**31)), tensor([2, 1], [0, 0], (0, 2**31))], flips())
    return op


main(__file__, [conv2d_cases(), dense_cases(), matmul_cases()])
