"""Vectors of the attention family, by the definitions of ops/attention/spec.md."""

import random

from normalization import clamp, exponential_table, exponentials, halving, placed, rnd, rounds
from vectorlib import (TENSOR_LIMITS, Case, Lowering, Operator, build, check_accumulator, check_shape, inside, main, noise, numel,
                       require, tensor)

NAME = "scaled_dot_product_attention"


def broadcast(shapes, label):
    rank = max(len(shape) for shape in shapes)
    columns = list(zip(*([1] * (rank - len(shape)) + shape for shape in shapes)))
    result = [max(column) for column in columns]
    require(all(dim in (1, most) for column, most in zip(columns, result) for dim in column), label)
    return result


def at(x, batch, row, column):
    """Element of the matrix of x that broadcasting puts at `batch`."""
    index = (list(batch) + [row, column])[len(batch) + 2 - len(x.shape):]
    return x.at([0 if n == 1 else i for i, n in zip(index, x.shape)])


def attention(c):
    (q, k, v, table), masks, a = c.operands[:4], c.operands[4:], c.attributes
    require(all(inside(x.interval, TENSOR_LIMITS["core"]) for x in [q, k, v] + masks), f"{NAME}_c1")
    require(all(len(x.shape) >= 2 for x in (q, k, v)), f"{NAME}_c2")
    (queries, depth), keys, columns = q.shape[-2:], k.shape[-2], v.shape[-1]
    require(k.shape[-1] == depth and v.shape[-2] == keys, f"{NAME}_c3")
    batch = broadcast([x.shape[:-2] for x in (q, k, v)], f"{NAME}_c4")
    require(len(masks) == (a["mask"] != "none"), f"{NAME}_c5")
    logits = batch + [queries, keys]
    require(not masks or broadcast([logits, masks[0].shape], f"{NAME}_c6") == logits, f"{NAME}_c6")
    exponential_table(table, f"{NAME}_c7", f"{NAME}_c8")
    require(a["lo"] <= a["hi"], f"{NAME}_c9")
    products = [depth * x * y for x in q.interval for y in k.interval] + [0]
    means = [(2**15 + keys) * end for end in v.interval] + [0]
    bounds = products + means + [keys * max(table.values)]
    require(rounds(max(map(abs, products)) * abs(a["logit_multiplier"]), a["logit_shift"]), f"{NAME}_c10")
    require(rounds(max(map(abs, means)) * abs(a["multiplier"]), a["shift"]), f"{NAME}_c11")
    check_shape(batch + [queries, columns])
    check_accumulator((min(bounds), max(bounds)), c.profile)

    def weights(b, l):
        t = []
        for s in range(keys):
            product = sum(at(q, b, l, i) * at(k, b, s, i) for i in range(depth))
            logit = rnd(product * a["logit_multiplier"], a["logit_shift"])
            if a["mask"] == "additive":
                logit += at(masks[0], b, l, s)
            logit = min(max(logit, -(2**15)), 2**15 - 1)
            hidden = a["mask"] == "boolean" and at(masks[0], b, l, s) == 0
            hidden = hidden or any(s > l + offset for offset in a["causal"])
            t.append(-(2**17) if hidden else logit)
        e = exponentials(t, table)
        total = sum(e)
        return [rnd(one * ((2**61 + total // 2) // total), 61 - 15) for one in e]

    def element(d):
        b, l, j = d[:-2], d[-2], d[-1]
        mean = sum(p * at(v, b, s, j) for s, p in enumerate(weights(b, l)))
        return clamp(rnd(mean * a["multiplier"], a["shift"]), a)

    ends = [rnd(mean * a["multiplier"], a["shift"]) for mean in means]
    y = build(batch + [queries, columns], placed((min(ends), max(ends)), a), element)
    return [y], numel(batch) * queries * (14 * keys * (depth + columns + 48) + 768 + 4 * columns)


def attributes(**overrides):
    return dict(logit_multiplier=3, logit_shift=4, mask="none", causal=[], multiplier=1, shift=15, zero_out=0,
                lo=-128, hi=127) | overrides


def qkv(seed, q, k, v, size=127):
    return [noise(f"{seed} {i}", shape, -size, size) for i, shape in enumerate((q, k, v))] + [halving(300, 16)]


def cases():
    op = Operator("attention", NAME, attention)
    op.case("one head", qkv("one", [3, 4], [5, 4], [5, 2]), attributes())
    op.case("batch and heads", qkv("heads", [2, 2, 3, 4], [2, 2, 5, 4], [2, 2, 5, 3]), attributes())
    op.case("grouped queries", qkv("grouped", [1, 2, 3, 2, 4], [1, 2, 1, 5, 4], [1, 2, 1, 5, 3]), attributes())
    op.case("keys for every head and values for one", qkv("mixed", [4, 2, 2], [4, 3, 2], [3, 2]), attributes())
    for offset in (-2, 0, 2, 99, -99):
        op.case(f"causal with offset {offset}", qkv("causal", [3, 4], [5, 4], [5, 2]), attributes(causal=[offset]))
    seen = tensor([3, 5], [1, 0, 1, 1, 0, 0, 0, 0, 0, 0, -7, 2, 0, 0, 1])
    op.case("boolean mask, of which a row is empty", qkv("boolean", [3, 4], [5, 4], [5, 2]) + [seen],
            attributes(mask="boolean"))
    op.case("boolean mask and causal", qkv("both", [3, 4], [5, 4], [5, 2]) + [seen],
            attributes(mask="boolean", causal=[1]))
    op.case("boolean mask for each of a batch", qkv("batch", [2, 2, 3, 4], [2, 1, 5, 4], [5, 3])
            + [noise("mask", [2, 1, 1, 5], 0, 1)], attributes(mask="boolean"))
    op.case("additive mask", qkv("additive", [3, 4], [5, 4], [5, 2]) + [noise("terms", [3, 5], -99, 99)],
            attributes(mask="additive"))
    op.case("additive mask that clamps", qkv("clamps", [1, 4], [4, 4], [4, 2])
            + [tensor([4], [2**40, -(2**40), 0, 2**46])], attributes(mask="additive"))
    op.case("mask of rank 0", qkv("scalar", [3, 4], [5, 4], [5, 2]) + [tensor([], [0])],
            attributes(mask="boolean"))
    op.case("scales of the result", qkv("scales", [3, 4], [5, 4], [5, 2]),
            attributes(multiplier=-77, shift=20, zero_out=9))
    op.case("16 bits", qkv("16 bits", [2, 4], [3, 4], [3, 2], 32767),
            attributes(logit_multiplier=1, logit_shift=24, lo=-32768, hi=32767))
    op.case("logits of 16 bits saturate", qkv("saturate", [2, 4], [3, 4], [3, 2]),
            attributes(logit_multiplier=1000, logit_shift=0))
    rng = random.Random("attention")
    for i in range(8):
        l, s, d, j = (rng.randint(1, 4) for _ in range(4))
        op.case(f"random {i}", qkv(f"random {i}", [2, l, d], [rng.choice([1, 2]), s, d], [s, j]),
                attributes(logit_multiplier=rng.randint(-99, 99), logit_shift=rng.randint(0, 10),
                           causal=rng.choice([[], [s - l]])))
    q, k, v, table = qkv("refused", [3, 4], [5, 4], [5, 2])
    op.refuse(f"{NAME}_c1", "v of 64 bits", [q, k, tensor([5, 1], [2**47] * 5, constant=True), table], attributes())
    op.refuse(f"{NAME}_c2", "a vector", [tensor([4], [1] * 4), k, v, table], attributes())
    op.refuse(f"{NAME}_c3", "another depth", [q, noise("c3", [5, 3], 0, 9), v, table], attributes())
    op.refuse(f"{NAME}_c3", "another number of values", [q, k, noise("c3", [4, 2], 0, 9), table], attributes())
    op.refuse(f"{NAME}_c4", "batches that do not broadcast",
              qkv("c4", [2, 3, 4], [3, 5, 4], [5, 2]), attributes())
    op.refuse(f"{NAME}_c5", "no mask", [q, k, v, table], attributes(mask="boolean"))
    op.refuse(f"{NAME}_c5", "a mask too many", [q, k, v, table, seen], attributes())
    op.refuse(f"{NAME}_c6", "a mask of another length", [q, k, v, table, tensor([4], [1] * 4)],
              attributes(mask="boolean"))
    op.refuse(f"{NAME}_c6", "a mask with a batch", [q, k, v, table, tensor([2, 1, 1], [1] * 2)],
              attributes(mask="boolean"))
    op.refuse(f"{NAME}_c7", "computed table", [q, k, v, tensor([1], [1])], attributes())
    op.refuse(f"{NAME}_c8", "head 0", [q, k, v, tensor([1], [0], constant=True)], attributes())
    op.refuse(f"{NAME}_c9", "empty clamp", [q, k, v, table], attributes(lo=1, hi=0))
    op.refuse("accumulator_range", "products of 64 bits", qkv("products", [1, 1], [1, 1], [1, 1], 2**32),
              attributes(logit_multiplier=0))
    op.refuse(f"{NAME}_c10", "before the accumulator", qkv("products", [1, 1], [1, 1], [1, 1], 2**32), attributes())
    op.refuse(f"{NAME}_c10", "logits of 64 bits", qkv("c10", [1, 1], [1, 1], [1, 1], 2**20),
              attributes(logit_multiplier=2**23))
    op.refuse(f"{NAME}_c11", "means of 64 bits", [q, k, noise("c11", [5, 1], 0, 2**40), table],
              attributes(multiplier=2**8))
    return op


def rotary_embedding(c):
    (x, cosine, sine), a = c.operands, c.attributes
    half = x.shape[-1] // 2

    def element(d):
        i = d[-1]
        plane, second = (i // 2, i % 2) if a["interleaved"] else (i % half, i // half)
        partner = i ^ 1 if a["interleaved"] else (i + half) % (2 * half)
        angle = [0 if n == 1 else k for n, k in zip(cosine.shape[:-1], d[len(d) - len(cosine.shape):-1])] + [plane]
        mine, other = x.at(d), x.at([*d[:-1], partner])
        exact = mine * cosine.at(angle) + (other if second else -other) * sine.at(angle)
        return min(max(rnd(exact, a["shift"]), a["lo"]), a["hi"])

    y = build(x.shape, (a["lo"], a["hi"]), element)
    return [(y.shape, y.values)]


def rotary_cases():
    op = Lowering("attention", "rotary_embedding", rotary_embedding)
    for interleaved in (False, True):
        for shape, angles in (([2, 3, 4], [3, 2]), ([6], [3]), ([2, 2, 3, 8], [2, 1, 3, 4]), ([3, 2], [1])):
            table = [noise(f"{k} {shape}", angles, -(2**14), 2**14) for k in ("cos", "sin")]
            for t in table:
                t.constant = shape != [6]
                t.interval = (min(t.values), max(t.values))
            op.case(f"{shape} by {angles}, interleaved {interleaved}", [noise("x", shape, -128, 127), *table],
                    dict(interleaved=interleaved, shift=14, lo=-128, hi=127))
    return op


def multi_head_attention(c):
    (query, key, value), a = c.operands[:3], c.attributes
    projections = [c.operands[3 + 3 * i:6 + 3 * i] for i in range(4)]

    def project(x, i, lo, hi, zero=0):
        w, m, b = projections[i]

        def element(d):
            total = sum(x.at([d[0], d[1], k]) * w.at([d[2], k]) for k in range(x.shape[2]))
            return min(max(rnd(total * m.at([d[2]]) + b.at([d[2]]), a["shifts"][i]) + zero, lo), hi)

        return build([*x.shape[:2], w.shape[0]], (lo, hi), element)

    def head(x, h):
        width = x.shape[2] // a["heads"]
        return build([*x.shape[:2], width], x.interval, lambda d: x.at([d[0], d[1], h * width + d[2]]))

    q, k, v = (project(x, i, a["lo"], a["hi"]) for i, x in enumerate((query, key, value)))
    heads = []
    for h in range(a["heads"]):
        masks = [build([t.shape[0], *t.shape[2:]], t.interval, lambda d: t.at([d[0], h if t.shape[1] > 1 else 0,
                                                                              *d[1:]])) for t in c.operands[16:]]
        results, _ = attention(Case("", [head(q, h), head(k, h), head(v, h), c.operands[15], *masks],
                                    a | {"zero_out": 0}, c.profile))
        heads.append(results[0])
    width = heads[0].shape[2]
    side_by_side = build([*heads[0].shape[:2], width * len(heads)], (a["lo"], a["hi"]),
                         lambda d: heads[d[2] // width].at([d[0], d[1], d[2] % width]))
    y = project(side_by_side, 3, a["result_lo"], a["result_hi"], a["zero_out"])
    return [(y.shape, y.values)]


def multi_head_cases():
    op = Lowering("attention", "multi_head_attention", multi_head_attention)

    def operands(seed, queries, keys, inputs, width, outputs):
        parts = [noise(f"{seed} {i}", [2, n, k], -127, 127) for i, (n, k) in
                 enumerate(((queries, inputs[0]), (keys, inputs[1]), (keys, inputs[2])))]
        for i, (rows, columns) in enumerate([(width, k) for k in inputs] + [(outputs, width)]):
            for k, (shape, size) in enumerate((([rows, columns], 127), ([rows], 99), ([rows], 9999))):
                t = noise(f"{seed} {i} {k}", shape, -size, size)
                parts.append(tensor(t.shape, t.values, constant=True))
        return parts + [halving(300, 16)]

    base = dict(heads=2, shifts=[12, 13, 14, 12], logit_multiplier=3, logit_shift=5, mask="none", causal=[],
                multiplier=2, shift=15, lo=-128, hi=127, zero_out=3, result_lo=-100, result_hi=100)
    op.case("two heads", operands("two", 3, 4, (4, 2, 3), 4, 5), base)
    op.case("one head, causal", operands("one", 3, 3, (2, 2, 2), 2, 2), base | dict(heads=1, causal=[0]))
    op.case("a mask for each head", operands("mask", 2, 3, (2, 2, 2), 4, 2) + [noise("seen", [2, 2, 2, 3], 0, 1)],
            base | dict(mask="boolean"))
    return op


if __name__ == "__main__":
    main(__file__, [cases(), rotary_cases(), multi_head_cases()])
