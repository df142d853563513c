#!/usr/bin/env python3
"""Every block that says which file it quotes, such as ```cpp quote ops/layout/attrs.h, is in that file."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]  # resolves the symlinks of Bazel's runfiles
QUOTE = re.compile(r"^```\w+ quote (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def plain(text):
    """Columns may be aligned in another way than in the file."""
    return re.sub(r"[ \t]+", " ", text)


faults, count = [], 0
for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
    for name, text in QUOTE.findall(page.read_text()):
        count += 1
        if plain(text) not in plain((ROOT / name).read_text()):
            faults.append(f"{page.relative_to(ROOT)}: not in {name}:\n{text}")
print("\n".join(faults + [f"{count} quotes, {len(faults)} of them stale"]))
sys.exit(1 if faults or count == 0 else 0)
