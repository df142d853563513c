"""Core ML's control flow, sequences, boxes, draws, and the encodings of weights."""
import math
import statistics
import struct

import arrays
from arrays import Array, draw, make, positive, weights
from coreml_model import array_type, arrays_of, exact, floats, message, model, Net, valid
from protobuf import field


def numbers(*values):
    return Array((len(values),), [float(v) for v in values])


def finished(row, net, inputs, outputs, **more):
    return row, model(net, arrays_of("x", inputs), arrays_of("y", outputs), True, **more), inputs, outputs


def copies():
    x = draw((2, 3), 500)
    net = Net()
    net.layer(600, ["x0"], ["state"])
    doubled = net.layer(880, ["state", "x0"], 1)[0]
    net.layer(600, [doubled], ["state"])
    net.layer(660, ["state"], ["y0"], message({1: -9.0, 2: 9.0}))
    yield finished("copy", net, [x], [x.map(lambda v: min(max(2 * v, -9), 9))])


def branches():
    """x + 1.5 where c > 0, else -x."""
    x = draw((2, 3), 501)
    for given in (2.0, -2.0):
        for is_computed in (False, True):
            net, c = Net(), Array((1,), [given])
            flag = net.layer(830, ["x1"] if is_computed else [net.constant(c)], 1, message({2: 0.0}))[0]
            first, second = Net(), Net()
            first.layer(880, ["x0", first.constant(numbers(1.5))], ["chosen"])
            second.layer(900, ["x0", second.constant(numbers(-1))], ["chosen"])
            net.layer(605, [flag], [], message({1: first.network(), 2: second.network()}))
            net.layer(600, ["chosen"], ["y0"])
            y = x.map(lambda v: v + 1.5 if given > 0 else -v)
            yield finished("branch", net, [x] + ([c] if is_computed else []), [y])


def condition(limit):
    """goes = count < limit."""
    net = Net()
    net.layer(825, ["count", net.constant(numbers(limit))], ["goes"])
    return net.network()


def counted(before=None, after=None):
    """A body: x += 1.5, then count += 1, around which other layers are."""
    net = Net()
    if before:
        before(net)
    net.layer(600, net.layer(880, ["x", net.constant(numbers(1.5))]), ["x"])
    if after:
        after(net)
    net.layer(600, net.layer(880, ["count", net.constant(numbers(1))]), ["count"])
    return net.network()


def loop(row, params, trips, start=0.0, inputs=()):
    """A loop over x and count, of which x is the result; `start` is a number, or an input of the run."""
    x = draw((2, 3), 502)
    net, more = Net(), [start] if isinstance(start, Array) else []
    net.layer(600, ["x0"], ["x"])
    net.layer(600, ["x1"] if more else [net.constant(numbers(start))], ["count"])
    read = [net.constant(v) for v in inputs]
    net.layer(615, read, [], message(params))
    net.layer(600, ["x"], ["y0"])
    return finished(row, net, [x] + more, [x.map(lambda v: v + 1.5 * trips)])


def left(number, at):
    """Leaves the trip in which count is `at`."""
    def add(net):
        inner = Net()
        inner.layer(number, [], [])
        net.layer(605, net.layer(815, ["count", net.constant(numbers(at))]), [], message({1: inner.network()}))
    return add


