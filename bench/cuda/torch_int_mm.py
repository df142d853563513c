#!/usr/bin/env python3
"""Times torch._int_mm: one question and one answer in JSON for each line.

    {"command": "hello"}                                             -> {"version": ".."}
    {"command": "run", "m":, "k":, "n":, "iterations":, "repetitions":} -> {"ms": [of one product, for each iteration]}

Anything else that happens is answered with {"error": ".."}. Each iteration replays a CUDA graph of `repetitions` products,
between two events, as Tally's own benchmark does.
"""

import json
import sys


def product(torch, m, k, n):
    """A function that multiplies once. The second matrix lies by columns, as the library wants it."""
    a = torch.randint(-128, 128, (m, k), dtype=torch.int8, device="cuda")
    b = torch.randint(-128, 128, (n, k), dtype=torch.int8, device="cuda").t()
    return lambda: torch._int_mm(a, b)


def as_graph(torch, multiply, repetitions):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            multiply()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(repetitions):
            multiply()
    return graph


class Server:
    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch sees no GPU")
        if not hasattr(torch, "_int_mm"):
            raise RuntimeError("this PyTorch has no _int_mm")
        self.torch = torch
        self.shape, self.multiply, self.graph = None, None, None

    def hello(self, _):
        return {"version": f"PyTorch {self.torch.__version__}, {self.torch.cuda.get_device_name(0)}"}

    def run(self, question):
        torch = self.torch
        shape = tuple(question[key] for key in ("m", "k", "n", "repetitions"))
        if shape != self.shape:
            self.multiply, self.graph = None, None  # frees what the last shape held
            self.multiply = product(torch, *shape[:3])  # keeps the matrices that the graph reads
            self.graph = as_graph(torch, self.multiply, shape[3])
            self.shape = shape
        times = []
        for _ in range(question["iterations"]):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            self.graph.replay()
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end) / shape[3])
        return {"ms": times}


def main():
    server = None
    for line in sys.stdin:
        try:
            question = json.loads(line)
            server = server or Server()
            answer = {"hello": server.hello, "run": server.run}[question["command"]](question)
        except Exception as error:  # the benchmark says what is missing and goes on without
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
