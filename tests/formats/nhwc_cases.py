"""A model of each operator of the NHWC dialect, and what docs/formats/onnx_nhwc.md says it computes."""
import struct

import arrays
from arrays import Array, draw, factors, make, weights
from protobuf import field


# Parts of ONNX's messages by their numbers.
def attribute(name, value):
    if isinstance(value, bytes):
        return field(1, name) + field(5, value) + field(20, 4)
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    return field(1, name) + b"".join(field(8, v) for v in value) + field(20, 7)


def tensor(name, array, element=1):
    code = {1: "f", 7: "q"}[element]
    raw = struct.pack(f"<{len(array.data)}{code}", *array.data)
    return b"".join(field(1, d) for d in array.shape) + field(2, element) + field(8, name) + field(9, raw)


def value_info(name, shape):
    dims = b"".join(field(1, field(1, d)) for d in shape)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def model(op, inputs, constants, attributes, integers=False):
    """One node of `inputs`, which a run gives, and then `constants`, which may be left out by None."""
    names = [f"x{i}" for i in range(len(inputs))] + ["" if c is None else f"c{i}" for i, c in enumerate(constants)]
    node = b"".join(field(1, n) for n in names) + field(2, "y") + field(4, op)
    node += b"".join(field(5, attribute(*a)) for a in attributes.items())
    graph = field(1, node)
    graph += b"".join(field(5, tensor(f"c{i}", c, 7 if integers else 1)) for i, c in enumerate(constants) if c is not None)
    graph += b"".join(field(11, value_info(f"x{i}", x.shape)) for i, x in enumerate(inputs))
    graph += field(12, field(1, "y"))
    return field(1, 3) + field(7, graph)  # no operator set: the dialect has none


def first(x):
    """[N, .., C] of one image as [C, ..]."""
    axes = len(x.shape)
    return arrays.transpose(x.reshape(*x.shape[1:]), [axes - 2, *range(axes - 2)])


def last(y):
    """[C, ..] as [1, .., C]."""
    moved = arrays.transpose(y, [*range(1, len(y.shape)), 0])
    return moved.reshape(1, *moved.shape)


