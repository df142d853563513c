"""The resizing lowerings, from their meaning: weights by the definition of each kernel, every image by one formula."""

import itertools
import math
from fractions import Fraction

from sampling_definitions import clamp, half_up, hat
from vectorlib import Lowering, indices, noise, ramp, require


def position(a, o, n, size, scale, region):
    """Where on an axis of n pixels point o of `size` lies."""
    half_pixel = (o + Fraction(1, 2)) / scale - Fraction(1, 2)
    corners = Fraction(o * (n - 1), size - 1) if size > 1 else Fraction(0)
    name = a["coordinates"]
    if name == "half_pixel_symmetric":
        return Fraction(n, 2) * (1 - size / (scale * n)) + half_pixel
    if name == "pytorch_half_pixel":
        return half_pixel if size > 1 else Fraction(0)
    if name == "align_endpoints":
        return corners if size > 1 else Fraction(n - 1, 2)
    if name == "tf_crop_and_resize":
        start, end = region
        if size == 1:
            return (start + end) * (n - 1) / 2
        return start * (n - 1) + o * (end - start) * (n - 1) / (size - 1)
    return {"half_pixel": half_pixel, "align_corners": corners, "asymmetric": o / scale,
            "tf_half_pixel_for_nn": (o + Fraction(1, 2)) / scale,
            "roi_align": (o + Fraction(1, 2)) * Fraction(max(1, n - 1), size)}[name]


def kernel(a, z):
    if a["mode"] == "linear":
        return hat(z)
    c = Fraction(a["cubic_numerator"], a["cubic_denominator"])
    z = abs(z)
    if z <= 1:
        return (c + 2) * z**3 - (c + 3) * z**2 + 1
    return c * (z**3 - 5 * z**2 + 8 * z - 4) if z < 2 else Fraction(0)


def weights(a, o, n, size, scale, region):
    """{pixel: exact weight} of point o."""
    v = position(a, o, n, size, scale, region)
    if a["coordinates"] == "tf_crop_and_resize" and not 0 <= v <= n - 1:
        return {}
    if a["mode"] == "nearest":
        pixel = {"floor": math.floor(v), "ceil": math.ceil(v), "round_prefer_floor": math.ceil(v - Fraction(1, 2)),
                 "round_prefer_ceil": math.floor(v + Fraction(1, 2))}[a["nearest"]]
        return {clamp(pixel, 0, n - 1): Fraction(1)}
    row = {}
    if a["mode"] == "area":
        for t in range(n):
            overlap = min(Fraction(o + 1) / scale, t + 1) - max(o / scale, Fraction(t))
            if overlap > 0:
                row[t] = overlap
    else:
        stretch = min(Fraction(1), scale) if a["antialias"] else Fraction(1)
        reach = math.ceil(2 / stretch) + 1
        for t in range(math.floor(v) - reach, math.floor(v) + reach + 1):
            w = kernel(a, (t - v) * stretch)
            if w and not (a["exclude_outside"] and not 0 <= t < n):
                row[clamp(t, 0, n - 1)] = row.get(clamp(t, 0, n - 1), 0) + w
    total = sum(row.values())
    require(total > 0, "lowering_operands")
    return {t: w / total for t, w in row.items()}


def integers(row, bits):
    """Weights rounded down, and the missing units to the largest remainders, the lowest pixel first."""
    scaled = {t: w * 2**bits for t, w in row.items()}
    result = {t: math.floor(w) for t, w in scaled.items()}
    missing = 2**bits - sum(result.values()) if row else 0
    for t in sorted(row, key=lambda t: (result[t] - scaled[t], t))[:missing]:
        result[t] += 1
    return result


