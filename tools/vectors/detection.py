"""get_valid_counts and non_max_suppression again, from ops/detection/spec.md."""

import random

from vectorlib import Operator, build, hull, main, noise, numel, ramp, require, size_bytes, tensor

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
    return results, batch * count + sum(size_bytes(t) for t in results)


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
    return [y], batch * (4 * count * count.bit_length() + 16 * candidates * emitted) + size_bytes(y)


def get_valid_counts_cases():
    op = Operator("detection", "get_valid_counts", get_valid_counts)

    def threshold(score):
        return {"score_threshold": score}

    op.case("rows at the threshold are not valid (S25)", [tensor([1, 4, 2], [7, 5, 8, 6, 9, 4, 6, 7])], threshold(5))
    op.case("batches count alone", [noise(1, [3, 4, 3], -5, 5)], threshold(0))
    op.case("no row is valid", [noise(2, [1, 3, 2], -5, 5)], threshold(5))
    op.case("every row is valid", [noise(3, [1, 3, 2], -5, 5)], threshold(-6))
    op.case("rows of id -1 count and are written (D16)", [tensor([1, 3, 2], [-1, 3, -1, -4, 2, -3])], threshold(-4))
    op.case("a threshold below -1 does not count padding (D16)", [tensor([1, 2, 2], [1, -9, 2, -3])], threshold(-5))
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
    op.case("max_output_size 0 is no row, not all (D14)", [three, counts(3)], settings(max_output_size=0))
    op.case("max_output_size 1", [three, counts(3)], settings(max_output_size=1))
    op.case("a negative limit is none", [three, counts(3)], settings(max_output_size=-(2**31), top_k=-(2**31)))
    op.case("top_k 0 is no row", [three, counts(3)], settings(top_k=0))
    op.case("top_k counts candidates, suppressed ones too", [three, counts(3)], settings(top_k=2))
    op.case("top_k above the rows", [three, counts(3)], settings(top_k=2**31 - 1))
    op.case("a negative id neither appears nor suppresses (D15)", [boxes(ghost, best, far), counts(3)],
            settings(force_suppress=True))
    op.case("a negative id does not end the scan (D15)",
            [boxes(best, (-1, 85, 5, 5, 6, 6), near, far), counts(4)], settings())
    op.case("a negative id uses up top_k", [boxes(ghost, best, far), counts(3)], settings(top_k=2))
    op.case("valid_count is clamped for each batch (D12)",
            [tensor([4, 2, 6], [*best, *far] * 4), counts(0, -5, 1, 2**40)], settings())
    op.case("degenerate boxes cover nothing (S26)",
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
    op.case("half of the largest area (S27)", half, settings(50))
    op.case("half of the largest area is not more (S27)", half, settings(51))
    op.case("two units less than half are 49 percent (S27)", less, settings(50))
    op.case("two units less than half are no less (S27)", less, settings(49))
    op.case("the largest box against itself", [boxes(whole, whole), counts(2)], settings(100))
    op.case("the interval gains -1", [boxes((0, 1, 2, 3, 4, 5), interval=(0, 90)), counts(1)], settings())
    op.case("a crowd", [crowd(1, 2, 12, 6, 8), counts(12, 9)], settings(30))
    op.case("a forced crowd", [crowd(2, 2, 12, 6, 8), counts(11, 12)], settings(20, force_suppress=True))
    op.case("a limited crowd in profile cvm", [crowd(3, 2, 12, 6, 8), counts(12, 12)], settings(25, 3, False, 8), "cvm")
    op.refuse("non_max_suppression_c1", "rows of five elements", [ramp([1, 2, 5]), counts(2)], settings())
    op.refuse("non_max_suppression_c1", "boxes without a batch", [ramp([2, 6]), counts(2)], settings())
    op.refuse("non_max_suppression_c2", "counts of another batch", [ramp([1, 2, 6]), counts(2, 2)], settings())
    op.refuse("non_max_suppression_c2", "a scalar count", [ramp([1, 2, 6]), tensor([], [2])], settings())
    op.refuse("non_max_suppression_c3", "a coordinate of 2^29 (S27)", [boxes((0, 0, 0, 0, 2**29, 0)), counts(1)],
              settings())
    op.refuse("non_max_suppression_c3", "a coordinate of -2^29 (S27)", [boxes((0, 0, -(2**29), 0, 0, 0)), counts(1)],
              settings())
    op.refuse("attribute_range", "a threshold of 0", [boxes(best), counts(1)], settings(0))
    return op


main(__file__, [get_valid_counts_cases(), non_max_suppression_cases()])
