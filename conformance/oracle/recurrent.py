"""Vectors of the recurrent family, by the definitions of ops/recurrent/spec.md."""

import random

from normalization import rnd, rounds
from vectorlib import (TENSOR_LIMITS, Operator, check_accumulator, hull, inside, main, noise,
                       numel, require, tensor)

DIRECTIONS = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}
HALF = 2**15
GATES = {"rnn": 1, "lstm": 4, "gru": 3}
TABLES = {"rnn": 1, "lstm": 3, "gru": 2}


def widest(t):
    return max(abs(v) for v in t.values)


def products(a, b, terms):
    """Bounds of every partial sum."""
    ends = [x * y * terms for x in a for y in b] + [0]
    return min(ends), max(ends)


def magnitude(interval):
    return max(abs(end) for end in interval)


def clamp(v, lo, hi):
    return min(max(v, lo), hi)


def applied(table, v):
    half = numel(table.shape) // 2
    return table.values[clamp(v, -half, half - 1) + half]


def optional(name, a):
    """Names of the operands behind the tables."""
    names = ["h_0"] * a["initial_state"] + ["c_0"] * (a["initial_state"] and name == "lstm")
    names += ["lengths"] * a["lengths"]
    if name == "lstm":
        names += ["peephole"] * a["peephole"] + ["projection", "m_p"] * a["projection"]
    return names + ["b_r"] * a.get("reset_after", False)


def checked(name, c):
    """The operands by name, once C1 to C8 hold."""
    a, label = c.attributes, lambda n: f"{name}_c{n}"
    names = ["x", "W", "R", "m_x", "m_h", "b"] + ["F", "G", "A"][:TABLES[name]] + optional(name, a)
    require(len(c.operands) == len(names), label(1))
    o = dict(zip(names, c.operands))
    require(all(inside(o[k].interval, TENSOR_LIMITS["core"]) for k in ("x", "W", "R")), label(2))
    directions, gates = len(DIRECTIONS[a["direction"]]), GATES[name]
    require(all(len(o[k].shape) == 3 for k in ("x", "W", "R")), label(3))
    (steps, batch, inputs), (r_directions, rows, states) = o["x"].shape, o["R"].shape
    require(r_directions == directions and rows % gates == 0, label(3))
    require(o["W"].shape == [directions, rows, inputs], label(3))
    units = rows // gates
    require("projection" in o or states == units, label(3))
    require(all(o[k].constant and o[k].shape == [directions, rows] for k in ("m_x", "m_h", "b")), label(4))
    for table in names[6:6 + TABLES[name]]:
        t = o[table]
        require(t.constant and len(t.shape) == 1 and t.shape[0] <= 65536 and t.shape[0] % 2 == 0, label(5))
        require(widest(t) <= HALF, label(6))
    for state, width in (("h_0", states), ("c_0", units)):
        if state in o:
            require(o[state].shape == [directions, batch, width], label(7))
            require(inside(o[state].interval, (-HALF, HALF - 1)), label(7))
    if "lengths" in o:
        require(o["lengths"].shape == [batch] and inside(o["lengths"].interval, (0, steps)), label(8))
    return o, dict(T=steps, B=batch, I=inputs, D=directions, H=units, P=states)


def of_values(t):
    return min(t.values), max(t.values)


def gate_bound(o, n, state):
    """The accumulators, and the magnitude of a gate."""
    wx = products(o["W"].interval, o["x"].interval, n["I"])
    rh = products(o["R"].interval, state, n["P"])
    return hull(wx, rh), magnitude(wx) * widest(o["m_x"]) + widest(o["b"]) + magnitude(rh) * widest(o["m_h"])


class Cell:
    """The sums of one step of one direction."""

    def __init__(self, o, a, d, t, b):
        self.o, self.a, self.d, self.t, self.b = o, a, d, t, b

    def inputs(self, g):
        o = self.o
        return sum(o["W"].at([self.d, g, i]) * o["x"].at([self.t, self.b, i]) for i in range(o["x"].shape[2])) \
            * o["m_x"].at([self.d, g]) + o["b"].at([self.d, g])

    def states(self, g, h):
        o = self.o
        return sum(o["R"].at([self.d, g, j]) * h[j] for j in range(len(h))) * o["m_h"].at([self.d, g])

    def gate(self, g, h, more=0):
        return rnd(self.inputs(g) + self.states(g, h) + more, self.a["shift"])


