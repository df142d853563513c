"""The pooling of regions of interest again, from ops/pooling/spec.md."""

import math
from fractions import Fraction

from sampling_definitions import *
from vectorlib import *


def check_regions(c, name):
    x, rois, batch = c.operands[:3]
    require(len(x.shape) == 4, f"{name}_c1")
    require(len(rois.shape) == 2 and rois.shape[1] == 4 and batch.shape == rois.shape[:1], f"{name}_c2")


def ends(c, r, axis):
    """The first and the last coordinate of region r; axis 0 is H."""
    rois = c.operands[1]
    return [Fraction(rois.at((r, 1 - axis + k)), 2 ** c.attributes["fraction"]) for k in (0, 2)]


def scale(a):
    return Fraction(a["multiplier"], 2 ** a["shift"])


def image(c, r):
    return clamp(c.operands[2].values[r], 0, c.operands[0].shape[0] - 1)


def pixels(start, length, p, bins, n):
    """The pixels that bin p touches."""
    first = math.floor(start + length * Fraction(p, bins))
    end = math.ceil(start + length * Fraction(p + 1, bins))
    return range(clamp(first, 0, n), clamp(end, 0, n))


def scaled_region(c):
    return magnitude(c.operands[1].interval) * c.attributes["multiplier"]


def rounded_region(c):
    return (magnitude(c.operands[1].interval) // 2 ** c.attributes["fraction"] + 2) * c.attributes["multiplier"]


def pixels_of_bins(c):
    bins, plane = c.attributes["pooled_size"], c.operands[0].shape[2:]
    return (plane[0] + bins[0]) * (plane[1] + bins[1])


def bins_gas(c, shape, pixel, result, point):
    """Of every pixel of every bin, every result and every position, so many units for each."""
    pixels_of_all = shape[0] * shape[1] * pixels_of_bins(c)
    return pixel * pixels_of_all + result * numel(shape) + point * points(shape) + 512


def roi_max_pool(c):
    x, a = c.operands[0], c.attributes
    check_regions(c, "roi_max_pool")
    unit = 2 ** (a["fraction"] + a["shift"])
    check_positions((3 * scaled_region(c) + 3 * unit) * max(a["pooled_size"]), "roi_max_pool_c3")

    def element(d):
        r, channel, *bin_of = d
        touched = []
        for i in range(2):
            first, last = (half_away(end * scale(a)) for end in ends(c, r, i))
            touched.append(pixels(first, max(last - first + 1, 1), bin_of[i], a["pooled_size"][i], x.shape[2 + i]))
        return max((x.at((image(c, r), channel, h, w)) for h in touched[0] for w in touched[1]), default=0)

    shape = [c.operands[1].shape[0], x.shape[1], *a["pooled_size"]]
    return [build(shape, hull(x.interval, (0, 0)), element)], bins_gas(c, shape, 20, 208, 64)


def roi_align(c):
    x, rois, _ = c.operands
    a = c.attributes
    check_regions(c, "roi_align")
    unit, divisor, most_samples = 2 ** (a["fraction"] + a["shift"] + 1), 1, 1
    for bins, n in zip(a["pooled_size"], x.shape[2:]):
        samples = a["sampling_ratio"]
        if not samples:
            side = (rois.interval[1] - rois.interval[0]) * a["multiplier"] * 2
            samples = max(1, math.ceil(Fraction(side if a["half_pixel"] else max(side, unit), unit * bins)))
        steps = 2 * bins * samples
        check_positions((6 * scaled_region(c) + unit * (n + 2)) * steps, "roi_align_c3")
        divisor *= unit * steps * samples
        most_samples *= samples

    def samples_of(r, i, p):
        first, last = (end * scale(a) - (Fraction(1, 2) if a["half_pixel"] else 0) for end in ends(c, r, i))
        side = last - first if a["half_pixel"] else max(last - first, Fraction(1))
        bins = a["pooled_size"][i]
        count = a["sampling_ratio"] or max(0, math.ceil(side / bins))
        return [first + side * (p + (s + Fraction(1, 2)) / count) / bins for s in range(count)]

    def taps(channel, r, v, u):
        """The weighted pixels around a sample; a lone 0 outside."""
        height, width = x.shape[2:]
        if not (-1 <= v <= height and -1 <= u <= width):
            return [Fraction(0)]
        v, u = clamp(v, 0, height - 1), clamp(u, 0, width - 1)
        corners = [(h, w) for h in (math.floor(v), math.floor(v) + 1) for w in (math.floor(u), math.floor(u) + 1)]
        return [hat(v - h) * hat(u - w) * (x.at((image(c, r), channel, h, w)) if h < height and w < width else 0)
                for h, w in corners]

    def element(d):
        r, channel, p, q = d
        samples = [taps(channel, r, v, u) for v in samples_of(r, 0, p) for u in samples_of(r, 1, q)]
        if not samples:
            return Fraction(0)
        if a["mode"] == "max_tap":
            return max(max(sample) for sample in samples)
        values = [sum(sample) for sample in samples]
        return max(values) if a["mode"] == "max" else sum(values) / len(values)

    shape = [rois.shape[0], x.shape[1], *a["pooled_size"]]
    y = quotients(c, shape, [element(d) for d in indices(shape)], hull(x.interval, (0, 0)), divisor,
                  a["result_fraction"], "roi_align_c4")
    return [y], numel(shape) * (280 * most_samples + 320) + 64 * points(shape) + 2048


def psroi_pool(c):
    x, rois, _ = c.operands
    a = c.attributes
    check_regions(c, "psroi_pool")
    average = a["mode"] == "average"
    (bins_h, bins_w), (parts_h, parts_w) = a["pooled_size"], a["spatial_bins"]
    group = bins_h * bins_w if average else parts_h * parts_w
    require(x.shape[1] % group == 0, "psroi_pool_c3")
    divisor = 1
    for n, bins, parts in zip(x.shape[2:], a["pooled_size"], a["spatial_bins"]):
        if average:
            check_positions((3 * rounded_region(c) + 2 ** a["shift"]) * bins, "psroi_pool_c4")
            divisor *= n
        else:
            steps, unit = parts * (bins - 1 or 2), 2 ** (a["fraction"] + a["shift"])
            check_positions((3 * scaled_region(c) + unit) * n * steps, "psroi_pool_c4")
            divisor *= unit * steps * parts

    def of_bin(d):
        r, channel, p, q = d
        touched = []
        for i, o in ((0, p), (1, q)):
            first, last = (half_away(end) for end in ends(c, r, i))
            touched.append(pixels(first * scale(a), (last + 1 - first) * scale(a), o, a["pooled_size"][i],
                                  x.shape[2 + i]))
        values = [x.at((image(c, r), (channel * bins_h + p) * bins_w + q, h, w)) for h in touched[0] for w in touched[1]]
        return Fraction(sum(values), len(values) or 1)

    def of_parts(d):
        r, channel, p, q = d
        total = Fraction(0)
        for part in range(parts_h * parts_w):
            place = []
            for i, o, s in ((0, p, part // parts_w), (1, q, part % parts_w)):
                first, last = (end * scale(a) * (x.shape[2 + i] - 1) for end in ends(c, r, i))
                length = (last - first) / a["spatial_bins"][i]
                bins = a["pooled_size"][i]
                place.append(first + length * (s + (Fraction(o, bins - 1) if bins > 1 else Fraction(1, 2))))
            if all(0 <= v < n for v, n in zip(place, x.shape[2:])):
                inside = [min(v, n - 1) for v, n in zip(place, x.shape[2:])]
                total += bilinear(x, image(c, r), part * (x.shape[1] // group) + channel, *inside)
        return total / (parts_h * parts_w)

    shape = [rois.shape[0], x.shape[1] // group, bins_h, bins_w]
    y = quotients(c, shape, [(of_bin if average else of_parts)(d) for d in indices(shape)], hull(x.interval, (0, 0)),
                  divisor, a["result_fraction"], "psroi_pool_c5")
    if average:
        return [y], bins_gas(c, shape, 5, 256, 160)
    return [y], numel(shape) * (96 * parts_h * parts_w + 144) + 160 * points(shape) + 512


def deformable_psroi_pool(c):
    x, rois = c.operands[:2]
    offsets = c.operands[3] if len(c.operands) == 4 else None
    a = c.attributes
    check_regions(c, "deformable_psroi_pool")
    bins_h, bins_w = a["pooled_size"]
    require(x.shape[1] % (bins_h * bins_w) == 0, "deformable_psroi_pool_c3")
    channels = x.shape[1] // (bins_h * bins_w)
    if offsets:
        require(len(offsets.shape) == 4 and offsets.shape[0] == rois.shape[0] and offsets.shape[1] % 2 == 0 and
                channels % (offsets.shape[1] // 2) == 0, "deformable_psroi_pool_c4")
    reach = magnitude(offsets.interval) * a["offset_multiplier"] if offsets else 0
    unit = 20 * 2 ** a["shift"]
    end = 20 * rounded_region(c) + unit
    for n, bins, samples in zip(x.shape[2:], a["pooled_size"], a["spatial_bins"]):
        parts = bins * samples
        steps = parts * 2 ** a["offset_fraction"]
        point = end * steps + 2 * end * (reach * parts + steps)
        check_positions(2 * point + unit * n * steps * 2 ** (a["position_fraction"] + 1), "deformable_psroi_pool_c5")

    def offset_of(d, axis):
        if not offsets:
            return 0
        group = d[1] // (channels // (offsets.shape[1] // 2))
        number = offsets.at((d[0], 2 * group + 1 - axis, d[2] * offsets.shape[2] // bins_h,
                             d[3] * offsets.shape[3] // bins_w))
        return Fraction(number * a["offset_multiplier"], 2 ** a["offset_fraction"])

    def samples_of(d, axis):
        first, last = (half_away(end) for end in ends(c, d[0], axis))
        start, stop = first * scale(a) - Fraction(1, 2), (last + 1) * scale(a) - Fraction(1, 2)
        side = max(stop - start, Fraction(1, 10))
        bin_size = side / a["pooled_size"][axis]
        corner = start + d[2 + axis] * bin_size + offset_of(d, axis) * side
        n = x.shape[2 + axis]
        for s in range(a["spatial_bins"][axis]):
            v = corner + s * bin_size / a["spatial_bins"][axis]
            if -Fraction(1, 2) <= v <= n - Fraction(1, 2):
                yield Fraction(half_up(clamp(v, 0, n - 1) * 2 ** a["position_fraction"]), 2 ** a["position_fraction"])

    def element(d):
        channel = (d[1] * bins_h + d[2]) * bins_w + d[3]
        values = [bilinear(x, image(c, d[0]), channel, v, u) for v in samples_of(d, 0) for u in samples_of(d, 1)]
        return sum(values, Fraction(0)) / (len(values) or 1)

    shape = [rois.shape[0], channels, bins_h, bins_w]
    most_samples = a["spatial_bins"][0] * a["spatial_bins"][1]
    y = quotients(c, shape, [element(d) for d in indices(shape)], hull(x.interval, (0, 0)),
                  4 ** a["position_fraction"] * most_samples, a["result_fraction"], "deformable_psroi_pool_c6")
    return [y], numel(shape) * (160 * most_samples + 544) + 64 * points(shape) + 1024


def region(size, fraction=0, multiplier=1, shift=0, **others):
    return dict(pooled_size=list(size), fraction=fraction, multiplier=multiplier, shift=shift) | others


X = noise("regions", [2, 2, 5, 6], -128, 127)
ROIS = tensor([4, 4], [0, 0, 20, 16, 9, 3, 13, 15, 12, 10, 2, 4, -30, -7, 40, 50], (-64, 64))
BATCH = tensor([4], [0, 1, 9, -3])
WIDE_ROIS = tensor([1, 4], [0] * 4, (0, 2**47 - 1))


def refuse_shapes(op, attributes):
    name, one, zero = op.name, ramp([1, 1, 2, 2]), tensor([1], [0])
    op.refuse(f"{name}_c1", "rank 3", [ramp([1, 2, 2]), ramp([1, 4]), zero], attributes)
    op.refuse(f"{name}_c2", "regions of five numbers", [one, ramp([1, 5]), zero], attributes)
    op.refuse(f"{name}_c2", "two images for one region", [one, ramp([1, 4]), ramp([2])], attributes)


def roi_max_pool_cases():
    op = Operator("pooling", "roi_max_pool", roi_max_pool)
    for size in ((1, 1), (2, 3), (7, 6)):
        op.case(f"{size[0]} x {size[1]} bins", [X, ROIS, BATCH], region(size, 2))
    op.case("a spatial scale of 3/8", [X, ROIS, BATCH], region((2, 2), 1, 3, 3))
    op.case("ties leave zero", [ramp([1, 1, 6, 6]), tensor([2, 4], [1, 1, 3, 3, -1, -1, 5, 7]), tensor([2], [0, 0])],
            region((1, 1), 1))
    op.case("regions outside are empty", [tensor([1, 1, 2, 2], [5, 6, 7, 8]), tensor([1, 4], [9, 9, 12, 12]),
                                          tensor([1], [0])], region((2, 2)))
    refuse_shapes(op, region((1, 1)))
    op.refuse("roi_max_pool_c3", "positions of 62 bits", [X, WIDE_ROIS, tensor([1], [0])],
              region((1, 1), multiplier=2**14))
    return op


def roi_align_cases():
    op = Operator("pooling", "roi_align", roi_align)

    def of(size, fraction=2, mode="average", half_pixel=True, sampling_ratio=2, result_fraction=0, **others):
        return region(size, fraction, mode=mode, half_pixel=half_pixel, sampling_ratio=sampling_ratio,
                      result_fraction=result_fraction, **others)

    for mode in ("average", "max", "max_tap"):
        for half_pixel in (False, True):
            for ratio in (0, 2):
                op.case(f"{mode}, half_pixel {half_pixel}, ratio {ratio}", [X, ROIS, BATCH],
                        of((2, 3), mode=mode, half_pixel=half_pixel, sampling_ratio=ratio))
    op.case("one bin, a scale of 3/16, bits of fraction", [X, ROIS, BATCH],
            of((1, 1), multiplier=3, shift=4, result_fraction=6))
    op.case("negative maxima", [noise("negative", [1, 1, 4, 4], -90, -10), ROIS, BATCH], of((2, 2), 3, "max"))
    op.case("a pixel outside still counts", [tensor([1, 1, 2, 2], [4, 8, 12, 16]),
                                             tensor([3, 4], [-4, -4, -4, -4, 8, 8, 8, 8, -5, 0, -5, 0]),
                                             tensor([3], [0, 0, 0])], of((1, 1), half_pixel=True, sampling_ratio=1))
    refuse_shapes(op, of((1, 1)))
    op.refuse("roi_align_c3", "positions of 62 bits", [X, WIDE_ROIS, tensor([1], [0])], of((1, 1), multiplier=2**13))
    op.refuse("roi_align_c4", "sums of 63 bits", [X, ROIS, BATCH], of((7, 7), 24))
    op.refuse("roi_align_c4", "sample counts of 2^14", [X, tensor([1, 4], [0] * 4, (0, 2**14)), tensor([1], [0])],
              of((1, 1), 0, sampling_ratio=0))
    return op


def psroi_pool_cases():
    op = Operator("pooling", "psroi_pool", psroi_pool)

    def of(size, fraction=2, mode="average", bins=(1, 1), result_fraction=0, **others):
        return region(size, fraction, mode=mode, spatial_bins=list(bins), result_fraction=result_fraction, **others)

    x = noise("psroi", [2, 12, 4, 5], -128, 127)
    normalized = tensor([4, 4], [0, 0, 255, 255, 13, 77, 140, 200, 200, 9, 50, 33, -20, 100, 90, 300])
    for size in ((1, 1), (2, 3), (3, 2)):
        op.case(f"average of {size[0]} x {size[1]} bins", [x, ROIS, BATCH], of(size))
        for bins in ((1, 1), (2, 3)):
            op.case(f"bilinear, {size[0]} x {size[1]} points of {bins[0]} x {bins[1]} parts", [x, normalized, BATCH],
                    of(size, 8, "bilinear", bins, 2))
    op.case("average, a scale of 5/16", [x, ROIS, BATCH], of((2, 2), 0, result_fraction=3, multiplier=5, shift=4))
    op.case("bilinear, a scale of 3/4", [x, normalized, BATCH], of((2, 2), 8, "bilinear", (2, 2), multiplier=3, shift=2))
    refuse_shapes(op, of((1, 1)))
    zero = tensor([1], [0])
    op.refuse("psroi_pool_c3", "channels for half a group", [x, ROIS, BATCH], of((5, 1)))
    op.refuse("psroi_pool_c3", "channels for half the parts", [x, ROIS, BATCH], of((1, 1), 2, "bilinear", (5, 1)))
    op.refuse("psroi_pool_c4", "positions of 62 bits", [x, WIDE_ROIS, zero], of((1, 1), 0, multiplier=2**14))
    op.refuse("psroi_pool_c4", "points of 62 bits", [x, WIDE_ROIS, zero], of((1, 1), 0, "bilinear", multiplier=2**10))
    op.refuse("psroi_pool_c5", "a divisor of 62 bits", [x, tensor([1, 4], [0, 0, 1, 1]), zero], of((1, 1), 30, "bilinear"))
    return op


def deformable_psroi_pool_cases():
    op = Operator("pooling", "deformable_psroi_pool", deformable_psroi_pool)

    def of(size, fraction=2, bins=(2, 2), offset_multiplier=1, offset_fraction=4, position_fraction=6,
           result_fraction=0, **others):
        return region(size, fraction, spatial_bins=list(bins), offset_multiplier=offset_multiplier,
                      offset_fraction=offset_fraction, position_fraction=position_fraction,
                      result_fraction=result_fraction, **others)

    x = noise("deformable psroi", [2, 12, 4, 5], -128, 127)
    for size in ((1, 1), (2, 3)):
        for bins in ((1, 1), (2, 4)):
            op.case(f"{size[0]} x {size[1]} bins of {bins[0]} x {bins[1]} samples", [x, ROIS, BATCH], of(size, bins=bins))
            op.case(f"{size[0]} x {size[1]} bins of {bins[0]} x {bins[1]} samples, moved",
                    [x, ROIS, BATCH, noise("offsets", [4, 4, 3, 2], -16, 16)], of(size, bins=bins, result_fraction=3))
    op.case("a scale of 3/8 and of the offsets", [x, ROIS, BATCH, noise("parts", [4, 2, 2, 2], -50, 50)],
            of((2, 2), 0, (3, 1), 51, 9, 8, multiplier=3, shift=3))
    op.case("positions at pixels", [x, ROIS, BATCH], of((2, 2), position_fraction=0))
    op.case("regions without area", [x, noise("no area", [4, 4], 2, 2), BATCH], of((2, 2), 0, multiplier=1, shift=5))
    refuse_shapes(op, of((1, 1)))
    op.refuse("deformable_psroi_pool_c3", "channels for half a group", [x, ROIS, BATCH], of((5, 1)))
    op.refuse("deformable_psroi_pool_c4", "an odd number of offsets", [x, ROIS, BATCH, ramp([4, 3, 1, 1])], of((1, 1)))
    op.refuse("deformable_psroi_pool_c4", "offsets of other regions", [x, ROIS, BATCH, ramp([3, 2, 1, 1])], of((1, 1)))
    op.refuse("deformable_psroi_pool_c4", "classes that do not divide", [x, ROIS, BATCH, ramp([4, 10, 1, 1])],
              of((1, 1)))
    op.refuse("deformable_psroi_pool_c5", "positions of 62 bits", [x, WIDE_ROIS, tensor([1], [0])],
              of((1, 1), 0, multiplier=2**14))
    op.refuse("deformable_psroi_pool_c5", "offsets of 40 bits",
              [x, ROIS, BATCH, tensor([4, 2, 1, 1], [0] * 8, (0, 2**40))], of((1, 1), multiplier=2**20))
    op.refuse("deformable_psroi_pool_c6", "sums of 63 bits", [noise("large", [2, 1, 2, 2], 0, 2**30), ROIS, BATCH],
              of((1, 1), position_fraction=16))
    return op


def roi_cases():
    return [roi_max_pool_cases(), roi_align_cases(), psroi_pool_cases(), deformable_psroi_pool_cases()]
