"""A model of each OpenVINO operation, and what docs/formats/openvino.md says it computes."""
import math

import arrays
import openvino_bodies
import openvino_objects
from arrays import Array, along_last, draw, factors, make, mean, part, positive, transpose, weights
from openvino_ir import Bits, Flags, Ints, Ir, as_floats, case, ints, number, pairwise

def functions():
    x, above, narrow = draw((2, 4, 5), 1), positive((2, 4, 5), 2), draw((2, 4, 5), 3).map(lambda v: v / 8)
    beyond = positive((2, 4, 5), 4).map(lambda v: max(v, 1))
    softplus = lambda v: max(v, 0) + math.log1p(math.exp(-abs(v)))
    for kind, f, operand in [
            ("Abs", abs, x), ("Acos", math.acos, narrow), ("Asin", math.asin, narrow), ("Asinh", math.asinh, x), ("Atan", math.atan, x),
            ("Atanh", lambda v: math.atanh(v), narrow.map(lambda v: v * 0.875)), ("Ceiling", math.ceil, x), ("Cos", math.cos, x),
            ("Cosh", math.cosh, narrow), ("Erf", math.erf, x), ("Exp", math.exp, narrow), ("Floor", math.floor, x),
            ("Log", math.log, above), ("Negative", lambda v: -v, x), ("ReLU", lambda v: max(v, 0), x), ("Sigmoid", arrays.sigmoid, x),
            ("Sign", lambda v: (v > 0) - (v < 0), x), ("Sin", math.sin, x), ("Sinh", math.sinh, narrow), ("Sqrt", math.sqrt, above),
            ("Tan", math.tan, narrow), ("Tanh", math.tanh, x)]:
        yield case(kind, [operand], [], operand.map(f))
    yield case("Acosh", [beyond], [], beyond.map(math.acosh))
    yield case("Clamp", [x], [], x.map(lambda v: min(max(v, -1.5), 2.25)), min=-1.5, max=2.25)
    yield case("Elu", [x], [], x.map(lambda v: v if v >= 0 else 0.5 * math.expm1(v)), alpha=0.5)
    yield case("HardSigmoid", [x], [number(0.25), number(0.5)], x.map(lambda v: min(max(0.25 * v + 0.5, 0), 1)))
    yield case("Selu", [x], [Array((1,), [1.5]), Array((1,), [1.25])], x.map(lambda v: 1.25 * (v if v > 0 else 1.5 * math.expm1(v))))
    slope = factors(4, 5)
    yield case("PReLU", [x], [slope], make(x.shape, lambda n, c, w: x[n, c, w] * (1 if x[n, c, w] >= 0 else slope[c])))


def later_functions():
    """Those of operator sets 2 to 7."""
    x = draw((2, 4, 5), 5)
    softplus = lambda v: max(v, 0) + math.log1p(math.exp(-abs(v)))
    hard = lambda v: min(max(v + 3, 0), 6) / 6
    root = math.sqrt(2 / math.pi)
    yield case("Gelu", [x], [], x.map(lambda v: v / 2 * (1 + math.erf(v / math.sqrt(2)))), "opset2")
    yield case("Gelu", [x], [], x.map(lambda v: v / 2 * (1 + math.tanh(root * (v + 0.044715 * v**3)))), "opset7", approximation_mode="tanh")
    yield case("HSigmoid", [x], [], x.map(hard), "opset5")
    yield case("HSwish", [x], [], x.map(lambda v: v * hard(v)), "opset4")
    yield case("Mish", [x], [], x.map(lambda v: v * math.tanh(softplus(v))), "opset4")
    yield case("Round", [x], [], x.map(lambda v: float(round(v))), "opset5", mode="half_to_even")
    yield case("SoftPlus", [x], [], x.map(softplus), "opset4")
    yield case("Swish", [x], [number(0.5)], x.map(lambda v: v * arrays.sigmoid(v / 2)), "opset4")
    row = lambda i, k: [x[i, j, k] for j in range(4)]
    yield case("ReduceL1", [x], [ints(1)], make((2, 5), lambda i, k: sum(map(abs, row(i, k)))), "opset4")
    yield case("ReduceL2", [x], [ints(1)], make((2, 1, 5), lambda i, _, k: math.hypot(*row(i, k))), "opset4", keep_dims="true")


