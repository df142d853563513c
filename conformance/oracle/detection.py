"""The detection operators again, from ops/detection/spec.md; its lowerings are in detection_lowerings.py."""

import random
from fractions import Fraction

import detection_lowerings
from vectorlib import (TENSOR_LIMITS, Operator, check_int, check_shape, hull, inside, main, noise, numel, ramp, require,
                       tensor)

MINUS_ONE = (-1, -1)
LARGEST = 2**29 - 1  # coordinate


def get_valid_counts(c):
    x = c.operands[0]
    require(-(2**31) <= c.attributes["score_threshold"] < 2**31, "attribute_range")
    require(len(x.shape) == 3, "get_valid_counts_c1")
    batch, count, length = x.shape
    require(2 <= length <= 32, "get_valid_counts_c2")
    counts, values = [], []
    for b in range(batch):
        rows = [x.values[first:first + length] for first in range(b * count * length, (b + 1) * count * length, length)]
        valid = [row for row in rows if row[1] > c.attributes["score_threshold"]]
        counts.append(len(valid))
        values += sum(valid, []) + [-1] * (count - len(valid)) * length
    results = [tensor([batch], counts, (0, count)), tensor(x.shape, values, hull(x.interval, MINUS_ONE))]
    return results, batch * (24 * count + 48)


def overlap(a, b):
    """Percent of the union, rounded down."""
    (_, _, ax1, ay1, ax2, ay2), (_, _, bx1, by1, bx2, by2) = a, b
    area_a, area_b = (ax2 - ax1) * (ay2 - ay1), (bx2 - bx1) * (by2 - by1)
    both = max(0, min(ax2, bx2) - max(ax1, bx1)) * max(0, min(ay2, by2) - max(ay1, by1))
    union = area_a + area_b - both
    if area_a + area_b <= 0 or union <= 0:
        return 0
    return 100 * both // union


def non_max_suppression(c):
    x, valid_count = c.operands
    require(1 <= c.attributes["iou_threshold"] < 2**31, "attribute_range")
    require(len(x.shape) == 3 and x.shape[2] == 6, "non_max_suppression_c1")
    batch, count, _ = x.shape
    require(valid_count.shape == [batch], "non_max_suppression_c2")
    require(-LARGEST <= x.interval[0] and x.interval[1] <= LARGEST, "non_max_suppression_c3")
    top_k, limit = c.attributes["top_k"], c.attributes["max_output_size"]
    values = []
    for b in range(batch):
        rows = [x.values[first * 6:first * 6 + 6] for first in range(b * count, (b + 1) * count)]
        rows = rows[:min(max(valid_count.values[b], 0), count)]
        rows.sort(key=lambda row: -row[1])  # stable
        kept = []
        for row in rows if top_k < 0 else rows[:top_k]:
            rivals = [k for k in kept if c.attributes["force_suppress"] or k[0] == row[0]]
            if row[0] >= 0 and all(overlap(row, k) < c.attributes["iou_threshold"] for k in rivals):
                kept.append(row)
        if limit >= 0:
            kept = kept[:limit]
        values += sum(kept, []) + [-1] * (count - len(kept)) * 6
    y = tensor(x.shape, values, hull(x.interval, MINUS_ONE))
    candidates = count if top_k < 0 else min(count, top_k)
    emitted = candidates if limit < 0 else min(candidates, limit)
    return [y], 512 + batch * (512 + 18 * count * count.bit_length() + 48 * candidates * emitted)


