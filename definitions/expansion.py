"""Columns of expansions, written from docs/spec/expansion.md.

`python3 definitions/expansion.py` writes tests/expansion/columns.json; with --check it compares it instead.
"""

import json
import pathlib

from commitment import current, value_digest

PATH = pathlib.Path(__file__).absolute().parents[1] / "tests/expansion/columns.json"
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


RESULTS = {"top_k": 2, "compact": 2, "unique": 5}


def case(name, instruction, inputs, result, element, columns):
    operator, attributes = instruction.split(" ", 1)
    lines = ["tally 1", "profile core"]
    lines += [f'param %{i} "x{i}" {json.dumps(dims)} in [{lo}, {hi}]' for i, (dims, lo, hi, _) in enumerate(inputs)]
    results = [f"%{len(inputs) + r}" for r in range(RESULTS.get(operator, 1))]
    operands = ", ".join(f"%{i}" for i in range(len(inputs)))
    lines.append(f"{', '.join(results)} = {operator} {operands} {attributes}")
    lines += [f'result {value} "y{r}"' for r, value in enumerate(results)]
    digests = []
    for storage, values in columns.columns:
        data = b"".join(v.to_bytes(1 << storage, "little", signed=True) for v in values)
        digests.append(value_digest(data, storage, [len(values)]).hex())
    return {"name": name, "module": "\n".join(lines) + "\n", "inputs": [values for _, _, _, values in inputs],
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
        *((f"sorted, result {r}", *unique(21, True, r, e)) for r, e in ((0, 3), (0, 9), (1, 2), (2, 17), (3, 5), (4, 0))),
        *((f"in order of appearance, result {r}", *unique(21, False, r, e)) for r, e in ((0, 3), (1, 9), (2, 17), (3, 5))),
        ("sums over several chunks", *unique(1100, True, 4, 0)),
    ]
    lines = ",\n".join(json.dumps(case(*c)) for c in cases)
    return f'{{"_info": {{"source": "definitions/expansion.py"}}, "cases": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    current(PATH, document())
