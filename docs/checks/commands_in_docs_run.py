#!/usr/bin/env python3
"""Runs the commands of fenced blocks marked `test`, page by page, in a folder that looks like a checkout.

    commands_in_docs_run.py PAGE...

    ```sh test                  must succeed
    ```sh test error[LABEL]     must end with exit code 1 and that label
    ```console test             a session: each command after "$ " must print the lines that follow it, and nothing else

Each page has a folder of its own, and its blocks run in order. The test runs in its runfiles, where cli/tally is what a checkout has as
bazel-bin/cli/tally.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(sh|console) test(?: error\[(\w+)\])?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
BUILT = ("api", "cli", "examples")  # folders with programs that pages run


def checkout(folder):
    """Makes `folder` look like a checkout in which ./dev build has run."""
    (folder / "bazel-bin").mkdir()
    for name in BUILT:
        (folder / "bazel-bin" / name).symlink_to(pathlib.Path(name).resolve())
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


def bash(script, folder):
    return subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True)


def run(script, label, folder):
    """What is wrong with the outcome of a block of commands, or None."""
    done = bash(script, folder)
    expected = 1 if label else 0
    if done.returncode == expected and (not label or f"error[{label}]: " in done.stderr):
        return None
    return f"exit code {done.returncode}, expected {label or 0}\n{script}\n{done.stdout}{done.stderr}"


def run_session(text, folder):
    """What is wrong with a session, or None. A variable that a command sets is there for the next ones."""
    before = 'PATH="$PWD/bazel-bin/cli:$PATH"\n'
    commands = COMMAND.findall(text)
    if "".join(f"$ {command}\n{output}" for command, output in commands) != text:
        return f"a session begins with a command after '$ ':\n{text}"
    for command, output in commands:
        done = bash(before + command, folder)
        if done.returncode != 0 or done.stdout != output:
            return f"exit code {done.returncode}\n$ {command}\nprinted:\n{done.stdout}{done.stderr}instead of:\n{output}"
        if re.match(r"\w+=\S*$", command):
            before += command + "\n"
    return None


faults, count = [], 0
for page in sys.argv[1:]:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        checkout(folder)
        for kind, label, block in BLOCK.findall(pathlib.Path(page).read_text()):
            script = block if kind == "console" else runnable(block, page)
            if not script.strip():
                continue
            count += 1
            fault = run_session(script, folder) if kind == "console" else run(script, label, folder)
            if fault:
                faults.append(f"{page}: {fault}")
print("\n".join(faults + [f"{count} blocks, {len(faults)} failed"]))
sys.exit(1 if faults or count == 0 else 0)