def arithmetic():
    a, b, above = draw((2, 3, 4), 10), draw((2, 3, 4), 11), positive((2, 3, 4), 12)
    row = draw((1, 4), 13)
    yield case("Add", [a, row], [], make(a.shape, lambda i, j, k: a[i, j, k] + row[0, k]))
    for kind, f in [("Subtract", lambda p, q: p - q), ("Multiply", lambda p, q: p * q), ("Maximum", max), ("Minimum", min),
                    ("SquaredDifference", lambda p, q: (p - q)**2)]:
        yield case(kind, [a, b], [], pairwise(a, b, f))
    yield case("Divide", [a, above], [], pairwise(a, above, lambda p, q: p / q))
    yield case("Power", [above], [number(0.5)], above.map(math.sqrt))
    whole, by = Ints((6,), [-7, -5, 0, 3, 8, 9]), Ints((6,), [3, -2, 4, -3, 5, 9])
    for kind, f in [("FloorMod", lambda p, q: p - math.floor(p / q) * q), ("Mod", lambda p, q: p - math.trunc(p / q) * q),
                    ("Divide", lambda p, q: p // q)]:
        yield as_floats(kind, [whole, by], pairwise(whole, by, f))
    for kind, f in [("Equal", lambda p, q: p == q), ("NotEqual", lambda p, q: p != q), ("Less", lambda p, q: p < q),
                    ("LessEqual", lambda p, q: p <= q), ("Greater", lambda p, q: p > q), ("GreaterEqual", lambda p, q: p >= q)]:
        yield as_floats(kind, [whole, Ints((6,), [-7, 2, 0, 2, 9, 9])], pairwise(whole, Ints((6,), [-7, 2, 0, 2, 9, 9]), f))
    p, q = Flags((4,), [0, 0, 1, 1]), Flags((4,), [0, 1, 0, 1])
    for kind, f in [("LogicalAnd", min), ("LogicalOr", max), ("LogicalXor", lambda u, v: u ^ v)]:
        yield as_floats(kind, [p, q], pairwise(p, q, f))
    yield as_floats("LogicalNot", [p], p.map(lambda v: 1 - v))
    condition = Flags((4,), [1, 0, 0, 1])
    yield select(condition, a, b, make(a.shape, lambda i, j, k: (a if condition[k] else b)[i, j, k]))
    yield as_floats("Convert", [draw((5,), 14)], draw((5,), 14).map(math.trunc), destination_type="i64")
    yield as_floats("ConvertLike", [draw((5,), 15), ints(1)], draw((5,), 15).map(math.trunc))


def select(condition, a, b, expected):
    ir = Ir()
    operands = [ir.constant(condition), ir.parameter(a), ir.parameter(b)]
    ir.layer("Result", ir.layer("Select", operands, [expected.shape]), [])
    return "Select", ir.files(), [a, b], [expected]


def windows():
    for axes in (1, 2, 3):
        sizes, kernel = (4, 5, 7)[3 - axes:], (2, 3, 2)[3 - axes:]
        stride, dilation = (1, 1, 2)[3 - axes:], (1, 1, 2)[3 - axes:]
        before, after = (1, 0, 2)[3 - axes:], (0, 2, 1)[3 - axes:]
        text = lambda values: ",".join(map(str, values))
        stated = dict(strides=text(stride), dilations=text(dilation), pads_begin=text(before), pads_end=text(after))
        x, none = draw((4, *sizes), 20 + axes), [0] * 4
        images = x.reshape(1, *x.shape)
        batch = lambda y: y.reshape(1, *y.shape)
        kernels = weights((4, 4, *kernel), 24 + axes)
        y = arrays.convolution(x, kernels, none, stride, dilation, before, after)
        yield case("Convolution", [images], [kernels], batch(y), auto_pad="explicit", **stated)
        grouped = weights((4, 2, *kernel), 28 + axes)
        y = arrays.convolution(x, grouped, none, stride, dilation, before, after, 2)
        yield case("GroupConvolution", [images], [grouped.reshape(2, 2, 2, *kernel)], batch(y), **stated)
        one = dict(strides=text(stride), dilations=text((1,) * axes), pads_begin=text(before), pads_end=text((0,) * axes))
        y = arrays.transposed_convolution(x, kernels, none, stride, before, (0,) * axes)
        turned = transpose(kernels, [1, 0, *range(2, 2 + axes)])
        yield case("ConvolutionBackpropData", [images], [turned], batch(y), **one)
        y = arrays.transposed_convolution(x, grouped, none, stride, before, (0,) * axes, 2)
        turned = transpose(grouped.reshape(2, 2, 2, *kernel), [0, 2, 1, *range(3, 3 + axes)])
        yield case("GroupConvolutionBackpropData", [images], [turned], batch(y), **one)
        pool = dict(kernel=text((3,) * axes), strides=text((2,) * axes), pads_begin=text((1,) * axes), pads_end=text((0,) * axes))
        y = arrays.pool(x, (3,) * axes, (2,) * axes, (1,) * axes, (0,) * axes, max)
        yield case("MaxPool", [images], [], batch(y), rounding_type="floor", **pool)
        y = arrays.pool(x, (3,) * axes, (2,) * axes, (1,) * axes, (0,) * axes, mean)
        yield case("AvgPool", [images], [], batch(y), exclude__pad="true", **pool)
    bits = Bits((3, 2, 2, 2), [1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0])
    signs = bits.map(lambda v: 2 * v - 1)
    x = Array((2, 3, 4), [float(i * 7 % 3 == 0) for i in range(24)])
    y = arrays.convolution(x.map(lambda v: 2 * v - 1), signs, [0] * 3, (1, 1), (1, 1), (0, 0), (0, 0))
    yield case("BinaryConvolution", [x.reshape(1, 2, 3, 4)], [bits], y.reshape(1, *y.shape), strides="1,1", dilations="1,1",
               pads_begin="0,0", pads_end="0,0", mode="xnor-popcount", pad_value=0.0)
    still = Array((1, 8, 3, 4), [0.0] * 96)  # taps that nothing moves
    x, kernels = draw((4, 4, 5), 40), weights((3, 4, 2, 2), 41)
    y = arrays.convolution(x, kernels, [0] * 3, (1, 1), (1, 1), (0, 0), (0, 0))
    yield case("DeformableConvolution", [x.reshape(1, 4, 4, 5)], [still, kernels], y.reshape(1, 3, 3, 4), strides="1,1",
               dilations="1,1", pads_begin="0,0", pads_end="0,0")


def norms():
    x = draw((1, 4, 3, 5), 50)
    scale, shift, middle = factors(4, 51), factors(4, 52), factors(4, 53)
    variance = Array((4,), [3.75, 0.75, 3.75, 0.75])
    y = make(x.shape, lambda *i: scale[i[1]] * (x[i] - middle[i[1]]) / math.sqrt(variance[i[1]] + 0.25) + shift[i[1]])
    yield case("BatchNormInference", [x], [scale, shift, middle, variance], y, "opset5", epsilon=0.25)
    length = lambda h, w: math.sqrt(sum(x[0, c, h, w]**2 for c in range(4)) + 0.5)
    yield case("GRN", [x], [], make(x.shape, lambda n, c, h, w: x[n, c, h, w] / length(h, w)), bias=0.5)
    yield case("NormalizeL2", [x], [ints(1)], make(x.shape, lambda n, c, h, w: x[n, c, h, w] / length(h, w)), eps=0.5, eps_mode="add")
    near = lambda c, h, w: sum(x[0, k, h, w]**2 for k in range(max(c - 1, 0), min(c + 2, 4)))
    y = make(x.shape, lambda n, c, h, w: x[n, c, h, w] / (1 + 0.5 * near(c, h, w) / 3)**0.75)
    yield case("LRN", [x], [ints(1)], y, alpha=0.5, beta=0.75, bias=1.0, size=3)
    row = lambda values: [(v - mean(values)) / math.sqrt(mean([(u - mean(values))**2 for u in values]) + 0.001) for v in values]
    yield case("MVN", [x], [], Array(x.shape, row(x.data)), eps=0.001, across_channels="true", normalize_variance="true")
    yield case("MVN", [x], [], along_last(x.reshape(1, 4, 15), row).reshape(*x.shape), eps=0.001, across_channels="false")
    rows = draw((6, 8), 54)
    yield case("SoftMax", [rows], [], along_last(rows, arrays.softmax), axis=1)


def reductions():
    x = draw((2, 3, 4), 60)
    few = positive((2, 3), 61)
    everything = lambda i, j: [x[i, j, k] for k in range(4)]
    for kind, f in [("ReduceSum", sum), ("ReduceMean", mean), ("ReduceMax", max), ("ReduceMin", min)]:
        yield case(kind, [x], [ints(-1)], make((2, 3), lambda i, j: f(everything(i, j))), keep_dims="false")
    yield case("ReduceProd", [few], [ints(1)], make((2, 1), lambda i, j: math.prod(few[i, k] for k in range(3))), keep_dims="True")
    flags = Flags((2, 3), [1, 1, 1, 0, 1, 0])
    yield as_floats("ReduceLogicalAnd", [flags, ints(1)], Array((2,), [1, 0]), keep_dims="false")
    yield as_floats("ReduceLogicalOr", [flags, ints(0)], Array((3,), [1, 1, 1]), keep_dims="false")
    rows, matrix = draw((3, 8), 62), weights((5, 8), 63)
    y = make((3, 5), lambda i, j: sum(matrix[j, k] * rows[i, k] for k in range(8)))
    yield case("MatMul", [rows], [matrix], y, transpose_b="true")
    vector = draw((8,), 64)
    product = lambda j: sum(matrix[j, k] * vector[k] for k in range(8))
    yield case("MatMul", [vector], [transpose(matrix, [1, 0])], make((1, 5), lambda i, j: product(j)))


def layouts():
    x, other = draw((2, 3, 4), 70), draw((2, 2, 4), 71)
    yield case("Concat", [x, other], [], arrays.concat([x, other], 1), axis=-2)
    yield case("Reshape", [x], [ints(0, -1)], x.reshape(2, 12), special_zero="true")
    yield case("Squeeze", [x.reshape(2, 1, 3, 4)], [ints(1)], x)
    yield case("Unsqueeze", [x], [ints(0, 2)], x.reshape(1, 2, 1, 3, 4))
    yield case("Transpose", [x], [ints(2, 0, 1)], transpose(x, [2, 0, 1]))
    yield as_floats("ShapeOf", [draw((2, 3, 5), 72)], Array((3,), [2, 3, 5]))
    row = draw((1, 4), 73)
    yield case("Broadcast", [row], [ints(2, 3, 4)], make((2, 3, 4), lambda i, j, k: row[0, k]))
    yield case("Broadcast", [row.reshape(4)], [ints(4, 3), ints(0)], make((4, 3), lambda i, j: row[0, i]), mode="explicit")
    yield case("Tile", [x], [ints(2, 3)], make((2, 6, 12), lambda i, j, k: x[i, j % 3, k % 4]))
    yield case("Split", [x], [number(2)], [part(x, 2, 0, 2), part(x, 2, 2, 4)], num_splits=2)
    yield case("VariadicSplit", [x], [number(1), ints(1, -1)], [part(x, 1, 0, 1), part(x, 1, 1, 3)])
    y = make((2, 2, 1), lambda i, j, k: x[i, 2 - j, 3])
    yield case("StridedSlice", [x], [ints(0, 2, 3), ints(0, 0, 4), ints(1, -1, 1)], y, begin_mask="1,0,0", end_mask="1,0,0")
    y = make((3, 1, 4), lambda i, j, k: x[1, i, k])
    yield case("StridedSlice", [x], [ints(1, 0, 0), ints(2, 0, 0), ints(1, 1, 1)], y, begin_mask="0,1,0", end_mask="0,1,0",
               shrink_axis_mask="1,0,0", new_axis_mask="0,0,1")
    yield case("Pad", [x], [ints(0, 1, 2), ints(1, 0, 0), number(1.5)], arrays.padded(x, (0, 1, 2), (1, 0, 0), 1.5), pad_mode="constant")
    yield case("Gather", [x], [ints(2, 0), number(1)], make((2, 2, 4), lambda i, j, k: x[i, 2 - 2 * j, k]))
    one_hot = make((4, 3), lambda i, j: 5.0 if j == (2, 0, 1, 7)[i] else -1.0)
    yield as_floats("OneHot", [ints(2, 0, 1, 7), number(3), number(5.0), number(-1.0)], one_hot, axis=-1)
    yield as_floats("Range", [number(2), number(23), number(3)], Array((7,), [2, 5, 8, 11, 14, 17, 20]))
    y = make(x.shape, lambda i, j, k: x[i, (2, 3)[i] - 1 - j if j < (2, 3)[i] else j, k])
    yield case("ReverseSequence", [x], [ints(2, 3)], y, batch_axis=0, seq_axis=1)
    yield case("Reverse", [x], [ints(0, 2)], make(x.shape, lambda i, j, k: x[1 - i, j, 3 - k]), mode="index")
    block = draw((1, 8, 2, 3), 74)
    first = lambda n, c, h, w: block[n, (h % 2 * 2 + w % 2) * 2 + c, h // 2, w // 2]
    yield case("DepthToSpace", [block], [], make((1, 2, 4, 6), first), block_size=2, mode="blocks_first")
    deep = lambda n, c, h, w: block[n, c * 4 + h % 2 * 2 + w % 2, h // 2, w // 2]
    yield case("DepthToSpace", [block], [], make((1, 2, 4, 6), deep), block_size=2, mode="depth_first")
    wide = draw((1, 2, 4, 6), 75)
    y = make((1, 8, 2, 3), lambda n, c, h, w: wide[n, c % 2, 2 * h + c // 4, 2 * w + c // 2 % 2])
    yield case("SpaceToDepth", [wide], [], y, block_size=2, mode="blocks_first")
    six = draw((1, 6, 2, 2), 76)
    y = make(six.shape, lambda n, c, h, w: six[n, c % 2 * 3 + c // 2, h, w])
    yield case("ShuffleChannels", [six], [], y, axis=1, group=2)
    yield case("ReorgYolo", [block], [], reorg(block, 1), stride=1)
    square = draw((1, 4, 2, 4), 77)
    yield case("ReorgYolo", [square], [], reorg(square, 2), stride=2)


def reorg(x, s):
    """Flat places as Darknet counts them: over [C, H, W] where it writes, over [C / s^2, H s, W s] where it reads."""
    _, channels, height, width = x.shape
    c, data = channels // (s * s), []
    for k, h, w in arrays.indices((channels, height, width)):
        row, column = h * s + k // c // s, w * s + k // c % s
        data.append(x.data[((k % c) * height * s + row) * width * s + column])
    return Array((1, channels * s * s, height // s, width // s), data)


def images():
    x = draw((1, 2, 3, 4), 80)
    y = make((1, 2, 6, 8), lambda n, c, h, w: x[n, c, h // 2, w // 2])
    yield case("Interpolate", [x], [ints(6, 8)], y, axes="2,3", mode="nearest", align_corners="false")
    four = dict(mode="nearest", shape_calculation_mode="sizes", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    yield case("Interpolate", [x], [ints(6, 8), Array((2,), [2.0, 2.0]), ints(2, 3)], y, "opset4", **four)
    boxes = [v for h in range(2) for w in range(2) for v in ((w + 0.5) / 2 - 0.1, (h + 0.5) / 2 - 0.2, (w + 0.5) / 2 + 0.1, (h + 0.5) / 2 + 0.2)]
    priors = Array((2, 16), boxes + [0.1, 0.1, 0.2, 0.2] * 4)
    variance = "0.1,0.1,0.2,0.2"
    square = Array((2, 16), [v for h in range(2) for w in range(2) for v in
                             ((w + 0.5) / 2 - 0.2, (h + 0.5) / 2 - 0.2, (w + 0.5) / 2 + 0.2, (h + 0.5) / 2 + 0.2)] + [0.1, 0.1, 0.2, 0.2] * 4)
    yield as_floats("PriorBox", [ints(2, 2), ints(20, 20)], square, min_size="8.0", offset=0.5, variance=variance)
    yield as_floats("PriorBoxClustered", [ints(2, 2), ints(20, 20)], priors, width="4.0", height="8.0", offset=0.5, variance=variance)
    region = Array((1, 5), [0.0, 0.0, 0.0, 3.0, 2.0])
    pooled = make((1, 2, 1, 2), lambda n, c, h, w: max(x[0, c, i, j] for i in range(3) for j in (2 * w, 2 * w + 1)))
    yield case("ROIPooling", [x], [region], pooled, pooled_h=1, pooled_w=2, spatial_scale=1.0)
    maps = draw((1, 7, 2, 2), 81)
    squash = lambda n, c, h, w: maps[n, c, h, w] if c in (2, 3) else arrays.sigmoid(maps[n, c, h, w])
    yield case("RegionYolo", [maps], [], make(maps.shape, squash), axis=1, end_axis=3, coords=4, classes=2, num=5, do_softmax=0, mask="1")
    rows = Array((2, 4), [1.0, 7.9375, -8.0, 3.0, 2.0, -1.0, 5.0, 0.0])
    yield case("TopK", [rows], [number(2)], Array((2, 2), [7.9375, 3.0, 5.0, 2.0]), axis=1, mode="max", sort="value")
    ids, parents = Ints((3, 1, 2), [1, 2, 3, 4, 5, 6]), Ints((3, 1, 2), [0, 0, 0, 0, 1, 0])
    yield as_floats("GatherTree", [ids, parents, ints(3), number(9)], Array((3, 1, 2), [1, 1, 4, 3, 5, 6]))
    scores = Array((4, 1, 3), [5, 1, 0, 4, 2, 0, 0, 1, 7, 0, 6, 2])  # 0, 0 again, blank, 1
    yield case("CTCGreedyDecoder", [scores.map(float)], [Array((4, 1), [1.0] * 4)], Array((1, 4, 1, 1), [0, 1, -1, -1]))
    yield from grids()


def grids():
    def level(v, low, high, steps):
        return min(max(round((v - low) / (high - low) * steps), 0), steps)

    def on(v, bounds, steps=255):
        return level(v, *bounds[:2], steps) / steps * (bounds[3] - bounds[2]) + bounds[2]

    x = draw((1, 3, 2, 4), 82)
    one = [-4.0, 3.96875, -4.0, 3.96875]
    for bounds in (one, [-4.0, 3.96875, -1.0, 1.5], [-4.0, 3.96875, -4.0, 11.9375], [1.0, 2.0, 1.0, 2.0]):
        yield case("FakeQuantize", [x], [number(v) for v in bounds], x.map(lambda v: on(v, bounds)), levels=256)
    channels = [(-4.0, 3.96875), (-2.0, 1.984375), (-8.0, 7.9375)]
    low, high = (Array((1, 3, 1, 1), [c[i] for c in channels]) for i in (0, 1))
    y = make(x.shape, lambda n, c, h, w: on(x[n, c, h, w], channels[c] * 2))
    yield case("FakeQuantize", [x], [low, high, low, high], y, levels=256)
    skewed = [(-4.0, 3.0), (0.0, 2.0), (-8.0, 1.0)]
    low, high = (Array((3, 1, 1), [c[i] for c in skewed]) for i in (0, 1))
    y = make(x.shape, lambda n, c, h, w: on(x[n, c, h, w], skewed[c] * 2, 15))
    yield "FakeQuantize without 0", *case("FakeQuantize", [x], [low, high, low, high], y, levels=16)[1:]
    weight, zeros = draw((3, 4), 83), draw((2, 4), 84)
    low, high = (Array((3, 1), [sign * v for v in (127 / 32, 127 / 64, 127 / 16)]) for sign in (-1, 1))
    rows = make((3, 4), lambda m, k: on(weight[m, k], [low[m, 0], high[m, 0]] * 2, 254))
    ir = Ir()
    quantized = ir.layer("FakeQuantize", [ir.constant(a) for a in (weight, low, high, low, high)], [(3, 4)], levels=255)[0]
    ir.result(ir.layer("MatMul", [ir.parameter(zeros), quantized], [(2, 3)], transpose_b="true")[0])
    yield "FakeQuantize", ir.files(), [zeros], [make((2, 3), lambda i, m: sum(zeros[i, k] * rows[m, k] for k in range(4)))]


def sequences():
    x = draw((2, 4), 90).map(lambda v: v / 4)
    h, c = draw((2, 3), 91).map(lambda v: v / 8), draw((2, 3), 92).map(lambda v: v / 8)
    small = lambda shape, seed: weights(shape, seed).map(lambda v: v / 128)
    for kind, gates, states in (("RNNCell", 1, 1), ("LSTMCell", 4, 2)):
        on_x, on_h, bias = small((3 * gates, 4), 93), small((3 * gates, 3), 94), small((3 * gates,), 95)
        gate = lambda b, g, n: sum(on_x[3 * g + n, k] * x[b, k] for k in range(4)) + sum(
            on_h[3 * g + n, k] * h[b, k] for k in range(3)) + bias[3 * g + n]
        if kind == "RNNCell":
            y = [make((2, 3), lambda b, n: math.tanh(gate(b, 0, n)))]
        else:  # f, i, c, o
            cell = make((2, 3), lambda b, n: arrays.sigmoid(gate(b, 0, n)) * c[b, n] + arrays.sigmoid(gate(b, 1, n)) * math.tanh(gate(b, 2, n)))
            y = [make((2, 3), lambda b, n: arrays.sigmoid(gate(b, 3, n)) * math.tanh(cell[b, n])), cell]
        yield case(kind, [x, h, c][:1 + states], [on_x, on_h, bias], y, hidden_size=3)
    yield from gated(x, h, small)
    steps = draw((1, 3, 4), 96).map(lambda v: v / 4)
    on_x, on_h, bias = small((1, 12, 4), 97), small((1, 12, 3), 98), small((1, 12), 99)
    state, cell, states = [0.0] * 3, [0.0] * 3, []
    for t in range(3):
        gate = lambda g, n: sum(on_x[0, 3 * g + n, k] * steps[0, t, k] for k in range(4)) + sum(
            on_h[0, 3 * g + n, k] * state[k] for k in range(3)) + bias[0, 3 * g + n]
        cell = [arrays.sigmoid(gate(0, n)) * cell[n] + arrays.sigmoid(gate(1, n)) * math.tanh(gate(2, n)) for n in range(3)]
        state = [arrays.sigmoid(gate(3, n)) * math.tanh(cell[n]) for n in range(3)]
        states += state
    zeros = Array((1, 1, 3), [0.0] * 3)
    results = [Array((1, 1, 3, 3), states), Array((1, 1, 3), state), Array((1, 1, 3), cell)]
    yield case("LSTMSequence", [steps], [zeros, zeros, ints(3), on_x, on_h, bias], results, hidden_size=3, direction="forward")


def gru_step(x, h, on_x, on_h, bias, reset_after):
    """The next state of each sequence: gates z, r and h, and a bias more where reset comes after the product."""
    n = len(h)
    dot = lambda matrix, row, v: sum(matrix[row, k] * v[k] for k in range(len(v)))
    gate = lambda g, i: arrays.sigmoid(dot(on_x, n * g + i, x) + dot(on_h, n * g + i, h) + bias[n * g + i])
    z, r = [gate(0, i) for i in range(n)], [gate(1, i) for i in range(n)]
    if reset_after:
        new = [math.tanh(dot(on_x, 2 * n + i, x) + bias[2 * n + i] + r[i] * (dot(on_h, 2 * n + i, h) + bias[3 * n + i])) for i in range(n)]
    else:
        new = [math.tanh(dot(on_x, 2 * n + i, x) + bias[2 * n + i] + dot(on_h, 2 * n + i, [r[k] * h[k] for k in range(n)])) for i in range(n)]
    return [(1 - z[i]) * new[i] + z[i] * h[i] for i in range(n)]


def gated(x, h, small):
    """Cells and sequences of operator sets 3 and 5."""
    for reset_after in (False, True):
        on_x, on_h, bias = small((9, 4), 110), small((9, 3), 111), small((12 if reset_after else 9,), 112)
        rows = [gru_step(x.data[4 * b:4 * b + 4], h.data[3 * b:3 * b + 3], on_x, on_h, bias, reset_after) for b in range(2)]
        yield case("GRUCell", [x, h], [on_x, on_h, bias], Array((2, 3), sum(rows, [])), "opset3", hidden_size=3,
                   linear_before_reset=str(reset_after).lower())
    steps, on_x, on_h, bias = draw((1, 3, 4), 113).map(lambda v: v / 4), small((1, 9, 4), 114), small((1, 9, 3), 115), small((1, 9), 116)
    state, states = [0.0] * 3, []
    for t in (2, 1, 0):  # in reverse
        flat = [a.reshape(*a.shape[1:]) for a in (on_x, on_h, bias)]
        state = gru_step(steps.data[4 * t:4 * t + 4], state, *flat, False)
        states = state + states
    zeros = Array((1, 1, 3), [0.0] * 3)
    yield case("GRUSequence", [steps], [zeros, ints(3), on_x, on_h, bias], [Array((1, 1, 3, 3), states), Array((1, 1, 3), state)], "opset5",
               hidden_size=3, direction="reverse")
    on_x, on_h, bias = small((1, 3, 4), 117), small((1, 3, 3), 118), small((1, 3), 119)
    state, states = [0.0] * 3, []
    for t in range(3):
        state = [math.tanh(sum(on_x[0, n, k] * steps[0, t, k] for k in range(4)) + sum(on_h[0, n, k] * state[k] for k in range(3)) + bias[0, n])
                 for n in range(3)]
        states += state
    yield case("RNNSequence", [steps], [zeros, ints(3), on_x, on_h, bias], [Array((1, 1, 3, 3), states), Array((1, 1, 3), state)], "opset5",
               hidden_size=3, direction="forward")


def cases():
    """Yields (operation, (.xml, .bin), inputs, expected)."""
    x = draw((2, 3), 100)
    for name in ("Parameter", "Result"):
        yield name, case("ReLU", [x], [], x.map(lambda v: max(v, 0)))[1], [x], [x.map(lambda v: max(v, 0))]
    value = draw((2, 3), 101)
    yield "Constant", *case("Add", [x], [value], pairwise(x, value, lambda p, q: p + q))[1:]
    for family in (functions, later_functions, arithmetic, windows, norms, reductions, layouts, images, sequences, openvino_bodies.bodies,
                   openvino_bodies.gathers, openvino_objects.regions, openvino_objects.detectors):
        yield from family()
