"""A model of each ncnn layer, and what docs/formats/ncnn.md says it computes. A blob of rank 3 is [c, h, w]."""
import math
import struct

import arrays
from arrays import Array, draw, factors, make, positive, weights


def floats(*lists):
    return b"".join(struct.pack(f"<{len(data)}f", *data) for data in lists)


def tagged(data):
    """Weights after the word that says how they are stored: as float32."""
    return struct.pack("<I", 0) + floats(data)


class Net:
    """The two files of a model."""

    def __init__(self, *inputs):
        self.lines, self.blobs, self.weights = [], 0, b""
        for i, x in enumerate(inputs):
            ids = {1: [0], 2: [1, 0], 3: [2, 1, 0], 4: [2, 11, 1, 0]}[len(x.shape)]
            self.layer("Input", [], [f"x{i}"], **{f"_{n}": size for n, size in zip(ids, x.shape)})

    def layer(self, kind, inputs, outputs, data=b"", **params):
        """Parameters by id: _0=3; a list is an array."""
        words = [f"{kind} {kind}{len(self.lines)} {len(inputs)} {len(outputs)}", *inputs, *outputs]
        for name, value in params.items():
            number = int(name[1:])
            if isinstance(value, list):
                words.append(f"{-23300 - number}={len(value)}," + ",".join(map(str, value)))
            else:
                words.append(f"{number}={value:.8e}" if isinstance(value, float) else f"{number}={value}")
        self.lines.append(" ".join(words))
        self.blobs += len(outputs)
        self.weights += data
        return self

    def files(self):
        return "\n".join(["7767517", f"{len(self.lines)} {self.blobs}", *self.lines, ""]), self.weights


def one(kind, x, y, data=b"", **params):
    """A case of one layer of one input."""
    return kind, Net(x).layer(kind, ["x0"], ["y"], data, **params).files(), [x], [y]


def by_channel(x, f):
    """f(element, channel), where the channel is the outermost axis."""
    return make(x.shape, lambda *i: f(x[i], i[0]))


def functions():
    x, above = draw((2, 4, 5), 1), positive((2, 4, 5), 2)
    narrow = draw((2, 4, 5), 3).map(lambda v: v / 8)  # within [-1, 1)
    erf_gelu = lambda v: 0.5 * v * math.erfc(-v / math.sqrt(2))
    tanh_gelu = lambda v: 0.5 * v * (1 + math.tanh(0.79788452 * (v + 0.044715 * v**3)))
    gate = lambda v: min(max(0.2 * v + 0.5, 0), 1)
    softplus = lambda v: max(v, 0) + math.log1p(math.exp(-abs(v)))
    for kind, f, params in [
            ("AbsVal", abs, {}),
            ("BNLL", softplus, {}),
            ("Clip", lambda v: min(max(v, -1.5), 2.25), {"_0": -1.5, "_1": 2.25}),
            ("Dropout", lambda v: 0.5 * v, {"_0": 0.5}),
            ("ELU", lambda v: v if v >= 0 else 0.1 * math.expm1(v), {}),
            ("Exp", lambda v: math.exp(0.25 * v + 1), {"_1": 0.25, "_2": 1.0}),
            ("Exp", lambda v: 2**(0.5 * v), {"_0": 2.0, "_1": 0.5}),
            ("GELU", erf_gelu, {}),
            ("GELU", tanh_gelu, {"_0": 1}),
            ("HardSigmoid", gate, {}),
            ("HardSwish", lambda v: v * gate(v), {}),
            ("Mish", lambda v: v * math.tanh(softplus(v)), {}),
            ("Power", lambda v: (1 + 0.5 * v)**2, {"_0": 2.0, "_1": 0.5, "_2": 1.0}),
            ("ReLU", lambda v: max(v, 0), {}),
            ("ReLU", lambda v: v if v >= 0 else 0.1 * v, {"_0": 0.1}),
            ("SELU", lambda v: 1.050700987 * (v if v >= 0 else 1.67326324 * math.expm1(v)), {}),
            ("Sigmoid", arrays.sigmoid, {}),
            ("Softplus", softplus, {}),
            ("Swish", lambda v: v * arrays.sigmoid(v), {}),
            ("TanH", math.tanh, {}),
            ("Threshold", lambda v: float(v > 0.5), {"_0": 0.5})]:
        yield one(kind, x, x.map(f), **params)
    for kind, f, params in [("Log", math.log, {}), ("Log", lambda v: math.log(2 * v + 5, 3), {"_0": 3.0, "_1": 2.0, "_2": 5.0}),
                            ("Power", math.sqrt, {"_0": 0.5})]:
        yield one(kind, above, above.map(f), **params)
    unary = [(abs, x), (lambda v: -v, x), (math.floor, x), (math.ceil, x), (lambda v: v * v, x), (math.sqrt, above),
             (lambda v: 1 / math.sqrt(v), above), (math.exp, narrow), (math.log, above), (math.sin, x), (math.cos, x),
             (math.tan, narrow), (math.asin, narrow), (math.acos, narrow), (math.atan, x), (lambda v: 1 / v, above), (math.tanh, x)]
    for number, (f, operand) in enumerate(unary):
        yield one("UnaryOp", operand, operand.map(f), _0=number)
    yield one("Cast", x, x, _0=1, _1=2)
    for kind in ("Noop", "Packing"):
        yield one(kind, x, x)


