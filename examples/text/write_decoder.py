#!/usr/bin/python3
"""Writes decoder.onnx and data/decoder_*.npy from text.onnx and its data: the same network, one character at a time.

    ./dev setup train                          # Debian's onnx among others
    /usr/bin/python3 write_decoder.py          # write the files
    /usr/bin/python3 write_decoder.py --check  # compare with the files that are there; exit 1 if any differs

text.onnx computes a whole window again for each character. decoder.onnx takes one character and what it kept of those before it:

    ids     int64 [1]               the character
    place   int64 [1]               its place in the window, 0 to 63
    keys, values  [4, 4, 64, 16]    of each block and head, by place; those after `place` are not read

and returns `logits` [1, 96], `next` [1, 96], and as states for the next character `place_after`, `keys_after`, `values_after`. Nothing is
trained: the weights are those of text.onnx.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import data_files  # noqa: E402

BLOCKS, HEADS, CONTEXT, WIDTH, NUM_IDS = 4, 4, 64, 64, 96
OF_HEAD = WIDTH // HEADS
OPSET = 17
HIDDEN = -1e4  # less than any score: a softmax makes it 0
WINDOWS = 64  # held out, on which the decoder is measured
CALIBRATION_WINDOWS = 48


class Graph:
    """Nodes and constants under names that count up."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, op, *inputs, to=None, **attributes):
        name = to or f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name, **attributes))
        return name

    def shaped(self, x, *shape):
        return self.add("Reshape", x, self.constant(f"shape_{len(self.nodes)}", np.array(shape, np.int64)))

    def slice(self, x, axis, begin, end):
        bounds = [self.constant(f"{what}_{len(self.nodes)}", np.array([value], np.int64))
                  for what, value in (("begin", begin), ("end", end), ("axis", axis))]
        return self.add("Slice", x, *bounds)


def weights_of(model):
    """By the names that the network has in train.py; the matrices of products are in the order of its layers."""
    arrays = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    products = iter([arrays[i.name] for i in model.graph.initializer if i.name.startswith("onnx::MatMul")])
    for block in range(BLOCKS):
        for layer in ("attention.qkv", "attention.project", "mlp.0", "mlp.2"):
            arrays[f"decoder.blocks.{block}.{layer}.weight"] = next(products)
    arrays["decoder.classify.weight"] = next(products)
    return arrays


def build(weights):
    graph = Graph()

    def weight(name):
        return graph.constant(name, weights[f"decoder.{name}"])

    def linear(x, name):
        return graph.add("Add", graph.add("MatMul", x, weight(f"{name}.weight")), weight(f"{name}.bias"))

    def norm(x, name):
        return graph.add("LayerNormalization", x, weight(f"{name}.weight"), weight(f"{name}.bias"), axis=-1)

    places = graph.constant("places", np.arange(CONTEXT).reshape(CONTEXT, 1))
    is_here = graph.add("Equal", places, "place")  # [64, 1]
    is_later = graph.shaped(graph.add("Greater", places, "place"), 1, 1, CONTEXT)
    hidden = graph.constant("hidden", np.float32(HIDDEN))
    scale = graph.constant("scale", np.float32(OF_HEAD**-0.5))
    half, one, root = (graph.constant(name, np.float32(x)) for name, x in (("half", 0.5), ("one", 1), ("root", 2**0.5)))

    def gelu(x):
        return graph.add("Mul", graph.add("Mul", x, graph.add("Add", graph.add("Erf", graph.add("Div", x, root)), one)), half)

    def kept(name, block, fresh):
        """[4, 64, 16]: what was kept of a block, with this character's row in its place."""
        before = graph.shaped(graph.slice(name, 0, block, block + 1), HEADS, CONTEXT, OF_HEAD)
        return graph.add("Where", is_here, graph.shaped(fresh, HEADS, 1, OF_HEAD), before)

    x = graph.add("Add", graph.add("Gather", weight("embed.weight"), "ids"), graph.add("Gather", weight("positions"), "place"))
    all_keys, all_values = [], []
    for block in range(BLOCKS):
        of_block = f"blocks.{block}"
        mixed = linear(norm(x, f"{of_block}.norm1"), f"{of_block}.attention.qkv")
        query, key, value = (graph.slice(mixed, 1, i * WIDTH, (i + 1) * WIDTH) for i in range(3))
        keys, values = kept("keys", block, key), kept("values", block, value)
        all_keys.append(graph.shaped(keys, 1, HEADS, CONTEXT, OF_HEAD))
        all_values.append(graph.shaped(values, 1, HEADS, CONTEXT, OF_HEAD))
        scores = graph.add("MatMul", graph.shaped(query, HEADS, 1, OF_HEAD), graph.add("Transpose", keys, perm=[0, 2, 1]))
        seen = graph.add("Where", is_later, hidden, graph.add("Mul", scores, scale))
        heads = graph.add("MatMul", graph.add("Softmax", seen, axis=-1), values)
        x = graph.add("Add", x, linear(graph.shaped(heads, 1, WIDTH), f"{of_block}.attention.project"))
        wide = gelu(linear(norm(x, f"{of_block}.norm2"), f"{of_block}.mlp.0"))
        x = graph.add("Add", x, linear(wide, f"{of_block}.mlp.2"))
    logits = graph.add("Add", graph.add("MatMul", norm(x, "norm"), weight("classify.weight")), weight("classify.bias"), to="logits")
    graph.add("Softmax", logits, to="next", axis=-1)
    last, step = (graph.constant(name, np.array([n])) for name, n in (("last_place", CONTEXT - 1), ("step", 1)))
    graph.add("Min", graph.add("Add", "place", step), last, to="place_after")
    graph.add("Concat", *all_keys, to="keys_after", axis=0)
    graph.add("Concat", *all_values, to="values_after", axis=0)
    cache = (BLOCKS, HEADS, CONTEXT, OF_HEAD)
    integers, floats = TensorProto.INT64, TensorProto.FLOAT
    info = helper.make_tensor_value_info
    return helper.make_model(
        helper.make_graph(
            graph.nodes, "decoder",
            [info("ids", integers, [1]), info("place", integers, [1]), info("keys", floats, cache), info("values", floats, cache)],
            [info("logits", floats, [1, NUM_IDS]), info("next", floats, [1, NUM_IDS]), info("place_after", integers, [1]),
             info("keys_after", floats, cache), info("values_after", floats, cache)],
            graph.constants),
        opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8, producer_name="")


def data():
    """Windows one after the other, a character each."""
    held_out, following, seen = (np.load(HERE / f"data/{name}.npy") for name in ("held_out_ids", "held_out_next", "calibration"))
    return {
        "decoder_ids": held_out[:WINDOWS].reshape(-1),
        "decoder_next": following[:WINDOWS].reshape(-1),
        "decoder_calibration": seen[:CALIBRATION_WINDOWS].reshape(-1),
    }


def main():
    model = build(weights_of(onnx.load(str(HERE / "text.onnx"))))
    onnx.checker.check_model(model)
    bytes_of_model = model.SerializeToString()
    path = HERE / "decoder.onnx"
    data_files.write_or_check(HERE / "data", data())
    if "--check" in sys.argv[1:]:
        sys.exit(path.read_bytes() != bytes_of_model)
    path.write_bytes(bytes_of_model)


if __name__ == "__main__":
    main()
