#!/usr/bin/env python3
"""Receipts a second of audits, on one machine and with Dask and Slurm: bench/audit/run_audit.py [--receipts N] [--million].

The time of `tally audit` is that of the whole command: it reads and checks N receipts, runs each claim, and writes the work
list. What a cluster adds is measured with the same two processors, as the difference for each claim. --million audits 10^6
receipts of the digits model on two threads. --plot FILE draws what more workers give, by bench/audit/simulation.py.
"""

import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import simulation

ROOT = pathlib.Path(__file__).resolve().parents[2]
TALLY = ROOT / "bazel-bin/cli/tally"
COUNTS = {"digits": 20000, "mobilenet_v2": 1000, "resnet50": 400}


def run(*line, **options):
    return subprocess.run([str(word) for word in line], check=True, stdout=subprocess.PIPE, **options).stdout


def timed(*line, **options):
    start = time.monotonic()
    run(*line, **options)
    return time.monotonic() - start


def modules(folder):
    """The files of the three modules."""
    run(ROOT / "bazel-bin/bench/models/write_models", folder, "mobilenet_v2", "resnet50")
    run(TALLY, "quantize", ROOT / "examples/digits/digits.onnx", "--calibrate", ROOT / "examples/digits/data/calibration.npy",
        "--input-grid", "image=1/16,0,0,16", "-o", folder / "digits.tally", "--quiet")
    return {name: folder / f"{name}.tally" for name in COUNTS}


def written(module, count, folder):
    start = time.monotonic()
    run(ROOT / "bazel-bin/bench/audit/write_receipts", module, count, folder)
    return time.monotonic() - start


def audit(folder, threads, *options):
    for path in folder.glob("work.db*"):
        path.unlink()
    return ["taskset", "-c", ",".join(map(str, range(threads))), TALLY, "audit", folder / "receipts", "--store", folder / "store",
            "--key", folder / "node.key.pub", "--work", folder / "work.db", "--threads", threads, "--quiet", *options]


def of_one(folder, line):
    """The same for one receipt: what starting takes."""
    one = folder / "one.txt"
    one.write_text(str(next((folder / "receipts").rglob("*.receipt"))) + "\n")
    return [one if word == folder / "receipts" else word for word in line]


class Dask:
    """A scheduler and a worker of two threads on this machine."""

    def __init__(self, package):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.environment = os.environ | {"PYTHONPATH": str(package), "PATH": f"/usr/bin:{os.environ['PATH']}"}
        self.address = f"tcp://127.0.0.1:{self.port}"

    def start(self, *line):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(["/usr/bin/python3", "-m", *line], env=self.environment, **quiet)

    def __enter__(self):
        self.processes = [self.start("distributed.cli.dask_scheduler", "--port", str(self.port), "--no-dashboard"),
                          self.start("distributed.cli.dask_worker", self.address, "--nthreads", "2", "--no-dashboard", "--no-nanny")]
        time.sleep(4)
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def package_in(folder):
    """The package of Python, as it is installed."""
    package = folder / "package"
    shutil.copytree(ROOT / "api/python/tally", package / "tally")
    shutil.copy(ROOT / "bazel-bin/api/python/_native.so", package / "tally/_native.so")
    return package


def with_dask(folder, package):
    """Seconds of an audit by two threads of a worker, and of the same command for one claim, which is what starting takes."""
    try:
        run("/usr/bin/python3", "-c", "import distributed, numpy", stderr=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        return None
    with Dask(package) as cluster:
        options = ["--dask", cluster.address]
        start = timed(*of_one(folder, audit(folder, 2, *options)), env=cluster.environment)
        return timed(*audit(folder, 2, *options), env=cluster.environment), start


def with_shards(folder, threads):
    """Seconds to write shards, to audit them in jobs one after another, and to merge: what Slurm adds to is the middle."""
    shards = folder / "shards"
    shutil.rmtree(shards, ignore_errors=True)
    write = timed(*audit(folder, threads, "--shards", shards))
    jobs = 0.0
    for shard in sorted(shards.glob("*.claims")):
        jobs += timed(TALLY, "audit-shard", shard, "--store", folder / "store", "--threads", threads, "--quiet")
    merge = timed(TALLY, "audit", folder / "receipts", "--store", folder / "store", "--key", folder / "node.key.pub", "--work",
                  folder / "work.db", "--threads", threads, "--merge", shards, "--quiet")
    return write, jobs, merge


def measure(name, module, count, folder, package):
    place = folder / name
    written(module, count, place)
    row = {"model": name, "receipts": count}
    for threads in (1, 2):
        best = min(timed(*audit(place, threads)) for _ in range(3))
        row[f"seconds_{threads}"] = best
        row[f"rate_{threads}"] = count / best
    dask = with_dask(place, package)
    if dask is None:
        print("bench: Dask is skipped: python3-distributed is not installed: ./dev setup cluster", file=sys.stderr)
    else:
        row["dask_seconds"], row["dask_start"] = dask
        row["start"] = timed(*of_one(place, audit(place, 2)))
        row["dask_micros"] = 1e6 * (dask[0] - dask[1] - (row["seconds_2"] - row["start"])) / count
    row["shards_write"], row["shards_jobs"], row["shards_merge"] = with_shards(place, 2)
    shards = sum(row[key] for key in ("shards_write", "shards_jobs", "shards_merge"))
    row["shards_micros"] = 1e6 * (shards - row["seconds_2"]) / count
    shutil.rmtree(place)
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--receipts", type=int, help="of each model, instead of those that take some seconds")
    parser.add_argument("--million", action="store_true", help="audit 10^6 receipts of the digits model on two threads")
    parser.add_argument("--products", action="store_true", help="what a check of products takes beside the run")
    parser.add_argument("--folder", help="where receipts are written; a million needs 20 GB")
    parser.add_argument("--plot", help="SVG of the simulation to 100 workers")
    parser.add_argument("--json", help="file for the figures")
    options = parser.parse_args()
    if options.products:
        print(run(ROOT / "bazel-bin/bench/audit/product_costs").decode(), end="")
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        folder = pathlib.Path(temporary)
        files, package = modules(folder), package_in(folder)
        if options.million:
            count = options.receipts or 10**6
            made = written(files["digits"], count, folder / "many")
            took = timed(*audit(folder / "many", 2, "--lines", folder / "lines"))
            print(f"{count} receipts of digits: written in {made:.0f} s, audited in {took:.0f} s on two threads, "
                  f"{count / took:.0f} a second")
            return
        rows = []
        print(f"{'model':14} {'receipts':>8} {'1 core':>9} {'2 cores':>9} {'Dask, us':>9} {'shards, us':>10}")
        for name, count in COUNTS.items():
            row = measure(name, files[name], options.receipts or count, folder, package)
            rows.append(row)
            dask = row.get("dask_micros", float("nan"))
            print(f"{name:14} {row['receipts']:8} {row['rate_1']:7.1f}/s {row['rate_2']:7.1f}/s {dask:9.1f} {row['shards_micros']:10.1f}",
                  flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    if options.plot:
        simulation.plot(rows, options.plot)


if __name__ == "__main__":
    main()
