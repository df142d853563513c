#!/usr/bin/env python3
"""Counts what makes the tree hard to find one's way in, and fails where a count exceeds its limit.

    tools/house.py           the counts, their limits, and what exceeds one
    tools/house.py --list    also what each count consists of

A limit may be lowered, and is where a count falls. docs/decisions/0053-the-house-in-order.md says why each is counted.
"""

import collections
import re
import subprocess
import sys

from source_tree import ROOT

CODE = (".h", ".cc", ".inc")
PRODUCT = ("base/", "ops/", "vm/", "engines/", "serializer/", "proof/", "quant/", "frontends/", "api/", "cli/")
# Folders of data, which nobody reads file by file.
DATA = re.compile(r"(^|/)(vectors|corpus|verdicts)(/|$)|^docs/decisions$")
LOWER = ("base", "ops", "vm", "engines", "serializer", "proof", "quant", "frontends", "api", "cli")


def git(*args):
    return subprocess.run(["git", *args], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


FILES = git("ls-files", "--cached", "--others", "--exclude-standard")
TEXT = {path: (ROOT / path).read_text() for path in FILES if path.endswith(CODE + (".bzl",)) and (ROOT / path).is_file()}
SOURCES = {path: text for path, text in TEXT.items() if path.endswith(CODE) and path.startswith(PRODUCT)
           and not re.search(r"_test\.cc$|_benchmark\.cc$|/testing/|/tests/", path)}


def folder(path):
    return path.rpartition("/")[0] or "."


def wide_folders():
    """Folders with more than 75 files of their own."""
    counts = collections.Counter(folder(path) for path in FILES if not DATA.search(folder(path)))
    return [f"{name}: {count} files" for name, count in counts.items() if count > 75]


def long_files():
    """Sources of the product with more than 300 lines."""
    return [f"{path}: {lines} lines" for path, text in SOURCES.items()
            if path.endswith((".h", ".cc")) and (lines := text.count("\n")) > 300]


def longest_files():
    """Sources of the product with more than 500 lines."""
    return [found for found in long_files() if int(found.split()[1]) > 500]


NO_SIGNATURE = re.compile(r"\s*(//|#|\}|struct|class|enum|namespace|if|for|while|switch|return|else)\b|\s*//")


def long_functions():
    """Functions of more than 80 lines, signature included."""
    found = []
    for path, text in SOURCES.items():
        lines, signature, start = text.split("\n"), None, None
        for number, line in enumerate(lines, 1):
            margin = len(line) - len(line.lstrip(" "))
            if start is not None:
                if line.startswith("}", start[1]) and margin == start[1]:
                    if number - start[0] >= 80:
                        found.append(f"{path}:{start[0]}: {number - start[0] + 1} lines")
                    start = None
                continue
            if margin in (0, 2) and "(" in line and not NO_SIGNATURE.match(line):
                signature = (number, margin)
            if signature and line.endswith("{"):
                start, signature = signature, None
            elif line.endswith((";", "}", ":", "\\")) or not line.strip():
                signature = None
    return found


def upward_includes():
    """Includes of a layer above."""
    above = {name: set(LOWER[i + 1:]) for i, name in enumerate(LOWER)}
    above["proof"] -= {"quant", "frontends"}
    found = []
    for path, text in SOURCES.items():
        for header in re.findall(r'^#include "(\w+)/', text, re.MULTILINE):
            if header in above.get(path.split("/")[0], ()):
                found.append(f"{path} includes {header}/")
    return found


def cpu_headers():
    """Headers of CPU kernels in the compiler, and in what is for GPUs."""
    return [f"{path} includes {header}" for path, text in SOURCES.items()
            if re.match(r"ops/cuda/|ops/\w+/cuda/|engines/(cuda|compile)/", path)
            for header in re.findall(r'^#include "(ops/cpu/[^"]+|ops/\w+/cpu/[^"]+)"', text, re.MULTILINE)]


def cycles():
    """Groups of folders of the product that include each other."""
    edges = collections.defaultdict(set)
    for path, text in SOURCES.items():
        for header in re.findall(r'^#include "([\w/]+)/[\w.]+"', text, re.MULTILINE):
            if header != folder(path) and (ROOT / header).is_dir():
                edges[folder(path)].add(header)
    def reached(start):
        seen, todo = set(), list(edges[start])
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += edges[name]
        return seen
    reach = {name: reached(name) for name in list(edges)}
    groups = {frozenset(other for other in reach if other in reach[name] and name in reach[other]) for name in reach if name in reach[name]}
    return [" ".join(sorted(group)) for group in groups]


def family_macros():
    """Lists that name their own family, which the list of all lists does."""
    return [path for path, text in TEXT.items() if "#define TALLY_FAMILY" in text and path.endswith(".inc")]


def wide_rows():
    """Rows of operators beyond 120 columns."""
    return [f"{path}: {len(line)} columns" for path, text in TEXT.items()
            if re.match(r"ops/\w+/(ops|lowering/lowerings|expansion/expansions)\.inc", path)
            for line in text.split("\n") if len(line) > 120]


def names_of_tests():
    """Sources of the product that have a test's name."""
    return [path for path in SOURCES if re.search(r"(^|_)(test|tests|fake|mock)(_|\.)", path.rpartition("/")[2])]


def stuttering_names():
    """Files that begin with the name of their folder, or with what the folder does."""
    words = {"frontends/onnx/float": "import", "frontends/onnx/exact": "exact", "frontends/onnx/export": "export",
             "frontends/coreml": "import", "frontends/ncnn": "import", "frontends/openvino": "import"}
    doors = re.compile(r"/(import_(onnx|exact_model|coreml|ncnn|openvino)|export_onnx)(_test)?\.(h|cc)$")
    return [path for path in FILES if (word := words.get(folder(path)))
            and path.rpartition("/")[2].startswith(word + "_") and not doors.search(path)]


BROKEN_TYPE = re.compile(r"\s+(?!return\b|else\b|case\b)[\w:<>,*& ]+$")
BROKEN_NAME = re.compile(r"\s+(?!return\b|break\b)\w+(\{[^;]*\}| = [^;]*)?;  // |\s+\{?[\w.,: ]*\};  // \w")


def broken_declarations():
    """Declarations that a comment after them has broken over two lines."""
    found = []
    for path, text in SOURCES.items():
        lines = text.split("\n")
        found += [f"{path}:{number}" for number, (line, after) in enumerate(zip(lines, lines[1:]), 1)
                  if BROKEN_NAME.match(after) and (BROKEN_TYPE.match(line) or line.endswith("="))]
    return found


def what_comments():
    """Comments that begin with "What" or "what" as a noun."""
    whole = re.compile(r"^\s*//\s?(?:What|Whether what)\b(?!.*\?)")
    after = re.compile(r"\S\s+// what\b")
    found = []
    for path, text in TEXT.items():
        within = False
        for number, line in enumerate(text.split("\n"), 1):
            comment = re.match(r"^\s*//", line)
            if comment and not within and whole.match(line) or not comment and after.search(line):
                found.append(f"{path}:{number}: {line.strip()[:100]}")
            within = bool(comment)
    return found


def wide_lines():
    """Lines of Python, Rust and Bazel beyond 140 columns."""
    return [f"{path}: {len(line)} columns" for path in FILES if path.endswith((".py", ".rs", ".bzl", "BUILD")) and (ROOT / path).is_file()
            for line in (ROOT / path).read_text().splitlines() if len(line) > 140]


def subjects():
    """Subjects of the last 20 commits that are no `area: sentence` of 72 characters."""
    return [subject for subject in git("log", "-20", "--format=%s")
            if len(subject) > 72 or not re.match(r"[a-z_/.0-9, -]+: [a-z]", subject)]


LIMITS = {
    wide_folders: 0,
    long_files: 22,
    longest_files: 0,
    long_functions: 6,
    upward_includes: 0,
    cpu_headers: 0,
    cycles: 3,
    family_macros: 0,
    wide_rows: 0,
    names_of_tests: 0,
    stuttering_names: 0,
    broken_declarations: 0,
    what_comments: 0,
    wide_lines: 81,
    subjects: 0,
}


def main():
    failed = False
    for count, limit in LIMITS.items():
        found = count()
        excess = len(found) > limit
        failed |= excess
        print(f"{len(found):5} of {limit:3} at most  {count.__doc__.splitlines()[0]}")
        if excess or "--list" in sys.argv:
            print("".join(f"                    {line}\n" for line in found), end="")
    sys.exit("house: a count exceeds its limit" if failed else 0)


main()