def get_valid_counts_cases():
    op = Operator("detection", "get_valid_counts", get_valid_counts)

    def threshold(score):
        return {"score_threshold": score}

    op.case("rows at the threshold are not valid", [tensor([1, 4, 2], [7, 5, 8, 6, 9, 4, 6, 7])], threshold(5))
    op.case("batches count alone", [noise(1, [3, 4, 3], -5, 5)], threshold(0))
    op.case("no row is valid", [noise(2, [1, 3, 2], -5, 5)], threshold(5))
    op.case("every row is valid", [noise(3, [1, 3, 2], -5, 5)], threshold(-6))
    op.case("rows of id -1 count and are written", [tensor([1, 3, 2], [-1, 3, -1, -4, 2, -3])], threshold(-4))
    op.case("a threshold below -1 does not count padding", [tensor([1, 2, 2], [1, -9, 2, -3])], threshold(-5))
    op.case("the longest rows", [ramp([1, 2, 32])], threshold(10))
    op.case("the extreme thresholds", [tensor([1, 2, 2], [0, -(2**31), 0, 2**31])], threshold(2**31 - 1))
    op.case("the interval gains -1", [tensor([1, 1, 2], [5, 6], (3, 9))], threshold(0))
    op.case("profile cvm", [noise(4, [2, 3, 6], -127, 127)], threshold(-10), "cvm")
    op.refuse("get_valid_counts_c1", "an operand of rank 2", [ramp([2, 6])], threshold(0))
    op.refuse("get_valid_counts_c2", "rows without a score", [ramp([1, 3, 1])], threshold(0))
    op.refuse("get_valid_counts_c2", "rows of 33 elements", [ramp([1, 1, 33])], threshold(0))
    op.refuse("attribute_range", "a threshold outside 32 bits", [ramp([1, 1, 2])], threshold(2**31))
    return op


def boxes(*rows, interval=None):
    return tensor([1, len(rows), 6], sum(map(list, rows), []), interval)


def counts(*values):
    return tensor([len(values)], values)


def settings(iou_threshold=50, max_output_size=-1, force_suppress=False, top_k=-1):
    return {"iou_threshold": iou_threshold, "max_output_size": max_output_size, "force_suppress": force_suppress,
            "top_k": top_k}


def crowd(seed, batch, count, span, size):
    """Boxes with few scores and ids, so that ties and rivals are common."""
    rng = random.Random(seed)
    values = []
    for _ in range(batch * count):
        x, y = rng.randint(-span, span), rng.randint(-span, span)
        values += [rng.randint(-1, 2), rng.randint(0, 5), x, y, x + rng.randint(0, size), y + rng.randint(0, size)]
    return tensor([batch, count, 6], values)


