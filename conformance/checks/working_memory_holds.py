#!/usr/bin/env python3
"""The working memory of every operator in the suite is what its page says, by formulas of our own.

    working_memory_holds.py

An operator has a section "Working memory" exactly if it has a formula here, and exactly if a case of the suite has some.
The operands are those of the vectors, whose cases have the same names.
"""

import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def along(c):
    return c.shape(0)[c.attributes["axis"]]


def slices(c):
    axis = c.attributes["axis"]
    return c.shape(0)[axis[0]] if axis else math.prod(c.shape(0))


def footprint(value):
    bytes_of = {"i8": 1, "i16": 2, "i32": 4, "i64": 8}
    return (math.prod(value["shape"]) * bytes_of[value["storage"]] + 63) // 64 * 64


def arena(c, name):
    return c.functions[c.attributes[name]]["arena_bytes"]


def loop(c):
    body, a = c.functions[c.attributes["body"]], c.attributes
    values, first_result = body["values"], c.vector["functions"][a["body"] - 1]["results"][0]
    states = values[1:1 + a["states"]]
    return (body["arena_bytes"] + footprint(values[0]) + 2 * sum(map(footprint, states))
            + (footprint(values[first_result]) if a["condition"] else 0))


def picks(c):
    a, (n, classes, boxes) = c.attributes, c.shape(1)
    lists = 1 if a["classes"] == "best" else classes
    entries = classes * boxes if a["classes"] == "each" else boxes
    return n * min(entries, lists * min(boxes, a["top_k"], a["max_per_class"]))


FORMULAS = {
    "sort": lambda c: 16 * along(c),
    "arg_sort": lambda c: 16 * along(c),
    "top_k": lambda c: 16 * along(c),
    "unique": lambda c: 40 * slices(c) + 8 * math.prod(c.shape(0)),
    "scatter": lambda c: 8 * math.prod(c.shape(0)),
    "scatter_nd": lambda c: 8 * math.prod(c.shape(0)),
    "scatter_elements": lambda c: 8 * math.prod(c.shape(0)),
    "compact": lambda c: 8 * c.shape(1)[0],
    "gather_tree": lambda c: 8 * c.shape(0)[0],
    "scaled_dot_product_attention": lambda c: 8 * c.shape(1)[-2],
    "rnn": lambda c: 48 * c.shape(2)[2],
    "gru": lambda c: 48 * c.shape(2)[2],
    "lstm": lambda c: 32 * (c.shape(2)[1] // 4) + 16 * c.shape(2)[2],
    "non_max_suppression": lambda c: 16 * c.shape(0)[1],
    "nms": lambda c: 16 * c.shape(1)[2] + 24 * picks(c),
    "call": lambda c: arena(c, "function"),
    "if": lambda c: max(arena(c, "then_function"), arena(c, "else_function")),
    "loop": loop,
}


class Call:
    def __init__(self, vector, functions):
        self.vector, self.attributes, self.functions = vector, vector["attributes"], functions

    def shape(self, operand):
        return self.vector["operands"][operand]["shape"]


def sections():
    for page in ROOT.glob("ops/*/spec.md"):
        for name, text in re.findall(r"^## (\w+)$(.*?)(?=^## |\Z)", page.read_text(), re.MULTILINE | re.DOTALL):
            if "\n### Working memory\n" in text:
                yield name


faults, checked, needing = [], 0, set()
vectors = {}
for path in ROOT.glob("ops/*/vectors/*.json"):
    data = json.loads(path.read_text())
    vectors |= {(data["_info"].get("operator"), case["name"]): case for case in data["cases"]}
for path in ROOT.glob("conformance/operators/*.json"):
    for case in json.loads(path.read_text())["cases"]:
        if "proof" not in case:
            continue
        operator, name = case["name"].split(": ", 1)
        functions = case["proof"]["functions"]
        found = functions[0]["instructions"][-1]["working_memory_bytes"]
        expected = FORMULAS.get(operator, lambda c: 0)(Call(vectors[operator, name], functions))
        checked += 1
        if found > 0:
            needing.add(operator)
        if found != expected:
            faults.append(f"{case['name']}: {found} bytes, not {expected}")
pages = set(sections())
faults += [f"{name}: no section Working memory" for name in sorted(set(FORMULAS) - pages)]
faults += [f"{name}: a section Working memory, and no formula here" for name in sorted(pages - set(FORMULAS))]
faults += [f"{name}: no case has working memory" for name in sorted(set(FORMULAS) - needing)]
print("\n".join(faults + [f"{checked} calls, {len(FORMULAS)} operators with working memory, {len(faults)} faults"]))
sys.exit(1 if faults or checked < 1500 else 0)
