#!/usr/bin/env python3
"""Runs a Google Benchmark program and prints the minimum and the median of each benchmark:

    bench/summarize.py PROGRAM [--wall] [--json FILE] [FLAGS OF THE PROGRAM]

Times are of the CPU that the process used, because machines are shared; --wall takes the clock on the wall instead. What is
measured goes by on standard error.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
REPETITIONS = 9


def pretty(nanoseconds):
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= factor:
            return f"{nanoseconds / factor:.2f} {unit}"
    return f"{nanoseconds:.0f} ns"


def run(program, flags, path):
    """Leaves the program's report in the file `path`; shows which benchmark it is at."""
    command = [program, f"--benchmark_repetitions={REPETITIONS}", f"--benchmark_out={path}",
               "--benchmark_out_format=json", "--benchmark_color=false", *flags]
    shows = sys.stderr.isatty()
    done = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if shows else None,
                          text=True) as process:
        for line in process.stdout:
            if shows and "/repeats:" in line:
                done += 1
                print(f"\r\x1b[K{done} runs, {line.split('/repeats:')[0].strip()}", end="", file=sys.stderr, flush=True)
        if shows:
            print("\r\x1b[K", end="", file=sys.stderr)
    return process.returncode


def machine(context):
    load = ", ".join(f"{value:.1f}" for value in context.get("load_avg", []))
    caches = ", ".join(f"L{c['level']} {c['size'] // 1024} KiB" for c in context.get("caches", []) if c["type"] != "Instruction")
    return f"processor:  {context['num_cpus']} of {context['mhz_per_cpu']} MHz, {caches}; load {load}"


def table(report, clock):
    runs = {}
    for sample in report["benchmarks"]:
        if sample.get("run_type") != "iteration" or "error_message" in sample:
            continue
        time = sample[clock] * UNITS[sample["time_unit"]]
        rate = sample.get("bytes_per_second", 0) * (sample["cpu_time"] / sample[clock])
        runs.setdefault(sample["run_name"], []).append((time, rate))
    width = max(map(len, runs), default=9)
    yield f"{'benchmark':<{width}} {'min':>10} {'median':>10} {'GB/s, median':>13}   of {clock.replace('_', ' ')}"
    for name, samples in runs.items():
        times, rates = zip(*samples)
        rate = f"{statistics.median(rates) / 1e9:.2f}" if any(rates) else ""
        yield f"{name:<{width}} {pretty(min(times)):>10} {pretty(statistics.median(times)):>10} {rate:>13}"


def main():
    program, *flags = sys.argv[1:]
    clock = "real_time" if "--wall" in flags else "cpu_time"
    flags = [flag for flag in flags if flag != "--wall"]
    copy = None
    if "--json" in flags:
        at = flags.index("--json")
        copy = flags[at + 1]
        del flags[at:at + 2]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        if status := run(program, flags, path):
            sys.exit(f"bench: {os.path.basename(program)} ended with {status}")
        with open(path) as file:
            text = file.read()
        if not text.strip():
            sys.exit("bench: no benchmark matches")
        if copy:
            shutil.copyfile(path, copy)
    report = json.loads(text)
    print(machine(report["context"]))
    for line in table(report, clock):
        print(line)


if __name__ == "__main__":
    main()
