#!/usr/bin/env python3
"""docs/spec/recipes.md lists exactly the rows of ops/table/recipe/functions.inc, in their order.

    recipes_are_listed.py docs/spec/recipes.md ops/table/recipe/functions.inc
"""

import pathlib
import re
import sys

page, table = (pathlib.Path(argument).read_text() for argument in sys.argv[1:])

expected = re.findall(r'^TALLY_RECIPE_FUNCTION\((\d+),\s*\w+,\s*"(\w+)",\s*\d, "(.*)"\)$', table, re.MULTILINE)
assert len(expected) == len(re.findall(r"^TALLY_RECIPE_FUNCTION", table, re.MULTILINE)) > 0, "a row has an unknown form"
listed = re.findall(r"^\| (\d+) \| `(\w+)` \| (.*) \|$", page, re.MULTILINE)
found = [(code, name, text.replace("\\|", "|")) for code, name, text in listed]
print(f"{len(expected)} rows; missing from the page: {[row for row in expected if row not in found]}")
sys.exit(0 if found == expected else 1)
