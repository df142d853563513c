#!/usr/bin/env python3
"""Every field of the schema is read somewhere: what a file says is never left out in silence."""

import pathlib
import re
import sys

here = pathlib.Path(__file__).parent
schema = (here / "schema" / "coreml.proto").read_text(encoding="utf-8")
code = "".join(path.read_text(encoding="utf-8") for path in here.iterdir() if path.suffix in (".h", ".cc"))

# Names of a pipeline's models say nothing, and ranks of inputs are those of results before.
UNREAD = {"names", "input_tensor"}

fields = set()
for line in schema.splitlines():
    field = re.match(r"\s+(?:repeated )?([\w.]+) (\w+) = \d+(?: \[.*\])?;", line)
    if field and field[1] != "Empty":  # those are layers without fields
        fields.add(field[2])
read = {field for field in fields if re.search(rf"\b(?:has_|mutable_)?{field}\(|\bk{field.title().replace('_', '')}\b|{field}_(?:size|case)\(", code)}
missing = sorted(fields - read - UNREAD)
stale = sorted(UNREAD & read)
print(f"{len(fields)} names of fields, of which {len(UNREAD)} are not read")
for name in missing:
    print(f"{name}: no importer reads it")
for name in stale:
    print(f"{name}: it is read, and listed as if it were not")
sys.exit(1 if missing or stale or len(fields) < 150 else 0)
