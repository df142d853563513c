#!/usr/bin/env python3
"""The zoo: real models through `tally quantize` and `run`, beside ONNX Runtime on the float model and on a plain QDQ form.

    bench/zoo/zoo.py TALLY ONNXRUNTIME CACHE [--only NAME ...] [--tune] [--json FILE]

TALLY is the tool, ONNXRUNTIME the folder of the npm package onnxruntime-node, CACHE a folder for what is fetched. Prints a table. What can't
be fetched is left out, and named. All dB and metrics are of samples that no calibration has seen: of ONNX beside ONNX Runtime's float
results, of other formats beside Tally's own.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import fetch
import metrics
import numpy
import onnx
import qdq
import table
from models import BY_NAME, MODELS, SET_APART
from runtime import Runtime
from samples import samples_of

HELD_OUT = 4  # one of so many samples


class Tools:
    """Runs float models of the zoo for the samples of others, and says which samples are held out."""

    def __init__(self, runtime, cache):
        self.runtime, self.cache = runtime, cache

    def open(self, name):
        self.runtime.open(fetch.model_file(BY_NAME[name], self.cache))

    def run(self, inputs):
        return self.runtime.run(inputs)[0]

    @staticmethod
    def is_held_out(sample):
        return sample % (HELD_OUT + 1) == 0


def shape_options(model):
    """The options of `tally` that close what the file leaves open."""
    options = [option for name, shape in model.shapes.items() for option in ("--shape", f"{name}={','.join(map(str, shape))}")]
    return options + [option for name, value in model.fix.items() for option in ("--fix", f"{name}={value}")]


def shapes_of(tool, model, path):
    """The shapes of the inputs that samples fill, by name; Tally reads those of other formats than ONNX."""
    if path.suffix != ".onnx":
        said = tally(tool, "check", path, *shape_options(model))["inputs"]
        parts = [re.fullmatch(r"(.*) \w+\[(.*)\]", text).groups() for text in said]
        return {name: tuple(int(length) for length in dims.split(",")) for name, dims in parts}
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
        numpy.save(path, numpy.ascontiguousarray(array[numbers]))
        given += ["--input", f"{name}={path}"]
    told = tally(tool, "run", module, *given, "--float", "--threads", "1", "--repeat", "5", "-o", folder / "out")
    results = [numpy.load(result["file"]) for result in told["results"]]
    return [[array[i] for array in results] for i in range(len(numbers))], told["least_milliseconds"]


def qdq_results(runtime, path, seen, tests, folder):
    """The results of a plain QDQ form, a dict for each test."""
    float_model = onnx.load(str(path))
    qdq.write(float_model, qdq.observe(runtime, float_model, seen, folder), folder / "qdq.onnx")
    # As it is written: what its optimizer adds needs newer operators than some models have.
    runtime.open(folder / "qdq.onnx", "disabled")
    return [runtime.run(test)[0] for test in tests]


def beside_onnx_runtime(model, runtime, path, seen, tests, folder):
    """The results of ONNX Runtime's floats and of the QDQ form, if there is one, and a row of what they took."""
    runtime.open(path)
    by_float, ms = [], []
    for test in tests:
        by_float.append(runtime.run(test)[0])
        ms.append(min(runtime.run(test)[1] for _ in range(3)))
    row = {"ms_float": float(numpy.median(ms))}
    by_qdq = None
    try:
        by_qdq = qdq_results(runtime, path, seen, tests, folder)
        row["qdq_metric"] = metrics.kept(by_float, by_qdq, model.metric)
    except Exception as error:  # what its libraries refuse is a result of this row
        row["qdq_error"] = str(error).splitlines()[0]
    return by_float, by_qdq, row


def least_db(outputs):
    """The dB of the worst of these outputs of `tally compare`. None where no output varies."""
    varying = [o for o in outputs if o["varies"]]
    return min((o["sqnr_db"] for o in varying if o["sqnr_db"] is not None), default=numpy.inf) if varying else None


