"""A plain QDQ form of a float ONNX model, as quantizers of the field write it by default.

Activations have 8-bit grids from their minimum and maximum on the samples; weights have 8 bits, symmetric, with a scale for each output
channel.

    ranges = observe(runtime, model, samples, folder)
    write(model, ranges, path)
"""

import copy
import pathlib

import numpy
import onnx
from onnx import helper, numpy_helper

# Operators whose operands and results go through 8 bits. Others stay float, such as control flow.
QUANTIZED = {"Conv", "ConvTranspose", "Gemm", "MatMul", "Add", "Mul", "Relu", "Clip", "LeakyRelu", "Sigmoid", "MaxPool", "AveragePool",
             "GlobalAveragePool", "Concat", "Resize", "Split", "Pad", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Softmax",
             "InstanceNormalization", "HardSwish", "HardSigmoid", "Where"}
WEIGHT_AXIS = {"Conv": 0, "ConvTranspose": 1, "Gemm": None, "MatMul": 1}
DOMAIN = "com.microsoft"  # whose QuantizeLinear has scales along an axis beside every opset of ai.onnx


def floats_of(model):
    """Names of the tensors that quantized operators of the main graph read or give, but constants."""
    constants = {i.name for i in model.graph.initializer} | {n.output[0] for n in model.graph.node if n.op_type == "Constant"}
    names = {}
    for node in model.graph.node:
        if node.op_type in QUANTIZED:
            names.update(dict.fromkeys(name for name in [*activations(node), node.output[0]] if name and name not in constants))
    return list(names)


def activations(node):
    """The operands that are floats: not the shapes, places and sizes of others."""
    first = {"Where": (1, 2), "Concat": range(len(node.input)), "Add": (0, 1), "Mul": (0, 1), "MatMul": (0, 1), "Gemm": (0, 1)}
    return [node.input[i] for i in first.get(node.op_type, (0,)) if i < len(node.input)]


def observe(runtime, model, samples, folder):
    """(minimum, maximum) of each of these tensors over the samples, by name; integers are left out."""
    watched = copy.deepcopy(model)
    del watched.graph.output[:]
    names = floats_of(model)
    if not names:
        raise ValueError("no operator of the main graph is quantized")
    if any(node.op_type in ("DequantizeLinear", "DynamicQuantizeLinear") for node in model.graph.node):
        raise ValueError("the file is quantized already")
    for i, name in enumerate(names):
        for kind in ("Min", "Max"):
            watched.graph.node.append(helper.make_node(f"Reduce{kind}", [name], [f"{kind}:{i}"], keepdims=0))
            watched.graph.output.append(onnx.ValueInfoProto(name=f"{kind}:{i}"))
    path = pathlib.Path(folder) / "watched.onnx"
    onnx.save(watched, str(path))
    outputs = runtime.open(path)
    ranges = {}
    for sample in samples:
        results, _ = runtime.run(sample)
        for name in outputs:
            kind, i = name.split(":")
            if results[name].dtype != numpy.float32:
                continue
            low, high = ranges.get(names[int(i)], (0.0, 0.0))
            value = float(results[name])
            ranges[names[int(i)]] = (min(low, value), high) if kind == "Min" else (low, max(high, value))
    return ranges


class Writer:
    def __init__(self, model, ranges):
        self.model, self.ranges = copy.deepcopy(model), ranges
        self.constants = {i.name: i for i in model.graph.initializer}
        for node in model.graph.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                self.constants[node.output[0]] = node.attribute[0].t
        self.nodes, self.done = [], {}
        if all(o.domain != DOMAIN for o in model.opset_import):
            self.model.opset_import.append(helper.make_opsetid(DOMAIN, 1))

    def constant(self, array, name):
        self.model.graph.initializer.append(numpy_helper.from_array(array, name))
        return name

    def pair(self, name, scale, zero, axis=None):
        """The name of `name` through 8 bits."""
        given = [self.constant(scale, name + ":scale"), self.constant(zero, name + ":zero")]
        attributes = {"domain": DOMAIN} if axis is None else {"domain": DOMAIN, "axis": axis}
        self.nodes.append(helper.make_node("QuantizeLinear", [name, *given], [name + ":q"], **attributes))
        self.nodes.append(helper.make_node("DequantizeLinear", [name + ":q", *given], [name + ":dq"], **attributes))
        return name + ":dq"

    def activation(self, name):
        if name not in self.done and name in self.ranges:
            low, high = self.ranges[name]
            scale = numpy.float32(max((high - low) / 255, 1e-30))
            zero = numpy.uint8(numpy.clip(round(-low / scale), 0, 255))
            self.done[name] = self.pair(name, numpy.array(scale), numpy.array(zero))
        return self.done.get(name, name)

    def weight(self, name, axis):
        key = (name, axis)
        if key not in self.done:
            array = numpy_helper.to_array(self.constants[name])
            if array.dtype != numpy.float32 or array.size == 0:
                return name
            if axis is not None and axis < array.ndim:
                largest = numpy.abs(array).max(axis=tuple(i for i in range(array.ndim) if i != axis))
            else:
                axis, largest = None, numpy.abs(array).max()
            scale = numpy.maximum(largest / 127, 1e-30).astype(numpy.float32)
            self.done[key] = self.pair(name, scale, numpy.zeros(scale.shape, numpy.int8), axis)
        return self.done[key]

    def axis_of(self, node, rank):
        if node.op_type == "Gemm":
            return 0 if any(a.name == "transB" and a.i for a in node.attribute) else 1
        if node.op_type == "MatMul":
            return rank - 1
        return WEIGHT_AXIS.get(node.op_type)

    def write(self, path):
        for name in [i.name for i in self.model.graph.input]:
            self.activation(name)
        for node in self.model.graph.node:
            copied = copy.deepcopy(node)
            if node.op_type in QUANTIZED:
                floats = set(activations(node)) | ({node.input[1]} if node.op_type in WEIGHT_AXIS else set())
                for i, name in enumerate(node.input):
                    if name in self.constants and name in floats:
                        copied.input[i] = self.weight(name, self.axis_of(node, len(self.constants[name].dims)))
                    elif name in floats:
                        copied.input[i] = self.activation(name)
            self.nodes.append(copied)
            for name in node.output if node.op_type in QUANTIZED else ():
                self.activation(name)
        del self.model.graph.node[:]
        self.model.graph.node.extend(ordered(self.nodes, self.constants))
        onnx.save(self.model, str(path))


def ordered(nodes, constants):
    """Pairs of constants after the nodes that give them."""
    first = [n for n in nodes if n.op_type == "Constant"]
    return first + [n for n in nodes if n.op_type != "Constant"]


def write(model, ranges, path):
    Writer(model, ranges).write(path)