def walk(o, a, n, widths, advance):
    """Values of y and of the final states."""
    y = {}
    finals = [[] for _ in widths]
    for d, reverse in enumerate(DIRECTIONS[a["direction"]]):
        for b in range(n["B"]):
            state = []
            for k, width in zip(("h_0", "c_0"), widths):
                state.append([o[k].at([d, b, i]) for i in range(width)] if k in o else [0] * width)
            length = o["lengths"].at([b]) if "lengths" in o else n["T"]
            order = range(length)[::-1] if reverse else range(length)
            for t in order:
                state = advance(Cell(o, a, d, t, b), *state)
                y[t, d, b] = state[0]
            for k, values in enumerate(state):
                finals[k] += values
    values = []
    for t in range(n["T"]):
        for d in range(n["D"]):
            for b in range(n["B"]):
                values += y.get((t, d, b), [0] * n["P"])
    return values, finals


def results(o, a, n, widths, intervals, advance):
    values, finals = walk(o, a, n, widths, advance)
    y = hull(intervals[0], (0, 0)) if "lengths" in o else intervals[0]
    tensors = [tensor([n["T"], n["D"], n["B"], n["P"]], values, y)]
    for k, width, interval, final in zip(("h_0", "c_0"), widths, intervals, finals):
        if "lengths" in o:
            interval = hull(interval, o[k].interval if k in o else (0, 0))
        tensors.append(tensor([n["D"], n["B"], width], final, interval))
    return tensors


def gas(n, gates):
    return n["T"] * n["D"] * (n["B"] * gates * n["H"] * (10 * n["I"] + 10 * n["P"] + 1200) + 6144)


def initial(o):
    return o["h_0"].interval if "h_0" in o else (0, 0)


def rnn(c):
    o, n = checked("rnn", c)
    a = c.attributes
    state = of_values(o["F"])
    accumulator, gate = gate_bound(o, n, hull(state, initial(o)))
    require(rounds(gate, a["shift"]), "rnn_c9")
    check_accumulator(accumulator, c.profile)

    def advance(cell, h):
        return [[applied(o["F"], cell.gate(j, h)) for j in range(n["H"])]]

    return results(o, a, n, [n["H"]], [state], advance), gas(n, 1)


def gru(c):
    o, n = checked("gru", c)
    a, units = c.attributes, n["H"]
    require(min(o["F"].values) >= 0, "gru_c10")
    if a["reset_after"]:
        require(o["b_r"].constant and o["b_r"].shape == [n["D"], units], "gru_c11")
    state = hull(of_values(o["G"]), initial(o))
    accumulator, gate = gate_bound(o, n, state)
    require(rounds(gate, a["shift"]), "gru_c9")
    if a["reset_after"]:
        require(a["shift"] + 15 <= 62 and rounds((gate + widest(o["b_r"])) * HALF, a["shift"] + 15), "gru_c12")
    check_accumulator(accumulator, c.profile)

    def advance(cell, h):
        z = [applied(o["F"], cell.gate(j, h)) for j in range(units)]
        r = [applied(o["F"], cell.gate(units + j, h)) for j in range(units)]
        after = []
        for j in range(units):
            row = 2 * units + j
            if a["reset_after"]:
                recurrent = cell.states(row, h) + o["b_r"].at([cell.d, j])
                v = rnd(cell.inputs(row) * HALF + r[j] * recurrent, a["shift"] + 15)
            else:
                v = cell.gate(row, [rnd(p * q, 15) for p, q in zip(r, h)])
            after.append(rnd(z[j] * h[j] + (HALF - z[j]) * applied(o["G"], v), 15))
        return [after]

    return results(o, a, n, [units], [state], advance), gas(n, 3)


