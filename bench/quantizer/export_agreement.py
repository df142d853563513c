"""Whether ONNX Runtime gives, of what `tally export onnx` writes, the integers of the module.

    bench/quantizer/export_agreement.py TALLY ONNXRUNTIME MODULE.tally...

TALLY is the tool, ONNXRUNTIME the folder of the npm package onnxruntime-node. Inputs are drawn at random from all that a module takes.
Prints a table: modules, instructions, all of which have an exact form, nodes, bytes, elements of the results that were compared, how many
different values they have, how many elements are not equal, and the time of a run there. Modules whose names differ in a number at the end,
rescale-0 and rescale-1, are one row; //tests/onnx_export:write_draws makes such of every operator. Ends with 1 if any element differs.
"""

import ast
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peers", "onnx_runtime.js")
SAMPLES = 4
TYPES = {"i8": ("int8", "|i1", "b"), "i16": ("int16", "<i2", "h"), "i32": ("int32", "<i4", "i"), "i64": ("int64", "<i8", "q")}


def storage_of(lo, hi):
    """The narrowest, as the module and its model have it."""
    for bits in (8, 16, 32, 64):
        if -(1 << bits - 1) <= lo and hi < 1 << bits - 1:
            return f"i{bits}"


def write_npy(path, dtype, shape, payload):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (dtype, tuple(shape))
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + payload)


def read_npy(path):
    with open(path, "rb") as file:
        content = file.read()
    end = 10 + struct.unpack("<H", content[8:10])[0]
    return ast.literal_eval(content[10:end].decode())["descr"], content[end:]


class Runtime:
    def __init__(self, package):
        self.server = subprocess.Popen(["node", SERVER, package], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def ask(self, **request):
        self.server.stdin.write(json.dumps(request) + "\n")
        self.server.stdin.flush()
        answer = json.loads(self.server.stdout.readline())
        if "error" in answer:
            sys.exit(answer["error"])
        return answer

    def close(self):
        self.server.stdin.close()
        self.server.wait()


def tell(tally, *args):
    return json.loads(subprocess.run([tally, *args, "--json"], check=True, stdout=subprocess.PIPE).stdout)


def draw(param, seed, path):
    """A random input of the module, in a file for the tool; its raw file, type and shape for the runtime."""
    dims, lo, hi = re.fullmatch(r"\[([\d,]*)\] in \[(-?\d+), (-?\d+)\]", param["type"]).groups()
    shape, lo, hi = [int(dim) for dim in dims.split(",") if dim], int(lo), int(hi)
    name, dtype, letter = TYPES[storage_of(lo, hi)]
    count = 1
    for size in shape:
        count *= size
    source = random.Random(seed)
    payload = struct.pack(f"<{count}{letter}", *(source.randint(lo, hi) for _ in range(count)))
    write_npy(path + ".npy", dtype, shape, payload)
    with open(path + ".raw", "wb") as file:
        file.write(payload)
    return {"file": path + ".raw", "type": name, "dims": shape}


class Row:
    def __init__(self):
        self.modules = self.instructions = self.nodes = self.bytes = self.elements = self.unequal = 0
        self.values, self.times = set(), []

    def add(self, tally, runtime, module, folder):
        path = lambda name: os.path.join(folder, name)
        exported = tell(tally, "export", "onnx", module, "-o", path("m.onnx"))
        params = tell(tally, "info", module)["params"]
        outputs = runtime.ask(command="open", model=path("m.onnx"), threads=2)["outputs"]
        self.modules += 1
        self.instructions += exported["instructions"]
        self.nodes += exported["nodes"]
        self.bytes += exported["files"][0]["bytes"]
        for seed in range(SAMPLES):
            inputs = {p["name"]: draw(p, seed, path(f"x{i}")) for i, p in enumerate(params)}
            given = [f"--input={p['name']}={path(f'x{i}')}.npy" for i, p in enumerate(params)]
            run = tell(tally, "run", module, "--engine", "cpu", "--output", path("out"), *given)
            files = {name: path(f"y{i}.raw") for i, name in enumerate(outputs)}
            self.times.append(runtime.ask(command="compute", inputs=inputs, outputs=files)["ms"])
            for name, result in zip(outputs, run["results"]):
                self.compare(result["file"], files[name], module)

    def compare(self, wanted_file, got_file, module):
        dtype, wanted = read_npy(wanted_file)
        with open(got_file, "rb") as file:
            got = file.read()
        letter = {d: letter for _, d, letter in TYPES.values()}[dtype]
        wanted, got = (struct.unpack(f"<{len(b) // struct.calcsize(letter)}{letter}", b) for b in (wanted, got))
        assert len(wanted) == len(got), (module, len(wanted), len(got))
        self.elements += len(wanted)
        self.values.update(wanted)
        self.unequal += sum(a != b for a, b in zip(wanted, got))

    def cells(self):
        return [self.modules, self.instructions, self.nodes, self.bytes, self.elements, len(self.values), self.unequal,
                f"{sorted(self.times)[len(self.times) // 2]:.0f} ms"]


def main(tally, package, *modules):
    runtime = Runtime(package)
    rows = {}
    for module in modules:
        name = re.sub(r"(-\d+)?\.tally$", "", os.path.basename(module))
        with tempfile.TemporaryDirectory() as folder:
            rows.setdefault(name, Row()).add(tally, runtime, module, folder)
    runtime.close()
    print("| | modules | instructions | nodes | bytes | elements | values | unequal | a run there, two threads |")
    print("|" + " --- |" * 9)
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(str(cell) for cell in row.cells()) + " |")
    sys.exit(any(row.unequal for row in rows.values()))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
