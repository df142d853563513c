#!/usr/bin/python3
"""The contracts say what the C++ says, and a game goes on as its model does.

    contracts_test.py WRITE_CASES WRITE_DISPUTES              some cases of each kind
    contracts_test.py ... KIND [WORD...]                      all of one kind:

    modules FIRST COUNT | vectors | long | network NAME | row    certificates (write_cases.cc)
    lies COUNT | honest COUNT                                     messages of disputes (write_disputes.cc)
    play SEED ACTIONS                                             a game by chance
    attacks                                                       attacks on a game, one by one
    costs NAME                                                    whole disputes about a network of bench/models
    mutants FILE:CONTRACT... [OPTION...]                          faults in the contracts (chain/mutants.mjs), for hours
"""

import itertools
import pathlib
import subprocess
import sys
import tempfile

import chain

# What is tried of each kind: every n-th case.
SOME = (
    (["modules", "0", "15"], 1),
    (["vectors"], 41),
    (["long"], 9),
    (["row"], 1),
    (["lies", "1"], 29),
    (["honest", "4"], 1),
    (["play", "1", "2000"], 5),
    (["attacks"], 3),
    (["costs", "bert_layer"], 1),
)


class Contracts:
    def __init__(self, write_cases, write_disputes, folder):
        self.write_cases, self.write_disputes = write_cases, write_disputes
        self.folder = pathlib.Path(folder)
        self.compiled = chain.compile_contracts(folder, pathlib.Path("tests/chain/contracts"), pathlib.Path("examples/chain"))

    def try_kind(self, kind, apart):
        name, *words = kind
        if name in ("lies", "honest"):
            self.compare("dispute_cases.mjs", written([self.write_disputes, *kind], apart))
        elif name in ("play", "attacks"):
            scripts = written([self.write_disputes, "lies", "1"], apart) + written([self.write_disputes, "honest", "20"], 1)
            self.compare("game_cases.mjs" if name == "play" else "game_scenarios.mjs", scripts, *words)
        elif name == "mutants":
            self.plant(words)
        elif name == "costs":
            self.compare("game_costs.mjs", written([self.write_disputes, "network", *words], 1))
        else:
            self.compare("judge_cases.mjs", written([self.write_cases, *kind], apart))

    def plant(self, words):
        scripts = written([self.write_disputes, "lies", "1"], 37) + written([self.write_disputes, "honest", "5"], 1)
        kinds = ((["modules", "0", "12"], 1), (["vectors"], 97), (["row"], 1))
        cases = [written([self.write_cases, *kind], apart) for kind, apart in kinds]
        (self.folder / "scripts.jsonl").write_bytes(scripts)
        (self.folder / "network.jsonl").write_bytes(written([self.write_disputes, "network", "bert_layer"], 1))
        (self.folder / "cases.jsonl").write_bytes(b"".join(cases))
        done = chain.node(chain.CHAIN / "mutants.mjs", chain.MODULES, self.compiled, self.folder, *words)
        assert done.returncode == 0, "a mutant survives"

    def compare(self, script, cases, *words):
        done = chain.node(chain.CHAIN / script, chain.MODULES, self.compiled, *words, input=cases)
        assert done.returncode == 0, f"{script} ends with {done.returncode}"


def written(command, apart):
    lines = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines(keepends=True)
    return b"".join(itertools.islice(lines, 0, None, apart))


def main():
    chain.skip_without_packages()
    write_cases, write_disputes, *kind = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        contracts = Contracts(write_cases, write_disputes, folder)
        for one, apart in [(kind, 1)] if kind else SOME:
            contracts.try_kind(one, apart)


if __name__ == "__main__":
    main()
