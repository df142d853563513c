"""Vectors of the image family, from ops/image/spec.md."""

from vectorlib import *


def upsampling(c):
    x, scale = c.operands[0], c.attributes["scale"]
    check_int(scale, 1, 4096)
    require(len(x.shape) == 4, "upsampling_c1")
    n, channels, height, width = x.shape
    shape = [n, channels, height * scale, width * scale]
    check_shape(shape)
    y = build(shape, x.interval, lambda d: x.at([d[0], d[1], d[2] // scale, d[3] // scale]))
    return [y], size_bytes(y)


def upsampling_cases():
    op = Operator("image", "upsampling", upsampling)
    op.case("by two", [ramp([1, 1, 2, 2], 1)], {"scale": 2}, "cvm")
    op.case("by three, not square", [ramp([1, 2, 1, 2], -2)], {"scale": 3}, "cvm")
    op.case("by one", [ramp([2, 2, 1, 2])], {"scale": 1}, "cvm")
    op.case("noise", [noise("upsampling", [2, 2, 2, 1], -1000, 1000)], {"scale": 2}, "cvm")
    op.case("one pixel", [tensor([1, 1, 1, 1], [-128])], {"scale": 5}, "cvm")
    op.case("beyond 32 bits", [tensor([1, 1, 1, 2], [-(2**47), 2**47 - 1])], {"scale": 2})
    op.refuse("upsampling_c1", "rank 3", [ramp([1, 2, 2])], {"scale": 2})
    op.refuse("upsampling_c1", "rank 5", [ramp([1, 1, 1, 2, 2])], {"scale": 2})
    op.refuse("upsampling_c1", "scalar", [tensor([], [1])], {"scale": 2})
    op.refuse("attribute_range", "scale 0", [ramp([1, 1, 2, 2])], {"scale": 0})
    op.refuse("attribute_range", "scale 4097", [ramp([1, 1, 2, 2])], {"scale": 4097})
    return op


main(__file__, [upsampling_cases()])
