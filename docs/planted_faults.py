#!/usr/bin/env python3
"""The table of planted faults in docs/results/trust.md, from the lists.

    planted_faults.py LIST.toml... PAGE [--check]    writes the table into the page; with --check 1 if the page has another one
"""
import pathlib
import sys
import tomllib

import generated_table

BEGIN, END = "<!-- the planted faults, by ./dev docs -->\n", "<!-- end of the planted faults -->\n"


def table(paths):
    rows = ["| list | faults in | planted | equivalent |", "| --- | --- | --- | --- |"]
    total = equivalent = 0
    for path in sorted(map(pathlib.Path, paths)):
        text = path.read_text()
        about = " ".join(line[2:] for line in text[: text.index("wider")].splitlines() if line.startswith("# "))
        faults = tomllib.loads(text)["mutant"]
        same = sum("equivalent" in fault for fault in faults)
        rows.append(f"| `{path.stem}` | {about.rstrip('.')} | {len(faults)} | {same} |")
        total, equivalent = total + len(faults), equivalent + same
    return "\n".join([*rows, f"| all | | {total:,} | {equivalent} |"]) + "\n"


if __name__ == "__main__":
    options = tuple(argument for argument in sys.argv[1:] if argument == "--check")
    *lists, page = [argument for argument in sys.argv[1:] if argument != "--check"] or sys.exit(__doc__)
    generated_table.put(page, BEGIN, table(lists), END, options, "tools/mutants/lists")
