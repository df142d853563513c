#!/usr/bin/env python3
"""Comments stop at 110 columns and none begins with "Of"; lines of documents stop at 140.

A message that says that something "is none" gives neither the value found nor what would be right, so none may.

Left out: what is indented within a comment, which is code or a table; tables and code of documents; words that are longer themselves.
"""

import re
import sys

from source_tree import ROOT, files

COMMENT_COLUMNS, DOCUMENT_COLUMNS = 110, 140
MARKS = {".cc": "//", ".h": "//", ".inc": "//", ".cu": "//", ".mjs": "//", ".sol": "//",
         ".py": "#", ".bzl": "#", ".sh": "#", ".toml": "#"}
NAMES = {"BUILD": "#", "dev": "#", "lint": "#", "run": "#"}
VAGUE_MESSAGE = re.compile(r'"[^"]*\b(is|are) none\b[^"]*"')
FENCE = re.compile(r"^\s*(```|~~~)")


def comment_faults(lines, mark):
    whole = re.compile(rf"^\s*{mark}( ?)(\s*)(.*)$")
    after_code = re.compile(rf"^.*\S\s+{mark} [oO]f\b")
    within = False
    for number, line in enumerate(lines, 1):
        comment = whole.match(line)
        if comment and not line.startswith("#!"):
            _, indented, text = comment.groups()
            if len(line) > COMMENT_COLUMNS and not indented and " " in text:
                yield number, f"a comment of {len(line)} columns"
            if text.startswith("Of ") and not within:
                yield number, 'a comment begins with "Of": name what is'
            within = True
            continue
        within = False
        if mark == "//" and VAGUE_MESSAGE.search(line.split(" // ")[0]):
            yield number, 'a message says that something "is none": give the value found and what would be right'
        if after_code.match(line) and line.count('"') % 2 == 0:
            yield number, 'a comment begins with "of": name what is'


def document_faults(lines):
    fenced = False
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            fenced = not fenced
        elif len(line) > DOCUMENT_COLUMNS and not fenced and not line.startswith(("|", "    ", "<")):
            yield number, f"a line of {len(line)} columns"


faults, count = [], 0
for path in files():
    mark = MARKS.get(path.suffix) or NAMES.get(path.name)
    if mark is None and path.suffix != ".md":
        continue
    lines = path.read_text().splitlines()
    count += len(lines)
    for number, fault in comment_faults(lines, mark) if mark else document_faults(lines):
        faults.append(f"{path.relative_to(ROOT)}:{number}: {fault}")
print("\n".join(faults + [f"{count} lines, {len(faults)} faults"]))
sys.exit(1 if faults or count == 0 else 0)