def same(size, kernel, stride):
    """Rows before and after, as TensorFlow adds them for "SAME"."""
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def cases():
    """Yields (operator, ONNX file, inputs, [expected])."""

    def case(op, inputs, expected, constants=(), integers=False, **attributes):
        return op, model(op, inputs, constants, attributes, integers), inputs, [expected]

    x = draw((1, 5, 6, 3), 1)
    yield case("Abs", [x], x.map(abs))
    other = draw(x.shape, 2)
    yield case("Add", [x, other], Array(x.shape, [a + b for a, b in zip(x.data, other.data)]))
    yield case("Sum", [x, other], Array(x.shape, [a + b for a, b in zip(x.data, other.data)]))
    yield case("Mul", [x, other], Array(x.shape, [a * b for a, b in zip(x.data, other.data)]))
    row = draw((6, 1), 3)
    yield case("Max", [x, row], make(x.shape, lambda n, h, w, c: max(x[n, h, w, c], row[w, 0])))
    bias = factors(3, 4)
    yield case("AddBias", [x], make(x.shape, lambda *i: x[i] + bias[i[3]]), [bias])
    for op, f in (("AveragePool", arrays.mean), ("MaxPool", max)):
        for pads in ("SAME", "VALID"):
            around = [same(size, 3, 2) if pads == "SAME" else (0, 0) for size in (5, 6)]
            before, after = zip(*around)
            y = arrays.pool(first(x), (3, 3), (2, 2), before, after, f)
            yield case(op, [x], last(y), pads=pads, kernel_shape=[3, 3], strides=[1, 2, 2, 1])
    for op, f in (("GlobalAveragePool", arrays.mean), ("GlobalMaxPool", max)):
        yield case(op, [x], make((1, 1, 1, 3), lambda n, h, w, c: f([v for i, v in enumerate(x.data) if i % 3 == c])))
    scale, shift, middle, variance = factors(3, 5), factors(3, 6), factors(3, 7), Array((3,), [3.75, 0.75, 0.75])
    normal = lambda i, s: s * (x[i] - middle[i[3]]) / (variance[i[3]] + 0.25)**0.5 + shift[i[3]]
    yield case("BatchNormalization", [x], make(x.shape, lambda *i: normal(i, scale[i[3]])), [scale, shift, middle, variance],
               epsilon=0.25)
    yield case("BatchNormalization", [x], make(x.shape, lambda *i: normal(i, 1)), [None, shift, middle, variance], epsilon=0.25,
               momentu=0.9)
    yield case("Concat", [x, other], arrays.concat([x, other], 3), axis=3)
    yield ("Constant", *constant_and_sum(x))
    kernel, offset = weights((4, 3, 2, 3), 9), Array((4,), [100, -200, 300, 0])
    for pads in ("SAME", "VALID"):
        around = [same(5, 3, 1), same(6, 2, 2)] if pads == "SAME" else [(0, 0), (0, 0)]
        before, after = zip(*around)
        y = arrays.convolution(first(x), arrays.transpose(kernel, [0, 3, 1, 2]), offset, (1, 2), (1, 1), before, after)
        yield case("Conv", [x], last(y), [kernel, offset], pads=pads, strides=[1, 2])
    wide = draw((1, 5, 6, 4), 10)
    grouped = weights((2, 3, 3, 2), 11)
    y = arrays.convolution(first(wide), arrays.transpose(grouped, [0, 3, 1, 2]), [0, 0], (1, 1), (2, 2), (2, 2), (2, 2), 2)
    yield case("Conv", [wide], last(y), [grouped], pads="SAME", group=2, dilations=[2, 2], kernel_shape=[3, 3])
    filters = weights((6, 3, 3), 12)  # by output channel
    turned = make((3, 3, 3, 2), lambda i, j, k, q: filters[2 * k + q, i, j])
    around = [same(5, 3, 1), same(6, 3, 1)]
    y = arrays.convolution(first(x), filters.reshape(6, 1, 3, 3), [0] * 6, (1, 1), (1, 1), *zip(*around), 3)
    yield case("DepthwiseConv2d", [x], last(y), [turned], pads="SAME")
    flat = draw((4, 6), 13)
    matrix = weights((5, 6), 14)  # by unit
    five = Array((5,), [10, -20, 300, 0, 5])
    dense = make((4, 5), lambda i, j: five[j] + sum(matrix[j, k] * flat[i, k] for k in range(6)))
    yield case("Dense", [flat], dense, [arrays.transpose(matrix, [1, 0]), five])
    yield case("Dense", [flat], dense, [matrix, five])
    yield case("Gemm", [flat], dense, [matrix, five], transB=1)
    yield case("MatMul", [flat], make((4, 5), lambda i, j: dense[i, j] - five[j]), [arrays.transpose(matrix, [1, 0])])
    yield case("Elu", [x], x.map(lambda v: v if v >= 0 else arrays.math.expm1(v)))
    yield case("Flatten", [x], x.reshape(1, 90))
    yield case("LeakyRelu", [x], x.map(lambda v: v if v >= 0 else 0.01 * v))
    yield case("Pad", [x], arrays.padded(x, (0, 1, 0, 0), (0, 2, 3, 0)), pads=[0, 0, 1, 2, 0, 3, 0, 0])
    slope = factors(3, 15)
    yield case("PRelu", [x], make(x.shape, lambda *i: x[i] * (1 if x[i] >= 0 else slope[i[3]])), [slope])
    yield case("ReduceMean", [x], make((1, 3), lambda n, c: arrays.mean([v for i, v in enumerate(x.data) if i % 3 == c])),
               axes=[1, 2], keepdims=0)
    yield case("Relu", [x], x.map(lambda v: max(v, 0)))
    yield case("Relu6", [x], x.map(lambda v: min(max(v, 0), 6)))
    yield case("Reshape", [x], x.reshape(1, 15, 6), [Array((3,), [0, -1, 6])], integers=True)
    yield case("Scale", [x], x.map(lambda v: 0.75 * v), scale=0.75)
    yield case("Sigmoid", [x], x.map(arrays.sigmoid))
    yield case("Slice", [x], arrays.part(x, 2, 1, 5), axes=[2], starts=[1], ends=[5])
    yield case("Softmax", [flat], arrays.along_last(flat, arrays.softmax))
    even = draw((1, 4, 6, 3), 16)
    yield case("SpaceToDepth", [even],
               make((1, 2, 3, 12), lambda n, h, w, c: even[n, 2 * h + c // 6, 2 * w + c // 3 % 2, c % 3]), blocksize=2)
    yield case("Squeeze", [x], x.reshape(5, 6, 3), axes=[0])
    yield case("Tanh", [x], x.map(arrays.math.tanh))
    yield case("Transpose", [x], arrays.transpose(x, [0, 2, 1, 3]), perm=[0, 2, 1, 3])
    for size in ([2, 3], [1, 2, 3, 1]):
        yield case("UpSampling2D", [x], make((1, 10, 18, 3), lambda n, h, w, c: x[n, h // 2, w // 3, c]), size=size)


def constant_and_sum(x):
    """A Constant, to which x is added."""
    value = draw(x.shape, 17)
    constant = field(2, "c") + field(4, "Constant") + field(5, attribute("value", tensor("", value)))
    total = field(1, "x0") + field(1, "c") + field(2, "y") + field(4, "Add")
    graph = field(1, constant) + field(1, total) + field(11, value_info("x0", x.shape)) + field(12, field(1, "y"))
    return field(1, 3) + field(7, graph), [x], [Array(x.shape, [a + b for a, b in zip(x.data, value.data)])]