def measure(model, tool, runtime, cache, folder):
    path = fetch.model_file(model, cache)
    row = {"name": model.name, "format": path.suffix[1:], "set_apart": model.name in SET_APART}
    shapes = shapes_of(tool, model, path)
    total = model.count + model.count // HELD_OUT
    tools = Tools(runtime, cache)
    kind = numpy.uint8 if model.pixels else numpy.float32
    arrays = {name: array.astype(kind) for name, array in samples_of(model, shapes, total, tools).items()}
    unseen = [i for i in range(total) if tools.is_held_out(i)]
    seen = [i for i in range(total) if not tools.is_held_out(i)]
    row["samples"] = len(unseen)

    def given(option, numbers):
        said = []
        for i, (name, array) in enumerate(arrays.items()):
            numpy.save(folder / f"{option}{i}.npy", array[numbers])
            said += [f"--{option}", f"{name}={folder / f'{option}{i}.npy'}"]
        return said

    by_float = None
    if path.suffix == ".onnx":
        fixed = {name: numpy.array(value, numpy.int64) for name, value in model.fix.items()}
        known, tests = ([{**sample, **fixed} for sample in rows(arrays, shapes, numbers)] for numbers in (seen, unseen))
        by_float, by_qdq, more = beside_onnx_runtime(model, runtime, path, known, tests, folder)
        row |= more

    options = shape_options(model)
    calibration = given("calibrate", seen)
    start = time.monotonic()
    made = tally(tool, "quantize", path, *options, *calibration, "-o", folder / "m.tally")
    row["seconds"] = time.monotonic() - start
    tally(tool, "quantize", path, *options, *calibration, "--target-sqnr", "0", "-o", folder / "narrow.tally")

    def beside(module):
        results, ms = run_module(tool, folder / module, arrays, shapes, unseen, folder)
        outputs = tally(tool, "compare", path, folder / module, *options, *given("samples", unseen))["accuracy"]["outputs"]
        if by_float is None:
            return least_db(outputs), None, ms
        # In the order of the float model, as names may have been shortened.
        names = list(by_float[0])
        varying = [name for name, output in zip(names, outputs) if output["varies"]]
        named = [{name: array.reshape(wanted[name].shape) for name, array in zip(names, lists)}
                 for wanted, lists in zip(by_float, results)]
        if by_qdq is not None:
            row["qdq_db"] = metrics.sqnr_db(by_float, by_qdq, varying)
        return metrics.sqnr_db(by_float, named, varying), metrics.kept(by_float, named, model.metric), ms

    row["narrow_db"], _, row["narrow_ms"] = beside("narrow.tally")
    row["db"], row["metric"], row["ms"] = beside("m.tally")
    return row | {"gas": made["gas"], "precision": made["precision"], "verdict": made["verdict"], "sqnr": made.get("sqnr")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tally")
    parser.add_argument("onnxruntime")
    parser.add_argument("cache")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--tune", action="store_true", help="leave out what is set apart: for whoever chooses a default")
    parser.add_argument("--json")
    options = parser.parse_args()
    chosen = [m for m in MODELS if (not options.only or m.name in options.only) and not (options.tune and m.name in SET_APART)]
    done = []
    print(table.HEAD, flush=True)
    with Runtime(options.onnxruntime) as runtime:
        for model in chosen:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    row = measure(model, options.tally, runtime, options.cache, pathlib.Path(folder))
                except fetch.NoNetwork as error:
                    print(f"zoo: {model.name} is left out, as it can't be fetched: {error}", file=sys.stderr)
                    continue
                except RuntimeError as error:
                    row = {"name": model.name, "set_apart": model.name in SET_APART, "error": str(error)}
            done.append(row)
            print(table.line(row), flush=True)
            if "qdq_error" in row:
                print(f"zoo: {model.name}: the QDQ form: {row['qdq_error']}", file=sys.stderr)
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(done, indent=1, default=float) + "\n")
    if done:
        print("\n" + table.summary(done))
    return 0


if __name__ == "__main__":
    sys.exit(main())
