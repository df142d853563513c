#!/usr/bin/python3
"""The commands of the guide to disputes on a chain, and those of its example, in order, in one shell: guide_test.py PAGE..."""

import pathlib
import re
import subprocess
import sys
import tempfile

import chain

PAGES = ["guides/chain.md", *(f"spec/{name}.md" for name in ("certificate", "dispute", "errors", "trace"))]
BLOCK = re.compile(r"^```sh chain\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Bazel has built all that ./dev would.
PREFACE = 'trap "kill \\$(jobs -p) 2> /dev/null" EXIT\nPATH="$PWD/bazel-bin/cli:$PWD/.tally/chain/node_modules/node/bin:$PATH"\n'


def commands_of(page):
    for block in BLOCK.findall(pathlib.Path(page).read_text()):
        yield "\n".join(line for line in block.splitlines() if not line.startswith("./dev "))


def checkout(folder):
    """Makes `folder` look like a checkout in which ./dev build and ./dev setup chain have run."""
    for name in ("bazel-bin", ".tally"):
        (folder / name).mkdir()
    for name in ("cli", "examples"):
        (folder / "bazel-bin" / name).symlink_to(pathlib.Path(name).resolve())
    (folder / "examples").symlink_to(pathlib.Path("examples").resolve())
    (folder / "chain").symlink_to(chain.CHAIN)
    (folder / ".tally/chain").symlink_to(chain.MODULES)


def check_labels():
    """Every label of a contract is one of the specification, or in the guide."""
    pages = "".join(pathlib.Path("docs", page).read_text() for page in PAGES)
    for path in sorted(chain.CHAIN.glob("contracts/**/*.sol")):
        for label in re.findall(r'refuse\("(\w+)"\)', path.read_text()):
            assert f"`{label}`" in pages, f"{path.name}: no page has the label {label}"


def main():
    check_labels()
    chain.skip_without_packages()
    script = PREFACE + "\n".join(command for page in sys.argv[1:] for command in commands_of(page))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        checkout(folder)
        done = subprocess.run(["bash", "-euxo", "pipefail", "-c", script], cwd=folder, check=False, timeout=850)
        for log in sorted(folder.glob("*.log")):
            print(f"{log.name}:\n{log.read_text()}")
        assert done.returncode == 0, f"the commands end with {done.returncode}"


if __name__ == "__main__":
    main()
