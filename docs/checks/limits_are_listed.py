#!/usr/bin/env python3
"""docs/spec/limits.md gives the name, the value, who checks it and a reason for every limit in the headers.

    limits_are_listed.py docs/spec/limits.md docs/spec/errors.md HEADER...

The labels with which a limit is checked are labels of errors.md.
"""

import pathlib
import re
import sys

CONSTANT = re.compile(r"^inline constexpr (?:u?int\d+_t|int) (k\w+) =\s+([^;]+);", re.MULTILINE)
ROW = re.compile(r"^\| `(k\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
LABEL = re.compile(r"`([a-z_]+)`")


def value(expression):
    """Integers, 2^n, int64_t{1} << n and sums of them."""
    python = re.sub(r"u?int\d+_t\{(\d+)\}", r"\1", expression).replace("^", "**")
    if not re.fullmatch(r"[\d\s()+*<-]+", python):
        sys.exit(f"not an integer: {expression}")
    return eval(python)


page, errors, *headers = (pathlib.Path(argument).read_text() for argument in sys.argv[1:])
limits = {name: value(text) for header in headers for name, text in CONSTANT.findall(header)}
rows = {name: value(text) for name, text, _, reason in ROW.findall(page) if reason.strip()}
known = set(re.findall(r"^\| `(\w+)` \|", errors, re.MULTILINE))

faults = [f"{name} = {limits[name]} is not listed" for name in limits.keys() - rows.keys()]
faults += [f"{name} is in none of the headers" for name in rows.keys() - limits.keys()]
faults += [f"{name} is {limits[name]}, not {rows[name]}" for name in limits.keys() & rows.keys()
           if limits[name] != rows[name]]
faults += [f"{name}: no label {label}" for name, _, checked, _ in ROW.findall(page)
           for label in LABEL.findall(checked) if label not in known]
print("\n".join(sorted(faults) + [f"{len(limits)} limits, {len(faults)} faults"]))
sys.exit(1 if faults or not limits else 0)
