"""How often the module of a quantized model gives the integers that ONNX Runtime gives: single operators, and a network of them.

    bench/quantizer/runtime_agreement.py TALLY ONNXRUNTIME

TALLY is the tool, ONNXRUNTIME the folder of the npm package onnxruntime-node. Weights, scales and inputs are drawn at random; inputs and
results are uint8. Prints a table: elements, the share that is equal, the largest difference in steps.
"""

import ast
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

FLOAT, UINT8, INT8, INT32 = 1, 2, 3, 6
SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peers", "onnx_runtime.js")
SEEDS = 8


def varint(value):
    value &= (1 << 64) - 1
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    if isinstance(value, float):
        return field(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + field(20, 1)
    return field(1, name) + b"".join(field(8, x) for x in value) + field(20, 7)


class Model:
    """x uint8 of `shape` -> y uint8."""

    def __init__(self, shape, seed):
        self.shape, self.random, self.graph, self.names = shape, random.Random(seed), b"", 0

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def tensor(self, element, dims, values):
        name = self.name()
        letter = {FLOAT: "f", UINT8: "B", INT8: "b", INT32: "i"}[element]
        self.graph += field(5, b"".join(field(1, d) for d in dims) + field(2, element) + field(8, name) +
                            field(9, struct.pack(f"<{len(values)}{letter}", *values)))
        return name

    def node(self, op, inputs, y=None, domain="", **attributes):
        y = y or self.name()
        self.graph += field(1, b"".join(field(1, x) for x in inputs) + field(2, y) + field(4, op) + field(7, domain) +
                            b"".join(field(5, attribute(*a)) for a in attributes.items()))
        return y

    def grid(self, scale, zero=None):
        zero = self.random.randrange(256) if zero is None else zero
        return [self.tensor(FLOAT, [], [scale * self.random.uniform(0.7, 1.4)]), self.tensor(UINT8, [], [zero])]

    def weights(self, shape, scale):
        count = 1
        for size in shape:
            count *= size
        return [self.tensor(INT8, shape, [self.random.randrange(-127, 128) for _ in range(count)]),
                self.tensor(FLOAT, [shape[0]], [scale * self.random.uniform(0.5, 2) for _ in range(shape[0])]),
                self.tensor(INT8, [shape[0]], [0] * shape[0])]

    def bias(self, channels):
        return self.tensor(INT32, [channels], [self.random.randrange(-9000, 9000) for _ in range(channels)])

    def conv(self, x, grid, shape, to, y=None, **attributes):
        fan_in = shape[1] * shape[2] * shape[3]
        inputs = [x, *grid, *self.weights(shape, 0.02 / fan_in ** 0.5), *to, self.bias(shape[0])]
        return self.node("QLinearConv", inputs, y, pads=[shape[2] // 2, shape[3] // 2] * 2, **attributes)

    def contrib(self, op, inputs, y=None, **attributes):
        return self.node(op, inputs, y, "com.microsoft", **attributes)

    def bytes(self, result):
        def info(name, dims):
            shape = b"".join(field(1, field(1, d)) for d in dims)
            return field(1, name) + field(2, field(1, field(1, UINT8) + field(2, shape)))
        graph = field(2, "g") + self.graph + field(11, info("x", self.shape)) + field(12, info("y", result))
        return field(1, 8) + field(8, field(2, 13)) + field(8, field(1, "com.microsoft") + field(2, 1)) + field(7, graph)


IMAGE = [1, 16, 40, 40]


def conv(seed):
    m = Model(IMAGE, seed)
    m.conv("x", m.grid(0.05), [16, 16, 3, 3], m.grid(0.05), "y")
    return m, IMAGE


def matmul(seed):
    m = Model([160, 160], seed)
    w, scales, zeros = m.weights([160, 160], 0.002)
    m.node("QLinearMatMul", ["x", *m.grid(0.05), w, scales, zeros, *m.grid(0.05)], "y")
    return m, [160, 160]


def pair(op):
    def make(seed):
        m = Model(IMAGE, seed)
        turned = m.node("Transpose", ["x"], perm=[0, 1, 3, 2])
        grid = m.grid(0.05)  # an input has one
        m.contrib(op, ["x", *grid, turned, *grid, *m.grid(0.07 if op == "QLinearAdd" else 0.3)], "y")
        return m, IMAGE
    return make


def concat(seed):
    m = Model(IMAGE, seed)
    grid = m.grid(0.05)
    m.contrib("QLinearConcat", [*m.grid(0.06), "x", *grid, "x", *grid], "y", axis=1)
    return m, [1, 32, 40, 40]


def single(op, scale, result=None, zero=None, **attributes):
    def make(seed):
        m = Model(IMAGE, seed)
        m.contrib(op, ["x", *m.grid(0.05), *m.grid(scale, zero)], "y", **attributes)
        return m, result or IMAGE
    return make


def network(seed):
    m = Model([1, 3, 32, 32], seed)
    x, first, deep, total, last, average = (m.grid(s, z) for s, z in ((0.02, 114), (0.03, 0), (0.05, 120), (0.06, 120),
                                                                      (0.05, 0), (0.03, 0)))
    a = m.conv("x", x, [16, 3, 3, 3], first)
    b = m.conv(a, first, [16, 1, 3, 3], deep, group=16)
    c = m.contrib("QLinearAdd", [a, *first, b, *deep, *total])
    d = m.conv(c, total, [32, 16, 1, 1], last)
    e = m.node("MaxPool", [d], kernel_shape=[2, 2], strides=[2, 2])
    f = m.contrib("QLinearGlobalAveragePool", [e, *last, *average])
    g = m.node("Flatten", [f])
    m.contrib("QGemm", [g, *average, *m.weights([100, 32], 0.01), m.bias(100), *m.grid(0.05, 128)], "y", transB=1)
    return m, [1, 100]


CASES = {
    "QLinearConv": conv, "QLinearMatMul": matmul, "QLinearAdd": pair("QLinearAdd"), "QLinearMul": pair("QLinearMul"),
    "QLinearConcat": concat, "QLinearLeakyRelu": single("QLinearLeakyRelu", 0.05, alpha=0.1),
    "QLinearSigmoid": single("QLinearSigmoid", 0.004, zero=0),
    "QLinearAveragePool": single("QLinearAveragePool", 0.05, [1, 16, 38, 38], kernel_shape=[3, 3]),
    "QLinearGlobalAveragePool": single("QLinearGlobalAveragePool", 0.01, [1, 16, 1, 1]),
    "a network": network,
}


def write_npy(path, shape, payload):
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': %s, }" % (tuple(shape),)
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + payload)


def read_npy(path):
    with open(path, "rb") as file:
        content = file.read()
    end = 10 + struct.unpack("<H", content[8:10])[0]
    dtype = ast.literal_eval(content[10:end].decode())["descr"]
    letter = {"|i1": "b", "|u1": "B", "<i2": "h", "<i4": "i", "<i8": "q"}[dtype]
    return struct.unpack(f"<{(len(content) - end) // struct.calcsize(letter)}{letter}", content[end:])


def main(tally, runtime):
    server = subprocess.Popen(["node", SERVER, runtime], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def ask(**request):
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        if "error" in answer:
            sys.exit(answer["error"])
        return answer

    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        for name, make in CASES.items():
            elements = equal = largest = 0
            for seed in range(SEEDS):
                model, result = make(seed)
                pixels = 1
                for size in model.shape:
                    pixels *= size
                payload = random.Random(seed + 1000).randbytes(pixels)
                with open(path("m.onnx"), "wb") as file:
                    file.write(model.bytes(result))
                with open(path("x.raw"), "wb") as file:
                    file.write(payload)
                write_npy(path("x.npy"), model.shape, payload)
                ask(command="load", model=path("m.onnx"), dims=model.shape, threads=1)
                ask(command="once", input=path("x.raw"), output=path("y.raw"))
                for step in (["quantize", path("m.onnx"), "-o", path("m.tally")],
                             ["run", path("m.tally"), "--input", "x=" + path("x.npy"), "--output", path("out")]):
                    subprocess.run([tally, *step], check=True, stdout=subprocess.DEVNULL)
                with open(path("y.raw"), "rb") as file:
                    wanted = file.read()
                got = read_npy(path("out/y.npy"))
                assert len(got) == len(wanted), (name, len(got), len(wanted))
                elements += len(got)
                equal += sum(a == b for a, b in zip(got, wanted))
                largest = max([largest] + [abs(a - b) for a, b in zip(got, wanted)])
            print(f"| {name} | {elements} | {elements - equal} | {100 * equal / elements:.4f} % | {largest} |", flush=True)
    server.stdin.close()
    server.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
