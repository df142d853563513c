#!/usr/bin/env python3
"""What a server adds to its runs: bench/server/run_server.py [--requests N] [--json FILE] | --soak SECONDS.

Server and client are on one machine, over loopback, and share its processors. Each request has inputs of its own, the cache of
results is off, and receipts go to SQLite, whose transactions end on the disk. `bare` is the plan alone, called in a loop by the
client; all ways take turns. A write to the disk is measured beside them.
"""

import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TALLY = ROOT / "bazel-bin/cli/tally"
REQUESTS = {"digits": 2000, "mobilenet_v2": 300, "resnet50": 60}  # for each way, in each of five rounds


def run(*line):
    return subprocess.run([str(word) for word in line], check=True, stdout=subprocess.PIPE).stdout


def write_models(folder):
    run(ROOT / "bazel-bin/bench/models/write_models", folder, "mobilenet_v2", "resnet50")
    run(TALLY, "quantize", ROOT / "examples/digits/digits.onnx", "--calibrate", ROOT / "examples/digits/data/calibration.npy",
        "--input-grid", "image=1/16,0,0,16", "-o", folder / "digits.tally", "--quiet")
    for model in REQUESTS:
        (folder / f"{model}.json").write_text(json.dumps({"cache": False}))


def write_to_disk(folder):
    """Microseconds, the median."""
    times = []
    with open(folder / "written", "wb") as file:
        for _ in range(200):
            start = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - start)
    return 1e6 * statistics.median(times)


def measure(requests):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        models = folder / "models"
        models.mkdir()
        write_models(models)
        run(TALLY, "keygen", "-o", folder / "node.key")
        server = subprocess.Popen([TALLY, "serve", "--models", models, "--key", folder / "node.key", "--store", folder / "node.db",
                                   "--http-port", "0", "--grpc-port", "0"], stderr=subprocess.PIPE, encoding="utf-8")
        try:
            listening = {}
            while listening.get("event") != "listening":
                listening = json.loads(server.stderr.readline())
            reports = []
            for model, count in REQUESTS.items():
                said = run(ROOT / "bazel-bin/bench/server/load", listening["http"], listening["grpc"], model, models / f"{model}.tally",
                           requests or count, 16)
                reports.append(json.loads(said))
            return reports, write_to_disk(folder)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int)
    parser.add_argument("--json")
    parser.add_argument("--soak", type=int)
    options = parser.parse_args()
    if options.soak:
        sys.exit(subprocess.run(["bazel", "test", "//tests/server:soak_test", f"--test_env=TALLY_SOAK_SECONDS={options.soak}",
                                 f"--test_timeout={options.soak + 600}", "--test_output=streamed"], cwd=ROOT, check=False).returncode)
    reports, disk = measure(options.requests)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(reports, indent=1) + "\n")
    print("| model | bare | REST | gRPC | receipt | with trace | requests a second |\n| --- | --- | --- | --- | --- | --- | --- |")
    for report in reports:
        bare, rest = report["bare"]["median"], report["rest"]["median"]
        print(f"| {report['model']} | {bare:.0f} us | +{rest - bare:.0f} us | +{report['grpc']['median'] - bare:.0f} us "
              f"| +{report['rest_receipt']['median'] - rest:.0f} us | +{report['rest_trace']['median'] - rest:.0f} us "
              f"| {report['per_second']:.0f} |")
    print(f"\nA write of 4 KiB to this disk takes {disk:.0f} us.")


if __name__ == "__main__":
    main()
