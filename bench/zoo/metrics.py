"""In how many of the samples an answer is that of the float network: a share in [0, 1].

Each function takes the outputs of one sample by name: of the float network, and of another. None says that the sample has no answer.
"""

import sys

import numpy


def first(outputs):
    return next(iter(outputs.values()))


def kept(float_outputs, outputs, metric):
    """The share of answers that are kept by the metric of this name. None where no sample has an answer."""
    if metric is None:
        return None
    same = getattr(sys.modules[__name__], metric)
    answers = [same(a, b) for a, b in zip(float_outputs, outputs)]
    answers = [bool(answer) for answer in answers if answer is not None]
    return sum(answers) / len(answers) if answers else None


def sqnr_db(float_outputs, outputs, names):
    """The least dB of the outputs of these names; None where there is no name."""
    worst = numpy.inf if names else None
    for name in names:
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
    """The box of the largest score within 2 % of the largest coordinate; none where no score is above 0.1."""
    x, y = first(a)[0].astype(numpy.float64), first(b)[0].astype(numpy.float64)
    if x.shape[0] < x.shape[1]:
        x, y = x.T, y.T
    if x[:, 4].max() < 0.1:
        return None
    at, other = x[:, 4].argmax(), y[:, 4].argmax()
    return numpy.abs(x[at, :4] - y[other, :4]).max() <= 0.02 * numpy.abs(x[:, :4]).max()


def closeness(a, b):
    """A cosine of 0.999 at least."""
    x, y = first(a).ravel().astype(numpy.float64), first(b).ravel().astype(numpy.float64)
    return x @ y >= 0.999 * numpy.linalg.norm(x) * numpy.linalg.norm(y)


def same_finds(a, b):
    """Nine tenths of the places where a score is above one half, of classes without the background."""
    x, y = (first(o)[..., 1:] > 0.5 if first(o).shape[-1] in (2, 3) else first(o) > 0.5 for o in (a, b))
    return numpy.sum(x & y) >= 0.9 * numpy.sum(x | y) if x.any() else None
