#!/usr/bin/env python3
"""Writes outputs.json: what ONNX Runtime computes of the models that write_cases.py writes.

    tests/onnx_runtime/compute_outputs.py ONNXRUNTIME > tests/onnx_runtime/outputs.json

ONNXRUNTIME is the folder of the npm package onnxruntime-node. What it refuses is printed and has no line.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

from write_cases import LETTERS, NAMES, cases, raw

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "peers", "onnx_runtime.js")


class Runtime:
    def __init__(self, package):
        self.process = subprocess.Popen(["node", SERVER, package], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.folder = tempfile.mkdtemp()

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def path(self, name, content=None):
        path = os.path.join(self.folder, name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)
        return path

    def run(self, content, inputs, outputs):
        """[type, dims, elements] of each output; the error as text where there is one."""
        answer = self.ask(command="open", model=self.path("model.onnx", content), threads=1, optimization="disabled")
        if "error" in answer:
            return answer["error"]
        given = {n: {"file": self.path(n, raw(t)), "type": NAMES[t.element], "dims": t.dims} for n, t in inputs.items()}
        answer = self.ask(command="compute", inputs=given, outputs={n: self.path(n) for n in outputs})
        if "error" in answer:
            return answer["error"]
        results = []
        for name in outputs:
            with open(self.path(name), "rb") as file:
                content = file.read()
            letter = LETTERS[answer["types"][name]]
            data = struct.unpack(f"<{len(content) // struct.calcsize(letter)}{letter}", content)
            results.append([answer["types"][name], answer["dims"][name], [number(v) for v in data]])
        return results


def number(value):
    """A float in 7 digits."""
    return float(f"{value:.7g}") if isinstance(value, float) else int(value)


def main():
    runtime = Runtime(sys.argv[1])
    for name, content, inputs, outputs in cases():
        computed = runtime.run(content, inputs, outputs)
        if isinstance(computed, str):
            print(f"{name}: {computed[:150]!r}", file=sys.stderr)
        else:
            print(json.dumps([name, computed], separators=(",", ":")))


main()