def non_max_suppression_cases():
    op = Operator("detection", "non_max_suppression", non_max_suppression)
    best, near, far = (0, 90, 0, 0, 10, 10), (0, 80, 1, 0, 11, 10), (0, 70, 50, 50, 60, 60)
    other = (3, 80, 1, 0, 11, 10)
    ghost = (-2, 100, 0, 0, 10, 10)
    three = boxes(far, near, best)
    op.case("the best of overlapping boxes remains", [three, counts(3)], settings())
    op.case("rows behind valid_count do not exist", [three, counts(2)], settings())
    op.case("a suppressed box does not suppress",
            [boxes((0, 9, 0, 0, 10, 10), (0, 8, 4, 0, 14, 10), (0, 7, 8, 0, 18, 10)), counts(3)], settings(40))
    op.case("ids keep boxes apart", [boxes(best, other), counts(2)], settings())
    op.case("unless suppression is forced", [boxes(best, other), counts(2)], settings(force_suppress=True))
    op.case("equal scores keep the order of the rows",
            [boxes((2, 5, 0, 0, 1, 1), (1, 5, 0, 0, 1, 1), (3, 6, 0, 0, 1, 1)), counts(3)], settings())
    op.case("the first of equal scores suppresses", [boxes((0, 5, 1, 0, 11, 10), (0, 5, 0, 0, 10, 10)), counts(2)],
            settings())
    op.case("max_output_size 0 is no row, not all", [three, counts(3)], settings(max_output_size=0))
    op.case("max_output_size 1", [three, counts(3)], settings(max_output_size=1))
    op.case("a negative limit is none", [three, counts(3)], settings(max_output_size=-(2**31), top_k=-(2**31)))
    op.case("top_k 0 is no row", [three, counts(3)], settings(top_k=0))
    op.case("top_k counts candidates, suppressed ones too", [three, counts(3)], settings(top_k=2))
    op.case("top_k above the rows", [three, counts(3)], settings(top_k=2**31 - 1))
    op.case("a negative id neither appears nor suppresses", [boxes(ghost, best, far), counts(3)],
            settings(force_suppress=True))
    op.case("a negative id does not end the scan",
            [boxes(best, (-1, 85, 5, 5, 6, 6), near, far), counts(4)], settings())
    op.case("a negative id uses up top_k", [boxes(ghost, best, far), counts(3)], settings(top_k=2))
    op.case("valid_count is clamped for each batch",
            [tensor([4, 2, 6], [*best, *far] * 4), counts(0, -5, 1, 2**40)], settings())
    op.case("degenerate boxes cover nothing",
            [boxes((0, 9, 5, 5, 5, 5), (0, 9, 5, 5, 5, 5), (0, 8, 10, 10, 0, 0), (0, 8, 10, 10, 0, 0),
                   (0, 7, 10, 0, 0, 10), (0, 7, 10, 0, 0, 10), (0, 6, 0, 0, 10, 10)), counts(7)],
            settings(1, force_suppress=True))
    op.case("touching boxes do not overlap", [boxes((0, 9, 0, 0, 5, 5), (0, 8, 5, 0, 10, 5), (0, 7, 0, 5, 5, 10)),
                                              counts(3)], settings(1))
    op.case("a full overlap is 100 percent", [boxes(best, best), counts(2)], settings(100))
    op.case("a threshold of 101 suppresses nothing", [boxes(best, best), counts(2)], settings(101))
    op.case("nor does the greatest", [boxes(best, best), counts(2)], settings(2**31 - 1))
    third = [boxes((0, 9, 0, 0, 3, 1), (0, 8, 0, 0, 1, 1)), counts(2)]
    op.case("a third is 33 percent", third, settings(33))
    op.case("a third is not 34 percent", third, settings(34))
    whole = (0, 9, -LARGEST, -LARGEST, LARGEST, LARGEST)
    half = [boxes(whole, (0, 8, -LARGEST, -LARGEST, LARGEST, 0)), counts(2)]
    less = [boxes(whole, (0, 8, -LARGEST, -LARGEST, 1, LARGEST - 2)), counts(2)]
    op.case("half of the largest area", half, settings(50))
    op.case("half of the largest area is not more", half, settings(51))
    op.case("two units less than half are 49 percent", less, settings(50))
    op.case("two units less than half are no less", less, settings(49))
    op.case("the largest box against itself", [boxes(whole, whole), counts(2)], settings(100))
    op.case("the interval gains -1", [boxes((0, 1, 2, 3, 4, 5), interval=(0, 90)), counts(1)], settings())
    op.case("a crowd", [crowd(1, 2, 12, 6, 8), counts(12, 9)], settings(30))
    op.case("a forced crowd", [crowd(2, 2, 12, 6, 8), counts(11, 12)], settings(20, force_suppress=True))
    op.case("a limited crowd in profile cvm", [crowd(3, 2, 12, 6, 8), counts(12, 12)], settings(25, 3, False, 8), "cvm")
    op.refuse("non_max_suppression_c1", "rows of five elements", [ramp([1, 2, 5]), counts(2)], settings())
    op.refuse("non_max_suppression_c1", "boxes without a batch", [ramp([2, 6]), counts(2)], settings())
    op.refuse("non_max_suppression_c2", "counts of another batch", [ramp([1, 2, 6]), counts(2, 2)], settings())
    op.refuse("non_max_suppression_c2", "a scalar count", [ramp([1, 2, 6]), tensor([], [2])], settings())
    op.refuse("non_max_suppression_c3", "a coordinate of 2^29", [boxes((0, 0, 0, 0, 2**29, 0)), counts(1)],
              settings())
    op.refuse("non_max_suppression_c3", "a coordinate of -2^29", [boxes((0, 0, -(2**29), 0, 0, 0)), counts(1)],
              settings())
    op.refuse("attribute_range", "a threshold of 0", [boxes(best), counts(1)], settings(0))
    return op


