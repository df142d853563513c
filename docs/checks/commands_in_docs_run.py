#!/usr/bin/env python3
"""Runs the commands of fenced blocks marked ```sh test, page by page, in a folder that looks like a checkout.

    commands_in_docs_run.py PAGE...

A block marked ```sh test error[LABEL] must end with exit code 1 and that label. Each page has a folder of its own, and
its blocks run in order. The test runs in its runfiles, where cli/tally is what a checkout has as bazel-bin/cli/tally.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```sh test(?: error\[(\w+)\])?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def checkout(folder):
    """Makes `folder` look like a checkout in which ./dev build has run."""
    (folder / "bazel-bin").mkdir()
    (folder / "bazel-bin/cli").symlink_to(pathlib.Path("cli").resolve())
    (folder / "examples").symlink_to(pathlib.Path("examples").resolve())


def runnable(script, page):
    """The script without commands that would start Bazel inside Bazel."""
    kept = []
    for line in script.splitlines():
        if line.startswith("./dev "):
            print(f"{page}: skipped, it would run Bazel inside a Bazel test: {line}")
        else:
            kept.append(line)
    return "\n".join(kept)


def run(script, label, folder):
    """What is wrong with the outcome, or None."""
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True)
    expected = 1 if label else 0
    if done.returncode == expected and (not label or f"error[{label}]: " in done.stderr):
        return None
    return f"exit code {done.returncode}, expected {label or 0}\n{script}\n{done.stdout}{done.stderr}"


faults, count = [], 0
for page in sys.argv[1:]:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        checkout(folder)
        for label, block in BLOCK.findall(pathlib.Path(page).read_text()):
            script = runnable(block, page)
            if not script.strip():
                continue
            count += 1
            fault = run(script, label, folder)
            if fault:
                faults.append(f"{page}: {fault}")
print("\n".join(faults + [f"{count} blocks, {len(faults)} failed"]))
sys.exit(1 if faults or count == 0 else 0)