def channels():
    x = draw((3, 4, 5), 4)
    scale, shift, middle = (factors(3, seed).data for seed in (5, 6, 7))
    variance = [3.75, 0.75, 3.75]  # 1 or 4 with the 0.25 below, so that scale / deviation is on a grid too
    normal = lambda v, c: scale[c] * (v - middle[c]) / math.sqrt(variance[c] + 0.25) + shift[c]
    yield one("BatchNorm", x, by_channel(x, normal), floats(scale, middle, variance, shift), _0=3, _1=0.25)
    yield one("Bias", x, by_channel(x, lambda v, c: v + shift[c]), floats(shift), _0=3)
    yield one("Scale", x, by_channel(x, lambda v, c: v * scale[c] + shift[c]), floats(scale, shift), _0=3, _1=1)
    yield one("PReLU", x, by_channel(x, lambda v, c: v * (1 if v >= 0 else scale[c])), floats(scale), _0=3)
    a, b = draw((3, 4, 5), 9), positive((3, 4, 5), 10)
    pairs = [lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: p / q, max, min]
    for number, f in enumerate(pairs):
        net = Net(a, b).layer("BinaryOp", ["x0", "x1"], ["y"], _0=number)
        yield "BinaryOp", net.files(), [a, b], [Array(a.shape, map(f, a.data, b.data))]
    lists = draw((3,), 11)
    net = Net(a, lists).layer("BinaryOp", ["x0", "x1"], ["y"])  # a blob of lower rank is along the outer axes
    yield "BinaryOp", net.files(), [a, lists], [by_channel(a, lambda v, c: v + lists[c])]
    yield one("BinaryOp", a, a.map(lambda v: 2.5 - v), _0=7, _1=1, _2=2.5)
    c = draw((3, 4, 5), 12)
    for params, f in [({"_0": 0}, lambda p, q: p * q), ({"_0": 1, "_1": [0.5, -2.0]}, lambda p, q: 0.5 * p - 2 * q), ({"_0": 2}, max)]:
        net = Net(a, c).layer("Eltwise", ["x0", "x1"], ["y"], **params)
        yield "Eltwise", net.files(), [a, c], [Array(a.shape, map(f, a.data, c.data))]


def window_ids(axes):
    """Ids of what a layer has for each axis, from the outermost: kernel, dilation, stride, before, after."""
    return {"kernel": [21, 11, 1], "dilation": [22, 12, 2], "stride": [23, 13, 3], "before": [24, 14, 4], "after": [17, 16, 15]}, 3 - axes


