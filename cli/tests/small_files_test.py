#!/usr/bin/env python3
"""Small files that ask for much of each kind: every command ends in bounded time and memory, done or refused with a label."""

import os
import random
import resource
import signal
import subprocess
import tempfile
import unittest

from tally_tool import TALLY, field, varint, write_npy

MOST_SECONDS, MOST_RESIDENT, MOST_ADDRESSES, MOST_FILE = 15, 500 << 20, 3 << 30, 3 << 20
INT64, FLOAT = 7, 1


def packed(values):
    return b"".join(varint(value % 2**64) for value in values)


def integers(name, values, dims=None):
    dims = [len(values)] if dims is None else dims
    return b"".join(field(1, dim) for dim in dims) + field(2, INT64) + field(7, packed(values)) + field(8, name)


def attribute(name, value):
    if isinstance(value, bytes):
        return field(5, field(1, name) + field(6, value) + field(20, 5))
    return field(5, field(1, name) + field(3, value) + field(20, 2))


def node(op, inputs, outputs, *attributes):
    return field(1, b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs) + field(4, op) +
                 b"".join(attributes))


def value(name, dims, kind=FLOAT):
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, b"".join(field(1, field(1, d)) for d in dims))))


def graph(nodes, initializers=(), inputs=(), outputs=("y",)):
    return b"".join(nodes) + field(2, "g") + b"".join(field(5, i) for i in initializers) + \
        b"".join(field(11, i) for i in inputs) + b"".join(field(12, o if isinstance(o, bytes) else field(1, o)) for o in outputs)


def model(body):
    return field(1, 8) + field(8, field(2, 13)) + field(7, body)


X = value("x", [4])


def loop_results(draw):
    """Results of a body, times the trips."""
    results = draw(2000, 6000)
    body = graph([], inputs=[field(1, "i"), field(1, "c")], outputs=["c"] + ["i"] * results)
    names = ["y"] + [f"r{k}" for k in range(1, results)]
    return graph([node("Loop", ["n"], names, attribute("body", body))], [integers("n", [draw(1000, 2**40)], [])], [X])


def trips(draw):
    body = graph([node("Add", ["s", "s"], ["t"])], inputs=[field(1, "i"), field(1, "c"), field(1, "s")], outputs=["c", "t"])
    return graph([node("Loop", ["n", "", "x"], ["y"], attribute("body", body))], [integers("n", [draw(2**20, 2**62)], [])], [X])


def ifs_in_an_if(draw):
    count = draw(9000, 14000)
    inner = [node("If", ["c"], [f"v{k + 1}"], attribute("then_branch", graph([node("Neg", [f"v{k}"], ["t"])], outputs=["t"])),
                  attribute("else_branch", graph([node("Abs", [f"v{k}"], ["t"])], outputs=["t"]))) for k in range(count)]
    branch = graph([node("Identity", ["x"], ["v0"])] + inner, outputs=[f"v{count}"])
    condition = field(2, 9) + field(5, packed([1])) + field(8, "c")
    return graph([node("If", ["c"], ["y"], attribute("then_branch", branch), attribute("else_branch", branch))], [condition], [X])


def graphs_in_graphs(draw):
    width, depth = draw(1, 4), draw(6, 24)

    def nested(level, output):
        if level == 0 or len(made) > 3000:
            return node("Neg", ["x"], [output])
        made.append(level)
        inner = graph([nested(level - 1, f"u{k}") for k in range(width)], outputs=[f"u{width - 1}"])
        return node("If", ["c"], [output], attribute("then_branch", inner), attribute("else_branch", graph([], outputs=["x"])))

    made = []
    condition = field(2, 9) + field(5, packed([1])) + field(8, "c")
    return graph([nested(depth, "y")], [condition], [X])


def names(draw):
    long = draw("\\'\"\n\u00e9") * draw(300_000, 1_000_000)
    return graph([node("Neg", ["x"], [long]), node("Relu", [long], ["y"])], inputs=[X])


def constants(draw):
    """What is computed at import, each from the last."""
    nodes, last = [node("ConstantOfShape", ["n"], ["c0"])], "c0"
    for k in range(draw(10, 400)):
        nodes.append(node(draw(["Neg", "Exp", "Identity", "Abs"]), [last], [f"c{k + 1}"]))
        last = f"c{k + 1}"
    return graph(nodes + [node("Add", ["x", last], ["y"])], [integers("n", [draw(2**10, 2**34), 4])], [X])


def moves(draw):
    """Tensors that become huge by a list of few numbers."""
    op, big = draw(["Expand", "Tile", "Pad"]), draw(2**16, 2**33)
    lists = {"Expand": [big, 4], "Tile": [big], "Pad": [0, big]}[op]
    return graph([node(op, ["x", "n"], ["a"]), node("Neg", ["a"], ["y"])], [integers("n", lists)], [X])


def ranges(draw):
    return graph([node("Range", ["a", "b", "s"], ["r"]), node("Gather", ["x", "r"], ["y"])],
                 [integers("a", [0], []), integers("b", [draw(2**20, 2**62)], []), integers("s", [1], [])], [X])


def many_inputs(draw):
    count, nodes = draw(5000, 20000), []
    for k in range(20):
        op = draw(["Concat", "Sum", "Max"])
        nodes.append(node(op, ["x"] * count, [f"c{k}"], *[attribute("axis", 0)] * (op == "Concat")))
    return graph(nodes + [node("Neg", ["c0"], ["y"])], inputs=[X])


