"""The files of the suite, as questions to a client. README.md describes their format."""

import base64
import binascii
import json
from dataclasses import dataclass


class MalformedSuite(Exception):
    """A file of the suite is not as README.md says; the text says which, where and why."""


@dataclass
class Question:
    file: str  # in the folder of the suite
    case: str  # its name
    part: str  # "module", or "run 0", "run 1", ..
    contents: list  # the files that the client gets, as bytes
    expected: dict  # what it should answer

    @property
    def command(self):
        return "validate" if self.part == "module" else "run"

    @property
    def name(self):
        return f"{self.file}: {self.case}" + (f", {self.part}" if self.command == "run" else "")


def read_questions(folder):
    """The questions of all files, in the order of the cases."""
    gas_file = folder / "gas.json"
    paths = sorted(path for path in folder.rglob("*.json") if path != gas_file)
    if not paths:
        raise MalformedSuite(f"{folder} has no files of the suite")
    gas = member(read(gas_file), "gas", dict, "gas.json")
    questions = []
    for path in paths:
        file = path.relative_to(folder).as_posix()
        for number, case in enumerate(member(read(path), "cases", list, file)):
            questions += questions_of(case, file, f"{file}: case {number}", gas)
    names = set()
    for question in questions:
        if question.name in names:
            raise MalformedSuite(f"{question.name} is there twice")
        names.add(question.name)
    return questions


def read(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise MalformedSuite(f"{path.name} cannot be read: {error}") from None


def member(value, key, kind, where):
    if not isinstance(value, dict) or not isinstance(value.get(key), kind):
        raise MalformedSuite(f"{where} has no {key} of type {kind.__name__}")
    return value[key]


def questions_of(case, file, where, gas):
    name = member(case, "name", str, where)
    where = f"{where}, {name!r},"
    try:
        module = base64.b64decode(member(case, "module", str, where), validate=True)
    except binascii.Error as error:
        raise MalformedSuite(f"{where} has a module that is no base64: {error}") from None
    if "error" in case:
        return [Question(file, name, "module", [module], {"error": member(case, "error", str, where)})]
    proof = member(case, "proof", dict, where)
    add_gas(proof, member(gas, f"{file}: {name}", list, "gas.json"), where)
    return [Question(file, name, "module", [module], proof)] + [
        Question(file, name, f"run {k}", [module, *contents_of(run, f"{where} run {k}")], expected_of(run, f"{where} run {k}"))
        for k, run in enumerate(member({"runs": []} | case, "runs", list, where))]


def add_gas(proof, gas, where):
    """Puts the figures of gas.json where the client has them: into functions and instructions."""
    functions = member(proof, "functions", list, where)
    try:
        for function, (total, instructions) in zip(functions, gas, strict=True):
            function["gas"] = total
            for instruction, price in zip(function["instructions"], instructions, strict=True):
                instruction["gas"] = price
    except (ValueError, TypeError, LookupError) as error:
        raise MalformedSuite(f"{where} has gas for other functions or instructions than its proof: {error}") from None


def contents_of(run, where):
    member(run, "inputs", list, where)
    return [json.dumps({key: run[key] for key in run if key not in ("error", "results")}).encode()]


def expected_of(run, where):
    if "error" in run:
        return {"error": member(run, "error", str, where)}
    results = member(run, "results", list, where)
    keys = {"shape": list, "storage": str, "digest": str}
    return {"results": [{key: member(result, key, kind, where) for key, kind in keys.items()} for result in results]}
