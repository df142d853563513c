"""max_pool2d again, from ops/pooling/spec.md."""

from vectorlib import Operator, build, main, noise, numel, ramp, require, tensor


def windows(size, stride, padding, length, ceil_mode):
    require(padding < size, "max_pool2d_c2")
    require(size <= length + 2 * padding, "max_pool2d_c3")
    slack = length + 2 * padding - size
    count = (-(-slack // stride) if ceil_mode else slack // stride) + 1
    require((count - 1) * stride - padding < length, "max_pool2d_c4")
    return count


def max_pool2d(c):
    x = c.operands[0]
    sizes, strides, ceil_mode = (c.attributes[name] for name in ("pool_size", "strides", "ceil_mode"))
    paddings = c.attributes["padding"] * (2 if len(c.attributes["padding"]) == 1 else 1)
    require(len(x.shape) == 4, "max_pool2d_c1")
    batch, channels, *plane = x.shape
    counts = [windows(*axis, ceil_mode) for axis in zip(sizes, strides, paddings, plane)]

    def window(i, place):
        first = place * strides[i] - paddings[i]
        return [position for position in range(first, first + sizes[i]) if 0 <= position < plane[i]]

    def element(index):
        n, channel, p, q = index
        return max(x.at((n, channel, h, v)) for h in window(0, p) for v in window(1, q))

    y = build([batch, channels, *counts], x.interval, element)
    return [y], numel(y.shape) * sizes[0] * sizes[1]


def pool(size, strides=(1, 1), padding=(0,), ceil_mode=False):
    return {"pool_size": list(size), "strides": list(strides), "padding": list(padding), "ceil_mode": ceil_mode}


def max_pool2d_cases():
    op = Operator("pooling", "max_pool2d", max_pool2d)
    row = ramp([1, 1, 1, 6], 1)
    op.case("windows overlap", [noise(1, [2, 2, 4, 5], -50, 50)], pool((2, 3)))
    op.case("windows of one element", [noise(2, [1, 2, 2, 3], -50, 50)], pool((1, 1)))
    op.case("the whole plane", [noise(3, [2, 3, 3, 4], -50, 50)], pool((3, 4)))
    op.case("padding of negative values never escapes (S7)", [tensor([1, 1, 2, 2], [-9, -8, -7, -6])],
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
    op.refuse("max_pool2d_c4", "ceil mode would start a window behind the input (S7)", [ramp([1, 1, 1, 3])],
              pool((1, 2), (1, 4), (0, 1), True))
    return op


main(__file__, [max_pool2d_cases()])
