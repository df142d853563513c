"""Layers of Core ML's first versions, and what docs/formats/coreml.md says they compute. A blob is (C, H, W)."""
import math

import arrays
from arrays import Array, concat, draw, factors, indices, make, mean, padded, part, positive, transpose, weights
from coreml_model import arrays_of, array_type, borders, case, floats, message, model, Net, valid

BOTTOM, TOP = message({1: 0}), message({1: 1})


def both(names, cases):
    """Each case, for the row of its variant and for that of the layer."""
    for row, *rest in cases:
        for name in (names, row) if row != names else (row,):
            yield name, *rest


def same(size, kernel, stride, heavy_end=True):
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return (total // 2, total - total // 2) if heavy_end else (total - total // 2, total // 2)


def convolutions():
    x, w, b = draw((4, 7, 6), 300), weights((6, 2, 3, 3), 301), draw((6,), 302)
    base = {1: 6, 2: 2, 10: 2, 20: [3, 3], 70: 1, 90: floats(w), 91: floats(b)}
    y = arrays.convolution(x, w, b, (2, 1), (1, 2), (1, 2), (0, 2), groups=2)
    yield case("convolution", 100, [x], {**base, 30: [2, 1], 40: [1, 2], 50: valid((1, 0), (2, 2))}, y)
    yield case("ValidPadding", 100, [x], {**base, 30: [2, 1], 40: [1, 2], 50: valid((1, 0), (2, 2))}, y)
    none = [0.0] * 6
    for row, mode, heavy_end in (("SamePadding.BOTTOM_RIGHT_HEAVY", BOTTOM, True), ("SamePadding.TOP_LEFT_HEAVY", TOP, False)):
        before, after = zip(same(7, 3, 2, heavy_end), same(6, 3, 2, heavy_end))
        y = arrays.convolution(x, w, Array((6,), none), (2, 2), (1, 1), before, after, groups=2)
        yield case(row, 100, [x], {**base, 70: 0, 30: [2, 2], 51: mode}, y)
    # Weights are [IC, OC / groups, ..], and the array's definition has [OC, IC / groups, ..].
    x, turned, b = draw((4, 4, 5), 303), weights((6, 2, 2, 3), 304), draw((6,), 305)
    w = make((4, 3, 2, 3), lambda i, o, h, v: turned[i // 2 * 3 + o, i % 2, h, v])
    base = {1: 6, 2: 4, 10: 2, 20: [2, 3], 30: [2, 2], 60: 1, 70: 1, 90: floats(w), 91: floats(b)}
    y = arrays.transposed_convolution(x, turned, b, (2, 2), (1, 0), (0, 1), groups=2)
    yield case("convolution[isDeconvolution]", 100, [x], {**base, 50: valid((1, 0), (0, 1))}, y)
    full = arrays.transposed_convolution(x, turned, b, (2, 2), (0, 0), (0, 0), groups=2)  # 8 by 11
    yield case("convolution[isDeconvolution]", 100, [x], {**base, 51: BOTTOM}, part(full, 2, 0, 10))
    yield case("convolution[isDeconvolution]", 100, [x], {**base, 50: valid(), 100: [7, 8]}, part(part(full, 1, 0, 7), 2, 1, 9))
    x, w = draw((1, 2, 5, 5), 306), draw((3, 2, 3, 3), 307)
    y = arrays.convolution(x.reshape(2, 5, 5), w, [0.0] * 3, (1, 1), (1, 1), (0, 0), (0, 0)).reshape(1, 3, 3, 3)
    yield case("convolution[weights as input]", 100, [x, w], {1: 3, 2: 2, 50: valid()}, y, True)


def count_pool(x, kernel, stride, before, after, excludes):
    """Means whose divisor counts pads, or does not. Pads are zeros."""
    def f(inside):
        return math.fsum(inside) / (len(inside) if excludes else math.prod(kernel))
    return arrays.pool(x, kernel, stride, before, after, f)


def pools():
    x = draw((3, 7, 6), 310)
    size = {10: [3, 2], 20: [2, 2]}
    yield case("pooling.MAX", 120, [x], {1: 0, **size, 30: valid((1, 1), (0, 0))}, arrays.pool(x, (3, 2), (2, 2), (1, 0), (1, 0), max))
    for excludes in (False, True):
        y = count_pool(x, (3, 2), (2, 2), (1, 0), (1, 0), excludes)
        yield case("pooling.AVERAGE", 120, [x], {1: 1, **size, 30: valid((1, 1), (0, 0)), 50: int(excludes)}, y)
    yield case("pooling.L2", 120, [x], {1: 2, **size, 30: valid()}, arrays.pool(x, (3, 2), (2, 2), (0, 0), (0, 0), lambda v: math.hypot(*v)))
    yield case("pooling.MAX", 120, [x], {1: 0, 60: 1}, make((3, 1, 1), lambda c, *_: max(part(x, 0, c, c + 1).data)))
    yield case("pooling.AVERAGE", 120, [x], {1: 1, 60: 1}, make((3, 1, 1), lambda c, *_: mean(part(x, 0, c, c + 1).data)))
    # A last window begins inside and reaches beyond: with stride 2 there are 5 in 8 pixels and their pads.
    x = draw((2, 8, 8), 311)
    y = arrays.pool(x, (3, 3), (2, 2), (1, 1), (2, 2), max)
    yield case("ValidCompletePadding", 120, [x], {1: 0, 10: [3, 3], 20: [2, 2], 32: message({10: [1, 1]})}, y)


def products():
    x, w, b = draw((3, 2, 2), 320), weights((5, 12), 321), draw((5,), 322)
    dense = make((5,), lambda o: b[o] + sum(w[o, i] * x.data[i] for i in range(12)))
    yield case("innerProduct", 140, [x], {1: 12, 2: 5, 10: 1, 20: floats(w), 21: floats(b)}, dense)
    rows = draw((4, 12), 323)
    y = make((4, 5), lambda n, o: sum(w[o, i] * rows[n, i] for i in range(12)))
    yield case("innerProduct", 140, [rows], {1: 12, 2: 5, 20: floats(w)}, y, True)
    five = draw((2, 1, 3, 2, 2), 324)
    y = make((2, 1, 5, 1, 1), lambda s, n, o, *_: sum(w[o, i] * five.data[s * 12 + i] for i in range(12)))
    yield case("innerProduct", 140, [five], {1: 12, 2: 5, 20: floats(w)}, y, True)
    codes = bytes(v & 255 for v in w.data)
    scale = message({1: 8, 101: message({1: [0.5]})})
    y = make((4, 5), lambda n, o: sum(w[o, i] * rows[n, i] for i in range(12)) / 2)
    dynamic = {1: 12, 2: 5, 20: message({31: codes, 40: scale}), 22: 1}
    yield case("innerProduct[int8DynamicQuantize]", 140, [rows], dynamic, y, True)
    table, places = weights((6, 4), 325), Array((3, 1), [2.0, 0.0, 3.0])
    bias = Array((6,), [1.0, -2.0, 3.0, 0.0, 4.0, -1.0])
    x = draw((3, 6, 1, 1), 326)
    net = Net()
    found = net.layer(150, [net.constant(places.reshape(3, 1, 1, 1))], 1, message({1: 4, 2: 6, 10: 1, 20: floats(table), 21: floats(bias)}))[0]
    net.layer(880, ["x0", found], ["y0"])
    y = make((3, 6, 1, 1), lambda n, o, *_: x[n, o, 0, 0] + table[o, int(places[n, 0])] + bias[o])
    yield "embedding", model(net, arrays_of("x", [x]), arrays_of("y", [y]), True), [x], [y]
    a, b = draw((5, 1, 1), 327), draw((5, 1, 1), 328)
    total = sum(p * q for p, q in zip(a.data, b.data))
    yield case("dot", 270, [a, b], {}, Array((1,), [total]))
    cosine = total / math.hypot(*a.data) / math.hypot(*b.data)
    yield case("dot[cosineSimilarity]", 270, [a, b], {1: 1}, Array((1,), [cosine]))


def activations():
    x, narrow = draw((3, 4, 5), 330), draw((3, 4, 5), 331).map(lambda v: v / 8)
    slopes, inner = factors(3, 332), factors(3, 333).map(lambda v: v / 8)
    softplus = lambda v: max(v, 0) + math.log1p(math.exp(-abs(v)))
    two = lambda a, b: message({1: a, 2: b})
    for name, number, params, f in [
            ("linear", 5, two(0.5, 1.25), lambda v: 0.5 * v + 1.25), ("ReLU", 10, b"", lambda v: max(v, 0)),
            ("leakyReLU", 15, message({1: 0.25}), lambda v: v if v >= 0 else v / 4),
            ("thresholdedReLU", 20, message({1: 1.5}), lambda v: v if v >= 1.5 else 0.0),
            ("tanh", 30, b"", math.tanh), ("scaledTanh", 31, two(1.5, 0.5), lambda v: 1.5 * math.tanh(v / 2)),
            ("sigmoid", 40, b"", arrays.sigmoid), ("sigmoidHard", 41, two(0.25, 0.5), lambda v: min(max(v / 4 + 0.5, 0), 1)),
            ("ELU", 50, message({1: 0.5}), lambda v: v if v >= 0 else 0.5 * math.expm1(v)),
            ("softsign", 60, b"", lambda v: v / (1 + abs(v))), ("softplus", 70, b"", softplus)]:
        yield case(f"activation.{name}", 130, [x], {number: params}, x.map(f))
    y = make(x.shape, lambda c, h, w: x[c, h, w] * (1 if x[c, h, w] >= 0 else slopes[c]))
    yield case("activation.PReLU", 130, [x], {25: message({1: floats(slopes)})}, y)
    yield case("activation.PReLU", 130, [x], {25: message({1: floats([0.5])})}, x.map(lambda v: v if v >= 0 else v / 2))
    y = make(x.shape, lambda c, h, w: slopes[c] * softplus(inner[c] * x[c, h, w]))
    yield case("activation.parametricSoftplus", 130, [x], {71: message({1: floats(slopes), 2: floats(inner)})}, y)
    above = positive((3, 4, 5), 334)
    for name, number, operand, more, f in [
            ("SQRT", 0, above, {}, math.sqrt), ("RSQRT", 1, above, {}, lambda v: 1 / math.sqrt(v + 1e-6)),
            ("INVERSE", 2, above, {3: 0.25}, lambda v: 1 / (v + 0.25)), ("POWER", 3, above, {2: 1.5}, lambda v: v**1.5),
            ("EXP", 4, narrow, {}, math.exp), ("LOG", 5, above, {}, math.log), ("ABS", 6, x, {4: 1.0, 5: 0.5}, lambda v: abs(v / 2 + 1)),
            ("THRESHOLD", 7, x, {2: 1.5}, lambda v: max(v, 1.5))]:
        yield case(f"unary.{name}", 220, [operand], {1: number, **more}, operand.map(f))


def statistics(values, epsilon):
    m = mean(values)
    return m, math.sqrt(mean([(v - m)**2 for v in values]) + epsilon)


def norms():
    x = draw((4, 3, 5), 340)
    gamma, beta, m = factors(4, 341), draw((4,), 342), draw((4,), 343)
    variance = positive((4,), 344)
    lists = {15: floats(gamma), 16: floats(beta)}
    y = make(x.shape, lambda c, h, w: gamma[c] * (x[c, h, w] - m[c]) / math.sqrt(variance[c] + 1e-5) + beta[c])
    yield case("batchnorm", 160, [x], {1: 4, **lists, 17: floats(m), 18: floats(variance)}, y)
    def normal(which, epsilon, divides=True):
        def element(*at):
            centre, deviation = statistics(which(*at), epsilon)
            return (x[at] - centre) / (deviation if divides else 1)
        return make(x.shape, element)
    channel = lambda c, *_: part(x, 0, c, c + 1).data
    n = normal(channel, 0.5)
    y = make(x.shape, lambda c, h, w: gamma[c] * n[c, h, w] + beta[c])
    yield case("batchnorm[instanceNormalization]", 160, [x], {1: 4, 5: 1, 6: 1, 10: 0.5, **lists}, y)
    yield case("batchnorm[batch statistics]", 160, [x], {1: 4, 5: 1, 10: 0.5, **lists}, y)
    yield case("mvn", 165, [x], {2: 1, 3: 0.25}, normal(channel, 0.25))
    yield case("mvn", 165, [x], {1: 1, 2: 1, 3: 0.25}, normal(lambda *_: x.data, 0.25))
    yield case("mvn", 165, [x], {}, normal(channel, 0, divides=False))
    length = math.sqrt(sum(v * v for v in x.data) + 0.25)
    yield case("l2normalize", 170, [x], {1: 0.25}, x.map(lambda v: v / length))
    small = x.map(lambda v: v / 4)
    total = lambda h, w: sum(math.exp(small[c, h, w]) for c in range(4))
    yield case("softmax", 175, [small], {}, make(x.shape, lambda c, h, w: math.exp(small[c, h, w]) / total(h, w)))
    window = lambda c, h, w: sum(x[j, h, w]**2 for j in range(max(c - 1, 0), min(c + 2, 4)))
    y = make(x.shape, lambda c, h, w: x[c, h, w] / (2 + 0.5 / 3 * window(c, h, w))**0.75)
    yield case("lrn", 180, [x], {1: 0.5, 2: 0.75, 3: 3, 4: 2.0}, y)


def bilinear(x, rows, columns):
    """x [C, H, W] at each pair of places, which end at the last pixel."""
    def element(c, i, j):
        v, u = rows[i], columns[j]
        top, left = min(int(v), x.shape[1] - 1), min(int(u), x.shape[2] - 1)
        bottom, right = min(top + 1, x.shape[1] - 1), min(left + 1, x.shape[2] - 1)
        a, b = v - top, u - left
        return ((x[c, top, left] * (1 - b) + x[c, top, right] * b) * (1 - a)
                + (x[c, bottom, left] * (1 - b) + x[c, bottom, right] * b) * a)
    return make((x.shape[0], len(rows), len(columns)), element)


def grid(mode, size, count, start=0.0):
    """The places of SamplingMode on a line of `size` pixels."""
    last = size - 1
    if mode == 0:
        return [start + (i * last / (count - 1) if count > 1 else 0) for i in range(count)]
    if mode == 1:
        return [start + (i * last / (count - 1) if count > 1 else last / 2) for i in range(count)]
    if mode == 2:
        return [start + min(last, i * size / count) for i in range(count)]
    return [start + min(last, (i + 0.5) * max(1, last) / count) for i in range(count)]


def images():
    x = draw((2, 4, 5), 350)
    y = make((2, 2, 3), lambda c, h, w: x[c, h + 1, w + 2])
    yield case("crop", 190, [x], {1: borders((1, 1), (2, 0))}, y)
    yield case("crop", 190, [x, draw((1, 2, 3), 351)], {5: [1, 2]}, y)
    amounts = {10: borders((1, 2), (2, 1))}
    yield case("padding.constant", 200, [x], {1: message({1: 1.5}), **amounts}, padded(x, (0, 1, 2), (0, 2, 1), 1.5))
    mirror = lambda i, size: -i if i < 0 else 2 * (size - 1) - i if i >= size else i
    y = make((2, 7, 8), lambda c, h, w: x[c, mirror(h - 1, 4), mirror(w - 2, 5)])
    yield case("padding.reflection", 200, [x], {2: b"", **amounts}, y)
    y = make((2, 7, 8), lambda c, h, w: x[c, min(max(h - 1, 0), 3), min(max(w - 2, 0), 4)])
    yield case("padding.replication", 200, [x], {3: b"", **amounts}, y)
    yield case("upsample.NN", 210, [x], {1: [2, 3]}, make((2, 8, 15), lambda c, h, w: x[c, h // 2, w // 3]))
    asymmetric = lambda size, out: [min(size - 1, i * size / out) for i in range(out)]
    aligned = lambda size, out: [i * (size - 1) / (out - 1) for i in range(out)]
    halves = lambda size, out: [min(max((i + 0.5) * size / out - 0.5, 0), size - 1) for i in range(out)]
    for name, mode, place in (("DEFAULT", 0, asymmetric), ("ALIGN_CORNERS_TRUE", 1, aligned), ("ALIGN_CORNERS_FALSE", 2, halves)):
        y = bilinear(x, place(4, 8), place(5, 15))
        yield case(f"upsample.BILINEAR.{name}", 210, [x], {1: [2, 3], 5: 1, 6: mode}, y, mode > 0) if mode == 0 else case(
            f"upsample.BILINEAR.{name}", 210, [x], {1: [2, 3], 5: 1, 6: mode}, y, True)
    y = bilinear(x, aligned(4, 6), aligned(5, 12))
    yield case("upsample.BILINEAR.ALIGN_CORNERS_TRUE", 210, [x], {7: [1.5, 2.5], 5: 1, 6: 1}, y, True)
    names = ("STRICT_ALIGN_ENDPOINTS_MODE", "ALIGN_ENDPOINTS_MODE", "UPSAMPLE_MODE", "ROI_ALIGN_MODE")
    for mode, name in enumerate(names):
        for size in ((3, 7), (1, 2)):
            y = bilinear(x, grid(mode, 4, size[0]), grid(mode, 5, size[1]))
            for row in ("resizeBilinear", f"SamplingMode.{name}"):
                yield case(row, 211, [x], {1: list(size), 2: message({1: mode})}, y)
    # Boxes in pixels of an image of 8 by 8, of which the network has half: rows 1 to 3, columns 0 to 2.
    x = draw((1, 2, 2, 4, 4), 352)
    forms = {"CORNERS_HEIGHT_FIRST": [2, 0, 6, 4], "CORNERS_WIDTH_FIRST": [0, 2, 4, 6],
             "CENTER_SIZE_HEIGHT_FIRST": [4, 2, 4, 4], "CENTER_SIZE_WIDTH_FIRST": [2, 4, 4, 4]}
    for form, (name, box) in enumerate(forms.items()):
        box = [float(v) for v in box]
        rois = Array((1, 1, 5, 1, 1), [1.0, *box])
        of_image = make((2, 4, 4), lambda c, h, w: x[0, 1, c, h, w])
        y = bilinear(of_image, grid(0, 3, 3, 1.0), grid(0, 3, 2)).reshape(1, 1, 2, 3, 2)
        params = {1: [3, 2], 3: message({1: 0}), 4: message({1: form}), 5: 0.5}
        for row in ("cropResize", f"BoxCoordinatesMode.{name}"):
            yield case(row, 212, [x], params, y, True, [rois])
    # A quarter to three quarters of an image of 5 by 5: pixels 1 to 3.
    x = draw((1, 1, 2, 5, 5), 353)
    rois = Array((1, 1, 4, 1, 1), [0.25, 0.25, 0.75, 0.75])
    y = bilinear(x.reshape(2, 5, 5), grid(1, 3, 2, 1.0), grid(1, 3, 2, 1.0)).reshape(1, 1, 2, 2, 2)
    yield case("cropResize", 212, [x], {1: [2, 2], 2: 1, 3: message({1: 1}), 5: 1.0}, y, True, [rois])


def elementwise():
    a, b, one = draw((3, 2, 4), 360), draw((3, 2, 4), 361), draw((3, 1, 1), 362)
    triple = lambda f: make(a.shape, lambda c, h, w: f(a[c, h, w], b[c, h, w], one[c, 0, 0]))
    yield case("add", 230, [a, b, one], {}, triple(lambda p, q, r: p + q + r))
    yield case("add", 230, [a], {1: 1.5}, a.map(lambda v: v + 1.5))
    yield case("multiply", 231, [a, one], {}, make(a.shape, lambda c, h, w: a[c, h, w] * one[c, 0, 0]))
    yield case("multiply", 231, [a], {1: 0.75}, a.map(lambda v: v * 0.75))
    yield case("average", 240, [a, b, one], {}, triple(lambda p, q, r: (p + q + r) / 3))
    yield case("max", 260, [a, b, one], {}, triple(max))
    yield case("min", 261, [a, b, one], {}, triple(min))
    scale, bias = factors(3, 363), draw((3,), 364)
    y = make(a.shape, lambda c, h, w: scale[c] * a[c, h, w] + bias[c])
    yield case("scale", 245, [a], {1: [3], 2: floats(scale), 3: 1, 4: [3], 5: floats(bias)}, y)
    plane, all_of = draw((1, 2, 4), 365), draw((3, 2, 4), 366)
    yield case("scale", 245, [a], {1: [1, 2, 4], 2: floats(plane)}, make(a.shape, lambda c, h, w: plane[0, h, w] * a[c, h, w]))
    yield case("bias", 250, [a], {1: [3], 2: floats(bias)}, make(a.shape, lambda c, h, w: a[c, h, w] + bias[c]))
    yield case("bias", 250, [a], {1: [3, 2, 4], 2: floats(all_of)}, make(a.shape, lambda c, h, w: a[c, h, w] + all_of[c, h, w]))


def reductions():
    x, above = draw((3, 2, 4), 370), positive((3, 2, 4), 371)
    lines = {"CHW": (0, 1, 2), "HW": (1, 2), "C": (0,), "H": (1,), "W": (2,)}

    def reduced(of, axis, f):
        axes = lines[axis]
        shape = [1 if i in axes else size for i, size in enumerate(of.shape)]
        line = lambda at: [of[tuple(t if i in axes else p for i, (p, t) in enumerate(zip(at, tap)))]
                           for tap in indices([size if i in axes else 1 for i, size in enumerate(of.shape)])]
        y = make(shape, lambda *at: f(line(at)))
        return y.reshape(shape[0]) if shape[1:] == [1, 1] else y

    log = lambda values: sum(math.log(v + 1e-6) for v in values)
    for number, (name, f, operand, axis) in enumerate([
            ("SUM", sum, x, "C"), ("AVG", mean, x, "HW"), ("PROD", math.prod, above.map(lambda v: v / 8), "H"), ("LOGSUM", log, above, "W"),
            ("SUMSQUARE", lambda v: sum(e * e for e in v), x, "H"), ("L1", lambda v: sum(map(abs, v)), x, "W"),
            ("L2", lambda v: math.hypot(*v), x, "C"), ("MAX", max, x, "CHW"), ("MIN", min, x, "HW")]):
        y = reduced(operand, axis, f)
        params = {1: number, 3: list(lines).index(axis)}
        net = Net()
        net.layer(280, ["x0"], ["y0"], message(params))
        kind = array_type(y.shape if len(y.shape) > 1 else y.shape)
        yield f"reduce.{name}", model(net, arrays_of("x", [operand]), {"y0": kind}), [operand], [y]
    x = draw((1, 1, 3, 2, 4), 372)
    best = make((1, 1, 1, 2, 4), lambda *at: float(max(range(3), key=lambda c: (x[0, 0, c, at[3], at[4]], -c))))
    net, shift = Net(), draw((1, 1, 1, 2, 4), 373)
    net.layer(880, ["x1", net.layer(280, ["x0"], 1, message({1: 9, 3: 2}))[0]], ["y0"])
    y = Array(shift.shape, [p + q for p, q in zip(shift.data, best.data)])
    yield "reduce.ARGMAX", model(net, arrays_of("x", [x, shift]), arrays_of("y", [y]), True), [x, shift], [y]


def layouts():
    x = draw((4, 2, 6), 380)
    last = transpose(x, [1, 2, 0])  # H, W, C
    yield case("reshape.CHANNEL_FIRST", 300, [x], {1: [2, 4, 6]}, x.reshape(2, 4, 6))
    y = transpose(last.reshape(4, 6, 2), [2, 0, 1])
    yield case("reshape.CHANNEL_LAST", 300, [x], {1: [2, 4, 6], 2: 1}, y)
    five = draw((2, 1, 3, 2, 2), 381)
    yield case("reshape.CHANNEL_FIRST", 300, [five], {1: [4, 1, 2, 3]}, five.reshape(4, 1, 1, 2, 3), True)
    yield case("flatten.CHANNEL_FIRST", 301, [x], {}, x.reshape(48))
    yield case("flatten.CHANNEL_LAST", 301, [x], {1: 1}, last.reshape(48))
    yield case("permute", 310, [x], {1: [0, 3, 1, 2]}, transpose(x, [2, 0, 1]))
    y = make((2, 1, 2, 3, 2), lambda s, b, c, h, w: five[w, b, h, c, s])
    yield case("permute", 310, [five], {1: [3, 2, 1, 0]}, y, True)
    z = draw((3, 2, 6), 382)
    yield case("concat", 320, [x, z], {}, concat([x, z], 0))
    sequence = draw((3, 1, 3, 2, 2), 383)
    yield case("concat", 320, [five, sequence], {100: 1}, concat([five, sequence], 0), True)
    yield case("split", 330, [x], {1: 2}, [part(x, 0, 0, 2), part(x, 0, 2, 4)])
    yield case("sequenceRepeat", 340, [five], {1: 3}, concat([five] * 3, 0), True)
    deep = make((16, 1, 3), lambda c, h, w: x[c % 4, 2 * h + c // 8, 2 * w + c // 4 % 2])
    yield case("reorganizeData.SPACE_TO_DEPTH", 345, [x], {1: 0, 2: 2}, deep)
    wide = make((1, 4, 12), lambda c, h, w: x[h % 2 * 2 + w % 2, h // 2, w // 2])
    yield case("reorganizeData.DEPTH_TO_SPACE", 345, [x], {1: 1, 2: 2}, wide)
    eight = draw((8, 2, 3), 384)
    wide = make((2, 4, 6), lambda c, h, w: eight[h % 2 * 4 + w % 2 * 2 + c, h // 2, w // 2])
    yield case("reorganizeData.DEPTH_TO_SPACE", 345, [eight], {1: 1, 2: 2}, wide)
    wide = make((2, 4, 6), lambda c, h, w: eight[c * 4 + h % 2 * 2 + w % 2, h // 2, w // 2])
    yield case("reorganizeData.PIXEL_SHUFFLE", 345, [eight], {1: 2, 2: 2}, wide, True)
    yield case("slice", 350, [x], {1: 1, 2: -1, 3: 2, 4: 2}, make((4, 2, 2), lambda c, h, w: x[c, h, 1 + 2 * w]))
    yield case("slice", 350, [x], {1: -3, 2: 3, 3: 1}, part(x, 0, 1, 3))
    constant = draw((4, 1, 6), 385)
    net = Net()
    net.layer(230, ["x0", net.constant(constant, exact=False)], ["y0"])
    y = make(x.shape, lambda c, h, w: x[c, h, w] + constant[c, 0, w])
    yield "loadConstant", model(net, arrays_of("x", [x]), arrays_of("y", [y])), [x], [y]


def cases():
    yield from convolutions()
    yield from both("pooling", pools())
    yield from products()
    for row, *rest in activations():
        yield row, *rest
        yield row.split(".")[0], *rest
    yield from norms()
    for row, *rest in images():
        yield row, *rest
        if row.split(".")[0] in ("padding", "upsample"):
            yield row.split(".")[0], *rest
    yield from elementwise()
    yield from both("reduce", reductions())
    for row, *rest in layouts():
        yield row, *rest
        if "." in row:
            yield row.split(".")[0], *rest
