#!/usr/bin/env python3
"""The table of a format's page, from the list of its importer.

    layer_table.py LIST.inc PAGE [EXACT.inc]            writes the table into the page
    layer_table.py LIST.inc PAGE [EXACT.inc] --check    1 if the page has another one

A row of LIST is MACRO(type, importer); what follows it as a comment goes into the table. EXACT lists what is imported among
integers too.
"""
import re
import sys

import generated_table

ROW = re.compile(r"^[A-Z]+_[A-Z]+\((\w+),\s*(\w+)\)(?:\s*// (.*))?$")
BEGIN, END = "<!-- the layers, by ./dev docs -->\n", "<!-- end of the layers -->\n"


def main(layers, page, *options):
    exact = {row[1]: row[3] or "all" for path in options if path.endswith(".inc") for row in generated_table.matches(path, ROW)}
    options = tuple(option for option in options if not option.endswith(".inc"))
    among = lambda text: f" {text} |" if exact else ""
    lines = ["| type | what is read |" + among("among integers"), "| --- | --- |" + among("---")]
    for row in sorted(generated_table.matches(layers, ROW), key=lambda row: row[1].lower()):
        refused = row[2].startswith("Refuse")
        lines.append(f"| {row[1]} | {row[3] or ('refused' if refused else 'all')} |" + among(exact.get(row[1], "")))
    generated_table.put(page, BEGIN, "\n".join(lines) + "\n", END, options, "the importer's list")


if __name__ == "__main__":
    main(*sys.argv[1:])