def resize(c):
    x, a = c.operands[0], c.attributes
    bits = 0 if a["mode"] == "nearest" else a["weight_bits"] or (14 if a["mode"] == "cubic" else 11)
    count = len(a["axes"])
    require(len(a["sizes"]) == count and len(a["scales"]) in (0, 2 * count), "lowering_operands")
    crops = a["coordinates"] == "tf_crop_and_resize"
    require(len(a["regions"]) == (2 * count if crops else 0), "lowering_operands")
    shape, rows, whole, outside = list(x.shape), {}, 1, {}
    for i, (axis, size) in enumerate(zip(a["axes"], a["sizes"])):
        require(-len(shape) <= axis < len(shape), "lowering_operands")
        n = x.shape[axis]
        scale = Fraction(*a["scales"][2 * i:2 * i + 2]) if a["scales"] else Fraction(size, n)
        region = [Fraction(end, a["region_unit"]) for end in a["regions"][2 * i:2 * i + 2]]
        exact = [weights(a, o, n, size, scale, region) for o in range(size)]
        denominator = math.lcm(*(w.denominator for row in exact for w in row.values()))
        require(not a["exact"] or denominator <= 2**40, "lowering_operands")
        rows[axis % len(shape)] = exact if a["exact"] else [integers(row, bits) for row in exact]
        outside[axis % len(shape)] = [not row for row in exact]
        shape[axis] = size
        whole *= 1 if a["exact"] else 2**bits
    values = []
    for d in indices(shape):
        taps = [rows[k][i].items() if k in rows else [(i, 1)] for k, i in enumerate(d)]
        total = sum(math.prod(w for _, w in pick) * x.at([t for t, _ in pick]) for pick in itertools.product(*taps))
        missing = any(outside[k][i] for k, i in enumerate(d) if k in outside)
        values.append(a["extrapolation"] if missing else half_up(Fraction(total) / whole))
    return [(shape, values)]


def attributes(sizes, mode="linear", axes=None, **others):
    return dict(axes=axes or list(range(-len(sizes), 0)), sizes=list(sizes), scales=[], regions=[], region_unit=1,
                mode=mode, coordinates="half_pixel", nearest="round_prefer_floor", antialias=False,
                exclude_outside=False, cubic_numerator=-3, cubic_denominator=4, weight_bits=0, exact=False,
                extrapolation=0) | others


COORDINATES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
               "tf_half_pixel_for_nn", "align_endpoints", "roi_align"]


def resize_cases():
    op = Lowering("image", "resize", resize)
    x = noise("resize", [1, 2, 4, 5], -128, 127)
    for mode in ("nearest", "linear", "cubic"):
        for coordinates in COORDINATES:
            op.case(f"{mode}, {coordinates}, up and down", [x], attributes((7, 3), mode, coordinates=coordinates))
        op.case(f"{mode}, to one pixel", [x], attributes((1, 1), mode, coordinates="align_endpoints"))
        op.case(f"{mode}, a region", [x], attributes((3, 3), mode, coordinates="tf_crop_and_resize",
                                                     regions=[1, 9, -2, 8], region_unit=8))
    for nearest in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
        op.case(f"nearest, {nearest}, at ties", [ramp([6])],
                attributes((4,), "nearest", scales=[2, 3], nearest=nearest, coordinates="half_pixel"))
    op.case("scales that do not reach the size", [ramp([5], -2)],
            attributes((3,), scales=[7, 10], coordinates="half_pixel_symmetric", mode="cubic"))
    for mode in ("linear", "cubic"):
        op.case(f"{mode}, antialiased", [x], attributes((2, 2), mode, antialias=True))
        op.case(f"{mode}, antialiased, outside excluded", [x], attributes((3, 2), mode, antialias=True,
                                                                         exclude_outside=True))
        op.case(f"{mode}, outside excluded", [x], attributes((5, 6), mode, exclude_outside=True))
    op.case("another cubic coefficient", [x], attributes((6, 6), "cubic", cubic_numerator=-1, cubic_denominator=2))
    op.case("area down", [x], attributes((3, 2), "area"))
    op.case("area up", [x], attributes((6, 7), "area"))
    op.case("three axes", [noise("three", [2, 3, 2], -9, 9)], attributes((3, 2, 4)))
    op.case("axes that keep their size cost nothing", [x], attributes((1, 2, 4, 9)))
    op.case("nothing changes", [ramp([2, 2])], attributes((2, 2), "cubic"))
    op.case("few bits of weight", [x], attributes((3, 4), weight_bits=2))
    for mode in ("nearest", "linear", "cubic"):
        op.case(f"{mode}, an extrapolation value", [x],
                attributes((3, 3), mode, coordinates="tf_crop_and_resize", regions=[1, 9, -2, 8], region_unit=8,
                           extrapolation=-99))
    op.case("an extrapolation value that nothing takes", [x], attributes((3, 3), extrapolation=7))
    for mode in ("linear", "cubic", "area"):
        op.case(f"{mode}, exact weights", [x], attributes((7, 3), mode, exact=True))
        op.case(f"{mode}, exact weights, twice the size", [x], attributes((8, 10), mode, exact=True))
    op.case("exact weights, antialiased, outside excluded", [x],
            attributes((3, 2), exact=True, antialias=True, exclude_outside=True))
    op.case("exact weights and an extrapolation value", [x],
            attributes((3, 4), coordinates="tf_crop_and_resize", regions=[1, 9, -2, 8], region_unit=8, exact=True,
                       extrapolation=50))
    op.refuse("lowering_operands", "exact weights without a common denominator", [ramp([101])],
              attributes((99,), "cubic", exact=True, antialias=True))
    op.refuse("lowering_operands", "a size for each axis", [x], attributes((3,), axes=[2, 3]))
    op.refuse("lowering_operands", "half a scale", [x], attributes((3,), scales=[1]))
    op.refuse("lowering_operands", "a mode without its region", [x],
              attributes((3,), coordinates="tf_crop_and_resize"))
    op.refuse("lowering_operands", "no such axis", [x], attributes((3,), axes=[4]))
    op.refuse("lowering_operands", "points far outside, and outside excluded", [ramp([2])],
              attributes((3,), scales=[1, 9], exclude_outside=True))
    return op


