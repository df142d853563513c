#!/usr/bin/env python3
"""What a call through the Python package costs beside the plan alone: python_calls.py NATIVE TALLY FIGURES.json.

FIGURES.json is that of run_api, in the same run: the same module, called from C++.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import timeit

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = 'tally 1\nprofile core\nparam %0 "x" [16] in [-100, 100]\n%1 = negative %0\nresult %1 "y"\n'


def main(native, tool, figures):
    import numpy

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        shutil.copytree(ROOT / "api/python/tally", folder / "tally")
        shutil.copy(native, folder / "tally/_native.so")
        sys.path.insert(0, temporary)
        import tally

        (folder / "m.tallytxt").write_text(MODULE)
        subprocess.run([tool, "asm", folder / "m.tallytxt", "-o", folder / "m.tally"], check=True, stdout=subprocess.PIPE)
        plan = tally.load(folder / "m.tally").plan()
        x, y = numpy.zeros(16, numpy.int8), numpy.zeros(16, numpy.int8)
        alone = next(row["us"] for row in json.loads(pathlib.Path(figures).read_text())["results"] if "call" in row)
        calls = {
            "plan(x)": lambda: plan(x),
            'plan.run({"x": x})': lambda: plan.run({"x": x}),
            'plan.run({"x": x}, out={"y": y})': lambda: plan.run({"x": x}, out={"y": y}),
        }
        print("\ncalls from Python, us of one (median); above: beside the plan alone")
        for name, call in calls.items():
            us = statistics.median(timeit.repeat(call, number=5000, repeat=15)) / 5000 * 1e6
            print(f"  {name:34} {us:8.3f}  above {us - alone:7.3f}")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(*sys.argv[1:])
