"""What is wrong with an answer, and where the specification says what is right."""

from dataclasses import dataclass

from client import NoAnswer
from suite import Question

# The next place to look, by the kind of difference.
PAGES = {
    "error": "docs/spec/validation.md for the order of the rules, docs/spec/binary.md for that of a decoder, docs/spec/errors.md",
    "id": "docs/spec/commitment.md, Modules",
    "gas": "docs/spec/gas.md and the section Gas of the operator's page",
    "arena_bytes": "docs/spec/execution.md, Memory planner",
    "largest_live_bytes": "docs/spec/execution.md, Memory planner",
    "working_memory_bytes": "the section Working memory of the operator's page",
    "shape": "the section Results of the operator's page",
    "interval": "the section Interval rule of the operator's page",
    "accumulator": "docs/spec/validation.md, Partial sums, and the section Interval rule of the operator's page",
    "storage": "docs/spec/types.md, Storage",
    "precision": "docs/spec/validation.md, Profile cvm",
    "digest": "the operator's page, and docs/spec/commitment.md, Tensors; the suite has the elements of small results",
    "hang": "the client; --timeout gives it longer, --batch 1 less to do at once",
    "died": "the client: --keep FOLDER writes the files of the question",
    "flood": "the client: one line for each question, everything else to standard error",
    "lines": "the client: one line for each question, everything else to standard error",
    "rubbish": "conformance/README.md, Client",
}


@dataclass
class Fault:
    question: Question
    kind: str  # a key of PAGES, or another key of an answer: "functions"
    where: str  # "functions[0].gas"; "" where there is no answer
    expected: object
    got: object


def difference(expected, got, where=()):
    """(path, expected, got) of the first place where the answer is another, or nothing. Further keys are not looked at."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key, value in expected.items():
            if key not in got:
                return (*where, key), value, "nothing"
            if found := difference(value, got[key], (*where, key)):
                return found
        return None
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        return next(filter(None, (difference(*pair, (*where, i)) for i, pair in enumerate(zip(expected, got)))), None)
    return None if type(expected) is type(got) and expected == got else (where, expected, got)


def fault_of(question, answer):
    """What is wrong with an answer, or nothing."""
    if isinstance(answer, NoAnswer):
        return Fault(question, answer.kind, "", "an answer", answer.detail)
    if ("error" in question.expected) != ("error" in answer):
        return Fault(question, "error", "error", question.expected.get("error", "none"), answer.get("error", "none"))
    if not (found := difference(question.expected, answer)):
        return None
    path, expected, got = found
    kind = next(key for key in reversed(path) if isinstance(key, str))
    return Fault(question, kind, "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)[1:], expected, got)
