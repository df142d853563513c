#!/usr/bin/env python3
"""Measures the trained networks of the examples, and writes the table of docs/results/trained_models.md.

    ./dev build //cli:tally
    examples/measure.py "MACHINE, AND WHAT ELSE RAN"   # some minutes

Nothing else in the page is changed. Exit code 1 where a network loses more than trained_models.py allows it; the table is written all
the same.
"""

import os
import pathlib
import sys
import tempfile

import result_table
from trained_models import NETWORKS, PERPLEXITY, measure, milliseconds

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/results/trained_models.md"
TALLY = ROOT / "bazel-bin/cli/tally"
BEGIN, END = "<!-- the table, by examples/measure.py -->", "<!-- end of the table -->"
TIMED_RUNS = 5  # per sample
HEAD = """\
| network | held out | metric | float | integer | lost | agreement | SQNR, dB | float file | module | gas | ms |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def row(network, cost, median, least):
    unit, decimals, change = ("", 3, "%") if network.metric == PERPLEXITY else (" %", 2, "points")
    return (
        f"| `{network.name}` | {cost.samples} | {network.metric} "
        f"| {cost.float_metric:.{decimals}f}{unit} | {cost.module_metric:.{decimals}f}{unit} "
        f"| {cost.lost:+.2f} {change} of {network.most_lost:g} | {cost.agreement:.2f} % | {cost.sqnr_db:.1f} "
        f"| {cost.float_bytes:,} | {cost.module_bytes:,} | {cost.gas:,} | {median:.3f}, {least:.3f} |\n"
    )


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rows, beyond = "", []
    with tempfile.TemporaryDirectory() as folder:
        for network in NETWORKS.values():
            module = os.path.join(folder, "module.tally")
            cost = measure(str(TALLY), network, module)
            rows += row(network, cost, *milliseconds(str(TALLY), network, module, TIMED_RUNS))
            print(rows.splitlines()[-1], flush=True)
            if not network.keeps(cost):
                beyond.append(network.name)
    what = "".join(f"- `{network.name}`: {network.what}.\n" for network in NETWORKS.values())
    result_table.put(PAGE, BEGIN, END, sys.argv[1], f"{HEAD}{rows}\n{what}")
    if beyond:
        sys.exit("lose more than they may: " + ", ".join(beyond))


if __name__ == "__main__":
    main()