def loops():
    for row in ("loop", "loop[case 1 for]"):
        yield loop(row, {1: 3, 4: counted()}, 3)
    yield loop("loop[case 1 for]", {4: counted()}, 2, inputs=[numbers(2)])
    yield loop("loop[case 2 while]", {2: "goes", 3: condition(4), 4: counted()}, 4)
    yield loop("loop[case 3 joint]", {1: 3, 2: "goes", 3: condition(100), 4: counted()}, 3)
    yield loop("loop[case 3 joint]", {1: 9, 2: "goes", 3: condition(4), 4: counted()}, 4)
    yield loop("loop[case 3 joint]", {1: 5, 2: "goes", 3: condition(4), 4: counted()}, 2, Array((1,), [2.0]))
    yield loop("loop[case 3 joint]", {1: 5, 2: "goes", 3: condition(1), 4: counted()}, 0, Array((1,), [2.0]))
    # In front of the sum, and after it; the count is a constant, or what a run gives.
    for start in (0.0, Array((1,), [0.0])):
        yield loop("loopBreak", {1: 5, 4: counted(left(620, 2))}, 2, start)
        yield loop("loopBreak", {1: 5, 4: counted(None, left(620, 2))}, 3, start)
    # A continue leaves the count as it is, so all trips after it end there too.
    for start in (0.0, Array((1,), [0.0])):
        yield loop("loopContinue", {1: 5, 4: counted(left(625, 2))}, 2, start)
        yield loop("loopContinue", {1: 5, 2: "goes", 3: condition(4), 4: counted(None, left(625, 3))}, 5, start)


BOXES = [(2.0, 2.0, 4.0, 4.0), (3.0, 2.0, 4.0, 4.0), (10.0, 10.0, 4.0, 4.0), (2.0, 3.0, 4.0, 4.0), (10.0, 11.5, 4.0, 5.0), (22.0, 2.0, 4.0, 4.0)]
SCORES = [[0.5, 0.125], [0.9375, 0.0625], [0.25, 0.8125], [0.6875, 0.375], [0.75, 0.4375], [0.0, 0.0625]]


def overlap(a, b):
    side = lambda p, q, i: max(min(p[i] + p[i + 2] / 2, q[i] + q[i + 2] / 2) - max(p[i] - p[i + 2] / 2, q[i] - q[i + 2] / 2), 0)
    both = side(a, b, 0) * side(a, b, 1)
    return both / (a[2] * a[3] + b[2] * b[3] - both)


def suppressions():
    boxes, scores = Array((1, 6, 4), sum(map(list, BOXES), [])), Array((1, 6, 2), sum(SCORES, []))
    best = [max(s) for s in SCORES]
    label = [s.index(max(s)) for s in SCORES]
    for per_class in (False, True):
        for least, as_inputs in ((0.3, False), (0.3, True), (0.99, False)):
            kept = []
            for i in sorted(range(6), key=lambda i: -best[i]):
                rivals = [j for j in kept if not per_class or label[i] == label[j]]
                if best[i] > least and len(kept) < 4 and all(overlap(BOXES[i], BOXES[j]) <= 0.4 for j in rivals):
                    kept.append(i)
            kept = kept or [best.index(max(best))]
            net = Net()
            values = [net.constant(numbers(v)) for v in (0.4, least, 4)] if as_inputs else []
            params = {4: int(per_class), **({} if as_inputs else {1: 0.4, 2: least, 3: 4})}
            net.layer(1400, ["x0", "x1", *values], ["y0", "y1", "places", "count"], message(params))
            shift, one = draw((1, 4), 510), draw((1,), 511)
            net.layer(880, ["x2", "places"], ["y2"])
            net.layer(880, ["x3", "count"], ["y3"])
            none = [0] * (4 - len(kept))
            rows = [v for i in kept for v in BOXES[i]] + [0.0] * 4 * len(none)
            found = [v for i in kept for v in SCORES[i]] + [0.0] * 2 * len(none)
            places = [a + b for a, b in zip(shift.data, kept + [-1] * len(none))]
            expected = [Array((1, 4, 4), rows), Array((1, 4, 2), found), Array((1, 4), places), one.map(lambda v: v + len(kept))]
            yield finished("NonMaximumSuppression", net, [boxes, scores, shift, one], expected)


