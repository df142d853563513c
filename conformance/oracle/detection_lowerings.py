"""The lowerings of the detection family, from what ops/detection/lowerings.md says they mean."""

import math
import random
from fractions import Fraction

from vectorlib import Lowering, indices, noise, numel, ramp, require, tensor

NO_LIMIT = 2**31 - 1
LEAST_SCORE = -(2**47)


def half_up(x):
    return math.floor(x + Fraction(1, 2))


def scaled_exp(scale, fraction, first, count):
    """round(2^fraction * exp(scale * code)) for the codes from `first`; what rounds it does not matter here."""
    return tensor([count], [round(2**fraction * math.exp(scale * (first + i))) for i in range(count)], constant=True)


def look_up(table, index):
    return table.values[min(max(index, 0), len(table.values) - 1)]


def rows_of(t):
    """The tensor as a list of its slices along the last axis."""
    return [t.values[i:i + t.shape[-1]] for i in range(0, len(t.values), t.shape[-1])]


def clipped(box, limits):
    return [min(max(v, 0), limits[k % 2]) for k, v in enumerate(box)] if limits else box


def decode_center(box, delta, factors, fraction, tables, table_offset, side_offset):
    lo_hi = [[], []]
    for axis in (0, 1):
        side = box[axis + 2] - box[axis] + side_offset
        middle = Fraction(box[axis] + box[axis + 2] + side_offset, 2)
        middle += Fraction(delta[axis] * factors[axis], 2**fraction) * side
        length = Fraction(look_up(tables[axis], delta[axis + 2] - table_offset), 2**fraction) * side
        lo_hi[0].append(half_up(middle - length / 2))
        lo_hi[1].append(half_up(middle + length / 2))
    return lo_hi[0] + lo_hi[1]


def decode_all(code, deltas, prior_rows, variances, tables, a):
    """The decoded boxes of deltas [.., P, 4] as rows."""
    variance_rows = rows_of(variances)
    boxes = []
    for i, delta in enumerate(deltas):
        p = i % len(prior_rows)
        factors = variance_rows[i % len(variance_rows)]
        if code == "center_size":
            both = [tables[0], tables[-1]]
            box = decode_center(prior_rows[p], delta, factors, a["fraction"], both, a["table_offset"],
                                a.get("prior_offset", 0))
        else:
            box = [half_up(corner + Fraction(d * f, 2**a["fraction"]))
                   for corner, d, f in zip(prior_rows[p], delta, factors)]
        boxes.append(box)
    return boxes


def box_decode(c):
    deltas, priors, variances, *tables = c.operands
    a = c.attributes
    center = a["code"] == "center_size"
    require(bool(tables) == center, "lowering_operands")
    require(len(deltas.shape) >= 2 and deltas.shape[-1] == 4, "lowering_operands")
    require(priors.shape in (deltas.shape[-2:], deltas.shape), "lowering_operands")
    require(variances.shape in ([1, 2 if center else 4], [deltas.shape[-2], 2 if center else 4]), "lowering_operands")
    require(len(a["limits"]) in (0, 2), "lowering_operands")
    boxes = decode_all(a["code"], rows_of(deltas), rows_of(priors), variances, tables,
                       a | {"prior_offset": a["side_offset"]})
    return [(deltas.shape, [v for box in boxes for v in clipped(box, a["limits"])])]


