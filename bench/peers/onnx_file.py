#!/usr/bin/env python3
"""Any ONNX model through Tally, beside ONNX Runtime on the float file and on a plain QDQ form of it, and OpenCV at 8 bits.

    bench/peers/onnx_file.py TALLY ONNXRUNTIME FILE [--shape NAME=1,3,224,224] [--samples NAME=FILE.npy] [--threads N] [--rounds R]
                             [--json FILE]

TALLY is the tool, ONNXRUNTIME the folder of the npm package onnxruntime-node. Samples have the sample as their first axis; without them
inputs are drawn, which is enough for times and says nothing about accuracy. They take turns; a ratio above 1 says that Tally is ahead.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "zoo"))
import qdq
from runtime import Runtime

DRAWN = 4  # samples, for whoever gives none
RUNS = 5  # in a turn
DTYPES = {onnx.TensorProto.FLOAT: numpy.float32, onnx.TensorProto.INT64: numpy.int64, onnx.TensorProto.INT32: numpy.int32}


def named(pairs):
    return dict(pair.split("=", 1) for pair in pairs)


def inputs_of(graph, shapes):
    """(name, shape, type) of each input that is no constant. Lengths that the file leaves open are those of --shape, or 1."""
    constants = {i.name for i in graph.initializer}
    for value in graph.input:
        if value.name not in constants:
            tensor = value.type.tensor_type
            if tensor.elem_type not in DTYPES:
                raise SystemExit(f"input '{value.name}': its elements are neither float32, int64 nor int32")
            given = shapes.get(value.name)
            dims = [int(length) for length in given.split(",")] if given else [d.dim_value or 1 for d in tensor.shape.dim]
            yield value.name, dims, DTYPES[tensor.elem_type]


def samples_of(inputs, files):
    """By input: an array [samples, *shape]."""
    random = numpy.random.default_rng(1)
    arrays = {}
    for name, dims, dtype in inputs:
        if name in files:
            arrays[name] = numpy.load(files[name]).astype(dtype)
            arrays[name] = arrays[name].reshape([len(arrays[name]), *dims])
        elif dtype == numpy.float32:
            arrays[name] = random.standard_normal([DRAWN, *dims], numpy.float32)
        else:
            arrays[name] = random.integers(0, 10, [DRAWN, *dims]).astype(dtype)
    return arrays


def tally(tool, *arguments):
    done = subprocess.run([tool, *map(str, arguments), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit((done.stderr or done.stdout).strip())
    return json.loads(done.stdout)


def ours(options, arrays, folder):
    """Quantizes the file; a function that runs the module, and gives the least milliseconds of a turn."""
    shapes = [word for shape in options.shape for word in ("--shape", shape)]
    all_samples, one = [], []
    for i, (name, array) in enumerate(arrays.items()):
        numpy.save(folder / f"all{i}.npy", array)
        numpy.save(folder / f"one{i}.npy", array[:1])
        all_samples += ["--calibrate", f"{name}={folder / f'all{i}.npy'}"]
        one += ["--input", f"{name}={folder / f'one{i}.npy'}"]
    made = tally(options.tally, "quantize", options.file, *shapes, *all_samples, "-o", folder / "m.tally")
    run = [options.tally, "run", folder / "m.tally", *one, "--threads", options.threads, "--repeat", RUNS, "-o", folder / "out"]
    return made, lambda: tally(*run)["least_milliseconds"]


def onnx_runtime(options, path, sample, processes):
    """A function that runs the file in ONNX Runtime. Its process joins those that are to be ended."""
    runtime = Runtime(options.onnxruntime)
    processes.append(runtime)
    runtime.open(path, "all", options.threads)
    return lambda: min(runtime.run(sample)[1] for _ in range(RUNS))


def run_once(network, sample):
    """Milliseconds. Inputs are set each time: OpenCV keeps the results of those that it had."""
    for name, array in sample.items():
        network.setInput(array, name if len(sample) > 1 else "")
    start = time.perf_counter()
    network.forward()
    return 1e3 * (time.perf_counter() - start)


def opencv(options, sample):
    """A function that runs what OpenCV's quantizer makes of the file: layers that it has no integers for stay floats."""
    try:
        import cv2
    except ImportError:
        raise RuntimeError("python3-opencv is not installed: ./dev setup zoo") from None
    cv2.setNumThreads(options.threads)
    try:
        network = cv2.dnn.readNetFromONNX(options.file)
        network = network.quantize(list(sample.values()), cv2.CV_32F, cv2.CV_32F)
        run_once(network, sample)
    except cv2.error as error:
        raise RuntimeError(f"OpenCV {cv2.__version__}: {error.err}") from error
    return lambda: min(run_once(network, sample) for _ in range(RUNS))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tally")
    parser.add_argument("onnxruntime")
    parser.add_argument("file")
    parser.add_argument("--shape", action="append", default=[])
    parser.add_argument("--samples", action="append", default=[])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    model = onnx.load(options.file)
    arrays = samples_of(inputs_of(model.graph, named(options.shape)), named(options.samples))
    samples = [{name: array[i] for name, array in arrays.items()} for i in range(min(map(len, arrays.values())))]
    contenders, failures, processes = {}, {}, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made, contenders["tally"] = ours(options, arrays, folder)

        def plain_qdq():
            with Runtime(options.onnxruntime) as observer:
                qdq.write(model, qdq.observe(observer, model, samples, folder), folder / "qdq.onnx")
            return onnx_runtime(options, folder / "qdq.onnx", samples[0], processes)

        peers = {
            "float": lambda: onnx_runtime(options, options.file, samples[0], processes),
            "qdq": plain_qdq,
            "opencv": lambda: opencv(options, samples[0]),
        }
        try:
            for peer, make in peers.items():
                try:
                    contenders[peer] = make()
                except (RuntimeError, ValueError) as error:  # what a peer refuses is a result
                    failures[peer] = str(error).splitlines()[0]
            times = {peer: [] for peer in contenders}
            for turn in range(options.rounds):
                order = list(contenders)[turn % len(contenders):] + list(contenders)[:turn % len(contenders)]
                for peer in order:
                    times[peer].append(contenders[peer]())
        finally:
            for process in processes:
                process.__exit__()
    least = {peer: min(ms) for peer, ms in times.items()}
    print(f"{'':8} {'least ms':>10} {'ratio':>7}")
    for peer, ms in least.items():
        print(f"{peer:8} {ms:10.4f} " + ("" if peer == "tally" else f"{ms / least['tally']:7.2f}"))
    for peer, why in failures.items():
        print(f"{peer:8} has no time: {why}")
    if options.json:
        row = {"file": options.file, "threads": options.threads, "least_ms": least, "failures": failures, "gas": made["gas"]}
        pathlib.Path(options.json).write_text(json.dumps(row, indent=2) + "\n")


if __name__ == "__main__":
    main()