def philox(element, seed, layer):
    """The first 64 bits of Philox 4x32-10 for an element (ops/sampling/spec.md)."""
    word = 0xFFFFFFFF
    c, k = [element, 0, 0, 0], [seed, layer]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k[0], q & word, (p >> 32) ^ c[3] ^ k[1], p & word]
        k = [k[0] + 0x9E3779B9 & word, k[1] + 0xBB67AE85 & word]
    return c[0] | c[1] << 32


def below(count, element, seed, layer=0):
    return philox(element, seed, layer) * count >> 64


def draws():
    x = draw((4, 8), 520)
    seed = 7
    share = lambda i: (below(1 << 16, i, seed) + 0.5) / (1 << 16)
    normal = statistics.NormalDist(0.5, 2.0)
    kinds = [("Normal", 1170, {2: 0.5, 3: 2.0}, lambda i: normal.inv_cdf(share(i)), 4),
             ("Uniform", 1190, {2: -1.0, 3: 3.0}, lambda i: -1 + 4 * share(i), 4),
             ("Bernoulli", 1210, {2: 0.25}, lambda i: float(below(1 << 32, i, seed) < 1 << 30), 3)]
    for name, number, params, f, shape in kinds:
        y = Array(x.shape, [v + f(i) for i, v in enumerate(x.data)])
        for i, form in enumerate(("Like", "Static", "Dynamic")):
            net = Net()
            read = [["x0"], [], [net.constant(numbers(4, 8))]][i]
            drawn = net.layer(number + 5 * i, read, 1, message({1: seed, **params, **({shape: [4, 8]} if i == 1 else {})}))[0]
            net.layer(880, ["x0", drawn], ["y0"])
            yield finished(f"random{name}{form}", net, [x], [y])
    # Shares whose sums are whole parts of 2^64, so that both know where one ends.
    shares, shift = Array((1, 4), [0.5, 0.25, 0.125, 0.125]), draw((1, 8), 521)
    ends = [0.5, 0.75, 0.875, 1.0]
    places = [float(next(k for k in range(4) if philox(i, seed, 0) / 2**64 < ends[k])) for i in range(8)]
    net = Net()
    net.layer(880, ["x1", net.layer(1230, ["x0"], 1, message({1: seed, 2: 8}))[0]], ["y0"])
    y = Array((1, 8), [a + b for a, b in zip(shift.data, places)])
    yield finished("categoricalDistribution", net, [shares, shift], [y])


def bounded(v, most=50.0):
    return min(max(v, -most), most)


ACTIVATIONS = {  # the field of ActivationParams, empty where recurrent layers say the numbers, and the function
    "sigmoid": (40, arrays.sigmoid), "tanh": (30, math.tanh), "ReLU": (10, lambda v: max(v, 0.0)), "linear": (5, lambda v: v),
    "sigmoidHard": (41, lambda v: min(max(0.2 * v + 0.5, 0), 1)), "scaledTanh": (31, lambda v: 1.7159 * math.tanh(2 / 3 * v))}


def activation(name):
    return message({ACTIVATIONS[name][0]: b""})


class Walk:
    """Weights of a direction with H units and I inputs, and what they give at each step of x [S, B, I]."""

    def __init__(self, gates, seed, inputs=3, units=2):
        small = lambda shape, s: weights(shape, s).map(lambda v: v / 256)
        self.w = [small((units, inputs), seed + g) for g in range(gates)]
        self.r = [small((units, units), seed + 10 + g) for g in range(gates)]
        self.b = [small((units,), seed + 20 + g) for g in range(gates)]
        self.p = [small((units,), seed + 30 + g) for g in range(3)]
        self.units, self.inputs = units, inputs

    def sums(self, gate, row, h):
        return [self.b[gate][u] + sum(self.w[gate][u, i] * row[i] for i in range(self.inputs)) + sum(self.r[gate][u, j] * h[j] for j in range(self.units))
                for u in range(self.units)]

    def run(self, x, step, start=None, back=False):
        """states [S][B] and the last; step(row, state) -> state, of which [0] is h."""
        steps, batch = x.shape[:2]
        states, last = {}, {}
        for b in range(batch):
            state = [list(s[b * self.units:(b + 1) * self.units]) for s in start] if start else [[0.0] * self.units, [0.0] * self.units]
            for t in reversed(range(steps)) if back else range(steps):
                state = step([x.data[(t * batch + b) * self.inputs + i] for i in range(self.inputs)], state)
                states[t, b] = state[0]
            last[b] = state
        return states, last


