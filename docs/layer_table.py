#!/usr/bin/env python3
"""The table of a format's page, from the list of its importer.

    layer_table.py LIST.inc PAGE            writes the table into the page
    layer_table.py LIST.inc PAGE --check    1 if the page has another one

A row of LIST is MACRO(type, importer); what follows it as a comment goes into the table.
"""
import re
import sys

import generated_table

ROW = re.compile(r"^[A-Z]+_[A-Z]+\((\w+),\s*(\w+)\)(?:\s*// (.*))?$")
BEGIN, END = "<!-- the layers, by ./dev docs -->\n", "<!-- end of the layers -->\n"


def main(layers, page, *options):
    lines = ["| type | what is read |", "| --- | --- |"]
    for row in sorted(generated_table.matches(layers, ROW), key=lambda row: row[1].lower()):
        refused = row[2].startswith("Refuse")
        lines.append(f"| {row[1]} | {row[3] or ('refused' if refused else 'all')} |")
    generated_table.put(page, BEGIN, "\n".join(lines) + "\n", END, options, "the importer's list")


if __name__ == "__main__":
    main(*sys.argv[1:])
