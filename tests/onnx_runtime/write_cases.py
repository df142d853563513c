#!/usr/bin/env python3
"""Writes a model for each node in nodes.py, a line of JSON for each: its name, the model, and its inputs."""
import base64
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "formats"))

from nodes import all_nodes  # noqa: E402
from protobuf import field, message  # noqa: E402

NAMES = {1: "float32", 2: "uint8", 3: "int8", 6: "int32", 7: "int64", 9: "bool"}
LETTERS = {"float32": "f", "uint8": "B", "int8": "b", "int32": "i", "int64": "q", "bool": "?"}


def raw(tensor):
    return struct.pack(f"<{len(tensor.data)}{LETTERS[NAMES[tensor.element]]}", *tensor.data)


def attribute(name, value):
    if isinstance(value, str):
        return message({1: name, 4: value, 20: 3})
    if isinstance(value, int):
        return message({1: name, 3: value, 20: 2})
    if isinstance(value, float):
        return message({1: name, 2: value, 20: 1})
    if isinstance(value[0], str):
        return message({1: name, 9: value, 20: 8})
    floats = isinstance(value[0], float)
    number, kind = (7, 6) if floats else (8, 7)
    return field(1, name) + b"".join(field(number, v) for v in value) + field(20, kind)


def value_info(name, tensor):
    shape = b"".join(field(1, field(1, dim)) for dim in tensor.dims)
    return message({1: name, 2: field(1, message({1: tensor.element}) + field(2, shape))})


def model(op, operands, attributes, opset, outputs):
    names = ["" if t is None else f"x{i}" for i, t in enumerate(operands)]
    results = [f"y{i}" for i in range(outputs)]
    node = b"".join(field(1, n) for n in names) + b"".join(field(2, n) for n in results) + field(4, op)
    node += b"".join(field(5, attribute(name, value)) for name, value in attributes.items())
    graph = field(1, node) + field(2, "case")
    for name, tensor in zip(names, operands):
        if tensor is not None and tensor.constant:
            graph += field(5, message({1: tensor.dims, 2: tensor.element, 8: name, 9: raw(tensor)}))
    for name, tensor in zip(names, operands):
        if tensor is not None and not tensor.constant:
            graph += field(11, value_info(name, tensor))
    graph += b"".join(field(12, field(1, name)) for name in results)
    return field(1, 8) + field(7, graph) + field(8, field(2, opset)), names, results


def cases():
    """(name, model, inputs by name, names of outputs) of each node."""
    seen = {}
    for op, operands, attributes, opset, outputs in all_nodes():
        content, names, results = model(op, operands, attributes, opset, outputs)
        seen[op] = seen.get(op, 0) + 1
        inputs = {n: t for n, t in zip(names, operands) if t is not None and not t.constant}
        shown = " ".join(f"{name}={value}" for name, value in attributes.items()).replace("'", "")
        yield f"{op}-{opset} {seen[op]} {shown}".strip(), content, inputs, results


def main():
    for name, content, inputs, _ in cases():
        given = [[NAMES[t.element], t.dims, t.data] for t in inputs.values()]
        print(json.dumps({"name": name, "model": base64.b64encode(content).decode(), "inputs": given}))


if __name__ == "__main__":
    main()
