#!/usr/bin/python3
"""The contract and the judge in C++ say the same of certificates: judge_test.py WRITE_CASES. With words after that, as
write_cases has them, all of its cases are tried, in place of some of each kind."""

import itertools
import subprocess
import sys
import tempfile

import chain

# What write_cases is asked for, and which of its cases are tried: every n-th.
SOME = ((["modules", "0", "30"], 1), (["vectors"], 19), (["long"], 9), (["row"], 1))


def main():
    chain.skip_without_packages()
    write_cases, *words = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        contracts = chain.compile_contracts(folder)
        for kind, apart in [(words, 1)] if words else SOME:
            written = subprocess.run([write_cases, *kind], stdout=subprocess.PIPE, check=True)
            cases = b"\n".join(itertools.islice(written.stdout.splitlines(), 0, None, apart))
            judged = chain.node(chain.CHAIN / "judge_cases.mjs", chain.MODULES, contracts, input=cases)
            assert judged.returncode == 0, f"the contract and the judge in C++ differ: {kind}"


if __name__ == "__main__":
    main()
