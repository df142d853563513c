"""deformable_conv2d again, from ops/linear/spec.md."""

import math
from fractions import Fraction

from sampling_definitions import bilinear, half_up, magnitude
from vectorlib import (INT64_LIMIT, TENSOR_LIMITS, Operator, check_accumulator, hull, indices, inside, noise, numel, ramp,
                       require, tensor)


def product(a, b):
    corners = [p * q for p in a for q in b]
    return min(corners), max(corners)


def scaled(interval, w):
    return product(interval, (w, w))


def deformable_conv2d(c):
    x, w, offset = c.operands[:3]
    mask = c.operands[3] if len(c.operands) == 4 else None
    a = c.attributes
    groups, offset_groups = a["groups"], a["offset_groups"]
    require(len(x.shape) == 4 and len(w.shape) == 4, "deformable_conv2d_c1")
    require(x.shape[1] % groups == 0 and w.shape[0] % groups == 0 and x.shape[1] % offset_groups == 0,
            "deformable_conv2d_c2")
    require(w.shape[1] == x.shape[1] // groups, "deformable_conv2d_c3")
    plane = []
    for i in range(2):
        padded = x.shape[2 + i] + a["padding"][i] + a["padding"][2 + i]
        extent = a["dilation"][i] * (w.shape[2 + i] - 1) + 1
        require(extent <= padded, "deformable_conv2d_c4")
        plane.append((padded - extent) // a["stride"][i] + 1)
    taps = w.shape[2] * w.shape[3]
    for t, parts in ((offset, 2), (mask, 1)):
        if t:
            require(t.shape == [x.shape[0], offset_groups * taps * parts, *plane], "deformable_conv2d_c5")
    require(inside(offset.interval, TENSOR_LIMITS[c.profile]), "deformable_conv2d_c6")
    unit = 4 ** a["offset_fraction"]
    sample = scaled(hull(x.interval, (0, 0)), unit)
    tap = product(sample, mask.interval) if mask else sample
    terms = numel(w.shape[1:])
    sums, partials = [], []
    for oc in range(w.shape[0]):
        values = w.values[oc * terms:(oc + 1) * terms]
        if w.constant:
            each = [scaled(tap, v) for v in values]
        else:
            each = [product(tap, w.interval)] * terms
        sums.append((sum(lo for lo, _ in each), sum(hi for _, hi in each)))
        partials.append((sum(min(lo, 0) for lo, _ in each), sum(max(hi, 0) for _, hi in each)))
    # A part of a sum may leave terms out, and a tap itself may be 0.
    partial = hull(*partials, (0, 0))
    shift = a["shift"]
    half = 2 ** (shift - 1) if shift else 0
    require(max(magnitude(sample), magnitude(tap), magnitude(partial) + half) <= INT64_LIMIT[1], "deformable_conv2d_c7")
    check_accumulator(partial, c.profile)

    def sampled(n, channel, v, u):
        if a["border"] == "zero_samples":
            height, width = x.shape[2:]
            if not (0 <= v < height and 0 <= u < width):
                return Fraction(0)
            v, u = min(v, height - 1), min(u, width - 1)
        return bilinear(x, n, channel, v, u)

    def element(d):
        n, oc, p, q = d
        total = Fraction(0)
        for ic, ki, kj in indices(w.shape[1:]):
            channel = oc // (w.shape[0] // groups) * w.shape[1] + ic
            k = channel // (x.shape[1] // offset_groups) * taps + ki * w.shape[3] + kj
            moves = [Fraction(offset.at((n, 2 * k + i, p, q)), 2 ** a["offset_fraction"]) for i in range(2)]
            v = p * a["stride"][0] - a["padding"][0] + ki * a["dilation"][0] + moves[0]
            u = q * a["stride"][1] - a["padding"][1] + kj * a["dilation"][1] + moves[1]
            factor = mask.at((n, k, p, q)) if mask else 1
            total += w.at((oc, ic, ki, kj)) * factor * sampled(n, channel, v, u)
        return half_up(total * unit / 2**shift)

    shape = [x.shape[0], w.shape[0], *plane]
    interval = tuple(half_up(Fraction(bound, 2**shift)) for bound in hull(*sums))
    y = tensor(shape, [element(d) for d in indices(shape)], interval)
    return [y], 512 + 256 * c.attributes["groups"] + numel(shape) * (288 * terms + 16)


def deformed(padding=(0, 0, 0, 0), stride=(1, 1), dilation=(1, 1), groups=1, offset_groups=1, border="zero_pixels",
             offset_fraction=2, shift=0):
    return dict(padding=list(padding), stride=list(stride), dilation=list(dilation), groups=groups,
                offset_groups=offset_groups, border=border, offset_fraction=offset_fraction, shift=shift)


def constant_noise(seed, shape):
    return tensor(shape, noise(seed, shape, -9, 9).values, constant=True)


def deformable_conv2d_cases():
    op = Operator("linear", "deformable_conv2d", deformable_conv2d)
    x, w = noise("deformed", [2, 4, 4, 5], -128, 127), constant_noise("kernel", [2, 4, 2, 2])
    moves = noise("moves", [2, 8, 3, 4], -20, 20)
    for border in ("zero_pixels", "zero_samples"):
        op.case(f"one group, {border}", [x, w, moves], deformed(border=border))
        op.case(f"rounded, {border}", [x, w, moves], deformed(border=border, shift=4))
    op.case("offsets of zero are a convolution", [x, w, tensor([2, 8, 3, 4], [0] * 192)], deformed())
    op.case("a mask", [x, w, moves, noise("mask", [2, 4, 3, 4], 0, 16)], deformed(shift=8))
    op.case("groups of both kinds", [x, constant_noise("grouped", [2, 2, 2, 2]), noise("both", [2, 16, 3, 4], -9, 9)],
            deformed(groups=2, offset_groups=2))
    op.case("more offset groups than groups",
            [x, constant_noise("four", [1, 4, 1, 2]), noise("each", [2, 16, 4, 4], -9, 9)], deformed(offset_groups=4))
    op.case("stride, dilation and padding", [x, w, noise("strided", [2, 8, 3, 3], -20, 20)],
            deformed((1, 2, 2, 1), (2, 3), (2, 1)))
    op.case("computed weights", [x, noise("computed", [1, 4, 1, 1], -3, 3), noise("few", [2, 2, 4, 5], -9, 9)],
            deformed())
    op.case("offsets far away", [x, w, noise("far", [2, 8, 3, 4], -(2**47), 2**47 - 1)], deformed(offset_fraction=3))
    op.case("an interval above zero", [noise("positive", [1, 1, 3, 3], 5, 9), tensor([1, 1, 1, 1], [3], constant=True),
                                       noise("up", [1, 2, 3, 3], -4, 4)], deformed())
    one, kernel, still = ramp([1, 1, 2, 2]), tensor([1, 1, 1, 1], [1], constant=True), tensor([1, 2, 2, 2], [0] * 8)
    op.refuse("deformable_conv2d_c1", "rank 3", [ramp([1, 2, 2]), kernel, still], deformed())
    op.refuse("deformable_conv2d_c2", "groups that do not divide", [one, kernel, still], deformed(groups=2))
    op.refuse("deformable_conv2d_c2", "offset groups that do not divide", [one, kernel, still], deformed(offset_groups=2))
    op.refuse("deformable_conv2d_c3", "a kernel of two channels", [one, ramp([1, 2, 1, 1]), still], deformed())
    op.refuse("deformable_conv2d_c4", "a kernel of three pixels", [one, ramp([1, 1, 3, 1]), still], deformed())
    op.refuse("deformable_conv2d_c5", "offsets of one axis", [one, kernel, ramp([1, 1, 2, 2])], deformed())
    op.refuse("deformable_conv2d_c5", "a mask of two", [one, kernel, still, ramp([1, 2, 2, 2])], deformed())
    op.refuse("deformable_conv2d_c6", "offsets of 64 bits",
              [one, kernel, tensor([1, 2, 2, 2], [0] * 7 + [2**47], constant=True)], deformed())
    op.refuse("deformable_conv2d_c7", "samples of 63 bits", [ramp([1, 1, 2, 2], 5), kernel, still], deformed(offset_fraction=30, shift=60))
    op.refuse("deformable_conv2d_c7", "a tap whose weight is zero",
              [one, tensor([1, 1, 1, 1], [0], constant=True), still, tensor([1, 1, 2, 2], [0] * 4, (0, 2**40))],
              deformed(offset_fraction=11))
    return op
