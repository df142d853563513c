#!/usr/bin/env python3
"""The table of docs/formats/onnx_export.md, from the exporter's list.

    onnx_exports.py EXPORT.inc PAGE            writes the table into the page
    onnx_exports.py EXPORT.inc PAGE --check    1 if the page has another one
"""
import re
import sys

ROW = re.compile(r'^ONNX_EXPORT\((\w+),\s*\w+,\s*"([^"]*)"\)$')
BEGIN, END = "<!-- the exported operators, by ./dev docs -->\n", "<!-- end of the exported operators -->\n"


def table(path):
    rows = ["| operator | form |", "| --- | --- |"]
    for line in open(path):
        if row := ROW.match(line):
            name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", row[1]).lower()
            rows.append(f"| {name} | {row[2]} |")
        elif line.startswith("ONNX_"):
            sys.exit(f"{path}: not understood: {line}")
    return "\n".join(rows) + "\n"


def main(exports, page, *options):
    text = open(page).read()
    head, rest = text.split(BEGIN)
    current = head + BEGIN + "\n" + table(exports) + "\n" + END + rest.split(END)[1]
    if options == ("--check",):
        if current != text:
            sys.exit(f"{page} is not what the exporter's list says: run ./dev docs")
        return
    with open(page, "w") as file:
        file.write(current)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
