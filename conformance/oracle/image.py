"""Vectors of the image family, from ops/image/spec.md and ops/image/lowerings.md."""

import random

from resize_definitions import resize_lowerings
from sampling_definitions import *
from vectorlib import *


def upsampling(c):
    x, scale = c.operands[0], c.attributes["scale"]
    check_int(scale, 1, 4096)
    require(len(x.shape) == 4, "upsampling_c1")
    n, channels, height, width = x.shape
    shape = [n, channels, height * scale, width * scale]
    check_shape(shape)
    y = build(shape, x.interval, lambda d: x.at([d[0], d[1], d[2] // scale, d[3] // scale]))
    return [y], 76 * numel(shape)


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


def resample(c):
    x, index, weight = c.operands
    check_int(c.attributes["axis"], -8, 7)
    axis = axis_of(c.attributes["axis"], len(x.shape), "resample_c1")
    require(index.constant and weight.constant, "resample_c2")
    require(len(index.shape) == 2 and index.shape == weight.shape, "resample_c3")
    require(0 <= min(index.values) and max(index.values) < x.shape[axis], "resample_c4")
    rows, taps = index.shape
    lo, hi = x.interval
    sums, partial = [], (0, 0)
    for o in range(rows):
        places, low, high = {}, 0, 0
        for t in range(taps):
            w = weight.at((o, t))
            places[index.at((o, t))] = places.get(index.at((o, t)), 0) + w
            low, high = low + min(0, w * lo, w * hi), high + max(0, w * lo, w * hi)
        partial = hull(partial, (low, high))
        sums.append((sum(min(w * lo, w * hi) for w in places.values()),
                     sum(max(w * lo, w * hi) for w in places.values())))
    check_accumulator(partial, c.profile)
    shape = x.shape[:axis] + [rows] + x.shape[axis + 1:]

    def element(d):
        return sum(weight.at((d[axis], t)) * x.at([*d[:axis], index.at((d[axis], t)), *d[axis + 1:]])
                   for t in range(taps))

    return [build(shape, hull(*sums), element)], numel(shape) * (5 * taps + 20) + 160 * runs(shape) + 1024


def table(rows, taps, values):
    return tensor([rows, taps], values, constant=True)


def resample_cases():
    op = Operator("image", "resample", resample)
    op.case("the mean of neighbours", [ramp([4])] + [table(3, 2, v) for v in ([0, 1, 1, 2, 2, 3], [1] * 6)],
            {"axis": 0})
    op.case("an inner axis", [noise("inner", [2, 3, 2], -9, 9), table(2, 2, [2, 0, 1, 1]), table(2, 2, [3, -1, 2, 5])],
            {"axis": -2})
    op.case("taps of one place are one weight", [tensor([2], [-5, 7]), table(1, 3, [1, 0, 1]), table(1, 3, [9, 1, -9])],
            {"axis": 0})
    op.case("a weight of zero", [tensor([2], [-5, 7]), table(2, 1, [1, 1]), table(2, 1, [0, 0])], {"axis": 0})
    op.case("sums up to 47 bits", [tensor([2], [-(2**46), 2**46 - 1]), table(1, 2, [0, 1]), table(1, 2, [1, 1])],
            {"axis": 0})
    for i in range(6):
        rng = random.Random(f"resample {i}")
        size, rows, taps = rng.randint(1, 5), rng.randint(1, 4), rng.randint(1, 4)
        op.case(f"random {i}", [noise(f"resample x {i}", [2, size, 2], -128, 127),
                                table(rows, taps, [rng.randrange(size) for _ in range(rows * taps)]),
                                table(rows, taps, [rng.randint(-2000, 2000) for _ in range(rows * taps)])], {"axis": 1})
    x, one = ramp([2]), table(1, 1, [1])
    op.refuse("resample_c1", "no such axis", [x, one, one], {"axis": 1})
    op.refuse("resample_c2", "computed indices", [x, tensor([1, 1], [0]), one], {"axis": 0})
    op.refuse("resample_c2", "computed weights", [x, one, tensor([1, 1], [0])], {"axis": 0})
    op.refuse("resample_c3", "lists", [x] + [tensor([1], [0], constant=True)] * 2, {"axis": 0})
    op.refuse("resample_c3", "tables of two shapes", [x, table(1, 2, [0, 1]), table(2, 1, [0, 1])], {"axis": 0})
    op.refuse("resample_c4", "an index behind the axis", [x, table(1, 1, [2]), one], {"axis": 0})
    op.refuse("resample_c4", "a negative index", [x, table(1, 1, [-1]), one], {"axis": 0})
    op.refuse("value_range", "a sum of 48 bits", [tensor([1], [2**46]), table(1, 1, [0]), table(1, 1, [2])], {"axis": 0})
    op.refuse("accumulator_range", "weights that cancel each other",
              [tensor([1], [2**46]), table(1, 2, [0, 0]), table(1, 2, [2**18, -(2**18)])], {"axis": 0})
    return op


GRIDS = ["strict_align_endpoints", "align_endpoints", "upsample", "roi_align"]
FORMS = ["corners_height_first", "corners_width_first", "center_size_height_first", "center_size_width_first"]


def linspace(start, end, n):
    return [Fraction(start) + (Fraction(i, n - 1) * (end - start) if n > 1 else 0) for i in range(n)]


def grid_points(grid, start, end, n):
    """n points of [start, end], as Core ML's sampling modes say of [0, X - 1]."""
    length = end - start
    if grid == "strict_align_endpoints":
        return linspace(start, end, n)
    if grid == "align_endpoints":
        return linspace(start, end, n) if n > 1 else [start + Fraction(length, 2)]
    spacing = (length + 1) / n if grid == "upsample" else max(Fraction(1), length) / n
    first = 0 if grid == "upsample" else spacing / 2
    return [start + min(length, first + i * spacing) for i in range(n)]


def grid_steps(grid, n):
    return {"strict_align_endpoints": max(n - 1, 1), "align_endpoints": n - 1 if n > 1 else 2, "upsample": n,
            "roi_align": 2 * n}[grid]


def crop_resize(c):
    x, boxes, batch = c.operands
    a = c.attributes
    require(len(x.shape) == 4, "crop_resize_c1")
    require(len(boxes.shape) == 2 and boxes.shape[1] == 4 and batch.shape == boxes.shape[:1], "crop_resize_c2")
    unit, divisor = 2 ** (a["fraction"] + 1), 1
    for size, n in zip(a["size"], x.shape[2:]):
        box = magnitude(boxes.interval) * a["multiplier"] * (n if a["normalized"] else 1)
        steps = grid_steps(a["grid"], size)
        check_positions((8 * box + unit + n * unit) * steps, "crop_resize_c3")
        divisor *= unit * steps

    def element(d):
        r, channel, p, q = d
        numbers = [Fraction(boxes.at((r, k)) * a["multiplier"], 2 ** a["fraction"]) for k in range(4)]
        if "width_first" in a["boxes"]:
            numbers = [numbers[k] for k in (1, 0, 3, 2)]
        place = []
        for i, o in ((0, p), (1, q)):
            first, second = (number * (x.shape[2 + i] - 1 if a["normalized"] else 1) for number in numbers[i::2])
            start, end = (first - second / 2, first + second / 2) if "center" in a["boxes"] else (first, second)
            place.append(grid_points(a["grid"], start, end, a["size"][i])[o])
        inside = [clamp(v, 0, n - 1) for v, n in zip(place, x.shape[2:])]
        if a["zero_outside"] and inside != place:
            return Fraction(0)
        return bilinear(x, clamp(batch.values[r], 0, x.shape[0] - 1), channel, *inside)

    shape = [boxes.shape[0], x.shape[1], *a["size"]]
    bounds = hull(x.interval, (0, 0)) if a["zero_outside"] else x.interval
    y = quotients(c, shape, [element(d) for d in indices(shape)], bounds, divisor, a["result_fraction"],
                  "crop_resize_c4")
    return [y], numel(shape) * 320 + 64 * points(shape) + 1024


def crop(size, grid=GRIDS[0], boxes=FORMS[0], normalized=False, fraction=0, multiplier=1, zero_outside=False,
         result_fraction=0):
    return dict(size=list(size), grid=grid, boxes=boxes, normalized=normalized, fraction=fraction,
                multiplier=multiplier, zero_outside=zero_outside, result_fraction=result_fraction)


def crop_resize_cases():
    op = Operator("image", "crop_resize", crop_resize)
    x = noise("crop", [2, 2, 4, 5], -128, 127)
    boxes = tensor([3, 4], [0, 0, 12, 16, 3, 2, 9, 7, 9, 9, 1, 2], (-20, 20))
    batch = tensor([3], [0, 1, 7])
    for grid in GRIDS:
        for size in ((2, 3), (1, 1), (5, 4)):
            op.case(f"{grid} to {size[0]} x {size[1]}", [x, boxes, batch], crop(size, grid, fraction=2))
    for form in FORMS:
        op.case(f"{form}, outside is zero", [x, boxes, batch],
                crop((3, 2), "roi_align", form, fraction=2, zero_outside=True, result_fraction=4))
    op.case("normalized", [x, tensor([2, 4], [0, 0, 255, 255, 13, 77, 200, 180]), tensor([2], [0, 1])],
            crop((3, 3), "align_endpoints", normalized=True, fraction=8, result_fraction=2))
    op.case("a spatial scale", [x, noise("scaled", [2, 4], 0, 60), tensor([2], [-3, 1])],
            crop((2, 2), "roi_align", "corners_width_first", multiplier=3, fraction=5))
    op.case("one pixel", [tensor([1, 1, 1, 1], [9]), noise("far", [2, 4], -99, 99), tensor([2], [0, 0])],
            crop((2, 2), "upsample", fraction=3))
    one, box, zero = ramp([1, 1, 2, 2]), tensor([1, 4], [0, 0, 1, 1]), tensor([1], [0])
    op.refuse("crop_resize_c1", "rank 3", [ramp([1, 2, 2]), box, zero], crop((1, 1)))
    op.refuse("crop_resize_c2", "boxes of five numbers", [one, ramp([1, 5]), zero], crop((1, 1)))
    op.refuse("crop_resize_c2", "two images for one box", [one, box, ramp([2])], crop((1, 1)))
    op.refuse("crop_resize_c3", "boxes of 48 bits", [one, tensor([1, 4], [0] * 4, (0, 2**47 - 1)), zero],
              crop((1, 1), multiplier=2**12))
    op.refuse("crop_resize_c4", "a divisor of 62 bits", [one, box, zero], crop((1, 1), fraction=30))
    op.refuse("crop_resize_c4", "sums of 62 bits", [noise("wide", [1, 1, 2, 2], 0, 2**40), box, zero],
              crop((2, 2), fraction=10))
    return op


def cubic(distance):
    z, a = abs(Fraction(distance)), Fraction(-3, 4)
    if z <= 1:
        return (a + 2) * z**3 - (a + 3) * z**2 + 1
    return a * (z**3 - 5 * z**2 + 8 * z - 4) if z < 2 else Fraction(0)


def folded(i, n, padding, align_corners):
    """The pixel of a tap at integer i, by walking to it; None reads zero."""
    if 0 <= i < n:
        return i
    if padding == "zeros":
        return None
    if padding == "border":
        return clamp(i, 0, n - 1)
    if align_corners and n == 1:
        return 0
    while not 0 <= i < n:
        edge = 0 if align_corners else 1
        i = -i - edge if i < 0 else 2 * (n - 1) + edge - i
    return i


def grid_sample(c):
    x, grid = c.operands
    a = c.attributes
    require(len(x.shape) == 4, "grid_sample_c1")
    require(len(grid.shape) == 4 and grid.shape[0] == x.shape[0] and grid.shape[3] == 2, "grid_sample_c2")
    unit = 2 ** (a["fraction"] + 1)
    check_positions((magnitude(grid.interval) + unit) * (max(x.shape[2:]) + 1), "grid_sample_c3")

    def axis(g, n):
        """Pixels and weights along an axis."""
        g = Fraction(g, 2 ** a["fraction"])
        v = (g + 1) / 2 * (n - 1) if a["align_corners"] else ((g + 1) * n - 1) / 2
        kernel = {"nearest": None, "bilinear": hat, "cubic": cubic}[a["mode"]]
        if kernel is None:
            taps = [(round(v), Fraction(1))]  # Python rounds half to even
        else:
            taps = [(i, kernel(v - i)) for i in range(math.floor(v) - 2, math.floor(v) + 4)]
        return [(folded(i, n, a["padding"], a["align_corners"]), w) for i, w in taps if w]

    def element(d):
        n, channel, p, q = d
        rows, columns = axis(grid.at((n, p, q, 1)), x.shape[2]), axis(grid.at((n, p, q, 0)), x.shape[3])
        return sum((a * b * x.at((n, channel, h, w)) for h, a in rows for w, b in columns
                    if h is not None and w is not None), Fraction(0))

    shape = [*x.shape[:2], *grid.shape[1:3]]
    bounds = hull(x.interval, (0, 0)) if a["padding"] == "zeros" else x.interval
    values = [element(d) for d in indices(shape)]
    if a["mode"] == "cubic":
        width, widest = bounds[1] - bounds[0], 242 * magnitude(bounds)
        y = quotients(c, shape, values, (128 * bounds[0] - 57 * width, 128 * bounds[1] + 57 * width),
                      16 * unit**6, a["result_fraction"], "grid_sample_c4", 128, (-widest, widest))
    else:
        y = quotients(c, shape, values, bounds, unit**2 if a["mode"] == "bilinear" else 1, a["result_fraction"],
                      "grid_sample_c4")
    taps = {"nearest": 1, "bilinear": 4, "cubic": 16}[a["mode"]]
    return [y], numel(shape) * (48 * taps + 272) + (8 * taps + 88) * points(shape) + 512


def sampled(mode="bilinear", padding="zeros", align_corners=False, fraction=4, result_fraction=0):
    return dict(mode=mode, padding=padding, align_corners=align_corners, fraction=fraction,
                result_fraction=result_fraction)


def grid_sample_cases():
    op = Operator("image", "grid_sample", grid_sample)
    x, grid = noise("sampled", [2, 2, 3, 4], -128, 127), noise("grid", [2, 3, 3, 2], -40, 40)
    for mode in ("nearest", "bilinear", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            for align_corners in (False, True):
                op.case(f"{mode}, {padding}, align_corners {align_corners}", [x, grid],
                        sampled(mode, padding, align_corners))
    ties = tensor([1, 1, 8, 2], [v for i in range(-4, 4) for v in (i, 0)])
    op.case("ties go to the even pixel", [ramp([1, 1, 1, 8]), ties], sampled("nearest", "border", fraction=2))
    op.case("ties outside go to the even position first", [ramp([1, 1, 1, 2]), ties],
            sampled("nearest", "reflection", fraction=1))
    op.case("reflection far away", [ramp([1, 1, 2, 3]), noise("far", [1, 2, 4, 2], -(2**20), 2**20)],
            sampled("bilinear", "reflection", fraction=3))
    op.case("reflection of one pixel", [tensor([1, 1, 1, 1], [5]), noise("one", [1, 2, 2, 2], -99, 99)],
            sampled("cubic", "reflection", True, 3))
    op.case("exact sums", [x, grid], sampled(fraction=4, result_fraction=10))
    op.case("the corners", [ramp([1, 1, 2, 2]), tensor([1, 1, 4, 2], [-4, -4, 4, -4, -4, 4, 4, 4])],
            sampled(align_corners=True, fraction=2))
    op.refuse("grid_sample_c1", "rank 3", [ramp([1, 2, 2]), ramp([1, 1, 1, 2])], sampled())
    op.refuse("grid_sample_c2", "three coordinates", [ramp([1, 1, 2, 2]), ramp([1, 1, 1, 3])], sampled())
    op.refuse("grid_sample_c2", "another batch", [ramp([1, 1, 2, 2]), ramp([2, 1, 1, 2])], sampled())
    op.refuse("grid_sample_c3", "positions of 62 bits",
              [noise("long", [1, 1, 1, 2**14], 0, 1), tensor([1, 1, 1, 2], [0, 0], (0, 2**47 - 1))], sampled("nearest"))
    op.refuse("grid_sample_c4", "cubic weights of 62 bits", [ramp([1, 1, 2, 2]), ramp([1, 1, 1, 2])],
              sampled("cubic", fraction=9))
    op.refuse("grid_sample_c4", "too many bits of the result", [ramp([1, 1, 2, 2], 8), ramp([1, 1, 1, 2])],
              sampled("nearest", result_fraction=59))
    return op


if __name__ == "__main__":
    main(__file__, [upsampling_cases(), resample_cases(), crop_resize_cases(), grid_sample_cases(),
                    *resize_lowerings()])
