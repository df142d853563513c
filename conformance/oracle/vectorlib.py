"""What the vector generators share: tensors, refusals, gas and the file format.

A family's script states every operator again, in plain Python from ops/<family>/spec.md, and lists cases.
None of it calls the C++.

    def relu(c):
        x = c.operands[0]
        lo, hi = (max(bound, 0) for bound in x.interval)
        return [tensor(x.shape, [max(v, 0) for v in x.values], (lo, hi))], numel(x.shape)

    op = Operator("elementwise", "relu", relu)
    op.case("clears negative values", [tensor([3], [-2, 0, 7])])
    op.refuse("operand_count", "no operand", [])
    main(__file__, [op])

`python3 conformance/oracle/<family>.py` writes ops/<family>/vectors/*.json; with --check it compares them instead.
"""

import dataclasses
import itertools
import json
import pathlib
import random
import sys

SPEC_VERSION = 1
GAS_PER_INSTRUCTION = 640
TENSOR_LIMITS = {"core": (-(2**47), 2**47 - 1), "cvm": (-(2**31 - 1), 2**31 - 1)}
INT64_LIMIT = (-(2**63), 2**63 - 1)


class Refused(Exception):
    """The definition refuses a case; the argument is the label."""


def require(condition, label):
    if not condition:
        raise Refused(label)


@dataclasses.dataclass
class Tensor:
    shape: list
    interval: tuple
    values: list  # row-major
    constant: bool = False

    def at(self, index):
        return self.values[offset(index, self.shape)]


@dataclasses.dataclass
class Case:
    """What a definition sees. It returns (results, the operator's gas formula) or raises Refused."""

    name: str
    operands: list
    attributes: dict
    profile: str


def tensor(shape, values, interval=None, constant=False):
    """A tensor; its interval is that of its values unless declared wider."""
    if interval is None:
        interval = (min(values), max(values))
    return Tensor(list(shape), tuple(interval), list(values), constant)


def ramp(shape, start=0, interval=None):
    """start, start + 1, ...: shows where every element went."""
    return tensor(shape, range(start, start + numel(shape)), interval)


def noise(seed, shape, lo, hi):
    """Seeded values in [lo, hi], declared as [lo, hi]."""
    rng = random.Random(seed)
    return tensor(shape, [rng.randint(lo, hi) for _ in range(numel(shape))], (lo, hi))


def build(shape, interval, element):
    """The tensor with element(index) at every index of `shape`."""
    return tensor(shape, [element(index) for index in indices(shape)], interval)


def numel(shape):
    count = 1
    for dim in shape:
        count *= dim
    return count


def indices(shape):
    """All indices of `shape`, the last axis fastest."""
    return itertools.product(*(range(dim) for dim in shape))


def offset(index, shape):
    assert len(index) == len(shape) and all(0 <= i < n for i, n in zip(index, shape)), (index, shape)
    flat = 0
    for i, n in zip(index, shape):
        flat = flat * n + i
    return flat


def hull(*intervals):
    return min(lo for lo, _ in intervals), max(hi for _, hi in intervals)


def axis_of(axis, rank, label):
    """An axis in [-rank, rank), counted from the front."""
    require(-rank <= axis < rank, label)
    return axis % rank


def element_bytes(interval):
    """Bytes of the narrowest of i8, i16, i32, i64 that holds the interval."""
    for size in (1, 2, 4):
        if -(2 ** (8 * size - 1)) <= interval[0] and interval[1] < 2 ** (8 * size - 1):
            return size
    return 8


def size_bytes(t):
    return numel(t.shape) * element_bytes(t.interval)


def runs(shape):
    """How often a loop begins anew: over the last axis, or over that of the channels where it is shorter."""
    length = min([shape[-1]] + shape[1:2] * (len(shape) > 2)) if shape else 1
    return numel(shape) // length


def points(shape):
    """The positions of [N, C, spatial..], each with all its channels."""
    return numel(shape) // shape[1]


def instruction_gas(types):
    """What every instruction pays beside its operator's formula; types are (shape, interval) of its results."""
    return GAS_PER_INSTRUCTION + sum(
        numel(shape) * element_bytes(interval) + 8 * runs(shape) for shape, interval in types)


