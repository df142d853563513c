"""Arrays of a few elements, and the definitions that layers of several formats share, written as their formulas are."""
import itertools
import math
import random


class Array:
    """Elements by index: a[0, 2]. Rows follow each other, the last axis fastest."""

    def __init__(self, shape, data):
        self.shape, self.data = tuple(shape), list(data)
        assert len(self.data) == math.prod(self.shape), (shape, len(self.data))

    def _place(self, index):
        place = 0
        for i, size in zip(index if isinstance(index, tuple) else (index,), self.shape, strict=True):
            assert 0 <= i < size, (index, self.shape)
            place = place * size + i
        return place

    def __getitem__(self, index):
        return self.data[self._place(index)]

    def map(self, f):
        return Array(self.shape, map(f, self.data))

    def reshape(self, *shape):
        return Array(shape, self.data)


def indices(shape):
    return itertools.product(*map(range, shape))


def make(shape, f):
    """The array whose element at an index is f(*index)."""
    return Array(shape, [f(*index) for index in indices(shape)])


def draw(shape, seed, low=-8.0):
    """Multiples of 1/16 from `low` to `low` + 255/16, which both occur: a grid of 8 bits has them all."""
    source = random.Random(seed)
    data = [low + source.randrange(256) / 16 for _ in range(math.prod(shape))]
    if len(data) > 1:
        data[0], data[-1] = low, low + 255 / 16
    return Array(shape, data)


def positive(shape, seed):
    """The same from 1/16 on."""
    return draw(shape, seed, low=0.0).map(lambda v: max(v, 1 / 16))


def factors(count, seed):
    """Multiples of 1/16 within 127/16, which occurs: symmetric codes of 8 bits have them all."""
    return weights((1, count), seed).reshape(count).map(lambda v: v / 16)


def weights(shape, seed):
    """Integers from -127 to 127 with 127 in each slice of the first axis, so that 8 bits hold each slice as it is."""
    source = random.Random(seed)
    each = math.prod(shape[1:])
    rows = [[source.randrange(-127, 128) for _ in range(each - 1)] + [127] for _ in range(shape[0])]
    return Array(shape, itertools.chain(*rows))


def transpose(x, order):
    shape = [x.shape[axis] for axis in order]
    return make(shape, lambda *index: x[tuple(index[order.index(axis)] for axis in range(len(order)))])


def concat(arrays, axis):
    """The arrays after each other along an axis."""
    shape = list(arrays[0].shape)
    shape[axis] = sum(a.shape[axis] for a in arrays)

    def element(*index):
        place = index[axis]
        for a in arrays:
            if place < a.shape[axis]:
                return a[index[:axis] + (place,) + index[axis + 1:]]
            place -= a.shape[axis]

    return make(shape, element)


def part(x, axis, begin, end):
    shape = x.shape[:axis] + (end - begin,) + x.shape[axis + 1:]
    return make(shape, lambda *index: x[index[:axis] + (index[axis] + begin,) + index[axis + 1:]])


def padded(x, before, after, value=0.0):
    shape = [b + size + a for b, size, a in zip(before, x.shape, after)]

    def element(*index):
        at = tuple(i - b for i, b in zip(index, before))
        return x[at] if all(0 <= i < size for i, size in zip(at, x.shape)) else value

    return make(shape, element)


def convolution(x, weight, bias, stride, dilation, before, after, groups=1):
    """x [C, ..], weight [M, C / groups, ..], bias [M]; one number for each axis in the rest. Zeros are around x."""
    x = padded(x, (0, *before), (0, *after))
    kernel, per_group = weight.shape[2:], weight.shape[0] // groups
    sizes = [(size - (k - 1) * d - 1) // s + 1 for size, k, d, s in zip(x.shape[1:], kernel, dilation, stride)]

    def element(m, *place):
        first = m // per_group * weight.shape[1]
        return bias[m] + sum(
            weight[(m, c, *tap)] * x[(first + c, *(p * s + t * d for p, s, t, d in zip(place, stride, tap, dilation)))]
            for c in range(weight.shape[1]) for tap in indices(kernel))

    return make((weight.shape[0], *sizes), element)


def transposed_convolution(x, weight, bias, stride, cut_before, cut_after, groups=1):
    """x [C, ..], weight [M, C / groups, ..]: each element of x adds its taps to the result, whose borders are cut."""
    kernel, per_group = weight.shape[2:], weight.shape[0] // groups
    sizes = [(size - 1) * s + k for size, s, k in zip(x.shape[1:], stride, kernel)]
    sums = {}
    for m in range(weight.shape[0]):
        first = m // per_group * weight.shape[1]
        for c in range(weight.shape[1]):
            for place in indices(x.shape[1:]):
                for tap in indices(kernel):
                    at = (m, *(p * s + t for p, s, t in zip(place, stride, tap)))
                    sums[at] = sums.get(at, 0.0) + x[(first + c, *place)] * weight[(m, c, *tap)]
    shape = [weight.shape[0]] + [size - b - a for size, b, a in zip(sizes, cut_before, cut_after)]
    return make(shape, lambda m, *at: bias[m] + sums.get((m, *(i + b for i, b in zip(at, cut_before))), 0.0))


def pool(x, kernel, stride, before, after, f):
    """f of what of each window is inside x [C, ..]."""
    sizes = [(b + size + a - k) // s + 1 for b, size, a, k, s in zip(before, x.shape[1:], after, kernel, stride)]

    def element(c, *place):
        inside = []
        for tap in indices(kernel):
            at = tuple(p * s + t - b for p, s, t, b in zip(place, stride, tap, before))
            if all(0 <= i < size for i, size in zip(at, x.shape[1:])):
                inside.append(x[(c, *at)])
        return f(inside)

    return make((x.shape[0], *sizes), element)


def mean(values):
    return math.fsum(values) / len(values)


def sigmoid(v):
    return 1 / (1 + math.exp(-v))


def matmul(a, b):
    return make((a.shape[0], b.shape[1]), lambda i, j: sum(a[i, k] * b[k, j] for k in range(a.shape[1])))


def softmax(values):
    most = max(values)
    powers = [math.exp(v - most) for v in values]
    return [p / sum(powers) for p in powers]


def along_last(x, f):
    """f of each row of the last axis, of as many numbers."""
    n = x.shape[-1]
    return Array(x.shape, itertools.chain(*(f(x.data[i:i + n]) for i in range(0, len(x.data), n))))