NO_LIMIT = 2**31 - 1
LEAST_SCORE = TENSOR_LIMITS["core"][0]


def span(encoding, box, axis):
    """Where a box begins and ends; a center doubles everything."""
    first, second = box[axis], box[axis + 2]
    if encoding == "center":
        return 2 * first - second, 2 * first + second
    return (min(first, second), max(first, second)) if encoding == "corners" else (first, second)


def ratio(encoding, offset, a, b):
    """The exact intersection over union; 0 where the boxes share nothing."""
    if encoding == "center":
        offset *= 2
    both, area_a, area_b = 1, 1, 1
    for axis in (0, 1):
        (a0, a1), (b0, b1) = span(encoding, a, axis), span(encoding, b, axis)
        both *= max(0, min(a1, b1) - max(a0, b0) + offset)
        area_a *= max(0, a1 - a0 + offset)
        area_b *= max(0, b1 - b0 + offset)
    return Fraction(both, area_a + area_b - both) if both else Fraction(0)


def nms(c):
    boxes, scores = c.operands
    a = c.attributes
    for name, lo in (("side_offset", 0), ("iou_numerator", 0), ("iou_denominator", 1), ("top_k", 1),
                     ("max_per_class", 1), ("max_per_batch", 1)):
        check_int(a[name], lo, NO_LIMIT)
    require(len(scores.shape) == 3, "nms_c1")
    batches, classes, count = scores.shape
    require(boxes.shape in ([batches, count, 4], [batches, classes, count, 4]), "nms_c2")
    require(inside(boxes.interval, TENSOR_LIMITS["core"]), "nms_c3")
    lo, hi = boxes.interval
    side = 2 * (hi + a["side_offset"]) if a["encoding"] == "center" else hi - lo + a["side_offset"]
    area = max(side, 0)**2
    require(max(2 * area, area * a["iou_denominator"], 2 * area * a["iou_numerator"]) < 2**63, "nms_c4")
    require(a["batches"] != "merged" or a["order"] == "score", "nms_c5")
    threshold = Fraction(a["iou_numerator"], a["iou_denominator"])

    def score(n, k, b):
        return scores.at((n, k, b))

    def box(n, k, b):
        return [boxes.at((n, b, i) if len(boxes.shape) == 3 else (n, k, b, i)) for i in range(4)]

    def suppresses(p, q):
        overlap = ratio(a["encoding"], a["side_offset"], box(*p), box(*q))
        return overlap > 0 and (overlap > threshold or (a["suppress_equal"] and overlap == threshold))

    def entries(n):
        if a["classes"] == "each":
            return [[(n, k, b) for b in range(count)] for k in range(classes)]
        best = [(n, max(range(classes), key=lambda k: (score(n, k, b), -k)), b) for b in range(count)]
        if a["classes"] == "best":
            return [best]
        return [[e for e in best if e[1] == k] for k in range(classes)]

    def greedy(entry_list):
        candidates = sorted((e for e in entry_list if score(*e) >= a["min_score"]), key=lambda e: -score(*e))
        kept = []
        for e in candidates[:a["top_k"]]:
            if not any(suppresses(e, other) for other in kept):
                kept.append(e)
        return kept[:a["max_per_class"]]

    def select(n):
        lists = entries(n)
        picks = sum(map(greedy, lists), [])
        limit = a["max_per_batch"]
        if not picks and a["at_least_one"]:
            picks, limit = sum((sorted(x, key=lambda e: -score(*e)) for x in lists), []), 1
        picks = sorted(picks, key=lambda e: -score(*e))[:limit]
        return sorted(picks, key=lambda e: e[1]) if a["order"] == "class" else picks

    lists = 1 if a["classes"] == "best" else classes
    all_entries = classes * count if a["classes"] == "each" else count
    candidates = min(count, a["top_k"])
    kept = min(candidates, a["max_per_class"])
    tested, picked = min(all_entries, lists * candidates), min(all_entries, lists * kept)
    block = min(picked, a["max_per_batch"])
    check_shape([batches * block, 3])
    rows, counts = [], []
    for n in range(batches):
        picks = select(n)
        counts.append(len(picks))
        rows += picks + ([(-1, -1, -1)] * (block - len(picks)) if a["batches"] == "apart" else [])
    if a["batches"] == "merged":
        rows.sort(key=lambda e: -score(*e))
    rows += [(-1, -1, -1)] * (batches * block - len(rows))
    results = [tensor([batches * block, 3], [v for row in rows for v in row], (-1, max(batches, classes, count) - 1)),
               tensor([batches], counts, (1 if a["at_least_one"] else 0, block))]

    def sort(n):
        return 24 * n.bit_length() * n

    gas = 1024 + batches * (2 * classes * count + lists * sort(count) + 96 * tested * kept) + 2 * sort(batches * picked)
    return results, gas