def simple(walk, f):
    return lambda row, s: [[f(bounded(v)) for v in walk.sums(0, row, s[0])], s[1]]


def gated(walk, f, g):
    def step(row, s):
        h = s[0]
        z = [f(bounded(v)) for v in walk.sums(0, row, h)]
        r = [f(bounded(v)) for v in walk.sums(1, row, h)]
        o = [g(bounded(v)) for v in walk.sums(2, row, [p * q for p, q in zip(h, r)])]
        return [[(1 - a) * b + a * c for a, b, c in zip(z, o, h)], s[1]]
    return step


def long_short(walk, f, g, h, peephole=False, coupled=False, forget=0.0, bound=50.0):
    """Gates in the order of LSTMWeightParams: i, f, z, o."""
    def step(row, s):
        before, cell = s
        p = walk.p if peephole else [[0.0] * walk.units] * 3
        see = lambda gate, which, c, more=0.0: [f(bounded(v + p[which][u] * c[u] + more)) for u, v in enumerate(walk.sums(gate, row, before))]
        i = see(0, 0, cell)
        keep = [1 - v for v in i] if coupled else see(1, 1, cell, forget)
        z = [g(bounded(v)) for v in walk.sums(2, row, before)]
        after = [bounded(c * k + a * b, bound) for c, k, a, b in zip(cell, keep, i, z)]
        o = see(3, 2, after)
        return [[h(c) * v for c, v in zip(after, o)], after]
    return step


def rows(states, steps, batch, units, parts=1):
    return Array((steps, batch, units * parts, 1, 1), [v for t in range(steps) for b in range(batch) for v in states(t, b)])


