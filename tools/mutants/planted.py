"""The list of planted faults, and what of it no longer fits the tree.

A mutant is one small fault. Its entry in lists/<area>.toml:

    [[mutant]]
    id = "residual-skipped"                       # unique in all lists; the name of the fault
    file = "engines/cpu/gemm/gemm_epilogue.cc"
    code = "return «sum + residual»;"             # stands in the file exactly once; the marks say what is replaced:
    becomes = "sum"                               # by this; without marks it is the whole
    what = "the residual of a fusion group is not added"
    killed_by = ["fused"]                        # tests of the list, tried in this order

instead of killed_by:

    equivalent = "why no input and no machine can tell it from the original"

and where they are needed:

    needs = "amx_int8"    # a flag of /proc/cpuinfo that the code runs with, or "arm64": built and run for it under QEMU
    rebuild = true        # cannot be chosen at run time (tables at compile time, rows of .inc files): built on its own

What is replaced is a statement when it ends in ; or with a block, and an expression otherwise, which is whole and
becomes another; a declaration would end where the choice does, so mark what it is initialized with. The head of a
list gives the tests their names, "LABEL [ARGUMENTS]", and in `wider` those that are run on a mutant which its own
tests let live.
"""

import pathlib
import re
import tomllib
from dataclasses import dataclass, field

OPEN, CLOSE = "«", "»"
NO_TYPE = r"(?!return\b|delete\b|throw\b|if\b|for\b|while\b|else\b|do\b)"
DECLARATION = re.compile(rf"\s*{NO_TYPE}(const |auto |static |[\w:<>,*& ]+ [*&]?\w+( =|[({{;])|ASSIGN_OR_RETURN\(const )")

BRACKETS = {")": "(", "]": "[", "}": "{"}


def bare(code):
    """`code` without comments and what surrounds it."""
    return re.sub(r"//[^\n]*", "", code).strip()


def is_statement(code):
    """Whether `code` ends as statements do: in ; or with a block, which no value in braces is."""
    code = bare(code)
    if not code.endswith("}"):
        return code.endswith(";")
    depth = 0
    for at in range(len(code) - 1, -1, -1):
        depth += (code[at] == "}") - (code[at] == "{")
        if depth == 0:
            return not code.startswith("[") and re.search(r"(^|[){};]|\belse|\bdo)$", code[:at].rstrip()) is not None
    return False


def is_whole(code):
    """Whether brackets are closed in `code` and no operator waits for an operand at its end."""
    waiting = []
    for letter in bare(code):
        if letter in BRACKETS.values():
            waiting.append(letter)
        elif letter in BRACKETS and (not waiting or waiting.pop() != BRACKETS[letter]):
            return False
    return not waiting and not re.search(r"[-?:,=+*/|&<]$", bare(code))


@dataclass
class Mutant:
    area: str
    id: str
    file: str
    code: str
    becomes: str
    what: str
    killed_by: list = field(default_factory=list)
    equivalent: str = ""
    needs: str = ""
    rebuild: bool = False
    wider: list = field(default_factory=list)

    def parts(self):
        """What stands before the marks, between and behind them."""
        if OPEN not in self.code:
            return "", self.code, ""
        before, rest = self.code.split(OPEN)
        inside, behind = rest.split(CLOSE)
        return before, inside, behind

    def declares(self):
        """Whether what is replaced is a declaration."""
        inside = self.parts()[1]
        return is_statement(inside) and DECLARATION.match(inside) is not None

    def span(self, text):
        """Where in `text` the fault is planted: [begin, end)."""
        before, inside, behind = self.parts()
        count = text.count(before + inside + behind)
        if count != 1:
            raise ValueError(f"{self.id}: its code stands {count} times in {self.file}")
        begin = text.index(before + inside + behind) + len(before)
        return begin, begin + len(inside)


def load(folder):
    """The mutants of all lists in `folder`, in order."""
    mutants = []
    for path in sorted(pathlib.Path(folder).glob("*.toml")):
        listed = tomllib.loads(path.read_text())
        tests = listed["tests"]
        for entry in listed["mutant"]:
            entry["killed_by"] = [tests[name] for name in entry.get("killed_by", [])]
            mutants.append(Mutant(area=path.stem, wider=[tests[name] for name in listed["wider"]], **entry))
    return mutants


def problems(mutants, root):
    """What is wrong with the lists as they stand against the tree at `root`, a line each."""
    found, ids, planted = [], set(), {}
    for mutant in mutants:
        if mutant.id in ids:
            found.append(f"{mutant.id}: listed twice")
        ids.add(mutant.id)
        if bool(mutant.killed_by) == bool(mutant.equivalent):
            found.append(f"{mutant.id}: needs either killed_by or equivalent")
        try:
            span = mutant.span((root / mutant.file).read_text())
        except (OSError, ValueError) as problem:
            found.append(str(problem))
            continue
        if mutant.parts()[1] == mutant.becomes:
            found.append(f"{mutant.id}: changes nothing")
        if mutant.equivalent or mutant.rebuild:
            continue  # not built together with the others
        if mutant.declares():
            found.append(f"{mutant.id}: replaces a declaration")
        inside = mutant.parts()[1]
        if not is_statement(inside) and not (bare(mutant.becomes) and is_whole(inside) and is_whole(mutant.becomes)):
            found.append(f"{mutant.id}: replaces neither a statement nor a whole expression by another")
        for other, other_id in planted.setdefault(mutant.file, {}).items():
            if other != span and other[0] < span[1] and span[0] < other[1]:
                found.append(f"{mutant.id}: overlaps {other_id}")
        planted[mutant.file][span] = mutant.id
    return found
