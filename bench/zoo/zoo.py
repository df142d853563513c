#!/usr/bin/env python3
"""The zoo: real models through `tally quantize` and `run`, beside ONNX Runtime on the float model and on a plain QDQ form.

    bench/zoo/zoo.py TALLY ONNXRUNTIME CACHE [--only NAME ...] [--json FILE]

TALLY is the tool, ONNXRUNTIME the folder of the npm package onnxruntime-node, CACHE a folder for what is fetched. Prints a table. Without a
network it says so and ends. All dB and metrics are of samples that no calibration has seen, beside ONNX Runtime's float results.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import fetch
import metrics
import numpy
import onnx
import qdq
import samples as sampling
from models import MODELS
from runtime import Runtime

HELD_OUT = 4  # one of so many samples


class Tools:
    """Runs float models of the zoo for the samples of others."""

    def __init__(self, runtime, cache):
        self.runtime, self.cache, self.by_name = runtime, cache, {m.name: m for m in MODELS}

    def open(self, name):
        self.runtime.open(fetch.model_file(self.by_name[name], self.cache))

    def run(self, inputs):
        return self.runtime.run(inputs)[0]


def shapes_of(model, path):
    """Of the inputs that samples fill, by name."""
    graph = onnx.load(str(path)).graph
    constants = {i.name for i in graph.initializer}
    shapes = {}
    for value in graph.input:
        if value.name not in constants and value.name not in model.fix:
            dims = tuple(d.dim_value for d in value.type.tensor_type.shape.dim)
            shapes[value.name] = model.shapes.get(value.name, dims)
    return shapes


def tally(tool, *arguments):
    done = subprocess.run([tool, *map(str, arguments), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise RuntimeError(said[-1] if said else f"exit code {done.returncode}")
    return json.loads(done.stdout)


def rows(arrays, shapes, numbers):
    """The inputs of each of these samples, with the shapes of the model."""
    return [{name: numpy.ascontiguousarray(array[i]).reshape(shapes[name]) for name, array in arrays.items()} for i in numbers]


def run_module(tool, module, arrays, shapes, numbers, folder):
    """The results of these samples as floats, a list for each, and the least milliseconds of one on one thread."""
    given = []
    for i, (name, array) in enumerate(arrays.items()):
        path = folder / f"in{i}.npy"
        numpy.save(path, numpy.ascontiguousarray(array[numbers], numpy.float32))
        given += ["--input", f"{name}={path}"]
    told = tally(tool, "run", module, *given, "--float", "--threads", "1", "--repeat", "5", "-o", folder / "out")
    results = [numpy.load(result["file"]) for result in told["results"]]
    return [[array[i] for array in results] for i in range(len(numbers))], told["least_milliseconds"]


def measure(model, tool, runtime, cache, folder):
    path = fetch.model_file(model, cache)
    shapes = shapes_of(model, path)
    held_out = model.count // HELD_OUT
    arrays = getattr(sampling, model.samples)(model, shapes, model.count + held_out, Tools(runtime, cache))
    # What is held out is spread over the samples.
    unseen = list(range(0, model.count + held_out, HELD_OUT + 1))[:held_out]
    seen = [i for i in range(model.count + held_out) if i not in unseen]
    fixed = {name: numpy.array(value, numpy.int64) for name, value in model.fix.items()}

    tests = rows(arrays, shapes, unseen)
    runtime.open(path)
    by_float, ms_float = [], []
    for sample in tests:
        results, ms = runtime.run({**sample, **fixed})
        by_float.append(results)
        ms_float.append(min([ms] + [runtime.run({**sample, **fixed})[1] for _ in range(2)]))
    row = {"name": model.name, "samples": len(tests), "ms_float": float(numpy.median(ms_float))}

    try:
        float_model = onnx.load(str(path))
        ranges = qdq.observe(runtime, float_model, [{**s, **fixed} for s in rows(arrays, shapes, seen)], folder)
        qdq.write(float_model, ranges, folder / "qdq.onnx")
        # As it is written: what its optimizer adds needs newer operators than some models have.
        runtime.open(folder / "qdq.onnx", "disabled")
        by_qdq = [runtime.run({**sample, **fixed})[0] for sample in tests]
        row["qdq_db"] = metrics.sqnr_db(by_float, by_qdq)
        row["qdq_metric"] = metrics.share(by_float, by_qdq, getattr(metrics, model.metric))
    except Exception as error:  # what its libraries refuse is a result of this row
        row["qdq_error"] = str(error).splitlines()[0]

    options = []
    for name, shape in model.shapes.items():
        options += ["--shape", f"{name}={','.join(map(str, shape))}"]
    for name, value in model.fix.items():
        options += ["--fix", f"{name}={value}"]
    given = []
    for i, (name, array) in enumerate(arrays.items()):
        numpy.save(folder / f"seen{i}.npy", array[seen].astype(numpy.float32))
        given += ["--calibrate", f"{name}={folder / f'seen{i}.npy'}"]
    start = time.monotonic()
    try:
        made = tally(tool, "quantize", path, *options, *given, "-o", folder / "m.tally")
    except RuntimeError as error:
        row["error"] = str(error)
        return row
    row["seconds"] = time.monotonic() - start
    tally(tool, "quantize", path, *options, *given, "--target-sqnr", "0", "-o", folder / "narrow.tally")

    def beside(module):
        """In the order of the float model, as names may have been shortened."""
        results, ms = run_module(tool, folder / module, arrays, shapes, unseen, folder)
        return [{name: array.reshape(wanted[name].shape) for name, array in zip(wanted, lists)}
                for wanted, lists in zip(by_float, results)], ms

    by_narrow, row["narrow_ms"] = beside("narrow.tally")
    by_module, ms = beside("m.tally")
    row |= {"db": metrics.sqnr_db(by_float, by_module), "metric": metrics.share(by_float, by_module, getattr(metrics, model.metric)),
            "ms": ms, "gas": made["gas"], "precision": made["precision"], "verdict": made["verdict"],
            "narrow_db": metrics.sqnr_db(by_float, by_narrow)}
    return row


def db(value):
    return "-" if value is None else "equal" if value == numpy.inf else f"{value:.1f}"


def line(row):
    if "error" in row:
        return f"| `{row['name']}` | {row['error']} |" + " |" * 9
    more = 100 * (row["precision"]["gas_after"] / row["precision"]["gas_before"] - 1)
    by_qdq = f"{100 * row['qdq_metric']:.0f} %" if "qdq_metric" in row else "-"
    return (f"| `{row['name']}` | {db(row['narrow_db'])} | **{db(row['db'])}** | {db(row.get('qdq_db'))} | {100 * row['metric']:.0f} % | "
            f"{by_qdq} | {row['gas']:,} | {more:.1f} % | {row['ms']:.3f} | {row['ms'] / row['narrow_ms']:.2f} | "
            f"{row['ms_float'] / row['ms']:.2f} |")


COLUMNS = ("model", "8 bits, dB", "default, dB", "plain QDQ, dB", "answers kept", "by QDQ", "gas", "more than 8 bits", "ms",
           "more than 8 bits", "ONNX Runtime float, ratio")
HEAD = f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}"


def summary(rows):
    made = [r for r in rows if "db" in r]
    good = [r for r in made if r["db"] >= 30 or r["metric"] >= 0.99]
    silent = [r["name"] for r in made if r["db"] < 20 and r["db"] < 30 and "poor" not in r["verdict"] and "useless" not in r["verdict"]]
    beside = [r for r in made if "qdq_db" in r]
    ahead = [r for r in beside if r["db"] >= min(r["qdq_db"], 60)]
    return (f"{len(rows)} models, {len(made)} become modules; {len(good)} of these ({100 * len(good) / max(len(made), 1):.0f} %) have 30 dB or "
            f"keep 99 % of the answers; below 20 dB without a word: {', '.join(silent) or 'none'}; plain QDQ is equalled or beaten on "
            f"{len(ahead)} of {len(beside)} ({100 * len(ahead) / max(len(beside), 1):.0f} %).")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tally")
    parser.add_argument("onnxruntime")
    parser.add_argument("cache")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--json")
    options = parser.parse_args()
    chosen = [m for m in MODELS if not options.only or m.name in options.only]
    done = []
    print(HEAD, flush=True)
    with Runtime(options.onnxruntime) as runtime:
        for model in chosen:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    row = measure(model, options.tally, runtime, options.cache, pathlib.Path(folder))
                except fetch.NoNetwork as error:
                    print(f"zoo: skipped, as its models can't be fetched: {error}", file=sys.stderr)
                    return 0
            done.append(row)
            print(line(row), flush=True)
            if "qdq_error" in row:
                print(f"zoo: {model.name}: the QDQ form: {row['qdq_error']}", file=sys.stderr)
    print("\n" + summary(done))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(done, indent=1, default=float) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