def nms_settings(**changed):
    return {"encoding": "corners", "side_offset": 0, "iou_numerator": 1, "iou_denominator": 2, "suppress_equal": False,
            "min_score": LEAST_SCORE, "at_least_one": False, "classes": "each", "top_k": NO_LIMIT,
            "max_per_class": NO_LIMIT, "max_per_batch": NO_LIMIT, "order": "class", "batches": "packed"} | changed


def nms_crowd(seed, batches, classes, count, shared=True, center=False, scores=5):
    """Boxes that often overlap, with few scores, so that ties are common."""
    rng = random.Random(seed)
    lists = batches if shared else batches * classes
    values = []
    for _ in range(lists * count):
        x, y, w, h = rng.randint(0, 12), rng.randint(0, 12), rng.randint(0, 9), rng.randint(0, 9)
        values += [x, y, w, h] if center else [x, y, x + w, y + h]
    shape = [batches, count, 4] if shared else [batches, classes, count, 4]
    return [tensor(shape, values), noise(seed + 100, [batches, classes, count], 0, scores)]


def nms_cases():
    op = Operator("detection", "nms", nms)
    best, near, far, flipped = (0, 0, 10, 10), (1, 0, 11, 10), (50, 50, 60, 60), (10, 10, 0, 0)

    def scene(rows, *scores):
        return [tensor([1, len(rows), 4], sum(map(list, rows), [])),
                tensor([1, len(scores), len(rows)], sum(map(list, scores), []))]

    three = scene((far, near, best), (70, 80, 90))
    op.case("the best of overlapping boxes remains", three, nms_settings())
    op.case("every class stands for itself", scene((far, near, best), (70, 80, 90), (3, 2, 1)), nms_settings())
    op.case("a score below the least is no candidate", three, nms_settings(min_score=80))
    op.case("nothing is a candidate", three, nms_settings(min_score=91))
    op.case("the best box is always there when asked for", three, nms_settings(min_score=91, at_least_one=True))
    op.case("a tie goes to the lower box", scene((near, best, far), (5, 5, 5)), nms_settings())
    op.case("flipped corners are corners", scene((best, flipped), (5, 4)), nms_settings())
    op.case("flipped corners cover nothing when they are ordered", scene((best, flipped), (5, 4)),
            nms_settings(encoding="ordered_corners"))
    third = scene(((0, 0, 3, 1), (0, 0, 1, 1)), (9, 8))
    op.case("a ratio at the threshold does not suppress", third, nms_settings(iou_numerator=1, iou_denominator=3))
    op.case("a ratio at the threshold suppresses when asked to", third,
            nms_settings(iou_numerator=1, iou_denominator=3, suppress_equal=True))
    op.case("a ratio above the threshold suppresses", third,
            nms_settings(iou_numerator=2**29 - 1, iou_denominator=3 * 2**29))
    apart = scene(((0, 0, 1, 1), (5, 5, 6, 6), (5, 5, 5, 5), (5, 5, 5, 5)), (9, 8, 7, 6))
    op.case("boxes that share nothing never suppress", apart, nms_settings(iou_numerator=0, suppress_equal=True))
    op.case("sides may include a last pixel", apart, nms_settings(iou_numerator=0, side_offset=1))
    op.case("centers with odd sides", scene(((0, 0, 3, 3), (1, 0, 3, 3), (3, 0, 3, 3), (4, 4, -3, 3)), (9, 8, 7, 6)),
            nms_settings(encoding="center", iou_numerator=1, iou_denominator=5))
    op.case("centers and a last pixel", nms_crowd(1, 1, 1, 8, center=True),
            nms_settings(encoding="center", side_offset=1, iou_denominator=4))
    op.case("a crowd, class by class", nms_crowd(2, 2, 3, 9), nms_settings(iou_denominator=5))
    op.case("a crowd with a box for each class", nms_crowd(3, 2, 3, 7, shared=False), nms_settings(iou_denominator=5))
    op.case("a limited crowd", nms_crowd(4, 2, 3, 9),
            nms_settings(iou_denominator=6, top_k=6, max_per_class=4, max_per_batch=7, min_score=1))
    op.case("a crowd in the order of its scores", nms_crowd(5, 2, 3, 8),
            nms_settings(iou_denominator=6, order="score", min_score=2))
    op.case("a crowd, each batch in its own rows", nms_crowd(6, 3, 2, 8),
            nms_settings(iou_denominator=6, order="score", min_score=2, batches="apart", max_per_batch=5))
    op.case("a crowd, batches merged", nms_crowd(7, 3, 2, 8),
            nms_settings(iou_denominator=6, order="score", min_score=2, batches="merged"))
    op.case("a crowd whose classes are all rivals", nms_crowd(8, 2, 3, 10), nms_settings(classes="best", order="score"))
    op.case("a crowd whose classes are all rivals, by class", nms_crowd(8, 2, 3, 10),
            nms_settings(classes="best", max_per_batch=4))
    op.case("a crowd where a box counts for its best class", nms_crowd(9, 2, 3, 10),
            nms_settings(classes="best_per_class", order="score", top_k=3, max_per_class=2))
    op.case("at least one of each batch", nms_crowd(10, 3, 2, 5),
            nms_settings(classes="best_per_class", min_score=5, at_least_one=True, batches="apart"))
    wide = tensor([1, 2, 4], [-(2**15), -(2**15), 2**15 - 1, 2**15 - 1, -(2**15), -(2**15), 2**15 - 1, 0])
    two = tensor([1, 1, 2], [2, 1])
    rows = tensor([1, 4, 4], [*far, *near, *best, *far])
    for bits in (60, 61, 64):
        scores = tensor([1, 1, 4], [-(2**(bits - 1)), 0, 2**(bits - 1) - 1, 5], constant=True)
        op.case(f"constant scores that span {bits} bits", [rows, scores], nms_settings(order="score"))
    op.case("the widest boxes of 16 bits", [wide, two], nms_settings(iou_numerator=2**30 - 1, iou_denominator=2**31 - 1))
    op.refuse("nms_c1", "scores without classes", [three[0], tensor([1, 3], [1, 2, 3])], nms_settings())
    op.refuse("nms_c2", "boxes of another count", [ramp([1, 2, 4]), three[1]], nms_settings())
    op.refuse("nms_c2", "boxes of five elements", [ramp([1, 3, 5]), three[1]], nms_settings())
    op.refuse("nms_c2", "boxes of other classes", [ramp([1, 2, 3, 4]), three[1]], nms_settings())
    op.refuse("nms_c2", "boxes without a batch", [ramp([3, 4]), three[1]], nms_settings())
    op.refuse("nms_c3", "a constant coordinate of 2^47", [tensor([1, 1, 4], [2**47, 0, 0, 0], constant=True),
                                                          tensor([1, 1, 1], [1])], nms_settings())
    op.refuse("nms_c4", "sides of 2^30 have no product to compare",
              [tensor([1, 1, 4], [0, 0, 2**30, 0]), tensor([1, 1, 1], [1])], nms_settings(iou_denominator=2**4))
    op.refuse("nms_c5", "batches merged by class", three, nms_settings(batches="merged"))
    op.refuse("attribute_range", "a threshold of n / 0", three, nms_settings(iou_denominator=0))
    return op