def check_shape(shape):
    """The limits of every shape, in the order of docs/spec/types.md."""
    require(len(shape) <= 8, "shape_rank")
    for axis, dim in enumerate(shape):
        require(1 <= dim < 2**31, "shape_dim")
        require(numel(shape[:axis + 1]) <= 2**36, "shape_elements")


def check_list(values, lo, hi, shortest, longest):
    """The range that a row of ops.inc gives to a list attribute. Call in the row's order, before the rest."""
    require(shortest <= len(values) <= longest, "attribute_length")
    require(all(lo <= value <= hi for value in values), "attribute_range")


def check_int(value, lo, hi):
    check_list([value], lo, hi, 1, 1)


def inside(interval, limit):
    return limit[0] <= interval[0] and interval[1] <= limit[1]


def check_accumulator(interval, profile):
    """Call with the bound of every partial sum in any order."""
    require(inside(interval, TENSOR_LIMITS["cvm"] if profile == "cvm" else INT64_LIMIT), "accumulator_range")


def check_values(t):
    assert len(t.values) == numel(t.shape) and all(t.interval[0] <= v <= t.interval[1] for v in t.values), t


class Operator:
    """The cases of one operator."""

    KIND = "operator"

    def __init__(self, family, name, define, limits=TENSOR_LIMITS):
        self.family, self.name, self.define, self.limits = family, name, define, limits
        self.cases = []

    def case(self, name, operands, attributes=None, profile="core"):
        """An accepted case: the definition gives its results and gas."""
        results, gas = self._run(Case(name, operands, attributes or {}, profile))
        self.cases[-1]["results"] = [tensor_json(t) for t in results]
        self.cases[-1]["gas"] = instruction_gas([(t.shape, t.interval) for t in results]) + gas

    def refuse(self, label, name, operands, attributes=None, profile="core"):
        """A refused case: the definition must raise the same label."""
        try:
            self._run(Case(name, operands, attributes or {}, profile))
        except Refused as refused:
            assert str(refused) == label, f"{self.name}, {name}: {refused} instead of {label}"
            self.cases[-1]["error"] = label
            return
        raise AssertionError(f"{self.name}, {name}: accepted instead of {label}")

    def _add(self, case):
        assert all(case.name != other["name"] for other in self.cases), f"{self.name}: two of '{case.name}'"
        self.cases.append({
            "name": case.name,
            "profile": case.profile,
            "operands": [tensor_json(t) | {"constant": t.constant} for t in case.operands],
            "attributes": case.attributes,
        })
        for operand in case.operands:
            check_values(operand)

    def _run(self, case):
        self._add(case)
        results, gas = self.define(case)
        for result in results:
            check_shape(result.shape)
            require(inside(result.interval, self.limits[case.profile]), "value_range")
            check_values(result)
        return results, gas

    def text(self, source):
        info = {self.KIND: self.name, "source": source, "spec_version": SPEC_VERSION}
        lines = ",\n".join("  " + json.dumps(case) for case in self.cases)
        return '{"_info": %s,\n "cases": [\n%s\n]}\n' % (json.dumps(info), lines)


class Lowering(Operator):
    """The cases of one lowering. Its definition returns the results alone, as tensors or as (shape, values)."""

    KIND = "lowering"

    def case(self, name, operands, attributes=None, profile="core"):
        results = self._define(Case(name, operands, attributes or {}, profile))
        results = [tensor(*t) if isinstance(t, tuple) else t for t in results]
        self.cases[-1]["results"] = [{"shape": t.shape, "values": t.values} for t in results]

    def _run(self, case):
        return self._define(case), 0

    def _define(self, case):
        self._add(case)
        return self.define(case)


def tensor_json(t):
    return {"shape": t.shape, "interval": list(t.interval), "values": t.values}


def main(script, operators):
    """Writes the file of every operator, or compares them all under --check."""
    root = pathlib.Path(script).absolute().parents[2]  # not resolve(): Bazel runs this behind links
    source = f"conformance/oracle/{pathlib.Path(script).name}"
    stale = []
    for op in operators:
        path = root / "ops" / op.family / "vectors" / f"{op.name}.json"
        text = op.text(source)
        if "--check" in sys.argv[1:]:
            if not path.exists() or path.read_text() != text:
                stale.append(str(path.relative_to(root)))
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    if stale:
        sys.exit(f"not what {source} computes: {', '.join(stale)}")
    print(f"{source}: {sum(len(op.cases) for op in operators)} cases of {len(operators)} operators")