def lstm(c):
    o, n = checked("lstm", c)
    a, units = c.attributes, n["H"]
    if a["peephole"]:
        require(o["peephole"].constant and o["peephole"].shape == [n["D"], 3 * units], "lstm_c10")
    ends = [p * q for p in of_values(o["F"]) for q in of_values(o["A"])]
    output = (rnd(min(ends), a["output_shift"]), rnd(max(ends), a["output_shift"]))
    state, projected = output, (0, 0)
    if a["projection"]:
        m = o["m_p"]
        require(o["projection"].shape == [n["D"], n["P"], units], "lstm_c11")
        require(m.constant and m.shape == [n["D"], n["P"]], "lstm_c11")
        require(inside(o["projection"].interval, TENSOR_LIMITS["core"]), "lstm_c12")
        projected = products(o["projection"].interval, output, units)
        most = magnitude(projected) * widest(m)
        require(rounds(most, a["projection_shift"]), "lstm_c13")
        state = tuple(clamp(rnd(end, a["projection_shift"]), -HALF, HALF - 1) for end in (-most, most))
    require(a["cell_lo"] <= a["cell_hi"], "lstm_c14")
    accumulator, gate = gate_bound(o, n, hull(state, initial(o)))
    if a["peephole"]:
        gate += widest(o["peephole"]) * HALF
    require(rounds(gate, a["shift"]), "lstm_c9")
    check_accumulator(hull(accumulator, projected), c.profile)

    def advance(cell, h, before):
        after, u = [], []
        for j in range(units):
            def seen(k, value):
                term = o["peephole"].at([cell.d, k * units + j]) * value if a["peephole"] else 0
                return applied(o["F"], cell.gate(k * units + j, h, term))

            i = seen(0, before[j])
            f = HALF - i if a["coupled"] else seen(2, before[j])
            g = applied(o["G"], cell.gate(3 * units + j, h))
            both = rnd(f * before[j] * 2 ** (15 - a["cell_bits"]) + i * g, 30 - a["cell_bits"])
            after.append(clamp(both, a["cell_lo"], a["cell_hi"]))
            u.append(rnd(seen(1, after[j]) * applied(o["A"], after[j]), a["output_shift"]))
        if not a["projection"]:
            return u, after
        p = [rnd(sum(o["projection"].at([cell.d, k, j]) * u[j] for j in range(units)) * o["m_p"].at([cell.d, k]),
                 a["projection_shift"]) for k in range(n["P"])]
        return [clamp(v, -HALF, HALF - 1) for v in p], after

    total = gas(n, 4) + a["projection"] * n["T"] * n["B"] * n["D"] * n["P"] * (10 * units + 128)
    return results(o, a, n, [n["P"], units], [state, (a["cell_lo"], a["cell_hi"])], advance), total


DEFINITIONS = {"rnn": rnn, "lstm": lstm, "gru": gru}


def constant(values, shape=None):
    return tensor(shape or [len(values)], values, constant=True)