def ctc_greedy_decoder(c):
    x = c.operands[0]
    check_int(c.attributes["blank"], 0, NO_LIMIT)
    require(len(x.shape) == 3, "ctc_greedy_decoder_c1")
    steps, batches, classes = x.shape
    if len(c.operands) == 2:
        require(c.operands[1].shape == [steps, batches], "ctc_greedy_decoder_c2")
    values, lengths = [], []
    for n in range(batches):
        path = []
        for t in range(steps):
            if len(c.operands) == 2 and c.operands[1].at((t, n)) == 0:
                break
            row = [x.at((t, n, k)) for k in range(classes)]
            path.append(row.index(max(row)))
        if c.attributes["merge_repeated"]:
            path = [k for t, k in enumerate(path) if t == 0 or path[t - 1] != k]
        symbols = [k for k in path if k != c.attributes["blank"]]
        lengths.append(len(symbols))
        values += symbols + [-1] * (steps - len(symbols))
    results = [tensor([batches, steps], values, (-1, classes - 1)), tensor([batches], lengths, (0, steps))]
    return results, 7 * numel(x.shape) + 72 * steps * batches


def ctc_greedy_decoder_cases():
    op = Operator("detection", "ctc_greedy_decoder", ctc_greedy_decoder)

    def path(*classes, count=4):
        return tensor([len(classes), 1, count], [9 if k == best else 0 for best in classes for k in range(count)])

    def settings_of(blank=3, merge_repeated=True):
        return {"blank": blank, "merge_repeated": merge_repeated}

    word = path(0, 0, 3, 0, 1, 1, 3, 3, 2)
    op.case("repetitions merge and blanks go", [word], settings_of())
    op.case("a blank keeps repetitions apart", [path(1, 3, 1)], settings_of())
    op.case("repetitions stay when not merged", [word], settings_of(merge_repeated=False))
    op.case("the blank may be any class", [word], settings_of(blank=0))
    op.case("or none", [word], settings_of(blank=NO_LIMIT))
    op.case("equal scores name the lowest class", [tensor([2, 1, 3], [-5, -5, -9, -7, -1, -1])], settings_of(2))
    op.case("only blanks", [path(3, 3)], settings_of())
    op.case("a sequence ends where its mask does",
            [noise(1, [6, 3, 4], -3, 3), tensor([6, 3], [1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0])],
            settings_of())
    op.case("a mask may hold any integer", [noise(2, [4, 2, 3], -3, 3), tensor([4, 2], [-5, 2**40, 7, 1, 0, 1, 1, 0])],
            settings_of(2))
    op.case("many sequences", [noise(3, [12, 4, 5], -2, 2)], settings_of(4))
    op.refuse("ctc_greedy_decoder_c1", "scores without a batch", [ramp([3, 4])], settings_of())
    op.refuse("ctc_greedy_decoder_c2", "a mask turned round", [ramp([3, 2, 4]), ramp([2, 3])], settings_of())
    op.refuse("attribute_range", "a blank below 0", [ramp([3, 2, 4])], settings_of(-1))
    return op


main(__file__, [get_valid_counts_cases(), non_max_suppression_cases(), nms_cases(), ctc_greedy_decoder_cases(),
                *detection_lowerings.operators()])
