#!/usr/bin/env python3
"""Every Bazel label and every file of the tree that a document or a comment names exists.

A label is that of a package, of a target, or `/...` after a folder. A file is named by its path, or by the end of
it; `x.{h,cc}` and `x.*`, which name several, are not read. Names with capitals are placeholders, such as ops/FAMILY/attrs.h.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from source_tree import ROOT, files, has_label, targets  # noqa: E402

CXX = re.compile(r"(?:^|(?<=\s))//.*", re.MULTILINE)
COMMENTS = {  # by suffix or name: what of a file is prose
    ".md": re.compile(r".+"),
    ".cc": CXX, ".h": CXX, ".inc": CXX, ".cu": CXX,
    ".py": re.compile(r'#.*|"""(?s:.*?)"""'), ".bzl": re.compile(r'#.*|"""(?s:.*?)"""'), "BUILD": re.compile(r"#.*"),
    ".toml": re.compile(r"#.*"), "dev": re.compile(r".+"), ".bazelrc": re.compile(r"#.*"),
}
LABEL = re.compile(r"(?<![\w/:@.])//(?!\.\.\.)([a-z][\w/.-]*(?::[\w./-]+)?)")
FILE = re.compile(r"(?<![\w/.<>*{}$%-])((?:[\w.-]+/)*[\w.-]+\.(?:cc|h|inc|cuh|bzl|py|sh|awk|toml|tsv|md))(?![\w/*<>-]|\.\w)")
FOREIGN = {  # files of others
    "absl/status/status.h", "cublasLt.h", "cublas_api.h", "cuda.h", "immintrin.h", "jpeglib.h", "library_types.h", "protocol.md",
}
EXAMPLES = {"foo.cc", "foo.h", "foo_test.cc", "my_client.py", "op.cc", "x.h"}  # files that a reader writes


def prose(path):
    pattern = COMMENTS.get(path.suffix) or COMMENTS.get(path.name)
    if pattern is None:
        return
    text = path.read_text()
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group()


def all_files():
    """The paths of the tree's files and of those that the build makes, each with all ends of it."""
    paths = set()
    for path in files():
        paths.add(path)
        if path.name == "BUILD":
            paths.update(path.parent / name for name in targets(path.parent))
    endings = set()
    for path in paths:
        parts = path.relative_to(ROOT).parts
        endings.update("/".join(parts[i:]) for i in range(len(parts)))
    return endings


def faults_of(path, known):
    for line, words in prose(path):
        for label in LABEL.findall(words):
            if not has_label(label if label.endswith("/...") else label.rstrip(".")):
                yield line, "//" + label
        for name in FILE.findall(LABEL.sub("", words)):
            if name.removeprefix("../").removeprefix("../") not in known and not re.search(r"[A-Z]{2}", name):
                yield line, name


def main():
    known = all_files() | FOREIGN | EXAMPLES
    faults = [f"{path.relative_to(ROOT)}:{line}: {name}: no such label or file"
              for path in files() for line, name in faults_of(path, known)]
    print("\n".join(faults + [f"{len(faults)} names without a file or a target"]))
    return 1 if faults or len(known) < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
