#!/usr/bin/env python3
"""Writes the section Read set of every operator's page, from the column reads of its row and the table of expansions.

    read_sets.py opcodes.json [--check]
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).absolute().parents[1]
HEADING = "### Read set\n"
REACH = {"nothing": "nothing", "one": "one element", "named": "few elements", "many": "many elements"}


def section(operator):
    reads = operator["reads"]
    lines = [f"- {{}}: {REACH[reach]}{'' if reach == 'nothing' else ', ' + what}" for reach, what in reads]
    if len(reads) == 1:
        lines = [lines[0].format("each operand" if operator["operands"][1] > 1 else "the operand")]
    else:
        lines = [line.format(f"operand {k}") for k, line in enumerate(lines, 1)]
    text = HEADING + "\n" + "\n".join(lines or ["It has no operands."]) + "\n\n"
    if operator["expansion"] is not None:
        text += f"[Expansion](../../docs/spec/expansion.md#{operator['name']}): {operator['expansion']}.\n\n"
    return text


def with_sections(text, operators):
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    for i, part in enumerate(parts):
        name = re.match(r"## (\w+)\n", part)
        if name is None or name[1] not in operators:
            continue
        part = re.sub(re.escape(HEADING) + r".*?(?=^### )", "", part, flags=re.MULTILINE | re.DOTALL)
        place = part.index("### Gas\n")
        parts[i] = part[:place] + section(operators.pop(name[1])) + part[place:]
    return "".join(parts)


def main(table, check):
    operators = {operator["name"]: operator for operator in json.loads(pathlib.Path(table).read_text())["operators"]}
    stale = []
    for page in sorted(ROOT.glob("ops/*/spec.md")):
        text = page.read_text()
        current = with_sections(text, operators)
        if current != text:
            stale.append(str(page.relative_to(ROOT)))
            if not check:
                page.write_text(current)
    if operators:
        sys.exit(f"no page has {', '.join(operators)}")
    if check and stale:
        sys.exit(f"not what the rows say, run ./dev docs: {', '.join(stale)}")


main(sys.argv[1], "--check" in sys.argv)
