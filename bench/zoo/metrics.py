"""In how many of the samples an answer is that of the float network: a share in [0, 1].

Each function takes two lists of outputs by name, a dict for each sample: of the float network, and of another.
"""

import numpy


def first(outputs):
    return next(iter(outputs.values()))


def share(float_outputs, outputs, same):
    return sum(bool(same(a, b)) for a, b in zip(float_outputs, outputs)) / len(outputs)


def sqnr_db(float_outputs, outputs):
    """Of the worst output."""
    worst = numpy.inf
    for name in float_outputs[0]:
        a = numpy.concatenate([o[name].ravel().astype(numpy.float64) for o in float_outputs])
        b = numpy.concatenate([o[name].ravel().astype(numpy.float64) for o in outputs])
        noise, signal = numpy.sum((a - b) ** 2), numpy.sum(a**2)
        if noise > 0 and signal > 0:
            worst = min(worst, 10 * numpy.log10(signal / noise))
    return worst


def same_choice(a, b):
    """The largest element of each row of the first output; of boxes, of those that are not background."""
    x, y = first(a), first(b)
    return numpy.mean(x.argmax(-1) == y.argmax(-1)) > 0.999


def same_side(a, b):
    """Each element on the same side of 0.5, or of several the same largest."""
    x, y = first(a).ravel(), first(b).ravel()
    return x.argmax() == y.argmax() if len(x) > 2 else numpy.all((x > 0.5) == (y > 0.5))


def same_pixels(a, b):
    """99.5 % of the pixels on the same side of 0.3, PP-OCR's threshold."""
    return numpy.mean((first(a) > 0.3) == (first(b) > 0.3)) > 0.995


def text_of(outputs):
    """What a CTC head says: the choice of each step, without repetitions and blanks."""
    choices = first(outputs)[0].argmax(-1)
    return [int(c) for c, last in zip(choices, [-1, *choices]) if c != last and c != 0]


def same_text(a, b):
    return text_of(a) == text_of(b)


def same_values(a, b):
    """For outputs that are integers, each; else within 2 % of the largest."""
    x, y = first(a).astype(numpy.float64), first(b).astype(numpy.float64)
    return numpy.array_equal(x, y) if first(a).dtype.kind == "i" else numpy.abs(x - y).max() <= 0.02 * numpy.abs(x).max()


def same_boxes(a, b):
    """The place of the largest score, and its box within 2 % of the largest coordinate."""
    x, y = first(a)[0].astype(numpy.float64), first(b)[0].astype(numpy.float64)
    if x.shape[0] < x.shape[1]:
        x, y = x.T, y.T
    at, other = x[:, 4].argmax(), y[:, 4].argmax()
    return numpy.abs(x[at, :4] - y[other, :4]).max() <= 0.02 * numpy.abs(x[:, :4]).max()


def closeness(a, b):
    """A cosine of 0.999 at least."""
    x, y = first(a).ravel().astype(numpy.float64), first(b).ravel().astype(numpy.float64)
    return x @ y >= 0.999 * numpy.linalg.norm(x) * numpy.linalg.norm(y)