def upsample(c, a):
    x = c.operands[0]
    require(len(x.shape) >= 2, "lowering_operands")
    sizes = [n * s for n, s in zip(x.shape[-2:], c.attributes["scale"])]
    return resize(type(c)(c.name, c.operands, attributes(sizes, **a), c.profile))


def upsample_cases():
    nearest = Lowering("image", "upsample_nearest",
                       lambda c: upsample(c, dict(mode="nearest", coordinates="asymmetric", nearest="floor")))
    grids = {"default": "asymmetric", "align_corners_true": "align_corners", "align_corners_false": "half_pixel"}
    linear = Lowering("image", "upsample_bilinear",
                      lambda c: upsample(c, dict(coordinates=grids[c.attributes["grid"]])))
    x = noise("upsample", [2, 3, 2], -128, 127)
    for scale in ([2, 3], [1, 1], [4, 1]):
        nearest.case(f"by {scale}", [x], {"scale": scale})
        for grid in grids:
            linear.case(f"by {scale}, {grid}", [x], {"scale": scale, "grid": grid})
    nearest.refuse("lowering_operands", "a vector", [ramp([3])], {"scale": [2, 2]})
    linear.refuse("lowering_operands", "a vector", [ramp([3])], {"scale": [2, 2], "grid": "default"})
    return nearest, linear


def tosa_resize(c):
    x, a = c.operands[0], c.attributes
    require(len(x.shape) == 4, "lowering_operands")
    points = []
    for i in range(2):
        n, d, size = a["scale"][2 * i], a["scale"][2 * i + 1], x.shape[1 + i]
        span = (size - 1) * n - a["offset"][i] + a["border"][i]
        require(span >= 0 and span % d == 0, "lowering_operands")
        points.append([(o * d + a["offset"][i], n, size) for o in range(span // d + 1)])

    def axis(point):
        position, n, size = point
        low, part = position // n, position % n
        pair = [(clamp(low, 0, size - 1), n - part), (clamp(low + 1, 0, size - 1), part)]
        return pair if a["bilinear"] else [(pair[1 if 2 * part >= n else 0][0], 1)]

    shape = [x.shape[0], len(points[0]), len(points[1]), x.shape[3]]
    values = [sum(a * b * x.at((n, h, w, c)) for h, a in axis(points[0][p]) for w, b in axis(points[1][q]))
              for n, p, q, c in indices(shape)]
    return [(shape, values)]


def tosa_resize_cases():
    op = Lowering("image", "tosa_resize", tosa_resize)
    x = noise("tosa", [2, 3, 2, 2], -128, 127)
    for bilinear in (False, True):
        def of(scale, offset=(0, 0), border=(0, 0)):
            return dict(scale=list(scale), offset=list(offset), border=list(border), bilinear=bilinear)

        op.case(f"align corners, bilinear {bilinear}", [x], of((4, 2, 4, 1)))
        op.case(f"half pixel, bilinear {bilinear}", [x], of((4, 2, 6, 2), (-1, -2), (1, 2)))
        op.case(f"down, bilinear {bilinear}", [x], of((2, 3, 1, 1), (1, 0), (0, 0)))
        op.refuse("lowering_operands", f"steps that do not fit, bilinear {bilinear}", [x], of((2, 3, 1, 1)))
        op.refuse("lowering_operands", f"rank 3, bilinear {bilinear}", [ramp([1, 2, 2])], of((1, 1, 1, 1)))
    return op


def resize_lowerings():
    return [resize_cases(), *upsample_cases(), tosa_resize_cases()]
