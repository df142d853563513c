"""The contracts on a chain of a test's own. A test that uses it is skipped, and says so, without ./dev setup chain."""

import os
import pathlib
import subprocess
import sys

CHAIN = pathlib.Path("chain").absolute()
# The checkout that the runfiles link to has the packages of npm (./dev setup chain).
MODULES = pathlib.Path(os.path.realpath(CHAIN / "package.json")).parent.parent / ".tally/chain"


def skip_without_packages():
    lock = MODULES / "package-lock.json"
    if not (MODULES / "node_modules").is_dir() or lock.read_bytes() != (CHAIN / "package-lock.json").read_bytes():
        print("skipped: the packages of chain/package-lock.json are not there; run ./dev setup chain")
        sys.exit(0)


def node(*words, **more):
    binary = MODULES / "node_modules/node/bin/node"
    return subprocess.run([str(binary) if binary.exists() else "node", *map(str, words)], check=False, **more)


def compile_contracts(folder, *more):
    """The file with the code of all contracts, and of further folders; each fits a chain (EIP-170)."""
    contracts = pathlib.Path(folder) / "contracts.json"
    compiled = node(CHAIN / "compile.mjs", MODULES, contracts, *more)
    assert compiled.returncode == 0, "the contracts do not compile, or one is larger than a chain takes"
    return contracts
