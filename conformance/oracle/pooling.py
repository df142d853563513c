"""The pooling operators again, from ops/pooling/spec.md."""

import fractions
import itertools
import math

from roi_definitions import roi_cases
from vectorlib import (TENSOR_LIMITS, Lowering, Operator, build, check_accumulator, check_int, check_list, hull,
                       indices, main, noise, numel, ramp, require, runs, tensor)


def count_windows(size, stride, padding, length, ceil_mode):
    require(padding < size, "max_pool2d_c2")
    require(size <= length + 2 * padding, "max_pool2d_c3")
    slack = length + 2 * padding - size
    count = (-(-slack // stride) if ceil_mode else slack // stride) + 1
    require((count - 1) * stride - padding < length, "max_pool2d_c4")
    return count


def windows_gas(x, y, taps):
    """Lines of x that runs of y gather, and all of x."""
    return 512 + 4 * numel(x.shape) + (48 * taps + 384) * runs(y.shape)


def max_pool2d(c):
    x = c.operands[0]
    sizes, strides, ceil_mode = (c.attributes[name] for name in ("pool_size", "strides", "ceil_mode"))
    paddings = c.attributes["padding"] * (2 if len(c.attributes["padding"]) == 1 else 1)
    require(len(x.shape) == 4, "max_pool2d_c1")
    batch, channels, *plane = x.shape
    counts = [count_windows(*axis, ceil_mode) for axis in zip(sizes, strides, paddings, plane)]

    def window(i, place):
        first = place * strides[i] - paddings[i]
        return [position for position in range(first, first + sizes[i]) if 0 <= position < plane[i]]

    def element(index):
        n, channel, p, q = index
        return max(x.at((n, channel, h, v)) for h in window(0, p) for v in window(1, q))

    y = build([batch, channels, *counts], x.interval, element)
    return [y], windows_gas(x, y, sizes[0] * sizes[1]) + numel(y.shape) * (32 * sizes[0] * sizes[1] + 96)


def pool(size, strides=(1, 1), padding=(0,), ceil_mode=False):
    return {"pool_size": list(size), "strides": list(strides), "padding": list(padding), "ceil_mode": ceil_mode}


def max_pool2d_cases():
    op = Operator("pooling", "max_pool2d", max_pool2d)
    row = ramp([1, 1, 1, 6], 1)
    op.case("windows overlap", [noise(1, [2, 2, 4, 5], -50, 50)], pool((2, 3)))
    op.case("windows of one element", [noise(2, [1, 2, 2, 3], -50, 50)], pool((1, 1)))
    op.case("the whole plane", [noise(3, [2, 3, 3, 4], -50, 50)], pool((3, 4)))
    op.case("padding of negative values never escapes", [tensor([1, 1, 2, 2], [-9, -8, -7, -6])],
            pool((2, 3), (2, 1), (1, 2)))
    op.case("one padding serves both axes", [ramp([1, 1, 3, 3])], pool((3, 3), (2, 2), (1,)))
    op.case("a window as large as the padded input", [tensor([1, 1, 2, 2], [-4, -3, -2, -1])],
            pool((4, 4), (1, 1), (1,)))
    op.case("floor mode drops the incomplete window", [row], pool((1, 3), (1, 2)))
    op.case("ceil mode keeps the incomplete window", [row], pool((1, 3), (1, 2), (0,), True))
    op.case("ceil mode where floor is exact", [row], pool((1, 2), (1, 2), (0,), True))
    op.case("ceil mode with padding", [tensor([1, 1, 4, 4], range(-16, 0))], pool((3, 3), (2, 2), (1, 1), True))
    op.case("strides larger than the windows", [ramp([1, 1, 5, 5])], pool((1, 2), (4, 3)))
    op.case("the interval of the operand, not of the values", [tensor([1, 1, 1, 2], [3, 4], (-100, 100))],
            pool((1, 2)), "cvm")
    op.case("the limits of profile core", [tensor([1, 1, 1, 2], [-(2**47), 2**47 - 1])], pool((1, 1)))
    op.refuse("max_pool2d_c1", "an operand of rank 3", [ramp([1, 2, 2])], pool((1, 1)))
    op.refuse("max_pool2d_c2", "a window of padding only", [ramp([1, 1, 2, 2])], pool((2, 2), (1, 1), (2,)))
    op.refuse("max_pool2d_c2", "padding as wide as the window", [ramp([1, 1, 2, 2])], pool((2, 1), (1, 1), (0, 1)))
    op.refuse("max_pool2d_c3", "a window taller than the input", [ramp([1, 1, 2, 2])], pool((3, 1)))
    op.refuse("max_pool2d_c3", "a window wider than the padded input", [ramp([1, 1, 2, 2])],
              pool((1, 5), (1, 1), (0, 1)))
    op.refuse("max_pool2d_c4", "ceil mode would start a window behind the input", [ramp([1, 1, 1, 3])],
              pool((1, 2), (1, 4), (0, 1), True))
    return op


INT64_MAX = 2**63 - 1


class Axis:
    """The windows along one axis."""

    def __init__(self, length, kernel, stride, dilation, pad_begin, pad_end, ceil_mode, label):
        self.length, self.kernel, self.pads = length, kernel, (pad_begin, pad_end)
        self.starts = []
        start = -pad_begin
        while start + dilation * (kernel - 1) < length + pad_end:
            self.starts.append(start)
            start += stride
        # One more window, which ends outside, when some of it would lie inside without the ceil mode's
        # rounding.
        leftover = start - stride + dilation * (kernel - 1) < length + pad_end - 1
        if ceil_mode and leftover and start < length:
            self.starts.append(start)
        require(self.starts, label)
        self.taps = [[start + k * dilation for k in range(kernel)] for start in self.starts]
        self.inside = [[p for p in taps if 0 <= p < length] for taps in self.taps]
        self.counted = [sum(-pad_begin <= p < length + pad_end for p in taps) for taps in self.taps]
        self.most = min(kernel, -(-length // dilation))
        # More than an empty window is refused: a dilation beyond a padded axis is.
        self.empty = (not all(self.inside)) or (pad_begin > 0 and dilation > length)


def axes_of(x, attributes, first, ceil_mode, label):
    names = ("kernel", "stride", "dilation", "pad_begin", "pad_end")
    trivial = [Axis(n, 1, 1, 1, 0, 0, False, label) for n in x.shape[:first]]
    lists = zip(x.shape[first:], *(attributes[name] for name in names))
    return trivial + [Axis(*axis, ceil_mode, label) for axis in lists]


def check_lists(attributes, count, label, most=3):
    for name, least in (("kernel", 1), ("stride", 1), ("dilation", 1), ("pad_begin", 0), ("pad_end", 0)):
        check_list(attributes[name], least, 2**31 - 1, 1, most)
    require(all(len(attributes[name]) == count for name in ("kernel", "stride", "dilation", "pad_begin", "pad_end")),
            label)


def pooled_axes(c, label):
    """C1 to C3 of the operators that pool the axes behind N and C."""
    x = c.operands[0]
    supported = 3 <= len(x.shape) <= 5
    check_lists(c.attributes, len(x.shape) - 2, f"{label}_c{2 if supported else 1}")
    require(supported, f"{label}_c1")
    return axes_of(x, c.attributes, 2, c.attributes["ceil_mode"], f"{label}_c3")


def positions(axes, index):
    return itertools.product(*(axis.inside[i] for axis, i in zip(axes, index)))


def shape_of(axes):
    return [len(axis.starts) for axis in axes]


def taps(attributes):
    return math.prod(attributes["kernel"])


def max_pool(c):
    x = c.operands[0]
    axes = pooled_axes(c, "max_pool")
    require(not any(axis.empty for axis in axes), "max_pool_c4")
    y = build(shape_of(axes), x.interval, lambda index: max(x.at(p) for p in positions(axes, index)))
    return [y], windows_gas(x, y, taps(c.attributes)) + numel(y.shape) * (32 * taps(c.attributes) + 96)


def flat(position, shape):
    return sum(p * math.prod(shape[axis + 1:]) for axis, p in enumerate(position))


def max_pool_indices(c):
    x = c.operands[0]
    axes = pooled_axes(c, "max_pool_indices")
    require(not any(axis.empty for axis in axes), "max_pool_indices_c4")

    def where(index):
        # The greatest value, and of equal ones the lowest position.
        return min((-x.at(p), flat(p, x.shape)) for p in positions(axes, index))

    y = build(shape_of(axes), x.interval, lambda index: -where(index)[0])
    at = build(shape_of(axes), (0, numel(x.shape) - 1), lambda index: where(index)[1])
    return [y, at], windows_gas(x, y, taps(c.attributes)) + numel(y.shape) * (32 * taps(c.attributes) + 96)


def sums_of(axes, interval):
    return tuple(math.prod(axis.most for axis in axes) * v for v in interval)


def shifted(x, zero):
    return tuple(v - zero for v in x.interval)


def padded(c):
    return any(c.attributes["pad_begin"]) or any(c.attributes["pad_end"])


def window_sum(c):
    x, zero = c.operands[0], c.attributes["zero"]
    check_lists(c.attributes, len(x.shape), "window_sum_c1", 8)
    axes = axes_of(x, c.attributes, 0, False, "window_sum_c2")
    require(TENSOR_LIMITS["core"][0] <= x.interval[0] and x.interval[1] <= TENSOR_LIMITS["core"][1], "window_sum_c3")
    v = shifted(x, zero)
    partial = sums_of(axes, hull(v, (0, 0)))
    check_accumulator(partial, c.profile)
    bounds = partial if padded(c) else sums_of(axes, v)
    y = build(shape_of(axes), bounds, lambda index: sum(x.at(p) - zero for p in positions(axes, index)))
    return [y], windows_gas(x, y, taps(c.attributes)) + numel(y.shape) * (96 * taps(c.attributes) + 224)


def rounded(mode, value):
    """A fraction as an integer."""
    floor = math.floor(value)
    rest = value - floor
    if mode == "floor":
        return floor
    if mode == "trunc":
        return floor + (rest > 0 and value < 0)
    tie = {"half_up": True, "half_away": value > 0, "half_even": floor % 2 == 1}[mode]
    return floor + (rest > fractions.Fraction(1, 2) or (rest == fractions.Fraction(1, 2) and tie))


def average(attributes, value):
    """The average `value`, less zero_in, on the grid of the result."""
    scaled = fractions.Fraction(value) * attributes["multiplier"] / 2**attributes["shift"]
    y = rounded(attributes["rounding"], scaled) + attributes["zero_out"]
    return min(max(y, attributes["lo"]), attributes["hi"])


def average_pool(c):
    x, a = c.operands[0], c.attributes
    check_int(a["multiplier"], 0, 2**31 - 1)
    axes = pooled_axes(c, "average_pool")
    include = a["count_include_pad"]
    require(include or not any(axis.empty for axis in axes), "average_pool_c4")
    require(TENSOR_LIMITS["core"][0] <= x.interval[0] and x.interval[1] <= TENSOR_LIMITS["core"][1], "average_pool_c5")
    require(a["lo"] <= a["hi"], "average_pool_c6")
    require(a["rounding"] != "double", "average_pool_c7")
    v = shifted(x, a["zero_in"])
    partial = sums_of(axes, hull(v, (0, 0)))
    product = max(map(abs, partial)) * a["multiplier"]
    require(2 * (product + taps(a) * 2**a["shift"]) <= INT64_MAX, "average_pool_c8")
    check_accumulator(partial, c.profile)

    def element(index):
        total = sum(x.at(p) - a["zero_in"] for p in positions(axes, index))
        count = math.prod(axis.counted[i] if include else len(axis.inside[i]) for axis, i in zip(axes, index))
        return average(a, fractions.Fraction(total, count))

    ends = hull(v, (0, 0)) if include and padded(c) else v
    y = build(shape_of(axes), tuple(average(a, end) for end in ends), element)
    return [y], windows_gas(x, y, taps(a)) + numel(y.shape) * (24 * taps(a) + 120) + 3584


def windows(kernel, stride=None, dilation=None, pad_begin=None, pad_end=None):
    ones, zeros = [1] * len(kernel), [0] * len(kernel)
    pad_begin = list(pad_begin or zeros)
    return {"kernel": list(kernel), "stride": list(stride or ones), "dilation": list(dilation or ones),
            "pad_begin": pad_begin, "pad_end": list(pad_end or zeros)}


def max_windows(kernel, ceil_mode=False, **rest):
    return windows(kernel, **rest) | {"ceil_mode": ceil_mode}


def grid(zero_in=0, multiplier=1, shift=0, rounding="half_away", zero_out=0, lo=-(2**47), hi=2**47 - 1):
    return {"zero_in": zero_in, "multiplier": multiplier, "shift": shift, "rounding": rounding, "zero_out": zero_out,
            "lo": lo, "hi": hi}


def average_windows(kernel, ceil_mode=False, include=False, onto=None, **rest):
    return windows(kernel, **rest) | {"ceil_mode": ceil_mode, "count_include_pad": include} | (onto or grid())


def refuse_windows(op, of):
    """The refusals that all operators on the axes behind N and C share."""
    op.refuse(f"{op.name}_c1", "no spatial axis", [ramp([2, 2])], of((2,)))
    op.refuse(f"{op.name}_c1", "four spatial axes", [ramp([1] * 6)], of((1, 1, 1)))
    op.refuse(f"{op.name}_c2", "a list too short", [ramp([1, 1, 2, 2])], of((1, 1)) | {"stride": [1]})
    op.refuse(f"{op.name}_c2", "a kernel of one axis for two", [ramp([1, 1, 2, 2])], of((1,)))
    op.refuse(f"{op.name}_c3", "a window longer than the padded axis", [ramp([1, 1, 3])],
              of((6,), pad_begin=(1,), pad_end=(1,)))
    op.refuse(f"{op.name}_c3", "a dilated window that does not fit", [ramp([1, 1, 4])], of((2,), dilation=(4,)))
    op.refuse(f"{op.name}_c4", "a first window in the padding", [ramp([1, 1, 3])], of((2,), pad_begin=(2,)))
    op.refuse(f"{op.name}_c4", "a last window in the padding", [ramp([1, 1, 3])], of((2,), pad_end=(2,)))
    op.refuse(f"{op.name}_c4", "taps on both sides of the axis", [ramp([1, 1, 2])],
              of((2,), dilation=(3,), pad_begin=(1,), pad_end=(1,)))


def max_pool_cases(name, define):
    op = Operator("pooling", name, define)
    plane = noise(11, [2, 2, 5, 6], -50, 50)
    op.case("one axis", [noise(12, [1, 2, 7], -9, 9)], max_windows((3,), stride=(2,)))
    op.case("two axes", [plane], max_windows((2, 3)))
    op.case("three axes", [noise(13, [1, 1, 3, 4, 3], -99, 99)], max_windows((2, 3, 2), stride=(1, 1, 2)))
    op.case("padding of negative values never wins", [tensor([1, 1, 2, 2], [-9, -8, -7, -6])],
            max_windows((2, 3), stride=(2, 1), pad_begin=(1, 2), pad_end=(1, 2)))
    op.case("padding at the end alone", [noise(14, [1, 1, 4, 4], -9, -1)],
            max_windows((2, 2), stride=(2, 2), pad_end=(1, 0)))
    op.case("dilation", [plane], max_windows((2, 2), dilation=(3, 2), pad_begin=(1, 0), pad_end=(0, 1)))
    op.case("ceil mode keeps an incomplete window", [ramp([1, 1, 6], -6)], max_windows((3,), True, stride=(2,)))
    op.case("floor mode drops it", [ramp([1, 1, 6], -6)], max_windows((3,), stride=(2,)))
    op.case("ceil mode drops a window that starts in the padding", [ramp([1, 1, 3], -3)],
            max_windows((2,), True, stride=(4,), pad_begin=(1,), pad_end=(1,)))
    op.case("ceil mode of an axis shorter than the window", [ramp([1, 1, 2], -3)], max_windows((3,), True, stride=(2,)))
    op.case("equal values", [tensor([1, 1, 2, 4], [7, 7, 7, 7, 7, 7, 7, 7], (0, 9))], max_windows((2, 2)))
    op.case("the whole of each channel", [plane], max_windows((5, 6)))
    op.case("48-bit values", [tensor([1, 1, 2], [-(2**47), 2**47 - 1])], max_windows((1,)))
    refuse_windows(op, max_windows)
    op.refuse("attribute_range", "no taps", [ramp([1, 1, 2])], max_windows((0,)))
    op.refuse("attribute_length", "four axes of windows", [ramp([1, 1, 2])], max_windows((1, 1, 1, 1)))
    op.refuse("value_range", "a constant beyond 48 bits", [tensor([1, 1, 1], [2**47], constant=True)],
              max_windows((1,)))
    return op


def window_sum_cases():
    op = Operator("pooling", "window_sum", window_sum)

    def of(kernel, zero=0, **rest):
        return windows(kernel, **rest) | {"zero": zero}

    op.case("channels, as local response normalization sums", [noise(21, [2, 5, 2, 2], -9, 9)],
            of((1, 3, 1, 1), pad_begin=(0, 1, 0, 0), pad_end=(0, 1, 0, 0)))
    op.case("an even number of channels", [noise(22, [1, 5, 3], 0, 9)],
            of((1, 4, 1), pad_begin=(0, 1, 0), pad_end=(0, 2, 0)))
    op.case("a plane", [noise(23, [1, 2, 4, 5], -99, 99)], of((1, 1, 2, 3), stride=(1, 1, 2, 1)))
    op.case("a vector", [ramp([7], -3)], of((3,), stride=(2,)))
    op.case("every axis of rank 8", [noise(24, [2] * 8, -5, 5)], of((2, 1) * 4))
    op.case("a zero point", [noise(25, [1, 6], 0, 9)], of((1, 3), zero=4, pad_begin=(0, 1), pad_end=(0, 1)))
    op.case("dilation skips elements", [ramp([9])], of((3,), dilation=(3,)))
    op.case("padding alone sums to zero", [ramp([2], 5)], of((1,), pad_begin=(2,), pad_end=(2,)))
    op.case("a complete window has the sum of its ends", [tensor([2, 2], [3, 4, 5, 6], (3, 6))], of((2, 2)))
    op.case("no more elements than the axis has", [ramp([2], 5)], of((9,), pad_begin=(8,), pad_end=(8,)))
    op.refuse("window_sum_c1", "a list for another rank", [ramp([2, 2])], of((2,)))
    op.refuse("window_sum_c1", "a stride for another rank", [ramp([2, 2])], of((1, 1)) | {"stride": [1]})
    op.refuse("window_sum_c2", "a window longer than the padded axis", [ramp([3])],
              of((6,), pad_begin=(1,), pad_end=(1,)))
    op.refuse("window_sum_c3", "a constant of 64 bits", [tensor([1], [2**63 - 1], constant=True)], of((1,), zero=-1))
    op.refuse("value_range", "a sum beyond 48 bits", [tensor([2], [0, 0], (0, 2**47 - 1))], of((2,)))
    return op


def average_pool_cases():
    op = Operator("pooling", "average_pool", average_pool)
    of = average_windows
    op.case("halves go away from zero", [tensor([1, 1, 6], [-3, -2, -1, 0, 1, 2])], of((2,)))
    for mode in ("floor", "half_up", "half_away", "half_even", "trunc"):
        op.case(f"mode {mode}", [tensor([1, 1, 8], [-3, -2, -2, -1, 0, 1, 2, 5], (-9, 9))],
                of((2,), onto=grid(rounding=mode)))
    plane = noise(31, [2, 2, 5, 4], -128, 127)
    pads = {"pad_begin": (1, 2), "pad_end": (2, 1)}
    for include in (False, True):
        op.case(f"asymmetric padding, counted {include}", [plane], of((3, 3), include=include, stride=(2, 1), **pads))
        op.case(f"ceil mode, counted {include}", [plane],
                of((3, 2), True, include, stride=(2, 3), pad_begin=(1, 0), pad_end=(1, 0)))
        op.case(f"a zero point, counted {include}", [tensor([1, 1, 3], [10, 20, 31], (0, 40))],
                of((3,), include=include, onto=grid(zero_in=20, zero_out=5), pad_begin=(1,), pad_end=(1,)))
        op.case(f"values on one side of zero, counted {include}", [tensor([1, 1, 3], [10, 20, 31], (10, 40))],
                of((3,), include=include, pad_begin=(1,), pad_end=(1,)))
    op.case("one axis", [noise(32, [1, 2, 7], -99, 99)], of((3,), stride=(2,), dilation=(2,)))
    op.case("three axes", [noise(33, [1, 1, 3, 4, 3], -99, 99)],
            of((2, 3, 2), pad_begin=(1, 0, 1), pad_end=(0, 1, 0)))
    op.case("onto another grid in one rounding", [noise(34, [1, 2, 4, 4], -128, 127)],
            of((3, 3), stride=(1, 1), pad_begin=(1, 1), pad_end=(1, 1),
               onto=grid(-128, 1518500250, 31, "half_up", -128, -128, 127)))
    op.case("a multiplier of zero", [noise(35, [1, 1, 3], -9, 9)], of((2,), onto=grid(multiplier=0, zero_out=7)))
    op.case("padding alone when it counts", [ramp([1, 1, 2], 5)], of((1,), include=True, pad_begin=(2,), pad_end=(2,)))
    op.case("a clamp", [noise(36, [1, 1, 6], -99, 99)], of((2,), onto=grid(lo=-8, hi=7)))
    for name, bits in (("16", 15), ("32", 31), ("40", 40)):
        op.case(f"a clamp above {name} bits", [tensor([1, 1, 2], [3, 5], (3, 9))],
                of((2,), onto=grid(lo=2**bits, hi=2**bits + 1)))
        op.case(f"a clamp below {name} bits", [tensor([1, 1, 2], [3, 5], (3, 9))],
                of((2,), onto=grid(lo=-2**bits - 2, hi=-2**bits - 1)))
    refuse_windows(op, average_windows)
    row = [ramp([1, 1, 4])]
    op.refuse("average_pool_c5", "a constant of 64 bits", [tensor([1, 1, 1], [2**63 - 1], constant=True)], of((1,)))
    op.refuse("average_pool_c6", "lo above hi", row, of((2,), onto=grid(lo=1, hi=0)))
    op.refuse("average_pool_c7", "mode double", row, of((2,), onto=grid(rounding="double")))
    op.refuse("average_pool_c8", "a divisor of 2^63", row, of((2,), onto=grid(shift=62)))
    op.refuse("average_pool_c8", "a product of 2^62", [tensor([1, 1, 2], [0, 0], (0, 2**31))],
              of((2,), onto=grid(multiplier=2**31 - 1)))
    op.refuse("attribute_range", "a negative multiplier", row, of((2,), onto=grid(multiplier=-1)))
    return op


def behind_channels(attributes):
    """The lists of windows on the axes behind N and C as lists for all axes."""
    fill = {"kernel": 1, "stride": 1, "dilation": 1, "pad_begin": 0, "pad_end": 0}
    return {name: [value] * 2 + attributes[name] for name, value in fill.items()}


def power_pool(c):
    x, p = c.operands[0], c.attributes.get("p")
    require(len(x.shape) >= 3, "lowering_operands")
    axes = axes_of(x, behind_channels(c.attributes), 0, False, "window_sum_c2")

    def term(v):
        return v - c.attributes["zero"] if p is None else abs(v - c.attributes["zero"])**p

    shape = shape_of(axes)
    return [(shape, [sum(term(x.at(at)) for at in positions(axes, place)) for place in indices(shape)])]


def global_pool(c, of):
    """of(the values of a channel) for each channel."""
    x = c.operands[0]
    require(len(x.shape) >= 3, "lowering_operands")
    size = numel(x.shape[2:])
    channels = [x.values[first:first + size] for first in range(0, len(x.values), size)]
    return [(x.shape[:2] + [1] * (len(x.shape) - 2), [of(values) for values in channels])]


def mean(values):
    return fractions.Fraction(sum(values), len(values))


def adaptive(c, of):
    """of(the values of a bin) for each bin."""
    x, sizes = c.operands[0], c.attributes["sizes"]
    require(len(x.shape) >= 3 and len(sizes) == len(x.shape) - 2, "lowering_operands")
    require(all(size * (-(-n // size) + (n % size > 0)) <= 2**20 for n, size in zip(x.shape[2:], sizes)),
            "lowering_operands")
    bins = [[range(i * n // size, -(-(i + 1) * n // size)) for i in range(size)] for n, size in zip(x.shape[2:], sizes)]
    shape = x.shape[:2] + sizes
    values = []
    for n, channel, *place in indices(shape):
        inside = itertools.product(*(axis[i] for axis, i in zip(bins, place)))
        values.append(of([x.at((n, channel, *at)) for at in inside]))
    return [(shape, values)]


def column_major(c):
    """max_pool_indices, whose second result counts the places of a channel by columns."""
    (y, at), _ = max_pool_indices(c)
    plane = c.operands[0].shape[2:]
    places = list(indices(plane))

    def renumbered(position):
        channel, place = divmod(position, len(places))
        return channel * len(places) + flat(places[place][::-1], plane[::-1])

    return [(y.shape, y.values), (at.shape, [renumbered(position) for position in at.values])]


def sliding_windows(c):
    x, (axis, size, step) = c.operands[0], c.attributes.values()
    require(-len(x.shape) <= axis < len(x.shape), "lowering_operands")
    axis %= len(x.shape)
    require(size <= x.shape[axis], "lowering_operands")
    count = sum(start + size <= x.shape[axis] for start in range(0, x.shape[axis], step))
    shape = x.shape[:axis] + [count, size] + x.shape[axis + 1:]
    sources = [index[:axis] + (index[axis] * step + index[axis + 1],) + index[axis + 2:] for index in indices(shape)]
    return [(shape, [x.at(source) for source in sources])]


def lowering_cases():
    plane, volume = noise(41, [2, 2, 4, 5], -9, 9), noise(42, [1, 2, 2, 3, 2], -9, 9)
    flat_input = ramp([2, 2])
    sums = Lowering("pooling", "sum_pool", power_pool)
    sums.case("padding adds zero", [plane], windows((3, 2), stride=(2, 1), pad_begin=(1, 1)) | {"zero": 0})
    sums.case("a zero point", [volume], windows((1, 2, 2), pad_end=(0, 1, 0)) | {"zero": 5})
    sums.refuse("lowering_operands", "no axis behind N and C", [flat_input], windows((1,)) | {"zero": 0})
    powers = Lowering("pooling", "power_pool", power_pool)
    for p in (1, 2):
        powers.case(f"p = {p}", [plane], windows((2, 3), dilation=(2, 1), pad_end=(1, 0)) | {"zero": 0, "p": p})
        powers.case(f"p = {p} around a zero point", [plane], windows((2, 2), pad_begin=(1, 1)) | {"zero": -3, "p": p})
    powers.refuse("lowering_operands", "no axis behind N and C", [flat_input], windows((1,)) | {"zero": 0, "p": 2})
    greatest = Lowering("pooling", "global_max_pool", lambda c: global_pool(c, max))
    averages = Lowering(
        "pooling", "global_average_pool",
        lambda c: global_pool(c, lambda v: average(c.attributes, mean(v) - c.attributes["zero_in"])))
    all_powers = Lowering(
        "pooling", "global_power_pool",
        lambda c: global_pool(c, lambda values: sum(abs(v - c.attributes["zero"])**c.attributes["p"] for v in values)))
    for name, x in (("two axes", plane), ("three axes", volume), ("one axis", noise(43, [1, 3, 7], -9, 9))):
        greatest.case(name, [x])
        averages.case(name, [x], grid())
        averages.case(f"{name}, onto another grid", [x], grid(-2, 1000, 8, "half_up", 3, -20, 20))
        for p in (1, 2):
            all_powers.case(f"{name}, p = {p}", [x], {"zero": 1, "p": p})
    greatest.refuse("lowering_operands", "no axis behind N and C", [flat_input])
    averages.refuse("lowering_operands", "no axis behind N and C", [flat_input], grid())
    all_powers.refuse("lowering_operands", "no axis behind N and C", [flat_input], {"zero": 0, "p": 1})
    bins = Lowering("pooling", "adaptive_average_pool",
                    lambda c: adaptive(c, lambda v: average(c.attributes, mean(v) - c.attributes["zero_in"])))
    greatest_bins = Lowering("pooling", "adaptive_max_pool", lambda c: adaptive(c, max))
    for name, x, sizes in (("bins that overlap", plane, [3, 3]), ("equal bins", plane, [2, 5]),
                           ("one axis keeps its size", plane, [4, 2]), ("more bins than elements", plane, [7, 6]),
                           ("three axes", volume, [1, 2, 2]), ("one axis", noise(44, [1, 2, 7], -9, 9), [4]),
                           ("four axes of equal bins", noise(45, [1, 1, 2, 2, 2, 2], -9, 9), [1, 2, 1, 2])):
        greatest_bins.case(name, [x], {"sizes": sizes})
        bins.case(name, [x], {"sizes": sizes} | grid())
        bins.case(f"{name}, onto another grid", [x], {"sizes": sizes} | grid(-2, 1000, 8, "half_up", 3, -20, 20))
    for op, more in ((bins, grid()), (greatest_bins, {})):
        op.refuse("lowering_operands", "a size for each axis", [plane], {"sizes": [2]} | more)
        op.refuse("lowering_operands", "no axis behind N and C", [flat_input], {"sizes": [2]} | more)
        op.refuse("lowering_operands", "too many bins", [ramp([1, 1, 3])], {"sizes": [2**30]} | more)
    columns = Lowering("pooling", "max_pool_indices_column_major", column_major)
    columns.case("one axis", [noise(46, [2, 2, 7], -9, 9)], max_windows((2,)))
    columns.case("two axes", [plane], max_windows((2, 3), stride=(2, 1), pad_begin=(1, 1)))
    columns.case("three axes", [volume], max_windows((2, 2, 1)))
    columns.case("one channel, ceil mode", [noise(47, [1, 1, 5, 6], -9, 9)], max_windows((2, 2), True, stride=(2, 2)))
    columns.refuse("max_pool_indices_c1", "no axis behind N and C", [flat_input], max_windows((1,)))
    sliding = Lowering("pooling", "sliding_windows", sliding_windows)
    sliding.case("overlapping windows", [ramp([2, 7])], {"axis": 1, "size": 3, "step": 2})
    sliding.case("windows with gaps, from the back", [ramp([5, 2])], {"axis": -2, "size": 2, "step": 3})
    sliding.refuse("lowering_operands", "a window longer than the axis", [ramp([3])], {"axis": 0, "size": 4, "step": 1})
    return [sums, powers, greatest, averages, all_powers, bins, greatest_bins, columns, sliding]


OPERATORS = [
    max_pool2d_cases(),
    max_pool_cases("max_pool", max_pool),
    max_pool_cases("max_pool_indices", max_pool_indices),
    window_sum_cases(),
    average_pool_cases(),
    *roi_cases(),
    *lowering_cases(),
]

if __name__ == "__main__":
    main(__file__, OPERATORS)
