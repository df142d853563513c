#!/usr/bin/env python3
"""Every version that is stated is that of base/release.h: the Rust crate's, the newest heading of the changelog, README's."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]  # resolves the symlinks of Bazel's runfiles
STATED = {
    "CHANGELOG.md": r"^## \[([^\]]*)\]",
    "README.md": r"\*\*Status:\*\* release (\S+)\. ",
    "api/rust/Cargo.lock": r'^name = "tally"\nversion = "(.*)"',
    "api/rust/Cargo.toml": r'^version = "(.*)"',
    "docs/stability.md": r"^Release (\S+) is",
    "docs/status.md": r"^Release (\S+) is",
}

version = re.search(r'kVersion\[\] = "(.*)"', (ROOT / "base/release.h").read_text())[1]
faults = []
for path, pattern in STATED.items():
    match = re.search(pattern, (ROOT / path).read_text(), re.MULTILINE)
    if match is None or match[1] != version:
        faults.append(f"{path}: {match[1] if match else 'no version'}, and base/release.h has {version}")
print("\n".join(faults) or f"{len(STATED)} places have version {version}")
sys.exit(1 if faults else 0)
