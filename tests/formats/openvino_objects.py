"""Regions of images, and detectors."""
import math

import arrays
from arrays import Array, draw, make
from openvino_ir import Ints, Ir, case, number


def bilinear(plane, v, u):
    """Element (v, u) of a plane, given as f(row, column), between its elements."""
    row, column = math.floor(v), math.floor(u)
    y, x = v - row, u - column
    near = lambda i, j: plane(i, j)
    value = near(row, column) * (1 - y) * (1 - x)
    value += near(row, column + 1) * (1 - y) * x if x else 0
    value += near(row + 1, column) * y * (1 - x) if y else 0
    return value + (near(row + 1, column + 1) * y * x if x and y else 0)


def deformed(x, region, offsets, group, bins, deviation):
    """Samples of bins, moved by parts of the region; those more than half a pixel outside do not count."""
    _, channels, height, width = x.shape
    left, top, right, bottom = [round(v) - 0.5 for v in region[:2]] + [round(v) + 0.5 for v in region[2:]]
    across, down = right - left, bottom - top

    def element(r, c, p, q):
        at = lambda k: offsets[r, k, p, q] * deviation if offsets else 0
        values = []
        for s in range(bins):
            for t in range(bins):
                v = top + down * (p / group + s / (group * bins) + at(1))
                u = left + across * (q / group + t / (group * bins) + at(0))
                if -0.5 <= v <= height - 0.5 and -0.5 <= u <= width - 0.5:
                    v, u = min(max(v, 0), height - 1), min(max(u, 0), width - 1)
                    values.append(bilinear(lambda i, j: x[0, (c * group + p) * group + q, i, j], v, u))
        return arrays.mean(values) if values else 0.0

    return make((1, channels // group**2, group, group), element)


def regions():
    x = draw((1, 8, 4, 4), 220)
    whole = Array((1, 5), [0.0, 0.0, 0.0, 3.0, 3.0])
    # Bins of two by two pixels, each with a channel.
    y = make((1, 2, 2, 2), lambda r, c, p, q: arrays.mean([x[0, (c * 2 + p) * 2 + q, 2 * p + i, 2 * q + j] for i in (0, 1) for j in (0, 1)]))
    yield case("PSROIPooling", [x], [whole], y, output_dim=2, group_size=2, spatial_scale=1.0)
    moved = draw((1, 2, 2, 2), 221).map(lambda v: v / 64)
    attributes = dict(output_dim=2, group_size=2, spatial_scale=1.0, spatial_bins_x=2, spatial_bins_y=2, trans_std=0.5, part_size=2)
    y = deformed(x, (0, 0, 3, 3), moved, 2, 2, 0.5)
    yield case("DeformablePSROIPooling", [x], [whole, moved], y, **attributes)
    yield case("DeformablePSROIPooling", [x], [whole], deformed(x, (0, 0, 3, 3), None, 2, 2, 0.5), **attributes)
    part = Array((1, 5), [0.0, 0.0, 0.25, 1.0, 0.75])  # three pixels are from border to border
    at = lambda p, q: (3 * (0.25 + 0.5 * p), 3 * q / 2)
    y = make((1, 8, 2, 3), lambda r, c, p, q: bilinear(lambda i, j: x[0, c, i, j], *at(p, q)))
    yield case("ROIPooling", [x], [part], y, pooled_h=2, pooled_w=3, spatial_scale=1.0, method="bilinear")
    square = Array((1, 4), [0.5, 0.5, 2.5, 2.5])  # samples at 1/4 and 3/4 of each pixel-wide bin
    tap = lambda p: 0.5 + p
    y = make((1, 8, 2, 2), lambda r, c, p, q: arrays.mean(
        [bilinear(lambda i, j: x[0, c, i, j], tap(p) + a, tap(q) + b) for a in (0.25, 0.75) for b in (0.25, 0.75)]))
    yield case("ROIAlign", [x], [square, Ints((1,), [0])], y, "opset3", pooled_h=2, pooled_w=2, sampling_ratio=2, spatial_scale=1.0, mode="avg")


def overlap(a, b, pixel=0.0):
    """Intersection by union of (x1, y1, x2, y2)."""
    side = lambda low, high: max(high - low + pixel, 0)
    both = side(max(a[0], b[0]), min(a[2], b[2])) * side(max(a[1], b[1]), min(a[3], b[3]))
    area = lambda c: side(c[0], c[2]) * side(c[1], c[3])
    return both / (area(a) + area(b) - both) if both else 0


def suppressed(boxes, scores, most, threshold, pixel=0.0):
    """Places of the best boxes, of which none shares more than `threshold` with a better one."""
    kept = []
    for i in sorted(range(len(boxes)), key=lambda i: -scores[i]):
        if len(kept) < most and all(overlap(boxes[i], boxes[j], pixel) <= threshold for j in kept):
            kept.append(i)
    return kept


BOXES = [(0, 0, 4, 4), (1, 0, 5, 4), (8, 8, 12, 12), (0, 1, 4, 5), (8, 9, 12, 14), (20, 0, 24, 4)]
SCORES = [[0.5, 0.9375, 0.25, 0.6875, 0.75, 0.0], [0.125, 0.0625, 0.8125, 0.375, 0.4375, 0.99609375]]


def non_max(version, most, threshold, least, rows, sorts):
    """Rows (image, class, box), the best of all first where they are sorted, else class by class."""
    found = []
    for label, scores in enumerate(SCORES):
        live = [i for i in range(6) if scores[i] >= least]
        kept = suppressed([BOXES[i] for i in live], [scores[i] for i in live], most, threshold)
        found += [(scores[live[i]], label, live[i]) for i in kept]
    if sorts:
        found.sort(key=lambda row: -row[0])
    found = found[:rows]
    boxes, scores = Array((1, 6, 4), [float(v) for box in BOXES for v in box]), Array((1, 2, 6), SCORES[0] + SCORES[1])
    ir = Ir()
    operands = [ir.parameter(boxes), ir.parameter(scores)] + [ir.constant(number(v)) for v in (most, threshold, least)]
    shapes = [(rows, 3)] + ([(rows, 3), (1,)] if version == "opset5" else [])
    outputs = ir.layer("NonMaxSuppression", operands, shapes, version, box_encoding="corner", sort_result_descending=int(sorts))
    fill = [-1.0] * (3 * (rows - len(found)))
    expected = [Array((rows, 3), [float(v) for _, label, box in found for v in (0, label, box)] + fill),
                Array((rows, 3), [float(v) for score, label, _ in found for v in (0, label, score)] + fill), Array((1,), [float(len(found))])]
    for i, y in enumerate(outputs):
        ir.result(y if i == 1 else ir.layer("Convert", [y], [expected[i].shape], destination_type="f32")[0])
    return "NonMaxSuppression", ir.files(), [boxes, scores], expected[:len(outputs)]


def proposals(framework):
    """Anchors of two ratios in cells of 16 pixels; TensorFlow's are around corners, swapped and cut to the image."""
    cells, height, width = (2, 3), 40.0, 56.0
    tensorflow = framework == "tensorflow"
    pixel = 0.0 if tensorflow else 1.0
    sides = [(math.sqrt(256 / r), math.sqrt(256 / r) * r) for r in (0.5, 2.0)] if tensorflow else [(23.0, 12.0), (11.0, 22.0)]
    logits = Array((1, 4, *cells), [v / 256 for v in draw((1, 4, *cells), 230).map(lambda v: (v + 8) * 16).data])
    deltas = draw((1, 8, *cells), 231).map(lambda v: v / 32)
    boxes, scores = [], []
    for h in range(cells[0]):
        for w in range(cells[1]):
            for k, (across, down) in enumerate(sides):
                x, y = (16 * h, 16 * w) if tensorflow else (16 * w + 8, 16 * h + 8)
                box = [x - across / 2, y - down / 2, x + across / 2 - pixel, y + down / 2 - pixel]
                limit = lambda v, i: min(max(v, 0), (width, height)[i % 2] - pixel)
                if tensorflow:
                    box = [limit(v, i) for i, v in enumerate(box)]
                dx, dy, dw, dh = (deltas[0, 4 * k + i, h, w] for i in range(4))
                wide, high = box[2] - box[0] + pixel, box[3] - box[1] + pixel
                middle = box[0] + wide / 2 + dx * wide, box[1] + high / 2 + dy * high
                wide, high = wide * math.exp(dw), high * math.exp(dh)
                box = [middle[0] - wide / 2, middle[1] - high / 2, middle[0] + wide / 2, middle[1] + high / 2]
                box = [limit(v, i) for i, v in enumerate(box)]
                is_large = box[2] - box[0] + pixel >= 8 and box[3] - box[1] + pixel >= 8
                boxes.append(box)
                scores.append(logits[0, 2 + k, h, w] if is_large else 0.0)
    order = sorted(range(len(boxes)), key=lambda i: -scores[i])[:10]
    kept = suppressed([boxes[i] for i in order], [scores[i] for i in order], 5, 0.5, pixel)
    rows = [[0.0] + boxes[order[i]] for i in kept]
    rows += [[0.0] * 5] * (5 - len(rows))
    image = Array((3,), [height, width, 1.0])
    more = dict(framework=framework) if framework else {}
    return case("Proposal", [logits, deltas], [image], Array((5, 5), sum(rows, [])), base_size=16, feat_stride=16, min_size=8,
                pre_nms_topn=10, post_nms_topn=5, nms_thresh=0.5, ratio="0.5,2.0", scale="1.0", **more)


def detections(in_pixels):
    """Four priors of two classes and nothing, decoded by variances; rows class by class, then -1."""
    priors = [(0.1, 0.1, 0.3, 0.3), (0.12, 0.1, 0.32, 0.3), (0.5, 0.5, 0.9, 0.8), (0.5, 0.1, 0.7, 0.5)]
    variances = [0.1, 0.1, 0.2, 0.2]
    deltas, scores = draw((1, 16), 240).map(lambda v: v / 8), Array((1, 12), [
        0.125, 0.8125, 0.0625, 0.25, 0.6875, 0.0625, 0.0625, 0.1875, 0.75, 0.25, 0.3125, 0.4375])
    boxes = []
    for i, (x1, y1, x2, y2) in enumerate(priors):
        dx, dy, dw, dh = (deltas[0, 4 * i + k] * variances[k] for k in range(4))
        wide, high = x2 - x1, y2 - y1
        x, y = (x1 + x2) / 2 + dx * wide, (y1 + y2) / 2 + dy * high
        wide, high = wide * math.exp(dw), high * math.exp(dh)
        boxes.append((x - wide / 2, y - high / 2, x + wide / 2, y + high / 2))
    rows = []
    for label in (1, 2):
        of_label = [scores[0, 3 * i + label] for i in range(4)]
        live = [i for i in range(4) if of_label[i] > 0.25]
        for i in suppressed([boxes[i] for i in live], [of_label[i] for i in live], 4, 0.45):
            rows.append((of_label[live[i]], label, live[i]))
    best = sorted(rows, key=lambda row: -row[0])[:3]
    rows = [[0.0, float(label), score, *boxes[i]] for score, label, i in rows if (score, label, i) in best]
    fill = [[-1.0, 0, 0, 0, 0, 0, 0]] * (3 - len(rows))
    given = Array((1, 2, 16), [v for box in priors for v in box] + variances * 4)
    more = dict(normalized=1)
    if in_pixels:  # a number first, and the variances four each in a row as long
        sides = [[0.0] + [v * side for v, side in zip(box, (64, 32, 64, 32))] for box in priors]
        given = Array((1, 2, 20), sum(sides, []) + variances * 4 + [9.0] * 4)
        more = dict(normalized=0, input_width=64, input_height=32)
    return case("DetectionOutput", [deltas, scores], [given], Array((1, 1, 3, 7), sum(rows + fill, [])), num_classes=3, keep_top_k=3,
                code_type="caffe.PriorBoxParameter.CENTER_SIZE", nms_threshold=0.45, confidence_threshold=0.25, top_k=4, **more)


def detectors():
    yield non_max("opset1", 2, 0.5, 0.25, 4, sorts=True)
    yield non_max("opset3", 4, 0.5, 0.25, 6, sorts=True)
    yield non_max("opset5", 3, 0.5, 0.0, 6, sorts=True)
    yield non_max("opset4", 3, 0.5, 0.4375, 6, sorts=False)
    yield proposals("")
    yield proposals("tensorflow")
    yield detections(in_pixels=False)
    yield detections(in_pixels=True)
