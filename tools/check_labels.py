#!/usr/bin/env python3
"""Every label is raised and tested; lists what is missing. That a label is listed, the compiler checks.

A constraint `- C<n> ...` under `## <operator>` in ops/<family>/spec.md has the label <operator>_c<n>, which stands
  - in the code of the family, as label::<operator>_c<n>;
  - in the name of a test of the operator, TEST(<Name>, C<n>_...);
  - as the error of a case in ops/<family>/vectors/<operator>.json.
A gap in the numbers of a page is wrong, and so is a label in vectors or in the name of a test that the page does not list.
A label of a labels.h stands in the code, and in a test or a vector.

    tools/check_labels.py
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]  # resolves the symlinks of Bazel's runfiles
PACKAGES = ["base", "ops", "vm", "engines", "serializer", "quant", "frontends", "api", "cli", "tests"]

ROW = re.compile(r'^TALLY_OP\(0x[0-9a-f]{4},\s*(\w+),\s*"(\w+)"', re.MULTILINE)
SECTION = re.compile(r"^## (\w+)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
CONSTRAINT = re.compile(r"^- C(\d+) ", re.MULTILINE)
LISTED = re.compile(r"^TALLY_LABEL\(\w+,\s+\w+,\s+(\w+),", re.MULTILINE)

# No test can raise these: the first two need a disk or a machine that fails, and limits of float graphs are
# within the VM's.
UNTESTED = {"file_read", "file_map", "lower_shape"}

problems = []


def read(paths):
    return "\n".join(path.read_text() for path in paths)


def is_test(path):
    return "test" in path.stem.split("_") or "testing" in path.parts


def sources(folder):
    return [path for path in sorted(folder.rglob("*")) if path.suffix in (".cc", ".h", ".py") and path.name != "labels.h"]


def code_of(folder):
    return read(path for path in sources(folder) if not is_test(path))


def tests_of(folder):
    return read(path for path in sources(folder) if is_test(path))


def refusals(path):
    """The labels that the cases of a vector file are refused with."""
    cases = json.loads(path.read_text()).get("cases", []) if path.exists() else []
    return {case["error"] for case in cases if "error" in case}


def compare(documented, found, where):
    for label in sorted(documented - found):
        problems.append(f"{label} is missing in {where}")
    for label in sorted(found - documented):
        problems.append(f"{label} stands in {where} but not in the page")


def check_operator(folder, name, text, page, code, tests):
    numbers = [int(n) for n in CONSTRAINT.findall(page)]
    if numbers != list(range(1, len(numbers) + 1)):
        problems.append(f"{folder.name}/spec.md: the constraints of {text} are not C1, C2, ... but {numbers}")
    documented = {f"{text}_c{n}" for n in numbers}
    compare(documented, {f"{text}_c{n}" for n in re.findall(rf"\blabel::{text}_c(\d+)\b", code)}, f"the code of ops/{folder.name}")
    named = {f"{text}_c{n}" for n in re.findall(rf"^TEST\({name}, C(\d+)_", tests, re.MULTILINE)}
    compare(documented, named, f"the names of the tests of {name}")
    raised = {label for label in refusals(folder / "vectors" / f"{text}.json") if label.startswith(f"{text}_c")}
    compare(documented, raised, f"ops/{folder.name}/vectors/{text}.json")


def check_families():
    vm_tests = tests_of(ROOT / "vm") + tests_of(ROOT / "engines")
    count = 0
    for rows in sorted(ROOT.glob("ops/*/ops.inc")):
        folder = rows.parent
        pages = dict(SECTION.findall((folder / "spec.md").read_text()))
        code, tests = code_of(folder), tests_of(folder) + vm_tests
        operators = ROW.findall(rows.read_text())
        for name, text in operators:
            count += 1
            if text in pages:
                check_operator(folder, name, text, pages[text], code, tests)
            else:
                problems.append(f"ops/{folder.name}/spec.md has no section {text}")
        for section in pages.keys() - {text for _, text in operators}:
            if CONSTRAINT.search(pages[section]):
                problems.append(f"ops/{folder.name}/spec.md: {section} has constraints but is no operator")
    return count


def check_lists():
    code = "".join(code_of(ROOT / package) for package in PACKAGES)
    tests = "".join(tests_of(ROOT / package) for package in PACKAGES)
    vectors = set().union(*(refusals(path) for path in ROOT.glob("ops/*/vectors/*.json")))
    lists = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("labels.h"))]
    labels = LISTED.findall(read(lists))
    for label in labels:
        if not re.search(rf"\blabel::{label}\b", code):
            problems.append(f"{label} is never raised")
        if not re.search(rf'"{label}"|\blabel::{label}\b|error\[{label}\]', tests) and label not in vectors | UNTESTED:
            problems.append(f"{label} is missing in the tests")
    return len(labels)


operators, labels = check_families(), check_lists()
for problem in problems:
    print(problem)
print(f"{operators} operators, {labels} other labels, {len(problems)} problems")
sys.exit(1 if problems or not operators or not labels else 0)
