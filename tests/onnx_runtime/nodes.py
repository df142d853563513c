"""Nodes of ONNX, each operator with its attributes in all combinations that matter: what write_cases.py has ONNX Runtime compute."""
import itertools
import math

FLOAT, UINT8, INT8, INT32, INT64, BOOL = 1, 2, 3, 6, 7, 9


class Tensor:
    """Elements of a type; a constant is an initializer of the model."""

    def __init__(self, element, dims, data, constant=False):
        assert len(data) == math.prod(dims), (dims, len(data))
        self.element, self.dims, self.data, self.constant = element, list(dims), list(data), constant


def drawn(*dims, seed=0, low=-1.25, step=0.25):
    """Multiples of `step` from `low` on, another row of them for each seed."""
    return Tensor(FLOAT, dims, [low + step * ((i * 7 + seed * 3 + i // 11) % 11) for i in range(math.prod(dims))])


def positive(*dims, seed=0):
    return drawn(*dims, seed=seed, low=0.5)


def weights(*dims, seed=1):
    return constant(drawn(*dims, seed=seed))


def constant(tensor):
    return Tensor(tensor.element, tensor.dims, tensor.data, constant=True)


def ints(*data, dims=None, element=INT64):
    return Tensor(element, [len(data)] if dims is None else dims, data, constant=True)


def served(*data, dims=None, element=INT64):
    """Integers that come in at run time."""
    return Tensor(element, [len(data)] if dims is None else dims, data)


def floats(*data, dims=None):
    return Tensor(FLOAT, [len(data)] if dims is None else dims, data, constant=True)


def grid(**attributes):
    """Every combination of the values of each; None leaves an attribute out."""
    for values in itertools.product(*attributes.values()):
        yield {name: value for name, value in zip(attributes, values) if value is not None}


def unary():
    x = drawn(2, 3, 4)
    for op in ["Abs", "Neg", "Ceil", "Floor", "Round", "Exp", "Sigmoid", "Tanh", "Relu", "Softplus", "Softsign", "Erf", "Sign", "Sin", "Cos",
               "Sinh", "Cosh", "Asinh", "Atan", "Tan", "Mish", "HardSwish", "Identity", "IsNaN", "Dropout"]:
        yield op, [x], {}
    for op in ["Sqrt", "Log", "Reciprocal"]:
        yield op, [positive(2, 3)], {}
    yield "Acosh", [drawn(2, 3, low=1.25)], {}
    for op in ["Asin", "Acos", "Atanh"]:
        yield op, [drawn(2, 3, low=-0.9, step=0.175)], {}
    for attributes in grid(approximate=[None, "none", "tanh"]):
        yield "Gelu", [x], attributes
    for op in ["Elu", "Celu", "LeakyRelu", "ThresholdedRelu"]:
        for attributes in grid(alpha=[None, 0.5]):
            yield op, [x], attributes
    for attributes in grid(alpha=[None, 0.75], gamma=[None, 1.5]):
        yield "Selu", [x], attributes
    for attributes in grid(alpha=[None, 0.5], beta=[None, 0.25]):
        yield "HardSigmoid", [x], attributes
    for attributes in grid(lambd=[None, 1.0, 0.25], bias=[None, 0.5]):
        yield "Shrink", [x], attributes
    yield "Shrink", [served(5, 1, -3, 0, element=INT32)], {"lambd": 1.5, "bias": 1.0}
    for op in ["Softmax", "LogSoftmax", "Hardmax"]:
        for attributes in grid(axis=[None, 0, 1, -1]):
            yield op, [x], attributes
            yield op, [x], attributes, 11
    for op in ["Abs", "Neg", "Sign"]:
        yield op, [served(-3, 0, 5)], {}
    for low, high in itertools.product([None, -0.5], [None, 0.75]):
        operands = [x] + [None if v is None else floats(v, dims=[]) for v in (low, high)]
        yield "Clip", operands, {}
        yield "Clip", [x], {k: v for k, v in (("min", low), ("max", high)) if v is not None}, 6


def binary():
    a, b, row, column = drawn(2, 3, 4), positive(2, 3, 4, seed=3), positive(4, seed=5), positive(3, 1, seed=2)
    for op in ["Add", "Sub", "Mul", "Div", "Max", "Min", "Mean", "Sum"]:
        for other in [b, row, column, constant(row), constant(column)]:
            yield op, [a, other], {}
    for op in ["Max", "Min", "Mean", "Sum"]:
        yield op, [a], {}
        yield op, [a, b, column], {}
    yield "Pow", [b, floats(2.0, dims=[])], {}
    yield "Pow", [b, row], {}
    yield "Mod", [a, row], {"fmod": 1}
    for slope in [weights(4), weights(3, 1), floats(0.25)]:
        yield "PRelu", [a, slope], {}
    x, y = served(7, -7, 8, -8, 0, 5), served(2, 3, -3, -2, 4, 5)
    for op in ["Add", "Sub", "Mul", "Div", "Max", "Min", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "BitwiseAnd", "BitwiseOr",
               "BitwiseXor"]:
        yield op, [x, y], {}
    for attributes in grid(fmod=[None, 0, 1]):
        yield "Mod", [x, y], attributes
    for op in ["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"]:
        yield op, [a, drawn(4, seed=2)], {}
    yield "Where", [Tensor(BOOL, [3, 1], [1, 0, 1], constant=True), a, row], {}


REDUCTIONS = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
              "ReduceSumSquare"]


def reductions():
    for op in REDUCTIONS:
        x = positive(2, 3, 2)
        for axes, attributes in itertools.product([None, [], [1], [0, 2], [-1]], grid(keepdims=[None, 0, 1], noop_with_empty_axes=[None, 1])):
            yield op, [x] + ([] if axes is None else [ints(*axes)]), attributes, 18
        for axes, attributes in itertools.product([None, [1], [-1, 0]], grid(keepdims=[0, 1])):
            if op != "ReduceSum":
                yield op, [x], attributes | ({} if axes is None else {"axes": axes}), 13
    signed = drawn(2, 3, 2)
    for op in ["ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceSum", "ReduceMean", "ReduceLogSumExp"]:
        for attributes in grid(noop_with_empty_axes=[None, 1]):
            yield op, [signed], attributes, 18
    x = served(5, 2, 1, -5, element=INT32, dims=[2, 2])
    for op in ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceSumSquare"]:
        for axes, attributes in itertools.product([None, [1]], grid(noop_with_empty_axes=[None, 1])):
            yield op, [x] + ([] if axes is None else [ints(*axes)]), attributes, 18
    ties = Tensor(FLOAT, [2, 4], [1.0, 3.0, 3.0, 0.0, 2.0, 0.0, 0.0, 2.0])
    for op in ["ArgMax", "ArgMin"]:
        for attributes in grid(axis=[None, 1, -2], keepdims=[None, 0], select_last_index=[None, 1]):
            yield op, [ties], attributes
    for axis, attributes in itertools.product([0, -1], grid(exclusive=[None, 1], reverse=[None, 1])):
        yield "CumSum", [drawn(2, 3), ints(axis, dims=[])], attributes
    for attributes in grid(axis=[None, 0], largest=[None, 0], sorted=[None, 1]):
        yield "TopK", [drawn(3, 5), ints(2)], attributes


def windows():
    x, w = drawn(1, 4, 5, 6), weights(4, 4, 3, 2)
    for attributes in grid(strides=[None, [2, 1]], dilations=[None, [1, 2]], pads=[None, [1, 0, 2, 1]]):
        yield "Conv", [x, w, weights(4)], attributes
    for attributes in grid(auto_pad=["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"], strides=[None, [2, 3]]):
        yield "Conv", [x, w], attributes
        yield "MaxPool", [x], attributes | {"kernel_shape": [3, 2]}
        yield "AveragePool", [x], attributes | {"kernel_shape": [3, 2]}
    for attributes in grid(auto_pad=["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"], strides=[None, [2, 2]]):
        yield "ConvTranspose", [x, weights(4, 2, 3, 2)], attributes
    yield "Conv", [x, weights(6, 2, 3, 3)], {"group": 2}
    yield "Conv", [x, weights(8, 1, 2, 2)], {"group": 4}
    yield "Conv", [drawn(1, 2, 7), weights(3, 2, 3)], {"pads": [1, 1]}
    yield "Conv", [drawn(1, 1, 3, 4, 3), weights(2, 1, 2, 2, 2)], {"strides": [1, 2, 1]}
    for attributes in grid(strides=[None, [2, 3]], dilations=[None, [2, 1]], pads=[None, [1, 0, 0, 1]], output_padding=[None, [1, 0]]):
        yield "ConvTranspose", [x, weights(4, 2, 3, 2), weights(2)], attributes
    yield "ConvTranspose", [x, weights(4, 2, 3, 2)], {"group": 2}
    yield "ConvTranspose", [x, weights(4, 2, 3, 2)], {"strides": [2, 2], "output_shape": [10, 12]}
    for attributes in grid(strides=[None, [2, 2]], pads=[None, [1, 0, 1, 1]], ceil_mode=[None, 1], dilations=[None, [1, 2]]):
        yield "MaxPool", [x], attributes | {"kernel_shape": [2, 3]}
        for more in grid(count_include_pad=[None, 1]):
            yield "AveragePool", [x], attributes | more | {"kernel_shape": [2, 3]}
        for more in grid(p=[None, 1, 3]):
            yield "LpPool", [x], attributes | more | {"kernel_shape": [2, 3]}
    for op in ["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"]:
        yield op, [x], {}
    yield "GlobalLpPool", [x], {"p": 3}


def norms():
    x = drawn(2, 4, 3, 2)
    four = [positive(4, seed=s) for s in range(4)]
    for attributes in grid(epsilon=[None, 0.01]):
        yield "BatchNormalization", [x] + [constant(t) for t in four], attributes
        yield "InstanceNormalization", [x, weights(4), weights(4, seed=2)], attributes
        for groups in [1, 2, 4]:
            yield "GroupNormalization", [x, weights(4), weights(4, seed=2)], attributes | {"num_groups": groups}
        for axis, dims in [(None, (2,)), (-2, (3, 2)), (1, (4, 3, 2))]:
            yield "LayerNormalization", [x, weights(*dims), weights(*dims, seed=2)], attributes | ({} if axis is None else {"axis": axis})
    yield "LayerNormalization", [x, weights(2)], {}
    for attributes in grid(size=[1, 3, 4], alpha=[None, 0.5], beta=[None, 0.5], bias=[None, 2.0]):
        yield "LRN", [x], attributes
    for axes in [None, [1], [0, 2, 3]]:
        yield "MeanVarianceNormalization", [x], {} if axes is None else {"axes": axes}
    for attributes in grid(axis=[None, 1], p=[None, 1, 2]):
        yield "LpNormalization", [positive(2, 3, 2)], attributes


def products():
    for ta, tb, alpha, beta in itertools.product([0, 1], [0, 1], [None, 0.5], [None, 0.25]):
        a, b = drawn(*((3, 2) if ta else (2, 3))), drawn(*((4, 3) if tb else (3, 4)), seed=2)
        attributes = {"transA": ta, "transB": tb} | ({} if alpha is None else {"alpha": alpha}) | ({} if beta is None else {"beta": beta})
        for c in [None, weights(4), weights(2, 1), drawn(2, 4, seed=4)]:
            yield "Gemm", [a, constant(b)] + ([] if c is None else [c]), attributes
        yield "Gemm", [a, b, weights(1)], attributes
    for left, right in [((2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,)), ((2, 2, 3), (3, 4)), ((2, 1, 2, 3), (3, 3, 2))]:
        yield "MatMul", [drawn(*left), drawn(*right, seed=2)], {}
        yield "MatMul", [drawn(*left), weights(*right)], {}
    for equation, shapes in [("ij,jk->ik", [(2, 3), (3, 2)]), ("ij->ji", [(2, 3)]), ("ij->", [(2, 3)]), ("bij,bjk->bik", [(2, 2, 3), (2, 3, 2)]),
                             ("ij,jk", [(2, 3), (3, 2)]), ("...ij,...jk->...ik", [(2, 2, 3), (3, 2)]), ("...ij->...ji", [(2, 2, 3)]),
                             ("i...,i...->...", [(2, 3), (2, 3)]), ("...i,i", [(2, 3), (3,)]), ("...ij,jk", [(2, 2, 3), (3, 2)]),
                             ("b...i,...i->b...", [(2, 1, 3), (4, 3)])]:
        yield "Einsum", [drawn(*s, seed=i) for i, s in enumerate(shapes)], {"equation": equation}


def layout():
    x = drawn(2, 3, 4)
    for axis in [0, 2, -2]:
        yield "Concat", [x, drawn(2, 3, 4, seed=2)], {"axis": axis}
    yield "Split", [x, ints(1, 3)], {"axis": 2}
    yield "Split", [drawn(2, 5)], {"axis": 1, "num_outputs": 2}
    for starts, ends, axes, steps in [([1], [3], [2], None), ([-1], [-9], [1], [-2]), ([0, 1], [1, 99], None, None), ([3, 0], [0, 2], [-1, 0], [-1, 1])]:
        yield "Slice", [x, ints(*starts), ints(*ends)] + ([ints(*axes)] if axes else [None] if steps else []) + ([ints(*steps)] if steps else []), {}
    for axis in [None, 1, -1]:
        yield "Gather", [x, ints(1, -1, 0, dims=[3, 1])], {} if axis is None else {"axis": axis}
    for axis in [None, 1]:
        yield "GatherElements", [drawn(2, 3), ints(0, 1, -1, 1, 0, 0, dims=[2, 3])], {} if axis is None else {"axis": axis}
    yield "GatherND", [x, ints(1, 2, 0, -1, dims=[2, 2])], {}
    yield "GatherND", [x, ints(2, 0, dims=[2, 1])], {"batch_dims": 1}
    for axis, reduction in itertools.product([None, 1], [None, "none", "add", "mul", "max", "min"]):
        attributes = ({} if axis is None else {"axis": axis}) | ({} if reduction is None else {"reduction": reduction})
        yield "ScatterElements", [drawn(2, 3), ints(1, 0, 1, 0, 0, 0, dims=[2, 3]), drawn(2, 3, seed=5)], attributes, 18
    for reduction in [None, "none", "add", "mul", "max", "min"]:
        attributes = {} if reduction is None else {"reduction": reduction}
        yield "ScatterND", [drawn(4), ints(1, 3, 1, dims=[3, 1]), drawn(3, seed=5)], attributes, 18
        yield "ScatterND", [drawn(2, 3), ints(1, 2, dims=[1, 2]), drawn(1, seed=5)], attributes, 18
    for perm in [None, [2, 0, 1], [1, 0, 2]]:
        yield "Transpose", [x], {} if perm is None else {"perm": perm}
    for shape, zero in [([6, 4], None), ([0, -1], None), ([2, -1, 2], 0)]:
        yield "Reshape", [x, ints(*shape)], {} if zero is None else {"allowzero": zero}
    for axis in [None, 0, 2, 3, -1]:
        yield "Flatten", [x], {} if axis is None else {"axis": axis}
    yield "Squeeze", [drawn(1, 3, 1), ints(0)], {}
    yield "Squeeze", [drawn(1, 3, 1)], {}
    yield "Unsqueeze", [x, ints(0, -1)], {}
    yield "Expand", [drawn(3, 1), ints(2, 1, 4)], {}
    yield "Tile", [drawn(2, 3), ints(2, 1)], {}
    for mode in ["constant", "reflect", "edge", "wrap"]:
        yield "Pad", [x, ints(0, 1, 2, 1, 0, 1)], {"mode": mode}, 19
        yield "Pad", [x, ints(1, 2), floats(0.5, dims=[]), ints(-1)], {"mode": mode}, 19
        yield "Pad", [x, ints(0, -1, 1, 0, 1, -1)], {"mode": mode}, 19
    for mode in [None, "DCR", "CRD"]:
        yield "DepthToSpace", [drawn(1, 8, 2, 3)], {"blocksize": 2} | ({} if mode is None else {"mode": mode})
    yield "SpaceToDepth", [drawn(1, 2, 4, 6)], {"blocksize": 2}
    for axis in [None, 0, -2]:
        yield "OneHot", [served(1, -1, 5, 0), ints(3, dims=[]), floats(0.5, 2.0)], {} if axis is None else {"axis": axis}
    for upper, k in itertools.product([None, 0, 1], [None, 1, -1]):
        yield "Trilu", [x] + ([] if k is None else [ints(k, dims=[])]), {} if upper is None else {"upper": upper}
    for attributes in grid(k=[None, 1, -2]):
        yield "EyeLike", [drawn(3, 4)], attributes
    for attributes in grid(start=[None, 1, -2], end=[None, 2, -1]):
        yield "Shape", [x], attributes
    yield "Size", [x], {}
    yield "CenterCropPad", [x, ints(4, 2)], {"axes": [1, 2]}
    for attributes in grid(batch_axis=[None, 0], time_axis=[None, 1]):
        yield "ReverseSequence", [drawn(3, 3, 2), ints(1, 3, 2)], attributes
    for axis in [None, 1]:
        yield "Compress", [x, Tensor(BOOL, [3], [0, 1, 1], constant=True)], {} if axis is None else {"axis": axis}
    for to in [INT64, INT32, BOOL, FLOAT, UINT8, INT8]:
        yield "Cast", [drawn(2, 3, low=0.25)], {"to": to}
        yield "Cast", [served(-1, 0, 200, 256)], {"to": to}


def images():
    x = drawn(1, 2, 3, 4)
    places = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"]
    for mode, place in itertools.product(["nearest", "linear", "cubic"], places):
        yield "Resize", [x, None, floats(1.0, 1.0, 1.5, 0.6)], {"mode": mode, "coordinate_transformation_mode": place}, 19
        yield "Resize", [x, None, None, ints(1, 2, 5, 3)], {"mode": mode, "coordinate_transformation_mode": place}, 19
    for rounding in ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]:
        yield "Resize", [x, None, floats(1.0, 1.0, 2.0, 0.5)], {"mode": "nearest", "nearest_mode": rounding}, 19
    for attributes in grid(cubic_coeff_a=[None, -0.5], exclude_outside=[None, 1]):
        yield "Resize", [x, None, None, ints(1, 2, 6, 6)], {"mode": "cubic"} | attributes, 19
    for mode, policy in itertools.product(["nearest", "linear"], ["stretch", "not_larger", "not_smaller"]):
        yield "Resize", [x, None, None, ints(5, 6)], {"mode": mode, "axes": [2, 3], "keep_aspect_ratio_policy": policy}, 19
    for mode in ["linear", "cubic"]:
        yield "Resize", [drawn(1, 1, 6, 6), None, None, ints(1, 1, 3, 4)], {"mode": mode, "antialias": 1}, 19
    yield "Resize", [x, floats(0.0, 0.0, 0.2, 0.1, 1.0, 1.0, 0.8, 0.9), None, ints(1, 2, 5, 3)], {
        "mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 0.5}, 19
    yield "Resize", [x, floats(0.0, 0.0, -0.2, 0.1, 1.0, 1.0, 0.8, 1.4), None, ints(1, 2, 5, 3)], {
        "mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 0.5}, 19
    where = Tensor(FLOAT, [1, 2, 3, 2], [-0.9, -0.5, 0.0, 0.25, 1.2, -1.1, 0.3, 0.7, -1.5, 0.9, 1.0, 1.0])
    for mode, padding, corners in itertools.product(["linear", "nearest", "cubic"], ["zeros", "border", "reflection"], [0, 1]):
        yield "GridSample", [x, where], {"mode": mode, "padding_mode": padding, "align_corners": corners}, 20
    for mode, place, ratio in itertools.product(["avg", "max"], ["half_pixel", "output_half_pixel"], [0, 2]):
        yield "RoiAlign", [drawn(1, 2, 6, 6), Tensor(FLOAT, [2, 4], [0.5, 1.0, 4.0, 5.0, 2.0, 2.0, 3.0, 4.5]), served(0, 0)], {
            "mode": mode, "coordinate_transformation_mode": place, "sampling_ratio": ratio, "output_height": 2, "output_width": 2}, 16


def recurrent():
    t, b, i, h = 3, 2, 2, 2
    for op, gates in [("RNN", 1), ("GRU", 3), ("LSTM", 4)]:
        for direction in [None, "forward", "reverse", "bidirectional"]:
            d = 2 if direction == "bidirectional" else 1
            operands = [drawn(t, b, i), weights(d, gates * h, i), weights(d, gates * h, h, seed=2), weights(d, 2 * gates * h, seed=3)]
            attributes = {"hidden_size": h} | ({} if direction is None else {"direction": direction})
            yield op, operands, attributes, 14, 3 if op == "LSTM" else 2
            if op == "GRU":
                yield op, operands, attributes | {"linear_before_reset": 1}, 14, 2
            count = {"RNN": 1, "GRU": 2, "LSTM": 3}[op] * d
            for name in ["Sigmoid", "Relu", "HardSigmoid", "Softsign", "Elu"]:
                yield op, operands, attributes | {"activations": [name] * count}, 14, 2
            if d == 2:
                names = {"RNN": ["Tanh", "Relu"], "GRU": ["Sigmoid", "Tanh", "Sigmoid", "Relu"],
                         "LSTM": ["Sigmoid", "Tanh", "Tanh", "Sigmoid", "Relu", "Tanh"]}[op]
                yield op, operands, attributes | {"activations": names}, 14, 2
            yield op, operands, attributes | {"activations": ["HardSigmoid"] * count, "activation_alpha": [0.5] * count,
                                              "activation_beta": [0.25] * count}, 14, 2
        yield op, [drawn(t, b, i), weights(1, gates * h, i), weights(1, gates * h, h), None, None, drawn(1, b, h, seed=4)], {"hidden_size": h}, 14, 2
        yield op, [drawn(t, b, i), weights(1, gates * h, i), weights(1, gates * h, h)], {"hidden_size": h, "clip": 0.5}, 14, 2


def all_nodes():
    """(operator, operands, attributes, opset, outputs) of each."""
    for family in [unary, binary, reductions, windows, norms, products, layout, images, recurrent]:
        for op, operands, attributes, *more in family():
            outputs = more[1] if len(more) > 1 else {"TopK": 2, "Split": 2}.get(op, 1)
            yield op, operands, attributes, more[0] if more else 21, outputs