def recurrents():
    x = draw((4, 2, 3, 1, 1), 530).map(lambda v: v / 8)
    h0, c0 = draw((1, 2, 2, 1, 1), 531).map(lambda v: v / 8), draw((1, 2, 2, 1, 1), 532).map(lambda v: v / 8)
    state = lambda last, k: Array((1, 2, 2, 1, 1), [v for b in range(2) for v in last[b][k]])
    for name, back, all_steps, starts in (("tanh", False, True, False), ("ReLU", False, True, True), ("sigmoidHard", True, False, False),
                                          ("scaledTanh", True, True, True), ("linear", False, False, False), ("sigmoid", False, False, True)):
        walk = Walk(1, 540)
        states, last = walk.run(x, simple(walk, ACTIVATIONS[name][1]), [h0.data, h0.data] if starts else None, back)
        params = {1: 3, 2: 2, 10: activation(name), 15: int(all_steps), 20: 1, 30: floats(walk.w[0]), 31: floats(walk.r[0]), 32: floats(walk.b[0]), 100: int(back)}
        y = rows(lambda t, b: states[t, b], 4, 2, 2) if all_steps else state(last, 0)
        yield exact("simpleRecurrent", 400, [x] + ([h0] if starts else []), params, [y, state(last, 0)])
    for f, g, back, all_steps, starts in (("sigmoid", "tanh", False, True, True), ("sigmoidHard", "tanh", True, False, False), ("sigmoid", "scaledTanh", True, True, True)):
        walk = Walk(3, 550)
        states, last = walk.run(x, gated(walk, ACTIVATIONS[f][1], ACTIVATIONS[g][1]), [h0.data, h0.data] if starts else None, back)
        params = {1: 3, 2: 2, 10: [activation(f), activation(g)], 15: int(all_steps), 20: 1, 100: int(back)}
        for gate in range(3):
            params |= {30 + gate: floats(walk.w[gate]), 50 + gate: floats(walk.r[gate]), 70 + gate: floats(walk.b[gate])}
        y = rows(lambda t, b: states[t, b], 4, 2, 2) if all_steps else state(last, 0)
        yield exact("gru", 410, [x] + ([h0] if starts else []), params, [y, state(last, 0)])
    def of_weights(walk):
        return message({**{1 + g: floats(walk.w[g]) for g in range(4)}, **{20 + g: floats(walk.r[g]) for g in range(4)},
                        **{40 + g: floats(walk.b[g]) for g in range(4)}, **{60 + g: floats(walk.p[g]) for g in range(3)}})
    forms = [dict(), dict(peephole=True, forget=1.0), dict(coupled=True), dict(bound=0.25, peephole=True)]
    for i, form in enumerate(forms):
        for all_steps, back, starts in ((True, False, False), (False, True, True)):
            names = ("sigmoid", "tanh", "scaledTanh") if i == 2 else ("sigmoid", "tanh", "tanh")
            walk = Walk(4, 560 + i)
            step = long_short(walk, *[ACTIVATIONS[n][1] for n in names], **form)
            states, last = walk.run(x, step, [h0.data, c0.data] if starts else None, back)
            how = {10: int(all_steps), 20: 1, 30: int("forget" in form), 40: int("peephole" in form), 50: int("coupled" in form)}
            how |= {60: form["bound"]} if "bound" in form else {}
            params = {1: 3, 2: 2, 10: [activation(n) for n in names], 15: message(how), 20: of_weights(walk), 100: int(back)}
            y = rows(lambda t, b: states[t, b], 4, 2, 2) if all_steps else state(last, 0)
            yield exact("uniDirectionalLSTM", 420, [x] + ([h0, c0] if starts else []), params, [y, state(last, 0), state(last, 1)])
    for all_steps, names in ((True, ("sigmoid", "tanh", "tanh")), (False, ("sigmoid", "tanh", "tanh")), (True, ("sigmoid", "scaledTanh", "tanh"))):
        forward, backward = Walk(4, 570), Walk(4, 580)
        second = ("sigmoid", "tanh", "tanh")
        a, a_last = forward.run(x, long_short(forward, *[ACTIVATIONS[n][1] for n in names]), [h0.data, c0.data])
        b, b_last = backward.run(x, long_short(backward, *[ACTIVATIONS[n][1] for n in second]), [c0.data, h0.data], back=True)
        params = {1: 3, 2: 2, 10: [activation(n) for n in names], 11: [activation(n) for n in second],
                  15: message({10: int(all_steps), 20: 1}), 20: [of_weights(forward), of_weights(backward)]}
        if all_steps:
            y = rows(lambda t, n: a[t, n] + b[t, n], 4, 2, 2, 2)
        else:
            y = rows(lambda _, n: a_last[n][0] + b_last[n][0], 1, 2, 2, 2)
        lasts = [state(a_last, 0), state(a_last, 1), state(b_last, 0), state(b_last, 1)]
        yield exact("biDirectionalLSTM", 430, [x, h0, c0, c0, h0], params, [y, *lasts])


def bits(codes, width):
    """One stream of bits, the highest first."""
    stream = "".join(f"{code:0{width}b}" for code in codes)
    return bytes(int(stream[i:i + 8].ljust(8, "0"), 2) for i in range(0, len(stream), 8))


