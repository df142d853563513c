#!/usr/bin/env python3
"""Every measured figure of README is found on a page that its paragraph, list item or table links.

A figure is a number with a unit or a fraction, or one of four digits and more. Code, links and the session are left out: a test of
their own runs them.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]  # resolves the symlinks of Bazel's runfiles
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"\[([^\]]*)\]\(([^()\s#]+)[^()\s]*\)")
FIGURE = re.compile(r"\d[\d,]*\.\d+|\d{1,3}(?:,\d{3})+|\d{3,}|\d+(?= (?:min|ms|%|times))")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def parts(text):
    """Paragraphs, list items and tables with the paragraph before them: what shares its links."""
    text = FENCE.sub("", text)
    return re.split(r"\n(?=- )|\n\n(?!\|)", text)


def pages(part):
    for _, target in LINK.findall(part):
        path = ROOT / target
        if path.suffix == ".md" and path.is_file():
            yield path.read_text()


faults, count = [], 0
for part in parts((ROOT / "README.md").read_text()):
    linked = "\n".join(pages(part))
    words = DATE.sub("", CODE.sub("", LINK.sub(r"\1", part)))
    for figure in FIGURE.findall(words):
        count += 1
        if not re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d]|[.,]\d)", linked):
            faults.append(f"README.md: {figure}: on none of the pages that this part links:\n{part.strip()}\n")
print("\n".join(faults + [f"{count} figures, {len(faults)} without a page"]))
sys.exit(1 if faults or count == 0 else 0)
