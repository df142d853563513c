"""Vectors of the sort family, from ops/sort/spec.md."""

from vectorlib import *


def comparisons_gas(c):
    """Those of a sort, as if x were one line."""
    n = numel(c.operands[0].shape)
    return 20 * n * n.bit_length()


def sorting_gas(c, results):
    """The comparisons, and what is written."""
    return 4096 + comparisons_gas(c) + 32 * sum(numel(t.shape) for t in results)


def lines(x, axis):
    """(index without the axis, elements of the line there)."""
    others = x.shape[:axis] + x.shape[axis + 1:]
    return {d: [x.at(d[:axis] + (k,) + d[axis:]) for k in range(x.shape[axis])] for d in indices(others)}


def positions(line, descending):
    """By counting what comes before each element: no sort."""
    better = (lambda a, b: a > b) if descending else (lambda a, b: a < b)
    order = [0] * len(line)
    for i, value in enumerate(line):
        before = sum(better(other, value) or (other == value and j < i) for j, other in enumerate(line))
        order[before] = i
    return order


def ordered(c, descending, axis, k, interval, pick):
    x = c.operands[0]
    orders = {d: (line, positions(line, descending)) for d, line in lines(x, axis).items()}

    def element(d):
        line, order = orders[d[:axis] + d[axis + 1:]]
        return pick(line, order, d[axis])

    return build(x.shape[:axis] + [k] + x.shape[axis + 1:], interval, element)


def sort_of(name):
    def define(c):
        x, descending = c.operands[0], c.attributes["descending"]
        check_int(c.attributes["axis"], -8, 7)
        axis = axis_of(c.attributes["axis"], len(x.shape), f"{name}_c1")
        n = x.shape[axis]
        if name == "sort":
            y = ordered(c, descending, axis, n, x.interval, lambda line, order, k: line[order[k]])
        else:
            y = ordered(c, descending, axis, n, (0, n - 1), lambda line, order, k: order[k])
        return [y], sorting_gas(c, [y])

    return define


def top_k(c):
    x, k, largest = c.operands[0], c.attributes["k"], c.attributes["largest"]
    check_int(k, 1, 2**31 - 1)
    check_int(c.attributes["axis"], -8, 7)
    axis = axis_of(c.attributes["axis"], len(x.shape), "top_k_c1")
    require(k <= x.shape[axis], "top_k_c2")

    def chosen(order):
        return sorted(order[:k]) if c.attributes["order"] == "index" else order[:k]

    values = ordered(c, largest, axis, k, x.interval, lambda line, order, i: line[chosen(order)[i]])
    places = ordered(c, largest, axis, k, (0, x.shape[axis] - 1), lambda line, order, i: chosen(order)[i])
    return [values, places], sorting_gas(c, [values, places])


def unique(c):
    x, bound, value = c.operands[0], c.attributes["bound"], c.attributes["value"]
    check_list(c.attributes["axis"], -8, 7, 0, 1)
    check_int(bound, 1, 2**31 - 1)
    check_int(value, *TENSOR_LIMITS["core"])
    flat = not c.attributes["axis"]
    if flat:
        x = tensor([numel(x.shape)], x.values, x.interval)
    axis = 0 if flat else axis_of(c.attributes["axis"][0], len(x.shape), "unique_c1")
    n = x.shape[axis]
    check_shape(x.shape[:axis] + [bound] + x.shape[axis + 1:])
    rest = list(indices(x.shape[:axis] + x.shape[axis + 1:]))
    slices = [tuple(x.at(d[:axis] + (k,) + d[axis:]) for d in rest) for k in range(n)]
    distinct = list(dict.fromkeys(slices))
    if c.attributes["sorted"]:
        distinct.sort()
    shown, missing = distinct[:bound], bound - min(bound, len(distinct))
    most = min(n, x.interval[1] - x.interval[0] + 1) if len(rest) == 1 else n
    padded = bound > 1
    results = [
        build(x.shape[:axis] + [bound] + x.shape[axis + 1:], hull(x.interval, (value, value)) if padded else x.interval,
              lambda d: shown[d[axis]][rest.index(d[:axis] + d[axis + 1:])] if d[axis] < len(shown) else value),
        tensor([bound], [slices.index(u) for u in shown] + [-1] * missing, (-1 if padded else 0, n - 1)),
        tensor([n], [distinct.index(s) for s in slices], (0, most - 1)),
        tensor([bound], [slices.count(u) for u in shown] + [0] * missing, (0 if padded else 1, n)),
        tensor([], [len(distinct)], (1, most)),
    ]
    return results, 6144 + 4 * comparisons_gas(c)


