"""The sampling operators again, from ops/sampling/spec.md, and their lowerings, from ops/sampling/lowerings.md."""

from statistics import NormalDist

from vectorlib import (TENSOR_LIMITS, Lowering, Operator, check_accumulator, check_int, check_list, check_shape, main,
                       noise, numel, ramp, require, tensor)

WORD = 2**32 - 1


def philox(counter, key):
    """Philox 4x32-10 of Salmon, Moraes, Dror and Shaw (SC 2011)."""
    counter, key = list(counter), list(key)
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * counter[0], 2**32)
        high1, low1 = divmod(0xCD9E8D57 * counter[2], 2**32)
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0]
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return counter


assert philox([0] * 4, [0] * 2) == [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]


def draw(attributes, iteration, element, count):
    """An integer of [0, count) for an element."""
    words = philox([element % 2**32, element // 2**32, iteration, 0], [attributes["seed"], attributes["layer"]])
    return (words[0] + words[1] * 2**32) * count // 2**64


def check_key(attributes):
    check_int(attributes["seed"], 0, WORD)
    check_int(attributes["layer"], 0, WORD)


def iteration_of(c, i, label):
    if len(c.operands) <= i:
        return 0
    operand = c.operands[i]
    require(operand.shape == [], label)
    require(0 <= operand.interval[0] and operand.interval[1] <= WORD, label)
    return operand.values[0]


def random_uniform(c):
    a = c.attributes
    check_list(a["shape"], 1, 2**31 - 1, 0, 8)
    check_key(a)
    for end in ("lo", "hi"):
        check_int(a[end], *TENSOR_LIMITS["core"])
    require(a["lo"] <= a["hi"], "random_uniform_c1")
    iteration = iteration_of(c, 0, "random_uniform_c2")
    check_shape(a["shape"])
    values = [a["lo"] + draw(a, iteration, i, a["hi"] - a["lo"] + 1) for i in range(numel(a["shape"]))]
    return [tensor(a["shape"], values, (a["lo"], a["hi"]))], 144 * len(values)


def uniform_cases():
    op = Operator("sampling", "random_uniform", random_uniform)

    def settings(shape, lo, hi, seed=1, layer=2):
        return {"shape": shape, "seed": seed, "layer": layer, "lo": lo, "hi": hi}

    op.case("a die", [], settings([4, 5], 1, 6))
    op.case("another seed", [], settings([4, 5], 1, 6, seed=2, layer=1))
    op.case("the first iteration is that of no operand", [tensor([], [0])], settings([4, 5], 1, 6))
    op.case("another iteration", [tensor([], [1])], settings([4, 5], 1, 6))
    op.case("an iteration that is computed", [tensor([], [WORD], (0, WORD))], settings([3], -9, 9))
    op.case("a scalar", [], settings([], -100, 100))
    op.case("one value", [], settings([2, 2], -7, -7))
    op.case("every element of a tensor's range", [], settings([8], *TENSOR_LIMITS["core"]))
    op.case("the greatest key", [], settings([6], 0, WORD, WORD, WORD))
    op.case("eight axes", [], settings([1, 2, 1, 2, 1, 2, 1, 2], 0, 1))
    op.refuse("random_uniform_c1", "ends turned round", [], settings([2], 1, 0))
    op.refuse("random_uniform_c2", "iterations of every element", [ramp([2])], settings([2], 0, 1))
    op.refuse("random_uniform_c2", "an iteration that may be negative", [tensor([], [0], (-1, 0))], settings([2], 0, 1))
    op.refuse("random_uniform_c2", "an iteration of 33 bits", [tensor([], [0], (0, 2**32))], settings([2], 0, 1))
    op.refuse("attribute_range", "a seed of 33 bits", [], settings([2], 0, 1, seed=2**32))
    op.refuse("shape_elements", "more elements than a tensor has", [], settings([2**20, 2**20], 0, 1))
    return op


def random_categorical(c):
    weights, a = c.operands[0], c.attributes
    check_int(a["samples"], 1, 2**31 - 1)
    check_key(a)
    require(weights.shape, "random_categorical_c1")
    require(weights.interval[0] >= 0, "random_categorical_c2")
    iteration = iteration_of(c, 1, "random_categorical_c3")
    choices = weights.shape[-1]
    shape = weights.shape[:-1] + [a["samples"]]
    check_shape(shape)
    check_accumulator((0, choices * weights.interval[1]), c.profile)
    values = []
    for i in range(numel(shape)):
        row = weights.values[i // a["samples"] * choices:][:choices]
        rest = draw(a, iteration, i, sum(row))
        index = 0
        while sum(row) and rest >= row[index]:
            rest -= row[index]
            index += 1
        values.append(index)
    return [tensor(shape, values, (0, choices - 1))], 15 * numel(weights.shape) + (172 + 3 * choices) * len(values)


def categorical_cases():
    op = Operator("sampling", "random_categorical", random_categorical)

    def settings(samples, seed=3, layer=4):
        return {"samples": samples, "seed": seed, "layer": layer}

    op.case("two rows of weights", [tensor([2, 3], [1, 2, 3, 6, 0, 6])], settings(12))
    op.case("one row", [tensor([4], [10, 0, 30, 60])], settings(20))
    op.case("certainty", [tensor([3, 3], [0, 0, 5, 0, 5, 0, 5, 0, 0])], settings(3))
    op.case("a row of zeros names the first", [tensor([2, 3], [0, 0, 0, 1, 1, 1])], settings(4))
    op.case("one choice", [tensor([2, 1], [0, 9])], settings(2))
    op.case("another iteration", [tensor([2, 3], [1, 2, 3, 6, 0, 6]), tensor([], [5])], settings(12))
    op.case("wide weights", [tensor([3], [2**47 - 1, 2**46, 1])], settings(9))
    op.case("a constant of 62 bits", [tensor([2], [2**62 - 1, 2**62 - 1], constant=True)], settings(9))
    op.case("a batch of rows", [noise(1, [2, 3, 5], 0, 50)], settings(4))
    op.refuse("random_categorical_c1", "a scalar", [tensor([], [1])], settings(1))
    op.refuse("random_categorical_c2", "a weight that may be negative", [tensor([2], [0, 1], (-1, 1))], settings(1))
    op.refuse("random_categorical_c3", "an iteration that may be negative", [ramp([2]), tensor([], [0], (-1, 0))],
              settings(1))
    op.refuse("random_categorical_c3", "an iteration of another shape", [ramp([2]), ramp([1])], settings(1))
    op.refuse("accumulator_range", "a sum of 64 bits", [tensor([2], [2**62, 2**62], constant=True)], settings(1))
    op.refuse("attribute_range", "no sample", [ramp([2])], settings(0))
    return op


def random_normal(c):
    """The quantile of a uniform draw over the entries of the table."""
    table, a = c.operands[0], c.attributes
    iteration = c.operands[1].values[0] if len(c.operands) > 1 else 0
    require(table.constant and len(table.shape) == 1, "lowering_operands")
    return [(a["shape"], [table.values[draw(a, iteration, i, len(table.values))] for i in range(numel(a["shape"]))])]


def normal_cases():
    op = Lowering("sampling", "random_normal", random_normal)

    def quantiles(count, scale, mean=0):
        middles = [(2 * k + 1) / (2 * count) for k in range(count)]
        return tensor([count], [round(NormalDist(mean, scale).inv_cdf(p)) for p in middles], constant=True)

    def settings(shape, seed=5, layer=6):
        return {"shape": shape, "seed": seed, "layer": layer}

    op.case("256 quantiles", [quantiles(256, 1000)], settings([4, 8]))
    op.case("a mean, and an iteration", [quantiles(64, 20, 7), tensor([], [3])], settings([10]))
    op.case("any number of entries", [tensor([3], [-1, 0, 1], constant=True)], settings([9]))
    op.refuse("lowering_operands", "a table that is not constant", [ramp([4])], settings([2]))
    op.refuse("lowering_operands", "a table of two axes", [tensor([2, 2], [1, 2, 3, 4], constant=True)], settings([2]))
    return op


def random_bernoulli(c):
    iteration = c.operands[0].values[0] if c.operands else 0
    a = c.attributes
    check_int(a["threshold"], 0, 2**32)
    return [(a["shape"], [int(draw(a, iteration, i, 2**32) < a["threshold"]) for i in range(numel(a["shape"]))])]


def bernoulli_cases():
    op = Lowering("sampling", "random_bernoulli", random_bernoulli)

    def settings(threshold, shape, seed=7, layer=8):
        return {"shape": shape, "seed": seed, "layer": layer, "threshold": threshold}

    op.case("a fair coin", [], settings(2**31, [4, 8]))
    op.case("three in ten", [tensor([], [9])], settings(1288490189, [30]))
    op.case("never", [], settings(0, [5]))
    op.case("always", [], settings(2**32, [5]))
    op.refuse("attribute_range", "more than always", [], settings(2**32 + 1, [5]))
    return op


main(__file__, [uniform_cases(), categorical_cases(), normal_cases(), bernoulli_cases()])
