#!/usr/bin/env python3
"""Prints the minimum and the median of each benchmark from Google Benchmark's JSON on standard input.

Times are of the CPU that the process used, because machines are shared; --wall takes the clock on the wall instead.
"""

import json
import statistics
import sys

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def pretty(nanoseconds):
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= factor:
            return f"{nanoseconds / factor:.2f} {unit}"
    return f"{nanoseconds:.0f} ns"


def main():
    clock = "real_time" if "--wall" in sys.argv[1:] else "cpu_time"
    runs = {}
    output = sys.stdin.read()
    if not output.strip():
        sys.exit("bench: no benchmark matches")
    for run in json.loads(output)["benchmarks"]:
        if run.get("run_type") != "iteration" or "error_message" in run:
            continue
        time = run[clock] * UNITS[run["time_unit"]]
        rate = run.get("bytes_per_second", 0) * (run["cpu_time"] / run[clock])
        runs.setdefault(run["run_name"], []).append((time, rate))
    width = max(map(len, runs), default=9)
    print(f"{'benchmark':<{width}} {'min':>10} {'median':>10} {'GB/s, median':>13}   of {clock.replace('_', ' ')}")
    for name, samples in runs.items():
        times, rates = zip(*samples)
        rate = f"{statistics.median(rates) / 1e9:.2f}" if any(rates) else ""
        print(f"{name:<{width}} {pretty(min(times)):>10} {pretty(statistics.median(times)):>10} {rate:>13}")


if __name__ == "__main__":
    main()
