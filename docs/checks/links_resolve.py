#!/usr/bin/env python3
"""Every relative link and anchor in the Markdown files of the source tree resolves.

So does every page that they or the source comments mention, such as docs/spec/types.md#storage.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from source_tree import ROOT, files  # noqa: E402

SOURCES = {".bzl", ".cc", ".h", ".inc", ".py"}

FENCE = re.compile(r"^( {0,3})(```+|~~~+).*?^ {0,3}\2[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^()<>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?(\S+?)>?\s*$", re.MULTILINE)
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$", re.MULTILINE)
MENTION = re.compile(r"\b((?:docs|ops)/[\w/.-]+\.md)(#[\w-]+)?")


def slug(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(path):
    seen = {}
    for heading in HEADING.findall(FENCE.sub("", path.read_text())):
        name = slug(heading)
        count = seen.get(name, 0)
        seen[name] = count + 1
        yield f"{name}-{count}" if count else name


def fault(source, target):
    """What is wrong with `target` as written in `source`, or None."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None  # another site
    name, _, anchor = target.partition("#")
    path = (source.parent / name).resolve() if name else source
    if not path.exists() or ROOT not in [path, *path.parents]:
        return "no such file"
    if anchor and (path.suffix != ".md" or anchor not in anchors(path)):
        return "no such anchor"
    return None


def targets(path):
    """(where to resolve from, target) of everything in `path` that should resolve."""
    text = path.read_text()
    if path.suffix == ".md":
        prose = CODE_SPAN.sub("", FENCE.sub("", text))
        for target in LINK.findall(prose) + DEFINITION.findall(prose):
            yield path, target
        text = LINK.sub("", text)
    for name, anchor in MENTION.findall(text):
        yield ROOT / "README.md", name + anchor


def main():
    faults, count = [], 0
    for path in files(SOURCES | {".md"}):
        for source, target in targets(path):
            count += 1
            problem = fault(source, target)
            if problem:
                faults.append(f"{path.relative_to(ROOT)}: {target}: {problem}")
    print("\n".join(faults + [f"{count} links, {len(faults)} broken"]))
    return 1 if faults or count == 0 else 0


sys.exit(main())
