"""Layers with bodies, and what indices choose and replace."""
import math

import arrays
from arrays import Array, draw, make, weights
from openvino_ir import Flags, Ints, Ir, as_floats, case, ints, number


def port_map(kind, port, layer, **parts):
    return f'<{kind} external_port_id="{port}" internal_layer_id="{layer}" ' + " ".join(f'{k}="{v}"' for k, v in parts.items()) + "/>"


def iterator(stride):
    """h = h / 2 + x[t] over parts of two columns, from the last one where the stride is negative."""
    x, h = draw((2, 6), 200), draw((2, 2), 201)
    ir = Ir()
    operands = [ir.parameter(x), ir.parameter(h)]
    body = Ir(ir)
    part, state = body.parameter(Array((2, 2), [0.0] * 4)), body.parameter(h)
    half = body.layer("Multiply", [state, body.constant(number(0.5))], [(2, 2)])[0]
    result = body.result(body.layer("Add", [half, part], [(2, 2)])[0])
    parts = dict(axis=1, start=0 if stride > 0 else -1, end=-1 if stride > 0 else 0, stride=stride, part_size=2)
    inner = "<port_map>" + port_map("input", 0, 0, **parts) + port_map("input", 1, 1) + port_map("output", 2, result, **parts)
    inner += port_map("output", 3, result) + f'</port_map><back_edges><edge from-layer="{result}" to-layer="1"/></back_edges>'
    for y in ir.layer("TensorIterator", operands, [(2, 6), (2, 2)], inner=f"{inner}<body>{body.graph()}</body>"):
        ir.result(y)
    states = {}
    for t in (0, 1, 2) if stride > 0 else (2, 1, 0):
        h = make((2, 2), lambda b, i: h[b, i] / 2 + x[b, 2 * t + i])
        states[t] = h
    return "TensorIterator", ir.files(), [x, draw((2, 2), 201)], [make((2, 6), lambda b, i: states[i // 2][b, i % 2]), h]


def loop(trips, limit, begins=True):
    """x += t for at most `trips` trips, as long as t + 1 < limit; what is joined has t x in front."""
    x = draw((1, 4), 202)
    ir = Ir()
    operands = [ir.constant(number(trips)), ir.constant(Flags((), [int(begins)])), ir.parameter(x)]
    body = Ir(ir)
    trip, state = body.parameter(Ints((), [0])), body.parameter(x)
    floats = body.layer("Convert", [trip], [()], destination_type="f32")[0]
    more = body.layer("Add", [state, floats], [(1, 4)])[0]
    count = body.layer("Add", [trip, body.constant(number(1))], [()])[0]
    goes_on = body.result(body.layer("Less", [count, body.constant(number(limit))], [()])[0])
    joined = body.result(body.layer("Multiply", [more, floats], [(1, 4)])[0])
    result = body.result(more)
    done = min(trips, limit)
    inner = "<port_map>" + port_map("input", -1, 0, purpose="current_iteration") + port_map("input", 2, 1)
    inner += port_map("output", -1, goes_on, purpose="execution_condition") + port_map("output", 3, result)
    inner += port_map("output", 4, joined, axis=0) + f'</port_map><back_edges><edge from-layer="{result}" to-layer="1"/></back_edges>'
    for y in ir.layer("Loop", operands, [(1, 4), (done, 4)], "opset5", inner=f"{inner}<body>{body.graph()}</body>"):
        ir.result(y)
    after = lambda t: t * (t + 1) // 2
    rows = make((done, 4), lambda t, i: (x[0, i] + after(t)) * t)
    return "Loop", ir.files(), [x], [x.map(lambda v: v + after(done - 1)), rows]


def choice(given, is_computed):
    """x + 1.5 where c > 0, else -x."""
    x, c = draw((2, 3), 203), Array((1,), [given])
    ir = Ir()
    x_in, flag = ir.parameter(x), None
    if is_computed:
        flag = ir.layer("Greater", [ir.parameter(c), ir.constant(number(0.0))], [(1,)])[0]
    else:
        flag = ir.constant(Flags((), [int(given > 0)]))
    inner = ""
    for branch, kind in (("then", "Add"), ("else", "Negative")):
        body = Ir(ir)
        read = [body.parameter(x)] + ([body.constant(number(1.5))] if branch == "then" else [])
        result = body.result(body.layer(kind, read, [(2, 3)])[0])
        inner += f"<{branch}_port_map>" + port_map("input", 1, 0) + port_map("output", 2, result) + f"</{branch}_port_map>"
        inner += f"<{branch}_body>{body.graph()}</{branch}_body>"
    ir.result(ir.layer("If", [flag, x_in], [(2, 3)], "opset8", inner=inner)[0])
    return "If", ir.files(), [x] + ([c] if is_computed else []), [x.map(lambda v: v + 1.5 if given > 0 else -v)]


def bodies():
    yield iterator(2)
    yield iterator(-2)
    yield loop(3, 100)
    yield loop(100, 4)
    for given in (2.0, -2.0):
        yield choice(given, is_computed=False)
        yield choice(given, is_computed=True)


def chosen(x, places, axis):
    """x at other places of an axis: places(index of the result) -> place."""
    return lambda *index: x[index[:axis] + (places(*index),) + index[axis + 1:]]


def gathers():
    x = draw((2, 3, 4), 210)
    which = Ints((2, 2), [2, 0, 1, 1])
    yield case("Gather", [x], [which, number(1)], make((2, 2, 4), lambda b, i, k: x[b, which[b, i], k]), "opset8", batch_dims=1)
    yield case("Gather", [x], [which, number(2)], make((2, 3, 2), lambda b, j, i: x[b, j, which[b, i]]), "opset7", batch_dims=1)
    lines = Ints((2, 2, 4), [0, 2, 1, 0, 2, 2, 0, 1] * 2)
    yield case("GatherElements", [x], [lines], make((2, 2, 4), lambda i, j, k: x[i, lines[i, j, k], k]), "opset6", axis=1)
    pairs = Ints((2, 2, 1), [2, 1, 0, 2])
    yield case("GatherND", [x], [pairs], make((2, 2, 4), lambda b, i, k: x[b, pairs[b, i, 0], k]), "opset8", batch_dims=1)
    deep = Ints((2, 3, 1), [3, 0, 1, 2, 2, 0])
    flat = Array((6,), [x[i, j, deep[i, j, 0]] for i in range(2) for j in range(3)])
    yield case("GatherND", [x], [deep], flat, "opset5", batch_dims=2)
    updates = draw((2, 1, 4), 211)
    row = Ints((2, 1, 4), [2, 0, 1, 1, 0, 0, 2, 1])
    y = make(x.shape, lambda i, j, k: updates[i, 0, k] if row[i, 0, k] == j else x[i, j, k])
    yield case("ScatterElementsUpdate", [x, ], [row, updates, number(1)], y, "opset3")
    line = draw((1, 4), 212)
    y = make(x.shape, lambda i, j, k: line[0, k] if (i, j) == (1, 2) else x[i, j, k])
    yield case("ScatterNDUpdate", [x], [Ints((1, 2), [1, 2]), line], y, "opset3")
    two = draw((2, 2, 4), 213)
    y = make(x.shape, lambda i, j, k: two[i, (2, 0).index(j), k] if j in (0, 2) else x[i, j, k])
    yield case("ScatterUpdate", [x], [ints(2, 0), two, number(1)], y, "opset3")
    yield case("Pad", [x], [ints(0, 2, 1), ints(1, 1, 4)],
               make((3, 6, 9), lambda i, j, k: x[(0, 1, 1)[i], (1, 0, 0, 1, 2, 2)[j], (0, 0, 1, 2, 3, 3, 2, 1, 0)[k]]), pad_mode="symmetric")
    wide = draw((1, 2, 4, 6), 214)
    deep = make((1, 8, 2, 3), lambda n, c, h, w: wide[n, c // 4, 2 * h + c % 4 // 2, 2 * w + c % 2])
    yield case("SpaceToDepth", [wide], [], deep, block_size=2, mode="depth_first")
    table = draw((5, 3), 215)
    total = lambda rows, factors=None: lambda k: sum(table[r, k] * f for r, f in zip(rows, factors or [1] * len(rows)))
    bags = [[0, 2], [], [3, 4]]
    by_bag = lambda fallback: make((3, 3), lambda b, k: total(bags[b] or fallback)(k))
    yield case("EmbeddingBagOffsetsSum", [table], [ints(0, 2, 3, 4), ints(0, 2, 2)], by_bag([]), "opset3")
    yield case("EmbeddingBagOffsetsSum", [table], [ints(0, 2, 3, 4), ints(0, 2, 2), number(1)], by_bag([1]), "opset3")
    yield case("EmbeddingSegmentsSum", [table], [ints(0, 2, 3, 4), ints(0, 0, 2, 2), number(3)], by_bag([]), "opset3")
    share = Array((2, 2), [0.5, 2.0, -1.0, 0.25])
    packed = Ints((2, 2), [1, 4, 0, 0])
    y = make((2, 3), lambda b, k: total([packed[b, 0], packed[b, 1]], [share[b, 0], share[b, 1]])(k))
    yield case("EmbeddingBagPackedSum", [table], [packed, share], y, "opset3")
    normal = make(x.shape, lambda i, j, k: x[i, j, k] - math.log(sum(math.exp(x[i, a, k]) for a in range(3))))
    yield case("LogSoftmax", [x], [], normal, "opset5", axis=1)
    sums = make(x.shape, lambda i, j, k: sum(x[i, a, k] for a in range(j + 1, 3)))
    yield case("CumSum", [x], [number(1)], sums, "opset3", exclusive="true", reverse="true")
    matrix = weights((4, 2), 216)
    y = make((2, 2, 3), lambda i, m, j: sum(x[i, j, k] * matrix[k, m] for k in range(4)))
    yield case("Einsum", [x], [matrix], y, "opset7", equation="ijK,Km->imj")
    image = draw((1, 2, 4, 5), 217)
    bins = lambda size, count, i: range(i * size // count, -(-(i + 1) * size // count))
    window = lambda c, i, j: [image[0, c, h, w] for h in bins(4, 2, i) for w in bins(5, 3, j)]
    yield case("AdaptiveAvgPool", [image], [ints(2, 3)], make((1, 2, 2, 3), lambda n, c, i, j: arrays.mean(window(c, i, j))), "opset8")
    yield case("AdaptiveMaxPool", [image], [ints(2, 3)], make((1, 2, 2, 3), lambda n, c, i, j: max(window(c, i, j))), "opset8")
    places = Ints((2, 3), [0, 0, 1, 0, 2, 1])
    yield as_floats("NonZero", [Ints((2, 3), [5, 0, -1, 0, 7, 0])], places, version="opset3")
