#!/usr/bin/env python3
"""Every test that docs/compatibility_cvm.md names is a case of a test file in frontends/cvm, and every case of
compatibility_test.cc stands in the page.

    compatibility_tests_exist.py
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]  # resolves the symlinks of Bazel's runfiles
TESTS = ROOT / "frontends/cvm"
DEFAULT = "compatibility_test.cc"


def cases(file):
    return set(re.findall(r"^TEST\(\w+, (\w+)\)", (TESTS / file).read_text(), re.MULTILINE))


named = set()
for line in (ROOT / "docs/compatibility_cvm.md").read_text().splitlines():
    if cell := re.match(r"\| .* \| (?:`(\w+\.cc)` )?([A-Z]\w+) \|$", line):
        named.add((cell[1] or DEFAULT, cell[2]))

missing = [f"{file}: {case}" for file, case in sorted(named) if case not in cases(file)]
unlisted = sorted(cases(DEFAULT) - {case for file, case in named if file == DEFAULT})
print(f"{len(named)} cases are named; not there: {missing}; not in the page: {unlisted}")
sys.exit(1 if missing or unlisted or not named else 0)