def slope(n, low, high):
    """n entries from low to high."""
    return constant([low + (high - low) * i // (n - 1) for i in range(n)])


def attributes(name, **overrides):
    base = dict(direction="forward", shift=12, initial_state=False, lengths=False)
    if name == "lstm":
        base |= dict(peephole=False, projection=False, coupled=False, cell_bits=12, cell_lo=-HALF, cell_hi=HALF - 1,
                     output_shift=15, projection_shift=0)
    if name == "gru":
        base |= dict(reset_after=False)
    return base | overrides


def operands(name, seed, a, T=3, B=2, I=2, H=2, P=None):
    P = P or H
    D, rows = len(DIRECTIONS[a["direction"]]), GATES[name] * H
    rng = random.Random(f"{name} {seed}")

    def some(shape, size):
        return constant([rng.randint(-size, size) for _ in range(numel(shape))], shape)

    o = [noise(f"x {seed}", [T, B, I], -127, 127), some([D, rows, I], 127), some([D, rows, P], 3)]
    o += [some([D, rows], 9), some([D, rows], 9), some([D, rows], 9999)]
    tables = {"rnn": [slope(64, -HALF, HALF - 1)],
              "lstm": [slope(64, 0, HALF), slope(128, -HALF + 1, HALF - 1), slope(32, -HALF + 1, HALF - 1)],
              "gru": [slope(64, 0, HALF), slope(128, -HALF + 1, HALF - 1)]}
    o += tables[name]
    # The forms of the other operands.
    shapes = {"h_0": [D, B, P], "c_0": [D, B, H], "peephole": [D, 3 * H], "projection": [D, P, H], "m_p": [D, P],
              "b_r": [D, H]}
    sizes = {"h_0": HALF - 1, "c_0": HALF - 1, "peephole": 20, "projection": 127, "m_p": 9, "b_r": 9999}
    for k in optional(name, a):
        if k == "lengths":
            o.append(tensor([B], [rng.randint(0, T) for _ in range(B)], (0, T)))
        elif k.endswith("_0"):
            o.append(noise(f"{k} {seed}", shapes[k], -sizes[k], sizes[k]))
        else:
            o.append(some(shapes[k], sizes[k]))
    return o


def common_cases(op, name, **more):
    def case(text, a, **sizes):
        op.case(text, operands(name, text, a, **sizes), a)

    for direction in DIRECTIONS:
        case(direction, attributes(name, direction=direction, **more))
        case(f"{direction} with initial states", attributes(name, direction=direction, initial_state=True, **more))
        case(f"{direction} with lengths", attributes(name, direction=direction, lengths=True, **more), T=4, B=4)
        case(f"{direction} with initial states and lengths",
             attributes(name, direction=direction, initial_state=True, lengths=True, **more), T=3, B=3)
    case("a cell", attributes(name, initial_state=True, **more), T=1)
    case("one unit, one input", attributes(name, **more), T=5, B=1, I=1, H=1)
    case("shift 0", attributes(name, shift=0, **more))


def common_refusals(op, name):
    def refuse(n, text, index, operand, **overrides):
        a = attributes(name, **overrides)
        o = operands(name, text, a)
        o[index] = operand
        op.refuse(f"{name}_c{n}", text, o, a)

    rows, F = 2 * GATES[name], 6
    at = F + TABLES[name]  # the first operand after the tables
    op.refuse(f"{name}_c1", "an operand too few", operands(name, "few", attributes(name)),
              attributes(name, initial_state=True))
    op.refuse(f"{name}_c1", "an operand too many",
              operands(name, "many", attributes(name)) + [tensor([2], [1, 1])], attributes(name))
    refuse(2, "W of 64 bits", 1, constant([2**47] * (rows * 2), [1, rows, 2]))
    refuse(3, "x of rank 2", 0, tensor([3, 2], [1] * 6))
    refuse(3, "W of another number of inputs", 1, constant([1] * rows * 3, [1, rows, 3]))
    refuse(3, "R of another number of states", 2, constant([1] * rows * 3, [1, rows, 3]))
    refuse(3, "one direction of two", 1, constant([1] * rows * 2, [1, rows, 2]), direction="bidirectional")
    refuse(4, "computed m_x", 3, tensor([1, rows], [1] * rows))
    refuse(4, "b of another length", 5, constant([1] * (rows + 1), [1, rows + 1]))
    refuse(5, "computed table", F, tensor([2], [1, 2]))
    refuse(5, "odd number of entries", F, constant([1, 2, 3]))
    refuse(5, "matrix for a table", F, constant([1, 2], [1, 2]))
    refuse(6, "entry above 2^15", F, constant([1, HALF + 1]))
    refuse(7, "initial state of another shape", at, tensor([1, 2, 3], [1] * 6), initial_state=True)
    refuse(7, "initial state of 17 bits", at, tensor([1, 2, 2], [HALF] * 4), initial_state=True)
    refuse(8, "another number of lengths", at, tensor([3], [1] * 3), lengths=True)
    refuse(8, "a length above T", at, tensor([2], [1, 4]), lengths=True)
    refuse(8, "a negative length", at, tensor([2], [1, -1]), lengths=True)
    refuse(9, "gates of 64 bits", 3, constant([2**55] * rows, [1, rows]))


def rnn_cases():
    op = Operator("recurrent", "rnn", rnn)
    common_cases(op, "rnn")
    common_refusals(op, "rnn")
    wide = [tensor([1, 1, 1], [2**40])] * 2 + operands("rnn", "sum", attributes("rnn"), I=1, H=1)[2:]
    op.refuse("rnn_c9", "before the accumulator", wide, attributes("rnn"))
    wide[3] = constant([0], [1, 1])
    op.refuse("accumulator_range", "products of 64 bits", wide, attributes("rnn"))
    return op


def gru_cases():
    op = Operator("recurrent", "gru", gru)
    common_cases(op, "gru")
    for direction in ("forward", "bidirectional"):
        a = attributes("gru", direction=direction, reset_after=True, initial_state=True)
        op.case(f"reset after, {direction}", operands("gru", "after", a), a)
    common_refusals(op, "gru")
    a = attributes("gru")
    o = operands("gru", "c10", a)
    op.refuse("gru_c10", "negative entry of F", o[:6] + [constant([-1, 1])] + o[7:], a)
    a = attributes("gru", reset_after=True)
    o = operands("gru", "after", a)
    op.refuse("gru_c11", "computed b_r", o[:-1] + [tensor([1, 2], [1, 1])], a)
    op.refuse("gru_c11", "b_r of another length", o[:-1] + [constant([1] * 3, [1, 3])], a)
    op.refuse("gru_c12", "a bias of 49 bits", o[:-1] + [constant([2**49] * 2, [1, 2])], a)
    op.refuse("gru_c12", "a shift of 63", o, a | {"shift": 48})
    op.case("the largest shift with reset after", o, a | {"shift": 47})
    return op


def lstm_cases():
    op = Operator("recurrent", "lstm", lstm)
    common_cases(op, "lstm")

    def case(text, sizes=None, **overrides):
        a = attributes("lstm", **overrides)
        op.case(text, operands("lstm", text, a, **(sizes or {})), a)

    case("peephole weights", peephole=True, initial_state=True)
    case("coupled gates", coupled=True, initial_state=True)
    case("a projection to one state", {"H": 3, "P": 1}, projection=True, projection_shift=9, initial_state=True)
    case("a projection to more states", {"H": 2, "P": 3}, projection=True, projection_shift=3)
    case("everything", {"H": 3, "P": 2, "B": 3}, direction="bidirectional", peephole=True, projection=True,
         coupled=True, projection_shift=8, initial_state=True, lengths=True, cell_lo=-9000, cell_hi=9000)
    case("a narrow cell", cell_lo=-100, cell_hi=50)
    case("a cell of 15 bits", cell_bits=15, initial_state=True)
    case("a cell of integers", cell_bits=0, initial_state=True)
    case("states of 8 bits", output_shift=23)
    common_refusals(op, "lstm")

    def refuse(n, text, index, operand, **overrides):
        a = attributes("lstm", **overrides)
        o = operands("lstm", text, a)
        o[index] = operand
        op.refuse(f"lstm_c{n}", text, o, a)

    refuse(7, "initial cell of another shape", 10, tensor([1, 2, 1], [1, 1]), initial_state=True)
    refuse(9, "peephole weights of 48 bits", -1, constant([2**48] * 6, [1, 6]), peephole=True)
    refuse(10, "peephole weights of another length", -1, constant([1] * 8, [1, 8]), peephole=True)
    refuse(10, "computed peephole weights", -1, tensor([1, 6], [1] * 6), peephole=True)
    refuse(11, "a projection of another shape", -2, constant([1] * 6, [1, 2, 3]), projection=True)
    refuse(11, "computed m_p", -1, tensor([1, 2], [1, 1]), projection=True)
    refuse(12, "a projection of 64 bits", -2, constant([2**47] * 4, [1, 2, 2]), projection=True)
    refuse(13, "a projection that cannot be rounded", -1, constant([2**45] * 2, [1, 2]), projection=True)
    op.refuse("lstm_c14", "an empty clamp of the cell", operands("lstm", "c14", attributes("lstm")),
              attributes("lstm", cell_lo=1, cell_hi=0))
    return op


if __name__ == "__main__":
    main(__file__, [rnn_cases(), lstm_cases(), gru_cases()])
