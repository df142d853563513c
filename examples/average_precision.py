"""Mean average precision of boxes, as COCO defines it, without a library.

    found = detections("results", ".module")               # from `tally compare --output results`
    average_precision(found, truth_of("boxes.npy", 220))   # 0.71

A detection is (class, box, score), a true box (class, box); a box is left, top, right, bottom. Both come as a list for each image.
"""

import bisect
import pathlib

from npy_header import header_of

THRESHOLDS = [0.5 + 0.05 * i for i in range(10)]
RECALLS = [i / 100 for i in range(101)]
CODES = {"|u1": "B", "<f4": "f"}


def read_npy(path):
    """The shape, and the elements as one list."""
    data = pathlib.Path(path).read_bytes()
    header, begin = header_of(data)
    return header["shape"], list(memoryview(data[begin:]).cast(CODES[header["descr"]]))


def truth_of(path, images):
    """From rows of image, class, left, top, right, bottom."""
    (count, width), numbers = read_npy(path)
    truth = [[] for _ in range(images)]
    for row in range(count):
        image, number, *box = numbers[row * width : (row + 1) * width]
        truth[image].append((number, box))
    return truth


def detections(folder, whose):
    """From `boxes` [images, cells, 4], `scores` [images, classes, cells] and what is `selected` [images, rows, 3] of them, of which
    `selected.count` rows of each image are meant."""
    (images, cells, _), boxes = read_npy(f"{folder}/boxes{whose}.npy")
    (_, classes, _), scores = read_npy(f"{folder}/scores{whose}.npy")
    (_, rows, _), selected = read_npy(f"{folder}/selected{whose}.npy")
    _, counts = read_npy(f"{folder}/selected.count{whose}.npy")
    found = []
    for image in range(images):
        found.append([])
        for row in range(int(counts[image])):
            at = (image * rows + row) * 3
            number, cell = int(selected[at + 1]), int(selected[at + 2])
            box = boxes[(image * cells + cell) * 4 :][:4]
            found[-1].append((number, box, scores[(image * classes + number) * cells + cell]))
    return found


def overlap(a, b):
    """Intersection over union."""
    def area(left, top, right, bottom):
        return max(right - left, 0) * max(bottom - top, 0)

    both = area(max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3]))
    return both / (area(*a) + area(*b) - both) if both > 0 else 0.0


def precision_of_class(found, truth, number, threshold):
    """The mean of the precisions at 101 recalls, each the best at that recall or a larger one."""
    true = [[box for kind, box in image if kind == number] for image in truth]
    sure = sorted(((-score, image, box) for image, boxes in enumerate(found) for kind, box, score in boxes if kind == number))
    total, right, curve, taken = sum(map(len, true)), 0, [], set()
    for place, (_, image, box) in enumerate(sure, 1):
        # The best true box that no surer detection has.
        free = [(overlap(box, other), i) for i, other in enumerate(true[image]) if (image, i) not in taken]
        best = max(free, default=(0, None))
        if best[0] >= threshold:
            taken.add((image, best[1]))
            right += 1
        curve.append((right / total, right / place))
    recalls = [recall for recall, _ in curve]
    best_from = [0.0] * (len(curve) + 1)
    for i in reversed(range(len(curve))):
        best_from[i] = max(best_from[i + 1], curve[i][1])
    return sum(best_from[bisect.bisect_left(recalls, recall)] for recall in RECALLS) / len(RECALLS)


def average_precision(found, truth, thresholds=THRESHOLDS):
    """The mean over the classes that there are, and over the thresholds of overlap."""
    classes = sorted({number for image in truth for number, _ in image})
    each = [precision_of_class(found, truth, number, threshold) for number in classes for threshold in thresholds]
    return sum(each) / len(each)


def share_of_same(found, others, least_score=0.5, least_overlap=0.75):
    """The share of images in which both find the same, by class, of what is surer than `least_score`."""
    def sure(image):
        return [one for one in image if one[2] >= least_score]

    def same(a, b):
        return len(a) == len(b) and all(any(x[0] == y[0] and overlap(x[1], y[1]) >= least_overlap for y in b) for x in a)

    return sum(same(sure(a), sure(b)) for a, b in zip(found, others)) / len(found)