def box_decode_cases():
    op = Lowering("detection", "box_decode", box_decode)

    def settings(**changed):
        return {"code": "center_size", "fraction": 14, "table_offset": -128, "side_offset": 0, "limits": []} | changed

    priors = tensor([3, 4], [0, 0, 4096, 4096, 8192, 8192, 24576, 16384, 16384, 0, 65535, 32768], constant=True)
    deltas = noise(1, [2, 3, 4], -128, 127)
    exp = scaled_exp(0.2 / 32, 14, -128, 256)
    variances = tensor([1, 2], [51, 51], constant=True)  # 0.1 / 32 in units of 2^-14
    op.case("centers and sizes", [deltas, priors, variances, exp], settings())
    op.case("clipped to the image", [deltas, priors, variances, exp], settings(limits=[65536, 65536]))
    op.case("clipped to an oblong", [deltas, priors, variances, exp], settings(limits=[30000, 15000]))
    op.case("a table of each side", [deltas, priors, variances, exp, scaled_exp(0.4 / 32, 14, -128, 256)], settings())
    op.case("variances of each prior", [deltas, priors, tensor([3, 2], [51, 40, 30, 20, 10, 5]), exp], settings())
    op.case("sides that include a last pixel", [deltas, priors, variances, exp], settings(side_offset=256))
    op.case("priors that are computed", [noise(2, [3, 4], -128, 127), noise(3, [3, 4], 0, 9999), variances, exp],
            settings())
    op.case("priors of every image", [noise(2, [2, 3, 4], -128, 127), noise(3, [2, 3, 4], 0, 9999),
                                      tensor([3, 2], [51, 40, 30, 20, 10, 5]), exp], settings())
    corners = tensor([1, 4], [1, 2, 3, 4], constant=True)
    op.case("corners", [noise(4, [2, 3, 4], -9, 9), priors, corners], settings(code="corner", fraction=1))
    op.case("corners with variances of each prior", [noise(5, [1, 2, 3, 4], -99, 99), priors, noise(6, [3, 4], 0, 99)],
            settings(code="corner", fraction=3, limits=[20000, 20000]))
    op.refuse("lowering_operands", "corners have no table", [deltas, priors, corners, exp], settings(code="corner"))
    op.refuse("lowering_operands", "centers have one", [deltas, priors, variances], settings())
    op.refuse("lowering_operands", "deltas of other priors", [ramp([2, 4]), priors, variances, exp], settings())
    op.refuse("lowering_operands", "one limit", [deltas, priors, variances, exp], settings(limits=[3]))
    return op


def mixed(op_name, first, second):
    def define(c):
        x = c.operands[0]
        require(x.shape and x.shape[-1] == 4, "lowering_operands")
        divisor = 2 if c.attributes["halve"] else 1
        values = []
        for row in rows_of(x):
            for form in (first, second):
                values += [half_up(Fraction(form(row[axis], row[axis + 2]), divisor)) for axis in (0, 1)]
        return [(x.shape, values)]

    op = Lowering("detection", op_name, define)
    for halve in (False, True):
        op.case(f"boxes, halved: {halve}", [noise(7, [3, 4], -50, 50)], {"halve": halve})
    op.case("one box", [tensor([4], [3, -5, 7, 9])], {"halve": True})
    op.refuse("lowering_operands", "rows of five", [ramp([2, 5])], {"halve": False})
    return op


def area(box, offset):
    width, height = box[2] - box[0] + offset, box[3] - box[1] + offset
    return max(width, 0) * max(height, 0)


def overlap(p, q, offset):
    """The intersection of two boxes over their union, exactly."""
    low, high = [max(a, b) for a, b in zip(p[:2], q[:2])], [min(a, b) for a, b in zip(p[2:], q[2:])]
    both = area(low + high, offset) if all(h - l + offset > 0 for l, h in zip(low, high)) else 0
    return Fraction(both, area(p, offset) + area(q, offset) - both) if both else Fraction(0)


def suppressed(ranked, threshold, offset, limit=NO_LIMIT):
    """Of (key, box) pairs, best first, the keys that no better kept one overlaps by more than the threshold."""
    kept = []
    for key, box in ranked:
        if len(kept) < limit and all(overlap(box, other, offset) <= threshold for _, other in kept):
            kept.append((key, box))
    return [key for key, _ in kept]