def many_nodes(draw):
    count = draw(40_000, 90_000)
    return graph([node(draw(["Relu", "Neg", "Sigmoid"]), [f"v{k}" if k else "x"], [f"v{k + 1}"]) for k in range(count)] +
                 [node("Neg", [f"v{count}"], ["y"])], inputs=[X])


def windows(draw):
    size = draw(2**8, 2**15)
    weight = field(1, 1) * 2 + field(1, 3) * 2 + field(2, FLOAT) + field(9, bytes(36)) + field(8, "w")
    return graph([node("Conv", ["i", "w"], ["y"])], [weight], [value("i", [1, 1, size, size])])


KINDS = [loop_results, trips, ifs_in_an_if, graphs_in_graphs, names, constants, moves, ranges, many_inputs, many_nodes, windows]

EXPORTED = """tally 1
profile core
param %0 "x" [1,{c},{s},{s}] in [-1000000000, 1000000000]
"""


def gathered_windows(draw):
    """Lists of places, one for each of many convolutions whose sums leave the floats."""
    channels, size, text, last = draw(16, 64), draw(100, 172), "", 0
    text = EXPORTED.format(c=channels, s=size)
    for k in range(1, draw(8, 30), 3):
        text += f"%{k} = fill {{shape = [1,{channels},3,3], value = {k}}}\n"
        text += (f"%{k + 1} = convolution %0, %{k} {{stride = [1,1], dilation = [1,1], pad_begin = [0,0], pad_end = [0,0], "
                 "groups = 1, zero_x = 0, zero_w = 0}\n")
        text += f"%{k + 2} = strided_slice %{k + 1} {{begin = [0,0,0,0], end = [1,1,1,1], stride = [1,1,1,1]}}\n"
        last = k + 2
    return text + f'result %{last} "y"\n'


def long_axes(draw):
    """Lists as long as an axis."""
    text, last, size = 'tally 1\nprofile core\nparam %0 "x" [1] in [0, 1]\n', 0, draw(2**22, 2**27)
    for k in range(1, draw(4, 60), 2):
        text += f"%{k} = iota {{shape = [{size + k}], start = {k}, step = 1, axis = 0}}\n"
        text += f"%{k + 1} = strided_slice %{k} {{begin = [0], end = [1], stride = [1]}}\n"
        last = k + 1
    return text + f'result %{last} "y"\n'


class Draw:
    """A number of a range, more often a small one, or one of a list."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def __call__(self, low, high=None):
        if high is None:
            return self.random.choice(low)
        return int(low * (high / low) ** self.random.random())


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    # The processor's seconds, which tests beside this one do not use up.
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


class SmallFilesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        starts = subprocess.run([TALLY, "--version"], preexec_fn=limit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.limited = starts.returncode == 0
        if not cls.limited:
            print(f"neither memory nor time is held: this build does not start in {MOST_ADDRESSES} bytes, as with a sanitizer")

    def bounded(self, what, *args):
        try:
            run = subprocess.run([TALLY, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 timeout=8 * MOST_SECONDS if self.limited else None,
                                 preexec_fn=limit if self.limited else None)
        except subprocess.TimeoutExpired:
            self.fail(f"{what}: {args[0]} does not end")
        if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            self.fail(f"{what}: {args[0]} takes more than {MOST_SECONDS} s")
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10  # the most so far
        if self.limited:
            self.assertLess(most, MOST_RESIDENT, (what, args))
        self.assertIn(run.returncode, (0, 1), (what, args, run.stderr[-500:]))
        if run.returncode == 1:
            self.assertRegex(run.stderr, rb"\Aerror\[\w+\]: [^\n]{1,3000}\n\Z", what)
            self.assertNotRegex(run.stderr, rb"\Aerror\[(out_of_memory|internal)\]", what)

    def test_models(self):
        with tempfile.TemporaryDirectory() as folder:
            write_npy(f"{folder}/x.npy", "<f4", [2, 4], bytes(32))
            for seed in range(2):
                for kind in KINDS:
                    what = f"{kind.__name__} {seed}"
                    path, module = f"{folder}/m.onnx", f"{folder}/m.tally"
                    with open(path, "wb") as file:
                        file.write(model(kind(Draw(what))))
                    self.assertLessEqual(os.path.getsize(path), MOST_FILE, what)
                    self.bounded(what, "check", path)
                    self.bounded(what, "import", path, "--range", "x=1/2^4,-9,9", "-o", module)
                    self.bounded(what, "quantize", path, "--calibrate", f"{folder}/x.npy", "-o", module)

    def test_modules_that_are_exported(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(3):
                for kind in (gathered_windows, long_axes):
                    what = f"{kind.__name__} {seed}"
                    with open(f"{folder}/m.tallytxt", "w") as file:
                        file.write(kind(Draw(what)))
                    subprocess.run([TALLY, "asm", f"{folder}/m.tallytxt", "-o", f"{folder}/m.tally"], check=True,
                                   stdout=subprocess.DEVNULL)
                    self.bounded(what, "export", "onnx", f"{folder}/m.tally", "-o", f"{folder}/out.onnx")
                    if os.path.exists(f"{folder}/out.onnx"):
                        self.assertLess(os.path.getsize(f"{folder}/out.onnx"), 100 << 20, what)
                        os.remove(f"{folder}/out.onnx")


if __name__ == "__main__":
    unittest.main()
