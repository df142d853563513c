#!/usr/bin/env python3
"""docs/spec/errors.md lists exactly the rows of vm/errors.inc, by stage and in their order.

    errors_are_listed.py docs/spec/errors.md vm/errors.inc
"""

import pathlib
import re
import sys

page, table = (pathlib.Path(argument).read_text() for argument in sys.argv[1:])

expected = re.findall(r'^TALLY_ERROR\((\w+),\s*(\w+),\s*"([^"]*)"\)$', table, re.MULTILINE)
assert len(expected) == len(re.findall(r"^TALLY_ERROR", table, re.MULTILINE)) > 0, "a row has an unknown form"

listed = []
stage = ""
for line in page.splitlines():
    if heading := re.match(r"#+ (.*)", line):
        stage = heading[1]
    elif row := re.match(r"\| `(\w+)` \| (.*) \|$", line):
        listed.append((stage, row[1], row[2]))

missing = [row for row in expected if row not in listed]
unknown = [row for row in listed if row not in expected]
print(f"{len(expected)} rows; missing from the page: {missing}; not in errors.inc: {unknown}")
sys.exit(0 if listed == sorted(expected, key=lambda row: ["malformed", "invalid", "refused"].index(row[0])) else 1)
