#!/usr/bin/env python3
"""Writes the table of all operators by their gas rule into docs/spec/gas.md, from the column gas of their rows.

    gas_rules.py opcodes.json PAGE            writes the table
    gas_rules.py opcodes.json PAGE --check    1 if the page has another one
"""

import json
import sys

import generated_table

BEGIN, END = "<!-- the rules, by ./dev docs -->\n", "<!-- end of the rules -->\n"


def main(table, page, *options):
    operators = {}
    for operator in json.load(open(table))["operators"]:
        operators.setdefault(operator["gas"], []).append(f"`{operator['name']}`")
    lines = ["| rule | operators |", "| --- | --- |"]
    lines += [f"| `{rule}` | {', '.join(names)} |" for rule, names in sorted(operators.items())]
    generated_table.put(page, BEGIN, "\n".join(lines) + "\n", END, options, "the column gas of the rows")


main(*sys.argv[1:])