def encodings():
    x = draw((4, 3, 3), 590)

    def dense(row, weight, encoded, bias=None):
        net = Net()
        net.layer(100, ["x0"], ["y0"], message({1: 3, 2: 4, 20: [1, 1], 50: valid(), 90: encoded}))
        y = arrays.convolution(x, weight, [0.0] * 3, (1, 1), (1, 1), (0, 0), (0, 0))
        return row, model(net, arrays_of("x", [x]), arrays_of("y", [y])), [x], [y]

    w = weights((3, 4, 1, 1), 591)
    yield dense("WeightParams.floatValue", w, floats(w))
    yield dense("WeightParams.float16Value", w, message({2: struct.pack("<12e", *w.data)}))
    # An integer of 8 bits has a zero point of 128; of 4 bits, by channel, others; and one is none at all.
    quantized = lambda codes, width, scale, bias: message({30: bits(codes, width), 40: message({1: width, 101: message({1: scale, 2: bias})})})
    yield dense("WeightParams.rawValue+LinearQuantization", w.map(lambda v: v / 2), quantized([int(v) + 128 for v in w.data], 8, [0.5], [-64.0]))
    codes = [(5 * i + i // 4) % 16 for i in range(12)]
    scale, zero = [0.5, 0.25, 2.0], [8, 3, 7]
    real = Array(w.shape, [scale[i // 4] * (c - zero[i // 4]) for i, c in enumerate(codes)])
    yield dense("WeightParams.rawValue+LinearQuantization", real, quantized(codes, 4, scale, [-s * z for s, z in zip(scale, zero)]))
    for width in (1, 3, 6):
        few = [c % 2**width for c in codes]
        real = Array(w.shape, [0.5 * c - 0.5 for c in few])
        yield dense("WeightParams.rawValue+LinearQuantization", real, quantized(few, width, [0.5], [-0.5]))
    table = [-8.0, -1.0, 0.0, 2.5]
    few = [c % 4 for c in codes]
    real = Array(w.shape, [table[c] for c in few])
    encoded = message({30: bits(few, 2), 40: message({1: 2, 102: message({1: table})})})
    yield dense("WeightParams.rawValue+LookUpTable", real, encoded)
    a, weight = draw((5, 4), 592), w.reshape(3, 4)
    y = make((5, 3), lambda n, o: sum(weight[o, i] * a[n, i] for i in range(4)) / 4)
    codes = message({31: bytes(int(v) & 255 for v in w.data), 40: message({1: 8, 101: message({1: [0.25]})})})
    yield exact("WeightParams.int8RawValue", 140, [a], {1: 4, 2: 3, 20: codes, 22: 1}, y)


def pixels(shape, seed):
    return draw(shape, seed).map(lambda v: (v + 8) * 16)


def preprocessings():
    image = lambda space: message({4: message({1: 5, 2: 4, 3: space})})
    w = weights((2, 3, 3, 3), 600)
    params = message({1: 2, 2: 3, 51: b"", 90: floats(w)})
    x = pixels((3, 4, 5), 601)
    for space, order in ((20, (0, 1, 2)), (30, (2, 1, 0))):
        bias = [-1.5, 0.25, 2.0]  # red, green and blue
        scaler = message({10: 0.0625, 20: bias[2], 21: bias[1], 22: bias[0]})
        real = make(x.shape, lambda c, h, v: x[c, h, v] / 16 + bias[order[c]])
        net = Net()
        net.layer(100, ["x0"], ["y0"], params)
        y = arrays.convolution(real, w, [0.0] * 2, (1, 1), (1, 1), (1, 1), (1, 1))
        file = model(net, {"x0": image(space)}, arrays_of("y", [y]), _2=message({1: "x0", 10: scaler}))
        yield "preprocessing.scaler", file, [x], [y]
    average = pixels((3, 4, 5), 602)
    net = Net()
    net.layer(130, ["x0"], ["y0"], message({10: b""}))
    y = Array(x.shape, [max(a - b, 0.0) for a, b in zip(x.data, average.data)])
    yield "preprocessing.meanImage", model(net, {"x0": image(20)}, arrays_of("y", [y]), _2=message({1: "x0", 11: message({1: average.data})})), [x], [y]


def cases():
    for family in (copies, branches, loops, suppressions, draws, recurrents, encodings, preprocessings):
        yield from family()
