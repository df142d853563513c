#!/usr/bin/env python3
"""The table of docs/platforms.md, from the rows that tools/package/check_release has found: platforms_table.py ROWS PAGE."""

import pathlib
import sys

import generated_table

BEGIN, END = "<!-- the table, by ./dev release --check -->", "<!-- end of the table -->"

if __name__ == "__main__":
    rows, page = sys.argv[1:]
    table = "\n| file | where | |\n| --- | --- | --- |\n" + pathlib.Path(rows).read_text()
    generated_table.put(page, BEGIN, table, END, (), "./dev release --check")
