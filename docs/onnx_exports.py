#!/usr/bin/env python3
"""The table of docs/formats/onnx_export.md, from the exporter's list.

    onnx_exports.py EXPORT.inc PAGE            writes the table into the page
    onnx_exports.py EXPORT.inc PAGE --check    1 if the page has another one
"""
import re
import sys

import generated_table

ROW = re.compile(r'^ONNX_EXPORT\((\w+),\s*\w+,\s*"([^"]*)"\)$')
BEGIN, END = "<!-- the exported operators, by ./dev docs -->\n", "<!-- end of the exported operators -->\n"


def table(path):
    rows = ["| operator | form |", "| --- | --- |"]
    for row in generated_table.matches(path, ROW):
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", row[1]).lower()
        rows.append(f"| {name} | {row[2]} |")
    return "\n".join(rows) + "\n"


def main(exports, page, *options):
    generated_table.put(page, BEGIN, table(exports), END, options, "the exporter's list")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
