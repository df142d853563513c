#!/usr/bin/env python3
"""Every measured figure of README is once more on a page that its paragraph, list item or table links, and on no other.

"N points at most" is the largest loss of a table on the page that is linked.

A figure is a number with a fraction, with thousands, of three digits and more, or before a unit. Code, dates, versions and the session
are left out: a test of its own runs the session.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]  # resolves the symlinks of Bazel's runfiles
sys.path.insert(0, str(ROOT / "tools"))
from source_tree import files  # noqa: E402

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^\]]*)\]\(([^()\s#]+)[^()\s]*\)")
NO_FIGURE = re.compile(r"`[^`]*`|\d{4}-\d{2}-\d{2}|\d+\.\d+\.\d+")
FIGURE = re.compile(r"\d[\d,]*\.\d+|\d{1,3}(?:,\d{3})+|\d{3,}|\d+(?= (?:min|ms|s|%|times)\b)")

MOST = re.compile(r"(\d+\.\d+) points at most")
LOSS = re.compile(r"\| ([+-]\d+\.\d+) points of ")


def parts(text):
    """What shares its links: paragraphs, list items, and tables with the paragraph before them."""
    return re.split(r"\n(?=- )|\n\n(?!\|)", FENCE.sub("", text))


def has(page, figure):
    return re.search(rf"(?<![\d.,]){re.escape(figure)}(?!\d|[.,]\d)", page) is not None


pages = {path: path.read_text() for path in files({".md"}) if path != ROOT / "README.md"}
faults, count = [], 0
for part in parts((ROOT / "README.md").read_text()):
    linked = {ROOT / target for _, target in LINK.findall(part)}
    words = NO_FIGURE.sub("", LINK.sub(lambda link: link[1] if link[2].endswith(".md") else "", part))
    for figure in MOST.findall(words):
        count += 1
        largest = max((float(loss) for page in linked & pages.keys() for loss in LOSS.findall(pages[page])), default=None)
        if largest != float(figure):
            faults.append(f"README.md: {figure} points are the most that is lost, and the page that is linked has {largest}:\n{part.strip()}\n")
    for figure in FIGURE.findall(MOST.sub("", words)):
        count += 1
        homes = {path for path, page in pages.items() if has(page, figure)}
        if len(homes) != 1 or not homes <= linked:
            where = ", ".join(sorted(str(path.relative_to(ROOT)) for path in homes)) or "no page"
            faults.append(f"README.md: {figure} is on {where}, and is to be on one page that this part links:\n{part.strip()}\n")
print("\n".join(faults + [f"{count} figures, {len(faults)} out of place"]))
sys.exit(1 if faults or count == 0 else 0)
