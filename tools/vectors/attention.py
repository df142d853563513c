"""Vectors of the attention family, by the definitions of ops/attention/spec.md."""

import random

from normalization import clamp, exponential_table, exponentials, halving, placed, rnd, rounds
from vectorlib import (TENSOR_LIMITS, Operator, build, check_accumulator, check_shape, inside, main, noise, numel,
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
    check_shape(batch + [queries, columns])
    require(len(masks) == (a["mask"] != "none"), f"{NAME}_c5")
    logits = batch + [queries, keys]
    require(not masks or broadcast([logits, masks[0].shape], f"{NAME}_c6") == logits, f"{NAME}_c6")
    exponential_table(table, f"{NAME}_c7", f"{NAME}_c8")
    require(a["lo"] <= a["hi"], f"{NAME}_c9")
    products = [depth * x * y for x in q.interval for y in k.interval] + [0]
    means = [(2**15 + keys) * end for end in v.interval] + [0]
    bounds = products + means + [keys * max(table.values)]
    check_accumulator((min(bounds), max(bounds)), c.profile)
    require(rounds(max(map(abs, products)) * abs(a["logit_multiplier"]), a["logit_shift"]), f"{NAME}_c10")
    require(rounds(max(map(abs, means)) * abs(a["multiplier"]), a["shift"]), f"{NAME}_c11")

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
    return [y], numel(batch) * queries * (keys * (depth + columns + 12) + 64 + 4 * columns)


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
              attributes())
    op.refuse(f"{NAME}_c10", "logits of 64 bits", qkv("c10", [1, 1], [1, 1], [1, 1], 2**20),
              attributes(logit_multiplier=2**23))
    op.refuse(f"{NAME}_c11", "means of 64 bits", [q, k, noise("c11", [5, 1], 0, 2**40), table],
              attributes(multiplier=2**8))
    return op


if __name__ == "__main__":
    main(__file__, [cases()])
