#!/usr/bin/env python3
"""Writes models of integers as JSON: each operation that is imported among integers, and what it computes.

    openvino_integers.py > FILE
"""
import json
import random
import sys

from arrays import Array, concat, make, part, transpose
from openvino_ir import Flags, Ints, Ir, ints, number


class Numbers(Array):
    """Integers of 32 bits, of which an input has those from -1024 to 1024."""
    kind = "i32"


def draw(shape, seed, low=-1024, high=1024):
    source = random.Random(seed)
    zeros = make(shape, lambda *_: 0)
    return Numbers(shape, [source.randint(low, high) for _ in zeros.data])


def as_numbers(array, kind=Numbers):
    return kind(array.shape, array.data)


def case(kind, inputs, constants, expected, version="opset1", **data):
    expected = expected if isinstance(expected, list) else [expected]
    ir = Ir()
    operands = [ir.parameter(x) for x in inputs] + [ir.constant(c) for c in constants]
    for y in ir.layer(kind, operands, [y.shape for y in expected], version, **data):
        ir.result(y)
    return kind, ir.files(), inputs, expected


def toward_zero(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def arithmetic():
    a, b = draw((2, 3, 4), 1), draw((2, 3, 4), 2)
    divisors = draw((4,), 3, 2, 30)
    signed = Numbers((4,), [-7, 3, -2, 5])
    for kind, f in [("Add", lambda p, q: p + q), ("Subtract", lambda p, q: p - q), ("Multiply", lambda p, q: p * q),
                    ("Maximum", max), ("Minimum", min), ("SquaredDifference", lambda p, q: (p - q)**2),
                    ("Equal", lambda p, q: p == q), ("NotEqual", lambda p, q: p != q), ("Greater", lambda p, q: p > q),
                    ("GreaterEqual", lambda p, q: p >= q), ("Less", lambda p, q: p < q), ("LessEqual", lambda p, q: p <= q)]:
        yield case(kind, [a, b], [], Array(a.shape, [int(f(p, q)) for p, q in zip(a.data, b.data)]))
        yield case(kind, [a], [divisors], make(a.shape, lambda i, j, k: int(f(a[i, j, k], divisors[k]))))
    for kind, f, options in [("Divide", lambda p, q: p // q, {}), ("Divide", toward_zero, dict(m_pythondiv="false")),
                             ("FloorMod", lambda p, q: p % q, {}), ("Mod", lambda p, q: p - q * toward_zero(p, q), {})]:
        for c in (divisors, signed):
            yield case(kind, [a], [c], make(a.shape, lambda i, j, k: f(a[i, j, k], c[k])), **options)
    for kind, f in [("Abs", abs), ("Negative", lambda v: -v), ("Sign", lambda v: (v > 0) - (v < 0)), ("ReLU", lambda v: max(v, 0)),
                    ("Clamp", lambda v: min(max(v, -100), 250))]:
        yield case(kind, [a], [], a.map(f), **(dict(min=-100.5, max=250.5) if kind == "Clamp" else {}))
    yield case("Power", [a], [Numbers((), [2])], a.map(lambda v: v**2))
    p, q = (Flags((2, 4), [random.Random(seed).randint(0, 1) for _ in range(8)] ) for seed in (4, 5))
    p, q = (Flags(f.shape, [(i * m) % 3 % 2 for i in range(8)]) for f, m in ((p, 1), (q, 2)))
    for kind, f in [("LogicalAnd", lambda v, w: v & w), ("LogicalOr", lambda v, w: v | w), ("LogicalXor", lambda v, w: v ^ w)]:
        yield case(kind, [p, q], [], Array(p.shape, map(f, p.data, q.data)))
    yield case("LogicalNot", [p], [], p.map(lambda v: 1 - v))
    x, y = draw((2, 4), 6), draw((2, 4), 7)
    yield case("Select", [p, x, y], [], make((2, 4), lambda i, j: x[i, j] if p[i, j] else y[i, j]))
    yield case("Convert", [x], [], x, destination_type="i64")
    yield case("Convert", [x], [], x.map(lambda v: int(v != 0)), destination_type="boolean")
    m, n = draw((3, 4), 8), draw((5, 4), 9)
    yield case("MatMul", [m], [n], make((3, 5), lambda i, j: sum(m[i, k] * n[j, k] for k in range(4))), transpose_b="true")


def reductions():
    x = draw((2, 3, 4), 10)
    small = draw((2, 3), 11, -5, 5)
    for kind, f in [("ReduceSum", sum), ("ReduceMax", max), ("ReduceMin", min)]:
        yield case(kind, [x], [ints(1)], make((2, 4), lambda i, k: f([x[i, j, k] for j in range(3)])))
        yield case(kind, [x], [ints(0, -1)], make((1, 3, 1), lambda _, j, k: f([x[i, j, a] for i in range(2) for a in range(4)])),
                   keep_dims="true")
    yield case("ReduceProd", [small.map(lambda v: v)], [ints(1)], make((2,), lambda i: small[i, 0] * small[i, 1] * small[i, 2]))
    flags = Flags((2, 3), [1, 1, 1, 0, 1, 0])
    yield case("ReduceLogicalAnd", [flags], [ints(1)], Array((2,), [1, 0]))
    yield case("ReduceLogicalOr", [flags], [ints(0)], Array((3,), [1, 1, 1]))


def layouts():
    x = draw((2, 3, 4), 20)
    y = draw((2, 1, 4), 21)
    yield case("Concat", [x, y], [], concat([x, y], 1), axis=1)
    yield case("Reshape", [x], [ints(0, -1)], Array((2, 12), x.data), special_zero="true")
    yield case("Transpose", [x], [ints(2, 0, 1)], transpose(x, (2, 0, 1)))
    yield case("Transpose", [x], [Ints((0,), [])], transpose(x, (2, 1, 0)))
    yield case("Squeeze", [y], [ints(1)], Array((2, 4), y.data))
    yield case("Unsqueeze", [y], [ints(0, 2)], Array((1, 2, 1, 1, 4), y.data))
    yield case("ShapeOf", [x], [], Array((3,), [2, 3, 4]))
    yield case("ShapeOf", [x], [], Array((3,), [2, 3, 4]), "opset3", output_type="i32")
    yield case("Broadcast", [y], [ints(2, 3, 4)], make((2, 3, 4), lambda i, j, k: y[i, 0, k]), mode="numpy")
    yield case("Tile", [y], [ints(1, 3, 2)], make((2, 3, 8), lambda i, j, k: y[i, 0, k % 4]))
    yield case("Gather", [x], [ints(2, 0), number(1)], make((2, 2, 4), lambda i, j, k: x[i, (2, 0)[j], k]))
    lines = Ints((2, 1, 4), [0, 2, 1, 0, 2, 2, 0, 1])
    yield case("GatherElements", [x], [lines], make((2, 1, 4), lambda i, j, k: x[i, lines[i, 0, k], k]), "opset6", axis=1)
    yield case("GatherND", [x], [Ints((2, 1), [2, 1])], make((2, 4), lambda b, k: x[b, (2, 1)[b], k]), "opset8", batch_dims=1)
    updates = draw((2, 1, 4), 22)
    after = make(x.shape, lambda i, j, k: updates[i, 0, k] if lines[i, 0, k] == j else x[i, j, k])
    yield case("ScatterElementsUpdate", [x], [lines, updates, number(1)], after, "opset3")
    line = draw((1, 4), 23)
    after = make(x.shape, lambda i, j, k: line[0, k] if (i, j) == (1, 2) else x[i, j, k])
    yield case("ScatterNDUpdate", [x], [Ints((1, 2), [1, 2]), line], after, "opset3")
    padded = make((2, 5, 4), lambda i, j, k: x[i, j - 1, k] if 0 < j < 4 else 7)
    yield case("Pad", [x], [ints(0, 1, 0), ints(0, 1, 0), Numbers((), [7])], padded, pad_mode="constant")
    yield case("Split", [x], [number(2)], [part(x, 2, 0, 2), part(x, 2, 2, 4)], num_splits=2)
    yield case("VariadicSplit", [x], [number(-2), ints(1, -1)], [part(x, 1, 0, 1), part(x, 1, 1, 3)])
    after = make((2, 2, 1), lambda i, j, k: x[i, 2 - j, 3])
    yield case("StridedSlice", [x], [ints(0, 2, 3), ints(0, 0, 4), ints(1, -1, 1)], after, begin_mask="1,0,0", end_mask="1,0,0")
    after = make((3, 1, 4), lambda i, j, k: x[1, i, k])
    yield case("StridedSlice", [x], [ints(1, 0, 0), ints(2, 0, 0), ints(1, 1, 1)], after, begin_mask="0,1,0", end_mask="0,1,0",
               shrink_axis_mask="1,0,0", new_axis_mask="0,0,1")
    after = make((2, 3), lambda i, j: x[i, j, 3])
    yield case("StridedSlice", [x], [ints(0, -1), ints(0, 0), ints(1, 1)], after, ellipsis_mask="1,0", shrink_axis_mask="0,1")
    rows = Numbers((2, 4), [1, 127, -128, 48, 32, -16, 80, 0])
    yield case("TopK", [rows], [number(2)], [Array((2, 2), [127, 48, 80, 32]), Array((2, 2), [1, 3, 2, 0])], axis=1, mode="max",
               sort="value", index_element_type="i64")


def main():
    cases = []
    for family in (arithmetic, reductions, layouts):
        for name, (xml, weights), inputs, expected in family():
            arrays = lambda some: [{"shape": a.shape, "data": a.data, "flags": isinstance(a, Flags)} for a in some]
            cases.append({"name": name, "model": xml.encode().hex(), "weights": weights.hex(), "inputs": arrays(inputs),
                          "outputs": arrays(expected)})
    json.dump(cases, sys.stdout)


if __name__ == "__main__":
    main()
