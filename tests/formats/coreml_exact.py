"""Layers of Core ML's later versions, whose values have the ranks of the file."""
import itertools
import math

import arrays
from arrays import Array, along_last, concat, draw, factors, indices, make, mean, padded, part, positive, transpose, weights
from coreml_model import array_type, arrays_of, exact, flags, floats, message, model, Net

SIZE = {"d": 2, "h": 3, "w": 2}


def numbers(*values):
    return Array((len(values),), [float(v) for v in values])


def volumes():
    x, w, b = draw((1, 4, 4, 5, 4), 400), weights((6, 2, 2, 3, 2), 401), draw((6,), 402)
    base = {1: 6, 2: 4, 10: 2, 20: 2, 21: 3, 22: 2, 31: 1, 32: 2, 33: 1, 50: 1, 60: floats(w), 61: floats(b)}
    volume = x.reshape(4, 4, 5, 4)
    y = arrays.convolution(volume, w, b, (1, 2, 1), (2, 1, 1), (1, 0, 1), (0, 1, 0), groups=2)
    custom = {40: 2, 70: 0, 80: 1, 83: 1, 84: 1}
    yield exact("convolution3d", 1471, [x], {**base, **custom}, y.reshape(1, *y.shape))
    y = arrays.convolution(volume, w, b, (1, 2, 1), (1, 1, 1), (0, 1, 0), (1, 1, 1), groups=2)
    yield exact("convolution3d", 1471, [x], {**base, 70: 2}, y.reshape(1, *y.shape))
    turned = weights((6, 2, 2, 3, 2), 403)  # [OC, IC / groups, ..], which the file has as [OC / groups, IC, ..]
    stored = make((3, 4, 2, 3, 2), lambda o, i, d, h, v: turned[i // 2 * 3 + o, i % 2, d, h, v])
    full = arrays.transposed_convolution(volume, turned, b, (1, 2, 1), (0, 0, 0), (0, 0, 0), groups=2)  # 5, 11, 5
    base[60] = floats(stored)
    y = part(part(full, 1, 1, 5), 2, 0, 10)
    yield exact("convolution3d[isDeconvolution]", 1471, [x], {**base, 86: 1, 70: 0, 80: 1, 83: 1}, y.reshape(1, *y.shape))
    y = part(part(part(full, 1, 0, 4), 2, 0, 10), 3, 0, 4)
    yield exact("convolution3d[isDeconvolution]", 1471, [x], {**base, 86: 1, 70: 2}, y.reshape(1, *y.shape))
    pool = {2: 2, 3: 3, 4: 2, 5: 2, 6: 1, 7: 1}
    y = arrays.pool(volume, (2, 3, 2), (2, 1, 1), (0, 1, 0), (0, 1, 0), max)
    for row in ("pooling3d", "pooling3d.MAX"):
        yield exact(row, 1465, [x], {1: 0, **pool, 10: 1, 11: 1}, y.reshape(1, *y.shape))
    for excludes in (False, True):
        f = lambda inside: math.fsum(inside) / (len(inside) if excludes else 12)
        y = arrays.pool(volume, (2, 3, 2), (2, 1, 1), (0, 1, 0), (0, 1, 0), f)
        for row in ("pooling3d", "pooling3d.AVERAGE"):
            yield exact(row, 1465, [x], {1: 1, **pool, 10: 1, 11: 1, 14: int(excludes)}, y.reshape(1, *y.shape))
    all_of = lambda c: part(volume, 0, c, c + 1).data
    for row, kind, f in (("MAX", 0, max), ("AVERAGE", 1, mean)):
        y = make((1, 4, 1, 1, 1), lambda n, c, *_: f(all_of(c)))
        for name in ("globalPooling3d", f"globalPooling3d.{row}"):
            yield exact(name, 1466, [x], {1: kind}, y)


def products():
    x, w, b = draw((2, 3, 8), 410), weights((5, 8), 411), draw((5,), 412)
    params = {5: 8, 6: 5, 7: 1, 8: floats(w), 9: floats(b)}
    y = make((2, 3, 5), lambda i, j, o: b[o] + sum(w[o, k] * x[i, j, k] for k in range(8)))
    yield exact("batchedMatmul", 1045, [x], params, y)
    a, c = draw((2, 4, 3), 413), draw((2, 5, 4), 414)
    y = make((2, 3, 5), lambda i, m, n: sum(a[i, k, m] * c[i, n, k] for k in range(4)))
    yield exact("batchedMatmul", 1045, [a, c], {1: 1, 2: 1}, y)
    dynamic = {5: 8, 6: 5, 8: message({31: bytes(v & 255 for v in w.data), 40: message({1: 8, 101: message({1: [0.25]})})}), 10: 1}
    y = make((2, 3, 5), lambda i, j, o: sum(w[o, k] * x[i, j, k] for k in range(8)) / 4)
    yield exact("batchedMatmul[int8DynamicQuantize]", 1045, [x], dynamic, y)
    table, places, shift = weights((6, 4), 415), [2, 0, 3, 3, 1, 0], draw((2, 3, 6), 416)
    net = Net()
    listed = net.constant(Array((2, 3, 1), [float(p) for p in places]))
    net.layer(880, ["x0", net.layer(1040, [listed], 1, message({1: 4, 2: 6, 20: floats(table)}))[0]], ["y0"])
    y = make((2, 3, 6), lambda i, j, o: shift[i, j, o] + table[o, places[i * 3 + j]])
    yield "embeddingND", model(net, arrays_of("x", [shift]), arrays_of("y", [y]), True), [shift], [y]


def functions():
    x, narrow = draw((2, 4, 5), 420), draw((2, 4, 5), 421).map(lambda v: v / 8)
    beyond, root = positive((2, 4, 5), 422).map(lambda v: max(v, 1)), math.sqrt(2 / math.pi)
    for row, number, f, operand in [
            ("ceil", 665, math.ceil, x), ("floor", 670, math.floor, x), ("sign", 680, lambda v: (v > 0) - (v < 0), x),
            ("round", 685, round, x), ("exp2", 700, lambda v: 2**v, narrow), ("sin", 710, math.sin, x), ("cos", 715, math.cos, x),
            ("tan", 720, math.tan, narrow), ("asin", 730, math.asin, narrow), ("acos", 735, math.acos, narrow), ("atan", 740, math.atan, x),
            ("sinh", 750, math.sinh, narrow), ("cosh", 755, math.cosh, narrow), ("tanh", 760, math.tanh, x), ("asinh", 770, math.asinh, x),
            ("acosh", 775, math.acosh, beyond), ("atanh", 780, math.atanh, narrow.map(lambda v: v * 0.875)), ("erf", 790, math.erf, x)]:
        yield exact(row, number, [operand], {}, operand.map(lambda v: float(f(v))))
    yield exact("clip", 660, [x], {1: -1.5, 2: 2.25}, x.map(lambda v: min(max(v, -1.5), 2.25)))
    yield exact("clampedReLU", 1460, [x], {1: 0.25, 2: 3.5}, x.map(lambda v: min(3.5, v if v >= 0 else v / 4)))
    yield exact("clampedReLU", 1460, [x], {2: 6.0}, x.map(lambda v: min(6.0, max(v, 0.0))))
    gelus = [("EXACT", lambda v: v / 2 * (1 + math.erf(v / math.sqrt(2)))),
             ("TANH_APPROXIMATION", lambda v: v / 2 * (1 + math.tanh(root * (v + 0.044715 * v**3)))),
             ("SIGMOID_APPROXIMATION", lambda v: v * arrays.sigmoid(1.702 * v))]
    for mode, (name, f) in enumerate(gelus):
        for row in ("gelu", f"gelu.{name}"):
            yield exact(row, 795, [x], {1: mode}, x.map(f))


def norms():
    x = draw((2, 3, 4), 430)
    small = x.map(lambda v: v / 4)
    total = lambda i, k: sum(math.exp(small[i, j, k]) for j in range(3))
    yield exact("softmaxND", 950, [small], {1: -2}, make(x.shape, lambda i, j, k: math.exp(small[i, j, k]) / total(i, k)))
    gamma, beta = factors(12, 431).reshape(3, 4), draw((3, 4), 432)
    def element(i, j, k):
        values = part(x, 0, i, i + 1).data
        m = mean(values)
        return gamma[j, k] * (x[i, j, k] - m) / math.sqrt(mean([(v - m)**2 for v in values]) + 0.25) + beta[j, k]
    yield exact("layerNormalization", 1350, [x], {1: [3, 4], 2: 0.25, 3: floats(gamma), 4: floats(beta)}, make(x.shape, element))


def arithmetic():
    a, b, above = draw((2, 3, 4), 440), draw((2, 3, 4), 441), positive((2, 3, 4), 442)
    row = draw((1, 4), 443)
    pair = lambda p, q, f: Array(p.shape, map(f, p.data, q.data))
    yield exact("addBroadcastable", 880, [a, row], {}, make(a.shape, lambda i, j, k: a[i, j, k] + row[0, k]))
    for name, number, f in [("subtractBroadcastable", 905, lambda p, q: p - q), ("multiplyBroadcastable", 900, lambda p, q: p * q),
                            ("maxBroadcastable", 875, max), ("minBroadcastable", 870, min)]:
        yield exact(name, number, [a, b], {}, pair(a, b, f))
    yield exact("divideBroadcastable", 890, [a, above], {}, pair(a, above, lambda p, q: p / q))
    yield exact("powBroadcastable", 885, [above], {}, above.map(math.sqrt), [numbers(0.5)])
    whole, by = numbers(-7, -5, 0, 3, 8, 9), numbers(3, -2, 4, -3, 5, 9)
    for name, number, f in [("floorDivBroadcastable", 895, lambda p, q: math.floor(p / q)), ("modBroadcastable", 865, lambda p, q: p - math.floor(p / q) * q)]:
        yield flags(name, number, [], {}, pair(whole, by, lambda p, q: float(f(p, q))), [whole, by])
    line = numbers(2, -1, 0, 7.9375, 2, -8)  # a grid of 16 bits has the integers between its ends
    other = numbers(1, -1, 0, 4, 2, 4)
    for name, number, alpha, f in [("equal", 815, 1, lambda p, q: p == q), ("notEqual", 820, 1, lambda p, q: p != q), ("lessThan", 825, 2, lambda p, q: p < q),
                                   ("lessEqual", 827, 2, lambda p, q: p <= q), ("greaterThan", 830, 2, lambda p, q: p > q),
                                   ("greaterEqual", 832, 2, lambda p, q: p >= q)]:
        yield flags(name, number, [line], {}, pair(line, other, lambda p, q: float(f(p, q))), [other])
        yield flags(name, number, [line], {alpha: 2.0}, line.map(lambda p: float(f(p, 2))))
    p, q = numbers(0, 0, 2, -3), numbers(0, 1, 0, 1)
    for name, number, f in [("logicalOr", 840, lambda s, t: s or t), ("logicalXor", 845, lambda s, t: s != t), ("logicalAnd", 855, lambda s, t: s and t)]:
        yield flags(name, number, [p], {}, pair(p, q, lambda s, t: float(f(s != 0, t != 0))), [q])
    yield flags("logicalNot", 850, [p], {}, p.map(lambda s: float(s == 0)))
    condition = Array((2, 1, 4), [1.0, 0.0, 0.0, 2.0, 0.0, 1.0, 1.0, 0.0])
    y = make(a.shape, lambda i, j, k: a[i, j, k] if condition[i, 0, k] else b[i, j, k])
    net = Net()
    net.layer(1330, [net.constant(condition), "x0", "x1"], ["y0"])
    yield "whereBroadcastable", model(net, arrays_of("x", [a, b]), arrays_of("y", [y]), True), [a, b], [y]


def reductions():
    x, above = draw((2, 3, 4), 450), positive((2, 3, 4), 451)
    small = x.map(lambda v: v / 4)
    column = lambda of, i, k: [of[i, j, k] for j in range(3)]
    for name, number, f, of in [
            ("L1", 1250, lambda v: sum(map(abs, v)), x), ("L2", 1255, lambda v: math.hypot(*v), x), ("Max", 1260, max, x), ("Min", 1265, min, x),
            ("Sum", 1270, sum, x), ("Prod", 1275, math.prod, above.map(lambda v: v / 8)), ("Mean", 1280, mean, x),
            ("LogSum", 1285, lambda v: math.log(sum(v)), above), ("SumSquare", 1290, lambda v: sum(e * e for e in v), x),
            ("LogSumExp", 1295, lambda v: math.log(sum(map(math.exp, v))), small)]:
        yield exact(f"reduce{name}", number, [of], {1: [-2]}, make((2, 4), lambda i, k: f(column(of, i, k))))
        yield exact(f"reduce{name}", number, [of], {1: [1], 2: 1}, make((2, 1, 4), lambda i, _, k: f(column(of, i, k))))
    yield exact("reduceSum", 1270, [x], {3: 1}, Array((1,), [sum(x.data)]))
    sums = make(x.shape, lambda i, j, k: sum(x[i, a, k] for a in range(j + 1, 3)))
    yield exact("cumSum", 1455, [x], {1: 1, 2: 1, 3: 1}, sums)
    yield exact("cumSum", 1455, [x], {}, make(x.shape, lambda i, j, k: sum(x[i, j, a] for a in range(k + 1))), [numbers(2)])
    best = lambda f: make((2, 4), lambda i, k: float(column(x, i, k).index(f(column(x, i, k)))))
    yield flags("argMax", 1025, [x], {1: 1, 2: 1}, best(max))
    yield flags("argMin", 1020, [x], {1: 1}, best(min).reshape(2, 1, 4))
    line = numbers(3, -1, 3, 0, 7, -1)
    order = lambda key: numbers(*sorted(range(6), key=key))
    yield flags("argSort", 1461, [line], {}, order(lambda i: line[i]))
    yield flags("argSort", 1461, [line], {2: 1}, order(lambda i: -line[i]))
    for bottom in (False, True):
        first = order(lambda i: line[i] if bottom else -line[i]).data[:3]
        values = numbers(*[line[int(i)] for i in first])
        net, shift = Net(), draw((3,), 452)
        net.layer(1015, ["x0"] + ([net.constant(numbers(3))] if bottom else []), ["y0", "places"], message({2: 1 if bottom else 3, 3: int(bottom)}))
        net.layer(880, ["x1", "places"], ["y1"])
        total = Array((3,), [p + q for p, q in zip(shift.data, first)])
        yield "topK", model(net, arrays_of("x", [line, shift]), arrays_of("y", [values, total]), True), [line, shift], [values, total]


def shapes():
    x = draw((2, 3, 4), 460)
    yield exact("constantPad", 1155, [x], {1: 1.5, 2: [0, 1, 2, 0, 1, 1]}, padded(x, (0, 2, 1), (1, 0, 1), 1.5))
    yield exact("constantPad", 1155, [x], {2: [0, 0, 5, 0, 0, 6], 3: 1}, padded(x, (0, 2, 0), (0, 0, 2)))
    yield exact("constantPad", 1155, [x], {}, padded(x, (0, 0, 1), (0, 0, 2)), [numbers(0, 0, 0, 0, 1, 2)])
    yield exact("tile", 920, [x], {1: [2, 3]}, make((2, 6, 12), lambda i, j, k: x[i, j % 3, k % 4]))
    yield exact("tile", 920, [x], {}, make((2, 6, 4), lambda i, j, k: x[i, j % 3, k]), [numbers(1, 2, 1)])
    z = draw((2, 3, 4), 461)
    yield exact("stack", 925, [x, z], {1: 1}, make((2, 2, 3, 4), lambda i, n, j, k: (x, z)[n][i, j, k]))
    yield exact("concatND", 980, [x, z], {1: 1}, concat([x, z], 1))
    yield exact("concatND", 980, [x, z], {1: 1, 2: 1}, make((2, 6, 4), lambda i, j, k: (x, z)[j % 2][i, j // 2, k]))
    yield exact("splitND", 975, [x], {1: 2, 2: 2}, [part(x, 2, 0, 2), part(x, 2, 2, 4)])
    yield exact("splitND", 975, [x], {1: -1, 3: [1, 3]}, [part(x, 2, 0, 1), part(x, 2, 1, 4)])
    yield exact("transpose", 985, [x], {1: [2, 0, 1]}, transpose(x, [2, 0, 1]))
    unit = draw((1, 3, 1, 4), 462)
    yield exact("squeeze", 1120, [unit], {1: [0, 2]}, unit.reshape(3, 4))
    yield exact("squeeze", 1120, [unit], {2: 1}, unit.reshape(3, 4))
    yield exact("expandDims", 1125, [x], {1: [0, 3]}, x.reshape(1, 2, 3, 1, 4))
    yield exact("flattenTo2D", 1130, [x], {1: 1}, x.reshape(2, 12))
    yield exact("reshapeStatic", 1140, [x], {1: [4, -1]}, x.reshape(4, 6))
    yield exact("rankPreservingReshape", 1150, [x], {1: [0, -1, 6]}, x.reshape(2, 2, 6))
    yield exact("reshapeDynamic", 1145, [x], {}, x.reshape(6, 4), [numbers(6, 4)])
    net = Net()
    size = net.layer(1065, ["x0"], 1)[0]
    last = net.layer(995, [size], 1, message({1: [2], 3: [3], 5: [1]}))[0]
    rest = net.layer(890, [net.constant(numbers(24)), last], 1)[0]
    net.layer(1145, ["x0", net.layer(980, [rest, last], 1)[0]], ["y0"])
    y = x.reshape(6, 4)
    yield "getShape", model(net, arrays_of("x", [x]), arrays_of("y", [y]), True), [x], [y]
    like = draw((4, 6), 463)
    yield exact("reshapeLike", 1135, [x, like], {}, x.reshape(4, 6))
    one = draw((2, 1, 4), 464)
    wide = make((2, 3, 4), lambda i, j, k: one[i, 0, k])
    yield exact("broadcastToLike", 1100, [one, x], {}, wide)
    yield exact("broadcastToStatic", 1105, [one], {1: [2, 3, 4]}, wide)
    yield exact("broadcastToDynamic", 1110, [one], {}, wide, [numbers(2, 3, 4)])
    every = list(itertools.product(range(2), range(3), range(4)))
    y = make((2, 2, 2), lambda i, j, k: x[i, 2 - 2 * j, 1 + k])
    params = {1: [0, 9, 1], 2: [1, 1, 0], 3: [0, 9, 3], 4: [1, 1, 0], 5: [1, -2, 1]}
    yield exact("sliceStatic", 995, [x], params, y)
    yield exact("sliceStatic", 995, [x], {1: [1, 0, -1], 3: [2, 3, 0], 4: [0, 0, 0], 5: [1, 1, 1], 6: [1, 0, 1]}, make((3,), lambda j: x[1, j, 3]))
    y = make((1, 3, 2), lambda i, j, k: x[1, j, 2 * k])
    yield exact("sliceDynamic", 1000, [x], {3: [2, 3, 4], 5: [1, 1, 2]}, y, [numbers(1, 0, 0)])
    yield exact("sliceDynamic", 1000, [x], {}, y, [numbers(1, 0, 0), numbers(2, 3, 4), numbers(1, 1, 2), numbers(0, 1, 1), numbers(0, 1, 1), numbers(0, 0, 0)])
    yield exact("sliceBySize", 1470, [x], {2: 2, 3: 2}, part(x, 2, 1, 3), [numbers(1)])
    yield exact("sliceBySize", 1470, [x, Array((1,), [1.0])], {2: 2, 3: 2}, part(x, 2, 1, 3))
    yield exact("slidingWindows", 1005, [x], {1: 2, 2: 2, 3: 1}, make((2, 3, 3, 2), lambda i, j, m, w: x[i, j, m + w]))
    yield exact("reverse", 960, [x], {1: [1, 0, 1]}, make(x.shape, lambda i, j, k: x[1 - i, j, 3 - k]))
    y = make(x.shape, lambda i, j, k: x[i, j, (2 - k if k < 3 else k) if i == 0 else k])
    yield exact("reverseSeq", 965, [x], {2: 2}, y, [numbers(3, 1)])
    band = lambda low, up: make(x.shape, lambda i, j, k: x[i, j, k] if (low < 0 or j - k <= low) and (up < 0 or k - j <= up) else 0.0)
    yield exact("matrixBandPart", 1315, [x], {1: 1, 2: 0}, band(1, 0))
    yield exact("matrixBandPart", 1315, [x], {1: -1, 2: 1}, band(-1, 1))
    yield exact("lowerTriangular", 1320, [x], {1: -1}, make(x.shape, lambda i, j, k: x[i, j, k] if k - j <= -1 else 0.0))
    yield exact("upperTriangular", 1325, [x], {1: 1}, make(x.shape, lambda i, j, k: x[i, j, k] if k - j >= 1 else 0.0))


def constants():
    x = draw((2, 3), 470)
    plus = lambda f: make(x.shape, lambda i, j: x[i, j] + f(i, j))

    def added(row, number, inputs, params, f):
        net = Net()
        read = [net.constant(v) if isinstance(v, Array) else v for v in inputs]
        net.layer(880, ["x0", net.layer(number, read, 1, message(params))[0]], ["y0"])
        y = plus(f)
        return row, model(net, arrays_of("x", [x]), arrays_of("y", [y]), True), [x], [y]

    data = draw((2, 3), 471)
    yield added("loadConstantND", 1070, [], {1: [2, 3], 2: floats(data)}, lambda i, j: data[i, j])
    yield added("fillLike", 1080, ["x0"], {1: 1.5}, lambda *_: 1.5)
    yield added("fillStatic", 1085, [], {1: 1.5, 2: [2, 3]}, lambda *_: 1.5)
    yield added("fillDynamic", 1090, [numbers(2, 3)], {1: 1.5}, lambda *_: 1.5)
    yield added("rangeStatic", 635, [], {1: 4.0, 2: 1.0, 3: 1.0}, lambda _, j: 1.0 + j)
    yield added("rangeDynamic", 640, [numbers(4)], {2: 1.0, 3: 1.0}, lambda _, j: 1.0 + j)
    yield added("rangeDynamic", 640, [numbers(-2), numbers(1), numbers(-1)], {}, lambda _, j: 1.0 - j)
    hot = lambda i, j: 2.5 if (2, 0)[i] == j else -1.0
    yield added("oneHot", 1450, [numbers(2, 0)], {1: 3, 2: -1, 3: 2.5, 4: -1.0}, hot)
    yield added("oneHot", 1450, [numbers(2, 0), numbers(3)], {2: 1, 3: 2.5, 4: -1.0}, hot)


def gathers():
    x = draw((2, 3, 4), 480)
    yield exact("gather", 930, [x], {1: 1}, make((2, 2, 2, 4), lambda i, a, b, k: x[i, (2, 0, 1, 1)[a * 2 + b], k]), [Array((2, 2), [2.0, 0.0, -2.0, 1.0])])
    yield exact("gather", 930, [x, numbers(2, 0)], {1: 1}, make((2, 2, 4), lambda i, a, k: x[i, (2, 0)[a], k]))
    yield exact("gatherND", 940, [x], {}, make((2, 4), lambda a, k: x[((1, 2), (0, 1))[a] + (k,)]), [Array((2, 2), [1.0, 2.0, 0.0, 1.0])])
    lines = [0, 2, 1, 0, 2, 2, 0, 1] * 2
    at = lambda i, j, k: lines[(i * 2 + j) * 4 + k]
    yield exact("gatherAlongAxis", 952, [x], {1: 1}, make((2, 2, 4), lambda i, j, k: x[i, at(i, j, k), k]), [Array((2, 2, 4), [float(v) for v in lines])])
    names = ("UPDATE", "ADD", "SUB", "MUL", "DIV", "MAX", "MIN")
    steps = (lambda v, u: u, lambda v, u: v + u, lambda v, u: v - u, lambda v, u: v * u, lambda v, u: v / u, max, min)
    above = positive((2, 2, 4), 481)
    row, tuples = [2, 0], [(1, 2), (0, 1)]
    elements = [[2, 0, 1, 1], [0, 0, 2, 1]]
    for mode, (name, f) in enumerate(zip(names, steps)):
        u = above if name == "DIV" else draw((2, 2, 4), 482)
        slices = make(x.shape, lambda i, j, k: f(x[i, j, k], u[i, row.index(j), k]) if j in row else x[i, j, k])
        some = lambda of: message({1: 1, 2: mode})
        net = lambda number, indices, updates, params, y, row_name: (
            row_name, scattered(number, indices, params, updates, x, y), [x, updates], [y])
        for row_name in ("scatter", f"ScatterMode.SCATTER_{name}"):
            yield net(935, numbers(*row), u, {1: 1, 2: mode}, slices, row_name)
        pair = Array((2, 4), u.data[:8])
        y = make(x.shape, lambda i, j, k: f(x[i, j, k], pair[tuples.index((i, j)), k]) if (i, j) in tuples else x[i, j, k])
        yield net(945, Array((2, 2), [1.0, 2.0, 0.0, 1.0]), pair, {1: mode}, y, "scatterND")
        if name not in ("MUL", "DIV"):
            one = Array((2, 1, 4), u.data[:8])
            y = make(x.shape, lambda i, j, k: f(x[i, j, k], one[i, 0, k]) if elements[i][k] == j else x[i, j, k])
            where = Array((2, 1, 4), [float(v) for line in elements for v in line])
            yield net(954, where, one, {1: 1, 2: mode}, y, "scatterAlongAxis")
    line = Array((2, 3), [5.0, 0.0, -1.0, 0.0, 7.0, 0.0])
    places = Array((3, 2), [0.0, 0.0, 0.0, 2.0, 1.0, 1.0])
    yield flags("whereNonZero", 1313, [], {}, places, [line])


def scattered(number, indices, params, updates, x, y):
    net = Net()
    net.layer(number, ["x0", net.constant(indices), "x1"], ["y0"], message(params))
    return model(net, arrays_of("x", [x, updates]), arrays_of("y", [y]), True)


def cases():
    for family in (volumes, products, functions, norms, arithmetic, reductions, shapes, constants, gathers):
        yield from family()
