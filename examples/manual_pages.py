"""The prose of manual pages: paragraphs without the commands, tables and examples of roff."""

import gzip
import pathlib
import re
import sys

# Between these, a page has examples and tables.
BEGINS, ENDS = {".nf", ".EX", ".TS"}, {".fi", ".EE", ".TE"}
BREAKS = {".PP", ".P", ".LP", ".SH", ".SS", ".TP", ".IP", ".RS", ".RE", ".HP", ".SY", ".YS", ".br", ".sp"}
ESCAPES = [
    (re.compile(r'\\".*'), ""),  # a comment
    (re.compile(r"\\f(?:\[[^]]*\]|\(..|.)"), ""),  # a change of font
    (re.compile(r"\\s[+-]?\d"), ""),  # a size
    (re.compile(r"\\\*\(C\+"), "C++"),
    (re.compile(r"\\\*\([LR]\""), '"'),
    (re.compile(r"\\\((?:aq|cq|oq)|\\\[(?:aq|cq|oq)\]"), "'"),
    (re.compile(r"\\\((?:em|en)|\\\[(?:em|en)\]"), "-"),
    (re.compile(r"\\\((?:lq|rq|dq)|\\\[(?:lq|rq|dq)\]"), '"'),
    (re.compile(r"\\-"), "-"),
    (re.compile(r"\\e|\\\(rs|\\\[rs\]"), r"\\"),
    (re.compile(r"\\[&%:,/|^)c]"), ""),
    (re.compile(r"\\[ ~0]"), " "),
]


def plain(line):
    for pattern, text in ESCAPES:
        line = pattern.sub(text, line)
    return line


def paragraphs(path):
    """Those of a page in UTF-8 behind its first heading, each in one line. A line of a font (.B word) belongs to its paragraph."""
    read = gzip.open if path.suffix == ".gz" else open
    with read(path, "rt", encoding="utf-8", errors="strict") as file:
        lines = file.read().split("\n")
    found, current, skipped, began = [], [], False, False
    for line in lines + [".PP"]:
        command = line.split(" ")[0]
        if command in BEGINS:
            skipped = True
        elif command in ENDS:
            skipped = False
        began = began or command == ".SH"
        if skipped or not began:
            continue
        if command in {".B", ".I", ".BR", ".IR", ".RB", ".RI", ".BI", ".IB"}:
            words = line.split(" ")[1:]
            current.append(plain(" ".join(words) if len(command) == 2 else "".join(words)).replace('"', ""))
        elif command in BREAKS or not line:
            text = " ".join(" ".join(current).split())
            if text and "\\" not in text:
                found.append(text)
            current = []
        elif not line.startswith((".", "'")):
            current.append(plain(line))
    return found


def pages(folder):
    """The pages below `folder` that are files of their own, in the order of their paths."""
    return sorted(p for p in pathlib.Path(folder).glob("man*/*") if p.is_file() and not p.is_symlink())


def files_of(package):
    """What a package has, as dpkg says, so that other packages on a machine change nothing."""
    name = pathlib.Path("/var/lib/dpkg/info") / f"{package}.list"
    if not name.exists():
        sys.exit(f"{package} is not installed: ./dev setup train")
    return {pathlib.Path(line) for line in name.read_text().splitlines()}
