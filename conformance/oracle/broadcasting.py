"""Numpy broadcasting, which the definitions of several families share."""

from vectorlib import numel, require


def broadcast_shape(a, b, label):
    rank = max(len(a), len(b))
    pairs = list(zip([1] * (rank - len(a)) + a, [1] * (rank - len(b)) + b))
    require(all(m == n or 1 in (m, n) for m, n in pairs), label)
    return [max(pair) for pair in pairs]


def broadcast_gas(shape):
    """Of an operator that broadcasts to `shape`, but for those that divide or shift."""
    return 320 + 14 * numel(shape)


def read_broadcast(t, index):
    """The element that broadcasting puts at `index` of the result."""
    own = index[len(index) - len(t.shape):]
    return t.at(tuple(0 if dim == 1 else i for i, dim in zip(own, t.shape)))