TIES = tensor([9], [3, 1, 3, 2, 1, 3, -4, 2, -4])


def sort_cases(name):
    op = Operator("sort", name, sort_of(name))
    for descending in (False, True):
        way = "descending" if descending else "ascending"
        op.case(f"{way}, ties", [TIES], {"axis": 0, "descending": descending})
        op.case(f"{way}, first axis", [noise(1, [5, 3], -3, 3)], {"axis": 0, "descending": descending})
        op.case(f"{way}, middle axis", [noise(2, [2, 6, 2], -300, 300)], {"axis": -2, "descending": descending})
        op.case(f"{way}, all equal", [tensor([4], [7] * 4)], {"axis": -1, "descending": descending})
        op.case(f"{way}, one element", [ramp([3, 1])], {"axis": 1, "descending": descending})
    op.case("whole values are compared", [tensor([4], [2**40 + 1, 255, 2**40, 0])], {"axis": 0, "descending": False})
    op.refuse(f"{name}_c1", "axis above the rank", [TIES], {"axis": 1, "descending": False})
    op.refuse(f"{name}_c1", "scalar", [tensor([], [1])], {"axis": 0, "descending": False})
    return op


def top_k_cases():
    op = Operator("sort", "top_k", top_k)
    for largest in (False, True):
        for order in ("value", "index"):
            name = f"{'largest' if largest else 'smallest'} by {order}"

            def attributes(k, axis):
                return {"k": k, "axis": axis, "largest": largest, "order": order}

            op.case(f"{name}, ties", [TIES], attributes(5, 0))
            op.case(f"{name}, first axis", [noise(3, [5, 3], -2, 2)], attributes(3, 0))
            op.case(f"{name}, last axis", [noise(4, [2, 2, 6], -300, 300)], attributes(1, -1))
            op.case(f"{name}, all of them", [noise(5, [2, 4], -2, 2)], attributes(4, 1))
    op.refuse("top_k_c1", "axis", [TIES], {"k": 1, "axis": 1, "largest": True, "order": "value"})
    op.refuse("top_k_c2", "too many", [TIES], {"k": 10, "axis": 0, "largest": True, "order": "value"})
    op.refuse("attribute_range", "none", [TIES], {"k": 0, "axis": 0, "largest": True, "order": "value"})
    return op


def unique_cases():
    op = Operator("sort", "unique", unique)
    for in_order in (False, True):
        def attributes(axis, bound, value=-9):
            return {"axis": axis, "sorted": in_order, "bound": bound, "value": value}

        name = "sorted" if in_order else "first appearance"
        op.case(f"{name}, padded", [TIES], attributes([], 6))
        op.case(f"{name}, exact bound", [TIES], attributes([], 4))
        op.case(f"{name}, bound too low", [TIES], attributes([], 2))
        op.case(f"{name}, bound 1 is not padded", [TIES], attributes([], 1, 1000))
        op.case(f"{name}, flattened matrix", [noise(6, [3, 4], -2, 2)], attributes([], 12))
        op.case(f"{name}, rows", [noise(7, [6, 2], 0, 1)], attributes([0], 5))
        op.case(f"{name}, columns", [noise(8, [2, 6], 0, 1)], attributes([-1], 3, 1000))
        op.case(f"{name}, middle axis", [noise(9, [2, 4, 2], 0, 1)], attributes([1], 4))
        op.case(f"{name}, scalar", [tensor([], [5])], attributes([], 2))
        op.case(f"{name}, axis of single elements", [noise(10, [1, 7, 1], 0, 2)], attributes([1], 4))
        op.case(f"{name}, large values", [tensor([3], [2**47 - 1, -(2**47), 2**47 - 1])], attributes([], 3))
    op.refuse("unique_c1", "axis", [TIES], {"axis": [1], "sorted": True, "bound": 1, "value": 0})
    op.refuse("attribute_range", "no bound", [TIES], {"axis": [], "sorted": True, "bound": 0, "value": 0})
    op.refuse("value_range", "a constant of 64 bits", [tensor([1], [2**47], constant=True)],
              {"axis": [], "sorted": True, "bound": 1, "value": 0})
    return op


if __name__ == "__main__":
    main(__file__, [sort_cases("sort"), sort_cases("arg_sort"), top_k_cases(), unique_cases()])
