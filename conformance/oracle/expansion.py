"""Columns of expansions, written from docs/spec/expansion.md.

`python3 conformance/oracle/expansion.py` writes tests/expansion/columns.json; with --check it compares it instead.
"""

import json
import pathlib

from commitment import current, value_digest

PATH = pathlib.Path(__file__).absolute().parents[2] / "tests/expansion/columns.json"
CHUNK = 1024
I8, I16, I32, I64 = range(4)


def narrowest(lo, hi):
    return next(s for s in range(4) if -(1 << (8 << s) - 1) <= lo and hi < 1 << (8 << s) - 1)


class Columns:
    """The forms of the section Notation: each adds its columns, and returns the integers of the last."""

    def __init__(self):
        self.columns = []

    def list(self, values, storage=I64):
        self.columns.append((storage, list(values)))
        return self.columns[-1][1]

    def one(self, value):
        return self.list([value])[0]

    def fold(self, terms, none, join):
        while True:
            chunks = [terms[i:i + CHUNK] for i in range(0, len(terms), CHUNK)] or [[]]
            joined = []
            for chunk in chunks:
                result = none
                for term in chunk:
                    result = join(result, term)
                joined.append(result)
            self.list(joined)
            if len(joined) == 1:
                return joined[0]
            terms = joined

    def sum(self, terms):
        return self.fold([int(term) for term in terms], 0, lambda a, b: a + b)

    def first(self, conditions):
        n = len(conditions)
        return self.fold([i if holds else n for i, holds in enumerate(conditions)], n, min)

    def bisect(self, n, lo, hi, most, weight):
        best = self.one(lo)
        bits = (hi - lo).bit_length()
        steps = [1 << 62] * 2 if bits == 64 else []
        for step in steps + [1 << b for b in range(min(bits, 63) - 1, -1, -1)]:
            following = self.one(hi if best > hi - step else best + step)
            best = self.one(following if self.sum([weight(i, following) for i in range(n)]) <= most else best)
        return best

    def select_key(self, keys, lo, hi, rank):
        return self.bisect(len(keys), lo, hi, rank, lambda i, t: keys[i] < t)

    def select(self, keys, lo, hi, rank):
        key = self.select_key(keys, lo, hi, rank)
        before = self.sum([k < key for k in keys])
        return key, self.bisect(len(keys), 0, len(keys) - 1, rank - before, lambda i, t: i < t and keys[i] == key)

    def sums_up_to(self, marks):
        sums = self.list(sum(marks[i:i + CHUNK]) for i in range(0, len(marks), CHUNK))
        before = sums if len(sums) == 1 else self.sums_up_to(sums)
        return self.list((before[i // CHUNK - 1] if i >= CHUNK else 0) + sum(marks[i // CHUNK * CHUNK:i + 1])
                         for i in range(len(marks)))


def numbers(n, lo, hi, seed=1):
    return [lo + (seed * 7919 * (i + 1) * (i + 3) + i // 7) % (hi - lo + 1) for i in range(n)]


# Each gives the instruction; dims, interval and elements of its inputs; the result, its element, the columns.

def reduce_sum(n):
    x, c = numbers(n, -300, 300), Columns()
    c.sum(c.list(x, I16))
    return "reduce {kind = sum, axes = [], keepdims = false}", [([n], -300, 300, x)], 0, 0, c


def arg_extreme(ties):
    x, c = numbers(1500, -9, 9), Columns()
    c.list(x, I8)
    extreme = c.fold(x, -9, max)
    if ties == "lowest":
        c.fold([i if v == extreme else 1500 for i, v in enumerate(x)], 1500, min)
    else:
        c.fold([i if v == extreme else -1 for i, v in enumerate(x)], -1, max)
    return f"arg_extreme {{kind = max, ties = {ties}, axis = 0, keepdims = false}}", [([1500], -9, 9, x)], 0, 0, c


def matmul(k):
    a, b, c = numbers(2 * k, -128, 127), numbers(3 * k, -50, 50, 3), Columns()
    row, column = c.list(a[k:], I8), c.list(b[1::3], I8)  # element [1, 1]
    c.sum([(p - 4) * q for p, q in zip(row, column)])
    return ("matmul {transpose_a = false, transpose_b = false, zero_a = 4, zero_b = 0}",
            [([2, k], -128, 127, a), ([k, 3], -50, 50, b)], 0, 4, c)


def sort(n, descending, rank):
    x, c = numbers(n, -40, 60), Columns()
    c.list(x, I8)
    lo, hi = (-61, 39) if descending else (-40, 60)
    key = c.select_key([-1 - v if descending else v for v in x], lo, hi, rank)
    c.one(-1 - key if descending else key)
    return f"sort {{axis = 0, descending = {str(descending).lower()}}}", [([n], -40, 60, x)], 0, rank, c


def arg_sort(n, rank):
    x, c = numbers(n, -4, 6), Columns()
    c.select(c.list(x, I8), -4, 6, rank)
    return "arg_sort {axis = 0, descending = false}", [([n], -4, 6, x)], 0, rank, c


def top_k(n, k, number, result):
    x, c = numbers(n, -4, 6), Columns()
    keys = [-1 - v for v in c.list(x, I8)]
    key, last = c.select(keys, -7, 3, k - 1)
    kept = [v < key or (v == key and i <= last) for i, v in enumerate(keys)]
    position = c.bisect(n, 0, n - 1, number, lambda i, t: i < t and kept[i])
    if result == 0:
        c.one(x[position])
    return f"top_k {{k = {k}, axis = 0, largest = true, order = index}}", [([n], -4, 6, x)], result, number, c


def compact(n, number):
    x, mask, c = numbers(n, -4, 6), numbers(n, 0, 2, 5), Columns()
    count = c.sum([m != 0 for m in mask])
    position = c.bisect(n, 0, n - 1, number, lambda k, t: k < t and mask[k] != 0)
    c.one(x[position] if number < count else -3)
    return f"compact {{axis = 0, bound = {n}, value = -3}}", [([n], -4, 6, x), ([n], 0, 2, mask)], 0, number, c


def scatter(element):
    x, indices, updates, c = numbers(6, -9, 9), numbers(12, -6, 5, 3), numbers(12, -9, 9, 5), Columns()
    after, y = x[element], []
    for index, update in zip(indices, updates):
        after = after + update if index % 6 == element else after
        y.append(after)
    c.one(c.list(y)[-1])
    return "scatter {axis = 0, kind = add}", [([6], -9, 9, x), ([12], -6, 5, indices), ([12], -9, 9, updates)], 0, element, c


def unique(n, is_sorted, result, element):
    x, c = numbers(n, -3, 4), Columns()
    c.list(x, I8)
    length = 1 << (n - 1).bit_length()
    order = c.list(range(length))
    before = lambda p, q: (x[p], p) < (x[q], q) if p < n and q < n else p < q
    p = 1
    while p < length:
        k = p
        while k >= 1:
            new = list(order)
            for i in range(k % p, length - k):
                if (i - k % p) % (2 * k) < k and i // (2 * p) == (i + k) // (2 * p) and before(order[i + k], order[i]):
                    new[i], new[i + k] = order[i + k], order[i]
            order = c.list(new)
            k //= 2
        p *= 2
    begins = c.list(int(i == 0 or x[order[i - 1]] != x[order[i]]) for i in range(n))
    groups = [u - 1 for u in c.sums_up_to(begins)]
    number = groups[-1] + 1
    first_of = lambda g: c.first([group == g for group in groups])
    if result == 4:
        c.one(number)
    elif result == 2:
        group = c.one(groups[c.first([order[i] == element for i in range(n)])])
        if not is_sorted:
            first = c.one(order[first_of(group)])
            c.sum([begins[i] and order[i] < first for i in range(n)])
    else:
        if is_sorted:
            at = first_of(c.one(element))
        else:
            first = c.bisect(n, 0, n - 1, element, lambda i, t: begins[i] and order[i] < t)
            at = c.first([order[i] == first for i in range(n)])
        count = c.sum([at < n and groups[i] == groups[at] for i in range(n)])
        exists = element < number
        c.one([x[order[at]] if exists else 9, order[at] if exists else -1, None, count if exists else 0][result])
    return (f"unique {{axis = [], sorted = {str(is_sorted).lower()}, bound = 10, value = 9}}", [([n], -3, 4, x)], result, element, c)


def softmax(n, element):
    x, c = numbers(n, -400, 400), Columns()
    table = [(1 << 30) >> (d // 40) for d in range(700)]
    greatest = c.fold(c.list(x, I16), -400, max)
    e = c.list(table[greatest - v] if greatest - v < len(table) else 0 for v in x)
    total = c.sum(e)
    reciprocal = ((1 << 61) + total // 2) // total
    c.one(min(max((e[element] * reciprocal + (1 << 45)) // (1 << 46) - 7, -128), 127))
    return ("softmax {axis = 0, bits = 15, zero_out = -7, lo = -128, hi = 127}",
            [([n], -400, 400, x), ([700], 1, 1 << 30, table, "constant")], 0, element, c)


def rnn(step, unit):
    """Two sequences of four steps, backwards; the second has three."""
    T, B, I, H = 4, 2, 3, 5
    x, w, r = numbers(T * B * I, -9, 9), numbers(H * I, -9, 9, 3), numbers(H * H, -9, 9, 5)
    mx, mh, bias, table = numbers(H, 1, 9, 7), numbers(H, 1, 3, 11), numbers(H, -99, 99), numbers(64, -99, 99, 13)
    lengths, b, h, c = [4, 3], 1, [0] * H, Columns()
    column = []
    for n in range(lengths[b]):
        t, before = lengths[b] - 1 - n, h
        gates = [sum(w[j * I + i] * x[(t * B + b) * I + i] for i in range(I)) * mx[j] + bias[j]
                 + sum(r[j * H + i] * before[i] for i in range(H)) * mh[j] for j in range(H)]
        h = [table[min(max((gate + 64) // 128, -32), 31) + 32] for gate in gates]
        column += h
    column = c.list(column + [0] * (H * (T - lengths[b])), I32)
    c.one(column[(lengths[b] - 1 - step) * H + unit] if step < lengths[b] else 0)
    constants = [([1, H, I], w), ([1, H, H], r), ([1, H], mx), ([1, H], mh), ([1, H], bias), ([64], table)]
    return ("rnn {direction = reverse, shift = 7, initial_state = false, lengths = true}",
            [([T, B, I], -9, 9, x), *((dims, min(v), max(v), v, "constant") for dims, v in constants), ([B], 0, T, lengths)],
            0, (step * B + b) * H + unit, c)


def gather_tree(step, beam):
    T, W = 6, 3
    steps, parents, length, c = numbers(T * W, 0, 9), numbers(T * W, -1, 4, 3), 5, Columns()
    beams = []
    for t in range(T - 1, -1, -1):
        beams.append(beam if t >= length - 1 else min(max(parents[(t + 1) * W + beams[-1]], 0), W - 1))
    c.list(beams)
    y = c.list(steps[s * W + beams[T - 1 - s]] if s < length else 7 for s in range(T))
    ended = c.first([v == 7 for v in y[:step]])
    c.one(7 if ended < step else y[step])
    return ("gather_tree {}", [([T, 1, W], 0, 9, steps), ([T, 1, W], -1, 4, parents), ([1], 0, 9, [length]), ([], 0, 9, [7])],
            0, step * W + beam, c)


def get_valid_counts(row, k):
    n, c = 40, Columns()
    x = numbers(n * 6, -9, 9)
    valid = c.list(int(x[i * 6 + 1] > 2) for i in range(n))
    count = c.sum(valid)
    at = c.bisect(n, 0, n - 1, row, lambda i, t: i < t and valid[i])
    c.one(x[at * 6 + k] if row < count else -1)
    return "get_valid_counts {score_threshold = 2}", [([1, n, 6], -9, 9, x)], 1, row * 6 + k, c


def non_max_suppression(row, k):
    """Boxes on a diagonal, of which neighbours overlap."""
    n, valid, best, c = 12, 11, 7, Columns()
    rows = [[(i % 4) - 1, i * 5 % 9, i * 4, i * 4, i * 4 + 10, i * 4 + 10] for i in range(n)]
    scores, inside = c.list(r[1] for r in rows), c.list(int(i < valid) for i in range(n))
    instruction = "non_max_suppression {iou_threshold = 40, max_output_size = -1, force_suppress = true, top_k = 7}"
    given = [([1, n, 6], -1, 60, sum(rows, [])), ([1], 0, n, [valid])], 0, row * 6 + k
    if row >= best:
        c.one(-1)
        return instruction, *given, c
    keys = [-1 - s for s in scores]
    lo, hi = -1 - 60, -1 + 1
    key = c.bisect(n, lo, hi, best - 1, lambda i, t: inside[i] and keys[i] < t)
    before = c.sum([inside[i] and keys[i] < key for i in range(n)])
    last = c.bisect(n, 0, n - 1, best - 1 - before, lambda i, t: i < t and inside[i] and keys[i] == key)
    inside = c.list(int(bool(inside[i]) and (keys[i], i) <= (key, last)) for i in range(n))
    inside = c.list(0 if rows[i][0] < 0 else inside[i] for i in range(n))
    area = lambda lo_x, lo_y, hi_x, hi_y: max(hi_x - lo_x, 0) * max(hi_y - lo_y, 0)

    def suppresses(p, q):
        a, b = rows[p][2:], rows[q][2:]
        both = area(max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3]))
        return both > 0 and 100 * both // (area(*a) + area(*b) - both) >= 40

    for number in range(row + 1):
        greatest = c.fold([s if i else -1 for s, i in zip(scores, inside)], -1, max)
        entry = c.first([i and s == greatest for s, i in zip(scores, inside)])
        if number < row:
            inside = c.list(0 if entry < n and inside[i] and (i == entry or suppresses(i, entry)) else inside[i] for i in range(n))
    c.one(rows[entry][k] if entry < n else -1)
    return instruction, *given, c


RESULTS = {"rnn": 2, "get_valid_counts": 2, "top_k": 2, "compact": 2, "unique": 5}


def case(name, instruction, inputs, result, element, columns):
    operator, attributes = instruction.split(" ", 1)
    params = [i for i, given in enumerate(inputs) if len(given) == 4]
    constants = [i for i, given in enumerate(inputs) if len(given) == 5]
    ids = {i: number for number, i in enumerate(params + constants)}
    lines = ["tally 1", "profile core"]
    for i in params:
        dims, lo, hi, _ = inputs[i]
        lines.append(f'param %{ids[i]} "x{i}" {json.dumps(dims)} in [{lo}, {hi}]')
    for i in constants:
        dims, _, _, values, _ = inputs[i]
        storage = f"i{8 << narrowest(min(values), max(values))}"
        lines.append(f"%{ids[i]} = constant {storage} {json.dumps(dims)} {{{', '.join(map(str, values))}}}")
    results = [f"%{len(inputs) + r}" for r in range(RESULTS.get(operator, 1))]
    operands = ", ".join(f"%{ids[i]}" for i in range(len(inputs)))
    lines.append(f"{', '.join(results)} = {operator} {operands} {attributes if attributes != '{}' else ''}".rstrip())
    lines += [f'result {value} "y{r}"' for r, value in enumerate(results)]
    digests = []
    for storage, values in columns.columns:
        data = b"".join(v.to_bytes(1 << storage, "little", signed=True) for v in values)
        digests.append(value_digest(data, storage, [len(values)]).hex())
    return {"name": name, "module": "\n".join(lines) + "\n", "inputs": [inputs[i][3] for i in params],
            "value": len(inputs) + result, "element": element, "result": columns.columns[-1][1][0], "columns": digests}


def document():
    cases = [
        ("a sum of two levels", *reduce_sum(3000)), ("a sum of one chunk", *reduce_sum(7)),
        ("the first of equal extremes", *arg_extreme("lowest")), ("the last of equal extremes", *arg_extreme("highest")),
        ("a column of a matrix", *matmul(1100)),
        ("ascending", *sort(1030, False, 700)), ("descending", *sort(50, True, 3)), ("the least", *sort(9, False, 0)),
        ("one of many equals", *arg_sort(1200, 641)),
        ("values by index", *top_k(60, 20, 11, 0)), ("positions by index", *top_k(60, 20, 19, 1)),
        ("a slice that is kept", *compact(40, 9)), ("after the last slice", *compact(40, 39)),
        ("additions", *scatter(2)),
        ("a row of two chunks", *softmax(1100, 1064)),
        ("backwards", *rnn(1, 2)), ("after the end of a sequence", *rnn(3, 0)),
        ("a beam", *gather_tree(2, 1)), ("after the end of a beam", *gather_tree(5, 2)),
        ("a valid row", *get_valid_counts(9, 3)), ("after the valid rows", *get_valid_counts(39, 0)),
        ("the third row that is kept", *non_max_suppression(2, 2)), ("no row is left", *non_max_suppression(6, 1)), ("a row beyond the best", *non_max_suppression(9, 1)),
        *((f"sorted, result {r}", *unique(21, True, r, e)) for r, e in ((0, 3), (0, 9), (1, 2), (2, 17), (3, 5), (4, 0))),
        *((f"in order of appearance, result {r}", *unique(21, False, r, e)) for r, e in ((0, 3), (1, 9), (2, 17), (3, 5))),
        ("sums over several chunks", *unique(1100, True, 4, 0)),
    ]
    lines = ",\n".join(json.dumps(case(*c)) for c in cases)
    return f'{{"_info": {{"source": "conformance/oracle/expansion.py"}}, "cases": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    current(PATH, document())