def refined_detection_output(c):
    """detection_output of priors that a first stage has moved, and of scores that are 0 where it saw nothing."""
    deltas, scores, priors, variances, first_scores, first_deltas, *tables = c.operands
    N, P = deltas.shape[0], priors.shape[0]
    require(numel(first_scores.shape) == 2 * N * P, "lowering_operands")
    require(numel(first_deltas.shape) == numel(deltas.shape), "lowering_operands")

    def something(i):
        return first_scores.values[2 * i + 1] >= c.attributes["min_objectness"]

    K = c.attributes["classes"]
    masked = [score if something(i // K) else 0 for i, score in enumerate(scores.values)]
    operands = [deltas, tensor(scores.shape, masked), priors, variances, *tables]
    return detection_output(type(c)(c.name, operands, c.attributes, c.profile), first_deltas)


def detection_output(c, first_deltas=None):
    deltas, scores, priors, variances, *tables = c.operands
    a = c.attributes
    N, P, K = deltas.shape[0], priors.shape[0], a["classes"]
    locations = 1 if a["share_location"] else K
    require(numel(deltas.shape) == N * P * locations * 4, "lowering_operands")
    require(numel(scores.shape) == N * P * K, "lowering_operands")
    labels = [k for k in range(K) if [k] != a["background"]]
    require(labels, "lowering_operands")
    threshold = Fraction(a["iou_numerator"], a["iou_denominator"])
    rows, counts, bound = [], [], 0
    for n in range(N):
        found = []
        for k in labels:
            at = [(n * P + p) * locations + (0 if a["share_location"] else k) for p in range(P)]
            boxes = rows_of(priors)
            for stage in (first_deltas, deltas):
                if stage is not None:
                    delta_rows = [stage.values[4 * i:4 * i + 4] for i in at]
                    boxes = [clipped(box, a["limits_before_nms"])
                             for box in decode_all(a["code"], delta_rows, boxes, variances, tables, a)]
            score = [scores.values[(n * P + p) * K + k] for p in range(P)]
            ranked = sorted((p for p in range(P) if score[p] >= a["min_score"]), key=lambda p: -score[p])[:a["top_k"]]
            for p in suppressed([(p, boxes[p]) for p in ranked], threshold, a["side_offset"]):
                found.append((score[p], k, boxes[p]))
        best = sorted(found, key=lambda row: -row[0])[:a["keep_top_k"]]
        counts.append(len(best))
        for s, k, box in sorted(best, key=lambda row: row[1]):
            rows += [n, k - a["decrease_label"], s] + clipped(box, a["limits_after_nms"])
        bound += min(len(labels) * min(P, a["top_k"]), a["keep_top_k"])
    rows += [-1, 0, 0, 0, 0, 0, 0] * (bound - len(rows) // 7)
    return [([1, 1, bound, 7], rows), ([N], counts)]


def detection_output_cases():
    op = Lowering("detection", "detection_output", detection_output)

    def settings(**changed):
        return {"classes": 3, "background": [0], "share_location": True, "decrease_label": False,
                "code": "center_size", "fraction": 14, "table_offset": -128, "side_offset": 0,
                "limits_before_nms": [], "limits_after_nms": [], "iou_numerator": 9, "iou_denominator": 20,
                "min_score": 2, "top_k": NO_LIMIT, "keep_top_k": 8} | changed

    rng = random.Random(8)
    corners = []
    for _ in range(6):
        x, y = rng.randint(0, 2000), rng.randint(0, 2000)
        corners += [x, y, x + rng.randint(500, 2000), y + rng.randint(500, 2000)]
    priors = tensor([6, 4], corners, constant=True)
    exp, variances = scaled_exp(0.2 / 32, 14, -128, 256), tensor([1, 2], [51, 51], constant=True)

    def operands(seed, locations=1, classes=3, batches=2):
        return [noise(seed, [batches, 24 * locations], -60, 60), noise(seed + 1, [batches, 6 * classes], 0, 9), priors,
                variances, exp]

    op.case("two images", operands(10), settings())
    op.case("few are kept", operands(12), settings(top_k=3, keep_top_k=3))
    op.case("no background", operands(14), settings(background=[], keep_top_k=30))
    op.case("a background between classes", operands(16), settings(background=[1]))
    op.case("labels of the classes behind the background", operands(18), settings(decrease_label=True))
    op.case("locations of each class", operands(20, locations=3), settings(share_location=False))
    op.case("pixels and clipping", operands(22),
            settings(side_offset=1, limits_before_nms=[3000, 2500], limits_after_nms=[2500, 2500]))
    op.case("nothing is found", operands(24), settings(min_score=10))
    op.case("corner code", operands(26)[:3] + [tensor([1, 4], [100, 100, 200, 200], constant=True)],
            settings(code="corner", fraction=2))
    op.refuse("lowering_operands", "deltas of other priors", [ramp([2, 20]), *operands(28)[1:]], settings())
    op.refuse("lowering_operands", "scores of other classes", operands(28), settings(classes=4))
    op.refuse("lowering_operands", "only background", operands(28, classes=1), settings(classes=1))

    refined = Lowering("detection", "refined_detection_output", refined_detection_output)

    def first(seed, locations=1, batches=2):
        return [noise(seed, [batches, 12], 0, 9), noise(seed + 1, [batches, 24 * locations], -60, 60)]

    def both(seed, **changed):
        found = operands(seed, **changed)
        return found[:4] + first(seed + 100, changed.get("locations", 1)) + found[4:]

    def second(**changed):
        return settings(**changed) | {"min_objectness": 4}

    refined.case("two images", both(30), second())
    refined.case("locations of each class", both(32, locations=3), second(share_location=False))
    refined.case("boxes of both stages are clipped", both(34),
                 second(side_offset=1, limits_before_nms=[3000, 2500], limits_after_nms=[2500, 2500]))
    refined.case("no background, and scores of 0 count", both(36), second(background=[], min_score=0, keep_top_k=40))
    refined.case("nothing is anything", both(38), second() | {"min_objectness": 10})
    refined.case("corner code", operands(40)[:3] + [tensor([1, 4], [100, 100, 200, 200], constant=True)] + first(140),
                 second(code="corner", fraction=2))
    refined.refuse("lowering_operands", "a first stage of other priors",
                   operands(42)[:4] + [ramp([2, 10]), first(142)[1]] + operands(42)[4:], second())
    refined.refuse("lowering_operands", "a first stage of other locations",
                   operands(44)[:4] + first(144, locations=3) + operands(44)[4:], second())
    return [op, refined]


def rounded_root(base, sign, square):
    """The integer y with y - 1/2 <= base + sign * sqrt(square) < y + 1/2, by exact comparison."""
    def reached(y):
        rest = y - Fraction(1, 2) - base
        return rest <= 0 or rest * rest <= square if sign > 0 else rest <= 0 and rest * rest >= square

    y = round(float(base) + sign * math.sqrt(square))
    while not reached(y):
        y -= 1
    while reached(y + 1):
        y += 1
    return y


def grid_boxes(a, boxes, offset, steps, clip_all):
    """The corners of boxes (dx, dy, width^2, height^2, clip) in every cell, in units of the image."""
    units, (image_h, image_w) = a["units"], a["image_size"]
    values = []
    for h in range(a["grid_size"][0]):
        for w in range(a["grid_size"][1]):
            for dx, dy, width2, height2, clip in boxes:
                x, y = (w + offset) * steps[1] + dx, (h + offset) * steps[0] + dy
                box = [rounded_root(middle * Fraction(units, image), sign, side2 * Fraction(units, image)**2 / 4)
                       for sign in (-1, 1) for middle, side2, image in ((x, width2, image_w), (y, height2, image_h))]
                values += clipped(box, [units, units] if clip or clip_all else [])
    return [([len(values) // 4, 4], values)]


def prior_box(c):
    a = c.attributes
    cell = [Fraction(image, grid) for image, grid in zip(a["image_size"], a["grid_size"])]
    offset, steps = Fraction(1, 2), cell
    if a["step"]:
        offset = Fraction(a["offset"], a["offset_denominator"])
        step = Fraction(a["step"], a["step_denominator"]) * (1 if a["scale_all_sizes"] else a["image_size"][0])
        steps = [step, step]
    ratios = [Fraction(1)]
    for numerator in a["aspect_ratio"]:
        ratio = Fraction(numerator, a["ratio_denominator"])
        if ratio not in ratios:
            ratios += [ratio, 1 / ratio] if a["flip"] else [ratio]

    def sizes(name, factor):
        return [Fraction(numerator, a["size_denominator"]) * factor for numerator in a[name]]

    boxes = []
    for i, size in enumerate(sizes("fixed_size", 1)):
        density = a["density"][i] if i < len(a["density"]) else 1
        shift = int(size) // density
        shapes = [Fraction(n, a["ratio_denominator"]) for n in a["fixed_ratio"]] or ratios
        for ratio in shapes:
            for row in range(density):
                for column in range(density):
                    corner = -(int(size) // 2) + Fraction(shift, 2)
                    boxes.append((corner + column * shift, corner + row * shift, size**2 * ratio, size**2 / ratio, True))
    least = sizes("min_size", 1 if a["scale_all_sizes"] else a["image_size"][0])
    for i, size in enumerate(least):
        boxes.append((0, 0, size**2, size**2, False))
        if i < len(a["max_size"]):
            square = size * sizes("max_size", 1)[i]
            boxes.append((0, 0, square, square, False))
        if a["scale_all_sizes"] or i == len(least) - 1:
            shaped = size if a["scale_all_sizes"] else least[0]
            boxes += [(0, 0, shaped**2 * ratio, shaped**2 / ratio, False) for ratio in ratios[1:]]
    require(boxes and len(boxes) * a["grid_size"][0] * a["grid_size"][1] <= 2**20, "lowering_operands")
    return grid_boxes(a, boxes, offset, steps, a["clip"])


def prior_box_cases():
    op = Lowering("detection", "prior_box", prior_box)

    def settings(**changed):
        return {"grid_size": [2, 3], "image_size": [48, 64], "units": 65536, "min_size": [], "max_size": [],
                "fixed_size": [], "size_denominator": 1, "aspect_ratio": [], "fixed_ratio": [], "ratio_denominator": 1,
                "density": [], "step": 0, "step_denominator": 1, "offset": 1, "offset_denominator": 2, "flip": False,
                "clip": False, "scale_all_sizes": True} | changed

    op.case("a square in each cell", [], settings(min_size=[16]))
    op.case("the document's example on a small grid", [],
            settings(min_size=[1600], max_size=[3846], size_denominator=100, aspect_ratio=[2], flip=True, step=16))
    op.case("several sizes and ratios, clipped", [],
            settings(min_size=[30, 60], max_size=[60, 90], aspect_ratio=[2, 3], flip=True, clip=True))
    op.case("ratios that repeat", [], settings(min_size=[20], aspect_ratio=[2, 4, 2, 1], ratio_denominator=2, flip=True))
    op.case("a step and an offset", [], settings(min_size=[10], step=33, step_denominator=2, offset=1,
                                                 offset_denominator=4))
    op.case("sizes relative to the image", [],
            settings(scale_all_sizes=False, min_size=[1, 2], size_denominator=8, aspect_ratio=[2], step=1,
                     step_denominator=4))
    op.case("dense boxes of fixed size", [], settings(fixed_size=[33, 8], density=[2, 1]))
    op.case("dense boxes of fixed ratio", [],
            settings(grid_size=[1, 1], fixed_size=[32], fixed_ratio=[1, 3], ratio_denominator=2, density=[3]))
    op.case("an odd number of units", [], settings(min_size=[7], aspect_ratio=[3], units=255))
    op.refuse("lowering_operands", "no box", [], settings())
    op.refuse("lowering_operands", "more boxes than memory", [], settings(grid_size=[2000, 2000], min_size=[1]))
    return op


def prior_box_clustered(c):
    a = c.attributes
    require(len(a["width"]) == len(a["height"]), "lowering_operands")
    steps = [Fraction(step, a["step_denominator"]) or Fraction(image, grid)
             for step, image, grid in zip(a["step"], a["image_size"], a["grid_size"])]
    boxes = [(0, 0, Fraction(w, a["size_denominator"])**2, Fraction(h, a["size_denominator"])**2, False)
             for w, h in zip(a["width"], a["height"])]
    return grid_boxes(a, boxes, Fraction(a["offset"], a["offset_denominator"]), steps, a["clip"])


def prior_box_clustered_cases():
    op = Lowering("detection", "prior_box_clustered", prior_box_clustered)

    def settings(**changed):
        return {"grid_size": [2, 3], "image_size": [32, 48], "units": 65536, "width": [86, 13, 57],
                "height": [44, 10, 30], "size_denominator": 1, "step": [16, 16], "step_denominator": 1, "offset": 1,
                "offset_denominator": 2, "clip": False} | changed

    op.case("clusters of sizes", [], settings())
    op.case("clipped", [], settings(clip=True))
    op.case("steps of the grid", [], settings(step=[0, 0], width=[25], height=[15], size_denominator=10))
    op.case("a step of each axis", [], settings(step=[31, 47], step_denominator=3, offset=0, width=[5], height=[7]))
    op.refuse("lowering_operands", "fewer heights", [], settings(height=[1]))
    return op


def anchors_of(a):
    """[x1, y1, x2, y2] at the origin, in units of the grid."""
    units = 2**a["grid_bits"]
    anchors = []
    for numerator in a["ratios"]:
        ratio = Fraction(numerator, a["ratio_denominator"])
        sides2 = [a["base_size"]**2 / ratio, a["base_size"]**2 * ratio]
        if a["round_ratios"]:
            width = rounded_root(Fraction(0), 1, sides2[0])
            sides2 = [Fraction(width)**2, Fraction(half_up(width * ratio))**2]
        for scale_numerator in a["scales"]:
            scale = Fraction(scale_numerator, a["scale_denominator"])
            middle = Fraction(a["base_size"] * units, 2)
            lo, hi = ([rounded_root(middle, sign, s * (scale * units)**2 / 4) for s in sides2] for sign in (-1, 1))
            anchors.append(lo + [v - a["pixel"] * units for v in hi])
    return anchors


def proposal(c):
    probabilities, deltas, table = c.operands
    a = c.attributes
    anchors = anchors_of(a)
    K = len(anchors)
    N, channels, H, W = probabilities.shape
    require(channels == 2 * K, "lowering_operands")
    require(deltas.shape == [N, 4 * K, H, W], "lowering_operands")
    units = 2**a["grid_bits"]
    offset = a["pixel"] * units
    limits = [a["image_size"][1] * units - offset, a["image_size"][0] * units - offset]
    rois, scores, counts = [], [], []
    for n in range(N):
        found = []
        for h in range(H):
            for w in range(W):
                for k, anchor in enumerate(anchors):
                    moved = [v + (w, h)[i % 2] * a["feat_stride"] * units for i, v in enumerate(anchor)]
                    delta = [deltas.at((n, 4 * k + i, h, w)) for i in range(4)]
                    box = decode_center(moved, delta, [a["center_factor"]] * 2, a["fraction"], [table] * 2,
                                        a["table_offset"], offset)
                    box = clipped(box, limits if a["clip_before_nms"] else [])
                    large = all(box[axis + 2] - box[axis] + offset >= a["min_size"][1 - axis] * units for axis in (0, 1))
                    found.append((probabilities.at((n, K + k, h, w)) if large else 0, box))
        ranked = sorted(found, key=lambda row: -row[0])[:a["pre_nms"]]
        kept = suppressed([(row, row[1]) for row in ranked], Fraction(a["iou_numerator"], a["iou_denominator"]), offset,
                          a["post_nms"])
        counts.append(len(kept))
        for score, box in kept:
            rois += [n] + clipped(box, limits if a["clip_after_nms"] else [])
            scores.append(score)
        rois += [0] * 5 * (a["post_nms"] - len(kept))
        scores += [0] * (a["post_nms"] - len(kept))
    return [([N * a["post_nms"], 5], rois), ([N * a["post_nms"], 1], scores), ([N], counts)]


def proposal_cases():
    op = Lowering("detection", "proposal", proposal)

    def settings(**changed):
        return {"grid_bits": 4, "base_size": 16, "feat_stride": 16, "ratios": [1, 2, 4], "scales": [1, 3],
                "ratio_denominator": 2, "scale_denominator": 2, "round_ratios": True, "pixel": 1,
                "image_size": [48, 64], "min_size": [6, 6], "fraction": 14, "center_factor": 512, "table_offset": -128,
                "clip_before_nms": True, "clip_after_nms": False, "iou_numerator": 3, "iou_denominator": 5,
                "pre_nms": 20, "post_nms": 6} | changed

    def operands(seed, count=6, batches=1):
        return [noise(seed, [batches, 2 * count, 2, 3], 0, 20), noise(seed + 1, [batches, 4 * count, 2, 3], -40, 40),
                scaled_exp(1 / 32, 14, -128, 256)]

    op.case("a region proposal network", operands(30), settings())
    op.case("two images", operands(32, batches=2), settings(min_size=[20, 10]))
    op.case("exact ratios without a last pixel", operands(34), settings(round_ratios=False, pixel=0))
    op.case("clipped at the end", operands(36), settings(clip_before_nms=False, clip_after_nms=True))
    op.case("never clipped", operands(38), settings(clip_before_nms=False))
    op.case("more rows than boxes", operands(40, count=1),
            settings(ratios=[2], scales=[4], post_nms=9, pre_nms=4, iou_numerator=1, iou_denominator=10))
    op.refuse("lowering_operands", "probabilities of other anchors", operands(42, count=5), settings())
    op.refuse("lowering_operands", "deltas of other anchors", [operands(44)[0], ramp([1, 20, 2, 3]), operands(44)[2]],
              settings())
    return op


def softmax(row, exp, bits):
    """2^bits times the softmax of a row, as ops/normalization/spec.md defines it."""
    entries = [exp.values[max(row) - v] if max(row) - v < len(exp.values) else 0 for v in row]
    total = sum(entries)
    inverse = (2**61 + total // 2) // total
    return [half_up(Fraction(e * inverse, 2**(61 - bits))) for e in entries]


def region_yolo(c):
    x, *tables = c.operands
    a = c.attributes
    channels = a["coords"] + 1 + a["classes"]
    require(len(x.shape) == 4 and x.shape[1] == a["regions"] * channels, "lowering_operands")
    require(len(tables) == 1 + (a["coords"] > 2) + len(a["softmax_bits"]), "lowering_operands")

    def element(index):
        n, channel, h, w = index
        k = channel % channels
        if k > a["coords"] and a["softmax_bits"]:
            first = channel - k + a["coords"] + 1
            row = [x.at((n, first + i, h, w)) for i in range(a["classes"])]
            return softmax(row, tables[-1], a["softmax_bits"][0])[channel - first]
        return look_up(tables[1 if 2 <= k < a["coords"] else 0], x.at(index) - a["table_offset"])

    shape = [x.shape[0], numel(x.shape[1:])] if a["softmax_bits"] else x.shape
    return [(shape, [element(index) for index in indices(x.shape)])]


def region_yolo_cases():
    op = Lowering("detection", "region_yolo", region_yolo)
    sigmoid = tensor([256], [round(32768 / (1 + math.exp(-code / 16))) for code in range(-128, 128)], constant=True)
    copy = tensor([256], [100 * code for code in range(-128, 128)], constant=True)
    exp = tensor([256], [round(2**30 * math.exp(-d / 16)) for d in range(256)], constant=True)

    def settings(**changed):
        return {"regions": 2, "coords": 4, "classes": 3, "table_offset": -128, "softmax_bits": []} | changed

    op.case("two regions", [noise(50, [1, 16, 2, 3], -128, 127), sigmoid, copy], settings())
    op.case("two coordinates", [noise(51, [2, 12, 1, 2], -128, 127), sigmoid], settings(coords=2))
    op.case("classes by softmax, flattened", [noise(53, [2, 16, 2, 2], -128, 127), sigmoid, copy, exp],
            settings(softmax_bits=[15]))
    op.refuse("lowering_operands", "no table for sizes", [noise(52, [1, 16, 2, 3], -128, 127), sigmoid], settings())
    op.refuse("lowering_operands", "no table for softmax", [noise(54, [1, 16, 2, 3], -128, 127), sigmoid, copy],
              settings(softmax_bits=[15]))
    op.refuse("lowering_operands", "channels of other regions", [ramp([1, 15, 2, 3]), sigmoid, copy], settings())
    return op


def nms_boxes(c):
    boxes, scores = c.operands
    a = c.attributes
    require(len(boxes.shape) == 3 and boxes.shape[2] == 4, "lowering_operands")
    require(len(scores.shape) == 3 and scores.shape[:2] == boxes.shape[:2], "lowering_operands")
    N, B, C = scores.shape
    threshold = Fraction(a["iou_numerator"], a["iou_denominator"])
    out_boxes, out_scores, out_indices, counts = [], [], [], []
    for n in range(N):
        rows, score_rows = rows_of(boxes)[n * B:n * B + B], rows_of(scores)[n * B:n * B + B]
        doubled = [[2 * x - w, 2 * y - h, 2 * x + w, 2 * y + h] for x, y, w, h in rows]
        best = [max(row) for row in score_rows]
        label = [row.index(max(row)) for row in score_rows]
        ranked = sorted((b for b in range(B) if best[b] >= a["min_score"]), key=lambda b: -best[b])
        if not ranked and a["at_least_one"]:
            ranked = [best.index(max(best))] if not a["per_class"] else [
                min((b for b in range(B) if best[b] == max(best)), key=lambda b: (label[b], b))]
        kept = []
        for k in range(C) if a["per_class"] else [None]:
            mine = [b for b in ranked if k in (None, label[b])]
            kept += suppressed([(b, doubled[b]) for b in mine], threshold, 0)
        kept = sorted(kept, key=lambda b: (-best[b], label[b], b) if a["per_class"] else (-best[b], b))[:a["max_boxes"]]
        missing = a["max_boxes"] - len(kept)
        counts.append(len(kept))
        out_boxes += sum((rows[b] for b in kept), []) + [0] * 4 * missing
        out_scores += sum((score_rows[b] for b in kept), []) + [0] * C * missing
        out_indices += kept + [-1] * missing
    M = a["max_boxes"]
    return [([N, M, 4], out_boxes), ([N, M, C], out_scores), ([N, M], out_indices), ([N], counts)]


def nms_boxes_cases():
    op = Lowering("detection", "nms_boxes", nms_boxes)

    def settings(**changed):
        return {"iou_numerator": 1, "iou_denominator": 3, "min_score": 3, "max_boxes": 4, "per_class": False,
                "at_least_one": True} | changed

    def crowd(seed, batches=2, count=9, classes=3):
        rng = random.Random(seed)
        values = []
        for _ in range(batches * count):
            values += [rng.randint(0, 12), rng.randint(0, 12), rng.randint(1, 9), rng.randint(1, 9)]
        return [tensor([batches, count, 4], values), noise(seed, [batches, count, classes], 0, 9)]

    op.case("all classes are rivals", crowd(60), settings())
    op.case("classes stand for themselves", crowd(61), settings(per_class=True, max_boxes=6))
    op.case("more places than boxes", crowd(62, count=3), settings(max_boxes=5))
    op.case("at least one box", crowd(63), settings(min_score=10))
    op.case("at least one box, of all classes", crowd(64), settings(min_score=10, per_class=True))
    op.case("no box", crowd(65), settings(min_score=10, at_least_one=False))
    op.refuse("lowering_operands", "scores by class", [crowd(66)[0], ramp([2, 3, 9])], settings())
    op.refuse("lowering_operands", "boxes without a batch", [ramp([9, 4]), crowd(66)[1]], settings())
    return op


def operators():
    return [mixed("center_to_corners", lambda center, side: 2 * center - side, lambda center, side: 2 * center + side),
            mixed("corners_to_center", lambda lo, hi: lo + hi, lambda lo, hi: 2 * (hi - lo)), box_decode_cases(),
            *detection_output_cases(), proposal_cases(), prior_box_cases(), prior_box_clustered_cases(),
            region_yolo_cases(), nms_boxes_cases()]
