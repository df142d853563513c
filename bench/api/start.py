#!/usr/bin/env python3
"""How long tools take for a small module, from start to end: start.py TALLY [OTHER..]. Medians of 100 runs each.

OTHER: more builds of the tool, such as tally_minimal and those of a release, compared in the same run.
"""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITS = ROOT / "examples/receipts/digits"


def measured(*line):
    """Milliseconds of the clock, and of the processor, for one call."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1e3, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def main(tool, *others):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([tool, "quantize", ROOT / "examples/digits/digits.onnx", "-o", "d.tally", "--input-grid", "image=1/16,0,0,16",
                        "--calibration", DIGITS / "calibration.json"], check=True, stdout=subprocess.DEVNULL)
        calls = {"/bin/true": ["/bin/true"]}
        for path in (tool, *others):
            name = os.path.relpath(path, ROOT)
            calls |= {f"{name} --version": [path, "--version"], f"{name} validate": [path, "validate", "d.tally"],
                      f"{name} run": [path, "run", "d.tally", "--input", f"image={DIGITS}/0.npy", "-o", "out"]}
        times = {name: [] for name in calls}
        for _ in range(100):
            for name, line in calls.items():
                times[name].append(measured(*line))
        size = os.path.getsize("d.tally")
    print(f"\na module of {size:,} bytes, from start to end, ms (medians): clock, processor")
    for name, pairs in times.items():
        print(f"  {name:44} {statistics.median(wall for wall, _ in pairs):7.2f} {statistics.median(cpu for _, cpu in pairs):7.2f}")


if __name__ == "__main__":
    main(*(os.path.abspath(tool) for tool in sys.argv[1:]))