def convolutions():
    for axes, ending in ((1, "1D"), (2, ""), (3, "3D")):
        sizes = (4, 5, 7)[3 - axes:]
        kernel, stride, dilation = (2, 3, 2)[3 - axes:], (1, 1, 2)[3 - axes:], (1, 1, 2)[3 - axes:]
        before, after = (1, 0, 2)[3 - axes:], (0, 2, 1)[3 - axes:]
        ids, first = window_ids(axes)
        stated = {"kernel": kernel, "dilation": dilation, "stride": stride, "before": before, "after": after}
        windows = {f"_{ids[name][first + i]}": value for name, values in stated.items() for i, value in enumerate(values)}
        bias = [100, -200, 300, 50]
        for kind, groups in ((f"Convolution{ending}", 1), (f"ConvolutionDepthWise{ending}", 2)):
            x = draw((4, *sizes), 20 + axes)
            weight = weights((4, 4 // groups, *kernel), 24 + axes)
            y = arrays.convolution(x, weight, bias, stride, dilation, before, after, groups)
            more = {"_7": groups} if groups > 1 else {}
            yield one(kind, x, y, tagged(weight.data) + floats(bias), _0=4, _5=1, _6=len(weight.data), **windows, **more)
        for kind, groups in ((f"Deconvolution{ending}", 1), (f"DeconvolutionDepthWise{ending}", 2)):
            x = draw((4, *(sizes[:-1]), 4), 28 + axes)
            weight = weights((4, 4 // groups, *kernel), 32 + axes)
            y = arrays.transposed_convolution(x, weight, bias, stride, before, (0,) * axes, groups)
            some = {key: value for key, value in windows.items() if int(key[1:]) not in ids["dilation"] + ids["after"]}
            some |= {f"_{ids['after'][first + i]}": 0 for i in range(axes)}
            more = {"_7": groups} if groups > 1 else {}
            yield one(kind, x, y, tagged(weight.data) + floats(bias), _0=4, _5=1, _6=len(weight.data), **some, **more)
    x, weight = draw((4, 5, 6), 36), weights((3, 4, 2, 2), 37)
    y = arrays.convolution(x, weight, [0] * 3, (1, 1), (1, 1), (0, 0), (0, 0))
    yield one("Convolution", x, y.map(lambda v: max(v, 0)), tagged(weight.data), _0=3, _1=2, _6=len(weight.data), _9=1)


def pools():
    for axes, ending in ((1, "1D"), (2, ""), (3, "3D")):
        x = draw((2, *(5, 6, 7)[3 - axes:]), 40 + axes)
        kernel = {f"_{n}": 3 for n in (21, 11, 1)[3 - axes:]}
        stride = {f"_{n}": 2 for n in (22, 12, 2)[3 - axes:]}
        three, two, none = (3,) * axes, (2,) * axes, (0,) * axes
        for number, f in enumerate((max, arrays.mean)):
            y = arrays.pool(x, three, two, none, none, f)
            yield one(f"Pooling{ending}", x, y, _0=number, _5=1, **kernel, **stride)
            whole = make((2,), lambda c: f([x[(c, *at)] for at in arrays.indices(x.shape[1:])]))
            yield one(f"Pooling{ending}", x, whole, _0=number, _4=1)
        # pad_mode 0: what is left over at the end is a window too.
        y = arrays.pool(x, three, two, none, [-(size - 3) % 2 for size in x.shape[1:]], max)
        yield one(f"Pooling{ending}", x, y, **kernel, **stride)


def layouts():
    x, other = draw((3, 4, 5), 50), draw((2, 4, 5), 51)
    yield "Concat", Net(x, other).layer("Concat", ["x0", "x1"], ["y"]).files(), [x, other], [arrays.concat([x, other], 0)]
    yield one("Crop", x, make((2, 2, 3), lambda c, h, w: x[c + 1, h + 1, w + 1]), _0=1, _1=1, _2=1, _3=3, _4=2, _5=2)
    yield one("Flatten", x, x.reshape(60))
    net = Net(x).layer("MemoryData", [], ["m"], floats(draw((3, 4, 5), 52).data), _0=5, _1=4, _2=3)
    net.layer("BinaryOp", ["x0", "m"], ["y"])
    yield "MemoryData", net.files(), [x], [Array(x.shape, map(sum, zip(x.data, draw((3, 4, 5), 52).data)))]
    yield one("Padding", x, arrays.padded(x, (0, 1, 3), (0, 2, 0), 1.5), _0=1, _1=2, _2=3, _3=0, _5=1.5)
    frame = [0.5, -2.0, 3.0, 1.0, 7.5]  # by channel of the result, of which the outer two are all frame
    whole = make((5, 5, 5), lambda c, h, w: x[c - 1, h, w] if 1 <= c < 4 and h < 4 else frame[c])
    yield one("Padding", x, whole, floats(frame), _1=1, _6=5, _7=1, _8=1)
    edge = make((3, 5, 7), lambda c, h, w: x[c, min(h, 3), max(w - 2, 0)])
    yield one("Padding", x, edge, _0=0, _1=1, _2=2, _3=0, _4=1)
    yield one("Permute", x, arrays.transpose(x, [1, 2, 0]), _0=3)
    block = draw((8, 2, 3), 53)
    y = make((2, 4, 6), lambda c, h, w: block[4 * c + h % 2 * 2 + w % 2, h // 2, w // 2])
    yield one("PixelShuffle", block, y, _0=2)
    even = draw((2, 4, 6), 54)
    yield one("Reorg", even, make((8, 2, 3), lambda c, h, w: even[c // 4, 2 * h + c // 2 % 2, 2 * w + c % 2]), _0=2)
    yield one("Reshape", x, x.reshape(6, 10), _0=10, _1=-1)
    pixels = arrays.transpose(x, [1, 2, 0]).reshape(2, 10, 3)  # h, w, c
    yield one("Reshape", x, arrays.transpose(pixels, [2, 0, 1]), _0=10, _1=2, _2=3, _3=1)
    yield one("Reshape", x, Array((60,), arrays.transpose(x, [1, 2, 0]).data), _0=60, _3=1)
    yield one("ShuffleChannel", even, arrays.transpose(even, [0, 1, 2]), _0=1)
    six = draw((6, 2, 2), 55)
    yield one("ShuffleChannel", six, make(six.shape, lambda c, h, w: six[c % 2 * 3 + c // 2, h, w]), _0=2)
    net = Net(x).layer("Slice", ["x0"], ["a", "b"], _0=[1, -233])
    yield "Slice", net.files(), [x], [arrays.part(x, 0, 0, 1), arrays.part(x, 0, 1, 3)]
    net = Net(x).layer("Split", ["x0"], ["a", "b"]).layer("Flatten", ["a"], ["c"]).layer("ReLU", ["b"], ["d"])
    yield "Split", net.files(), [x], [x.reshape(60), x.map(lambda v: max(v, 0))]
    yield one("Tile", x, make((3, 4, 10), lambda c, h, w: x[c, h, w % 5]), _0=2, _1=2)
    yield one("Interp", x, make((3, 8, 10), lambda c, h, w: x[c, h // 2, w // 2]), _0=1, _1=2.0, _2=2.0)
    yield one("Interp", x, bilinear(x, 8, 10), _0=2, _3=8, _4=10)


def bilinear(x, height, width):
    """Points in the middle of pixels; those outside of the image are at its border."""

    def taps(at, size, wanted):
        place = min(max((at + 0.5) * size / wanted - 0.5, 0), size - 1)
        low = min(int(place), size - 2)
        return (low, 1 - (place - low)), (low + 1, place - low)

    return make((x.shape[0], height, width), lambda c, h, w: sum(
        a * b * x[c, i, j] for i, a in taps(h, x.shape[1], height) for j, b in taps(w, x.shape[2], width)))


def normalized(values, eps):
    middle = arrays.mean(values)
    deviation = math.sqrt(arrays.mean([(v - middle)**2 for v in values]) + eps)
    return [(v - middle) / deviation for v in values]


def norms():
    x = draw((4, 3, 5), 60)
    scale, shift = factors(4, 61).data, factors(4, 62).data
    parts = lambda n: [x.data[i:i + n] for i in range(0, 60, n)]
    each = lambda groups: Array(x.shape, sum((normalized(values, 0.001) for values in parts(60 // groups)), []))
    for kind, groups, params in (("GroupNorm", 2, {"_0": 2, "_1": 4}), ("InstanceNorm", 4, {"_0": 4})):
        yield one(kind, x, by_channel(each(groups), lambda v, c: v * scale[c] + shift[c]), floats(scale, shift), **params)
    rows = draw((6, 8), 63)
    gain, offset = factors(8, 64).data, factors(8, 65).data
    scaled = lambda row: [v * g + b for v, g, b in zip(normalized(row, 0.001), gain, offset)]
    yield one("LayerNorm", rows, arrays.along_last(rows, scaled), floats(gain, offset), _0=8)
    ahead = lambda c, h, w: sum(x[n, h, w]**2 for n in range(max(c - 1, 0), min(c + 2, 4)))
    yield one("LRN", x, make(x.shape, lambda c, h, w: x[c, h, w] * (1 + 0.5 * ahead(c, h, w) / 3)**-0.75), _0=0, _1=3, _2=0.5)
    even = lambda c, h, w: sum(x[n, h, w]**2 for n in range(max(c - 1, 0), min(c + 2, 4)))  # over one more than it says
    yield one("LRN", x, make(x.shape, lambda c, h, w: x[c, h, w] * (1 + 0.5 * even(c, h, w) / 2)**-0.75), _0=0, _1=2, _2=0.5)
    near = lambda c, h, w: sum(x[c, i, j]**2 for i in range(max(h - 1, 0), min(h + 2, 3)) for j in range(max(w - 1, 0), min(w + 2, 5)))
    yield one("LRN", x, make(x.shape, lambda c, h, w: x[c, h, w] * (1 + 0.5 * near(c, h, w) / 9)**-0.75), _0=1, _1=3, _2=0.5)
    centred = lambda row, divide: [
        (v - arrays.mean(row)) / (math.sqrt(arrays.mean([(u - arrays.mean(row))**2 for u in row])) + 1e-4 if divide else 1) for v in row]
    for divide in (0, 1):
        y = Array(x.shape, sum((centred(x.data[i:i + 15], divide) for i in range(0, 60, 15)), []))
        yield one("MVN", x, y, _0=divide)
    length = lambda h, w: math.sqrt(sum(x[c, h, w]**2 for c in range(4)) + 1e-4)
    yield one("Normalize", x, make(x.shape, lambda c, h, w: x[c, h, w] / length(h, w) * 1.5), floats([1.5]), _0=0, _1=1, _3=1, _4=1)
    for mode, least in ((1, 9.0), (2, 81.0)):
        over = lambda h, w: max(math.sqrt(sum(x[c, h, w]**2 for c in range(4))), 9.0)
        y = make(x.shape, lambda c, h, w: x[c, h, w] / over(h, w))
        yield one("Normalize", x, y, floats([1.0]), _0=0, _1=1, _2=least, _3=1, _4=1, _9=mode)
    yield one("Softmax", rows, arrays.along_last(rows, arrays.softmax), _0=1, _1=1)
    yield one("Softmax", rows, arrays.transpose(arrays.along_last(arrays.transpose(rows, [1, 0]), arrays.softmax), [1, 0]), _0=0, _1=1)
    distinct = Array((8,), [3, -1, 7.5, 2, -8, 5, 0, 7.9375])
    yield one("ArgMax", distinct, Array((2,), [7, 2]), _1=2)
    row_of = lambda h: [x[c, h, w] for c in range(4) for w in range(5)]
    for number, f in enumerate([
            sum, lambda v: sum(map(abs, v)), lambda v: sum(u * u for u in v), arrays.mean, max, min, None,
            lambda v: sum(map(abs, v)), lambda v: math.sqrt(sum(u * u for u in v)), None,
            lambda v: max(v) + math.log(sum(math.exp(u - max(v)) for u in v))]):
        if f is None:
            continue  # products and logarithms of sums are below, of operands that have some
        yield one("Reduction", x, make((3,), lambda h: f(row_of(h))), _0=number, _1=0, _3=[0, 2], _5=1)
    few = positive((4, 3), 66)
    yield one("Reduction", few, make((4,), lambda i: math.prod(few[i, j] for j in range(3))), _0=6, _1=0, _3=[1], _5=1)
    yield one("Reduction", few, make((4,), lambda i: math.log(sum(few[i, j] for j in range(3)))), _0=9, _1=0, _3=[1], _5=1)


def products():
    x = draw((3, 8), 70)
    weight, bias = weights((5, 8), 71), [10, -20, 300, 0, 5]
    affine = lambda rows: make((rows.shape[0], 5), lambda i, j: bias[j] + sum(weight[j, k] * rows[i, k] for k in range(8)))
    data = tagged(weight.data) + floats(bias)
    yield one("InnerProduct", x.reshape(2, 3, 4), inner(x, weights((5, 24), 72)), tagged(weights((5, 24), 72).data), _0=5, _2=120)
    yield one("InnerProduct", x, affine(x), data, _0=5, _1=1, _2=40)
    b = draw((8, 5), 73)
    yield "Gemm", Net(x, b).layer("Gemm", ["x0", "x1"], ["y"], _0=0.5).files(), [x, b], [arrays.matmul(x, b).map(lambda v: 0.5 * v)]
    rounded = lambda v: min(math.floor(abs(v) * 5.3 + 0.5), 127) / 5.3  # the reals of codes; none is in the middle
    yield one("Quantize", x, x.map(lambda v: math.copysign(rounded(v), v)), floats([5.3]))
    yield attention()


def inner(x, weight):
    return make((weight.shape[0],), lambda j: sum(weight[j, k] * v for k, v in enumerate(x.data)))


def attention():
    """Two heads over six rows of eight."""
    x = draw((6, 8), 74, low=-2.0).map(lambda v: v / 4)
    matrices = [weights((8, 8), 75 + i).map(lambda v: v / 256) for i in range(4)]
    biases = [draw((8,), 80 + i).map(lambda v: v / 16).data for i in range(4)]
    apply = lambda rows, i: make((6, 8), lambda r, j: biases[i][j] + sum(matrices[i][j, k] * rows[r, k] for k in range(8)))
    q, k, v = (apply(x, i) for i in range(3))
    heads = {}
    for head in (0, 4):
        for r in range(6):
            p = arrays.softmax([sum(q[r, head + d] * k[t, head + d] for d in range(4)) / 2 for t in range(6)])
            for d in range(4):
                heads[r, head + d] = sum(p[t] * v[t, head + d] for t in range(6))
    y = apply(make((6, 8), lambda r, j: heads[r, j]), 3)
    data = b"".join(tagged(m.data) + floats(b) for m, b in zip(matrices, biases))
    return one("MultiHeadAttention", x, y, data, _0=8, _1=2, _2=64)


def sequences():
    """Five steps of four, three states; the second time from the last step on."""
    x = draw((5, 4), 90).map(lambda v: v / 4)
    draws = lambda shape, seed: weights(shape, seed).map(lambda v: v / 128)
    for kind, gates, rows, step in (("RNN", 1, 1, rnn_step), ("LSTM", 4, 4, lstm_step), ("GRU", 3, 4, gru_step)):
        on_x, on_h = draws((3 * gates, 4), 91), draws((3 * gates, 3), 92)
        bias = draws((rows, 3), 93)
        for direction in (0, 1):
            steps = range(5) if direction == 0 else range(4, -1, -1)
            h, c, results = [0.0] * 3, [0.0] * 3, {}
            for t in steps:
                inner_of = lambda m, v, gate, n: sum(m[3 * gate + n, k] * v[k] for k in range(len(v)))
                row = [x[t, k] for k in range(4)]
                h, c = step(lambda g, n: inner_of(on_x, row, g, n), lambda g, n: inner_of(on_h, h, g, n), bias, h, c)
                results[t] = h
            y = make((5, 3), lambda t, n: results[t][n])
            data = tagged(on_x.data) + tagged(bias.data) + tagged(on_h.data)
            yield one(kind, x, y, data, _0=3, _1=12 * gates, _2=direction)


def rnn_step(wx, rh, bias, h, c):
    return [math.tanh(wx(0, n) + rh(0, n) + bias[0, n]) for n in range(3)], c


def lstm_step(wx, rh, bias, h, c):
    """Gates I, F, O, G."""
    gate = lambda g, n: wx(g, n) + rh(g, n) + bias[g, n]
    cell = [arrays.sigmoid(gate(1, n)) * c[n] + arrays.sigmoid(gate(0, n)) * math.tanh(gate(3, n)) for n in range(3)]
    return [arrays.sigmoid(gate(2, n)) * math.tanh(cell[n]) for n in range(3)], cell


def gru_step(wx, rh, bias, h, c):
    """Gates R, U, N; rows of the bias R, U, WN, BN."""
    reset = [arrays.sigmoid(wx(0, n) + rh(0, n) + bias[0, n]) for n in range(3)]
    update = [arrays.sigmoid(wx(1, n) + rh(1, n) + bias[1, n]) for n in range(3)]
    new = [math.tanh(wx(2, n) + bias[2, n] + reset[n] * (rh(2, n) + bias[3, n])) for n in range(3)]
    return [(1 - update[n]) * new[n] + update[n] * h[n] for n in range(3)], c


def cases():
    """Yields (layer, (.param, .bin), inputs, expected)."""
    x = draw((2, 3), 100)
    yield "Input", Net(x).layer("ReLU", ["x0"], ["y"]).files(), [x], [x.map(lambda v: max(v, 0))]
    for family in (functions, channels, convolutions, pools, layouts, norms, products, sequences):
        yield from family()
