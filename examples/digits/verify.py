#!/usr/bin/python3
"""Runs digits.onnx on the held-out samples without the framework that wrote it.

    apt-get install python3-onnx python3-numpy
    /usr/bin/python3 verify.py

The file is read with onnx, checked with onnx.checker, and evaluated node by node with the NumPy definitions
below, in float64. Prints the nodes and the accuracy; exits 1 when the file is invalid, uses an attribute value
that the definitions do not cover, or is below 97 % on the held-out samples.
"""

import collections
import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
MAX_PIXEL = 16
MIN_ACCURACY = 0.97


def windows(x, kernel, strides, fill, pads=(0, 0, 0, 0)):
    """[N, C, H, W] -> [N, C, OH, OW, KH, KW]; pads are top, left, bottom, right."""
    top, left, bottom, right = pads
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(x, tuple(kernel), axis=(2, 3))
    return view[:, :, :: strides[0], :: strides[1]]


def require(node, attributes, **expected):
    """Takes out the attributes that may only have the value that the definition assumes."""
    for name, value in expected.items():
        if attributes.pop(name, value) != value:
            sys.exit(f"{node.op_type}: {name} other than {value} is not covered")


def conv(node, a, x, w, b=None):
    require(node, a, group=1, dilations=[1, 1], auto_pad=b"NOTSET", kernel_shape=list(w.shape[2:]))
    y = np.einsum("nchwij,ocij->nohw", windows(x, w.shape[2:], a.pop("strides", [1, 1]), 0.0, a.pop("pads", [0] * 4)), w)
    return y if b is None else y + b[:, None, None]


def batch_normalization(node, a, x, gamma, beta, mean, variance):
    a.pop("momentum", None)  # used in training only
    require(node, a, training_mode=0)
    scale = gamma / np.sqrt(variance + a.pop("epsilon", 1e-5))
    return (x - mean[:, None, None]) * scale[:, None, None] + beta[:, None, None]


def max_pool(node, a, x):
    require(node, a, ceil_mode=0, dilations=[1, 1], auto_pad=b"NOTSET", storage_order=0)
    return windows(x, a.pop("kernel_shape"), a.pop("strides"), -np.inf, a.pop("pads", [0] * 4)).max(axis=(4, 5))


def average_pool(node, a, x):
    require(node, a, ceil_mode=0, pads=[0, 0, 0, 0], auto_pad=b"NOTSET")
    a.pop("count_include_pad", None)  # without pads both values mean the same
    return windows(x, a.pop("kernel_shape"), a.pop("strides"), 0.0).mean(axis=(4, 5))


def gemm(node, a, x, w, b):
    require(node, a, alpha=1.0, beta=1.0, transA=0, transB=1)
    return x @ w.T + b


def flatten(node, a, x):
    require(node, a, axis=1)
    return x.reshape(x.shape[0], -1)


def softmax(node, a, x):
    require(node, a, axis=1)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


DEFINITIONS = {
    "Add": lambda node, a, x, y: x + y,
    "AveragePool": average_pool,
    "BatchNormalization": batch_normalization,
    "Conv": conv,
    "Flatten": flatten,
    "Gemm": gemm,
    "MaxPool": max_pool,
    "Relu": lambda node, a, x: np.maximum(x, 0.0),
    "Softmax": softmax,
}


def attributes_of(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def evaluate(graph, image):
    values = {i.name: numpy_helper.to_array(i).astype(np.float64) for i in graph.initializer}
    values[graph.input[0].name] = image
    for node in graph.node:
        attributes = attributes_of(node)
        (output,) = node.output
        values[output] = DEFINITIONS[node.op_type](node, attributes, *(values[name] for name in node.input))
        if attributes:
            sys.exit(f"{node.op_type}: attributes {sorted(attributes)} are not covered")
    return values[graph.output[0].name]


def describe(value):
    return f"{value.name} [{', '.join(str(d.dim_value) for d in value.type.tensor_type.shape.dim)}]"


def main():
    model = onnx.load(str(HERE / "digits.onnx"))
    onnx.checker.check_model(model, full_check=True)
    graph = model.graph
    print(f"opset {model.opset_import[0].version}, {describe(graph.input[0])} -> {describe(graph.output[0])}")
    for node in graph.node:
        print(f"  {node.op_type} {attributes_of(node)} {list(node.input)} -> {list(node.output)}")
    print(dict(collections.Counter(node.op_type for node in graph.node)))

    images = np.load(HERE / "data" / "held_out_images.npy").astype(np.float64) / MAX_PIXEL
    labels = np.load(HERE / "data" / "held_out_labels.npy")
    predictions = np.array([evaluate(graph, image[None]).argmax() for image in images])
    for i in np.flatnonzero(predictions != labels):
        print(f"held-out sample {i}: a {labels[i]}, taken for a {predictions[i]}")
    right = int((predictions == labels).sum())
    print(f"held out: {right} of {len(labels)}, {right / len(labels):.2%}")
    if right < MIN_ACCURACY * len(labels):
        sys.exit(f"below {MIN_ACCURACY:.0%}")


if __name__ == "__main__":
    main()
