"""Vectors of the gather family, from ops/gather/spec.md."""

from gather_lowerings import lowering_cases
from vectorlib import *


def moved_gas(results):
    """Of what is moved one by one, and its runs."""
    return 512 + 40 * sum(numel(t.shape) for t in results) + 48 * runs(results[0].shape)


def take(c):
    x, picks = c.operands
    check_list(c.attributes["axis"], -8, 7, 0, 1)
    if c.attributes["axis"]:
        axis = axis_of(c.attributes["axis"][0], len(x.shape), "take_c1")
    else:
        x, axis = tensor([numel(x.shape)], x.values, x.interval), 0
    behind = axis + len(picks.shape)  # where the axes of x that follow `axis` start in the result
    shape = x.shape[:axis] + picks.shape + x.shape[axis + 1:]
    check_shape(shape)

    def element(d):
        pick = min(max(picks.at(d[axis:behind]), 0), x.shape[axis] - 1)
        return x.at(d[:axis] + (pick,) + d[behind:])

    y = build(shape, x.interval, element)
    return [y], moved_gas([y])


def take_cases():
    op = Operator("gather", "take", take)
    op.case("no axis indexes the flattened data", [ramp([2, 3], 10), tensor([2, 2], [5, 0, 3, 3])],
            {"axis": []}, "cvm")
    op.case("no axis, clamped", [ramp([2, 3], 10), tensor([4], [-1, -7, 6, 10**9])], {"axis": []}, "cvm")
    op.case("first axis", [ramp([3, 2]), tensor([4], [2, 0, 2, 1])], {"axis": [0]}, "cvm")
    op.case("last axis from the back", [ramp([2, 3]), tensor([2], [2, 0])], {"axis": [-1]}, "cvm")
    op.case("middle axis, matrix of indices", [ramp([2, 3, 2]), tensor([2, 2], [0, 2, 1, 1])], {"axis": [1]},
            "cvm")
    op.case("negative index is 0, not the back", [ramp([3], 5), tensor([2], [-1, -3])], {"axis": [0]}, "cvm")
    op.case("index beyond the dim is the last", [ramp([2, 2]), tensor([2], [2, 2**31 - 1])], {"axis": [1]},
            "cvm")
    op.case("extreme indices of core", [ramp([3], 5), tensor([2], [-(2**47), 2**47 - 1])], {"axis": [0]})
    op.case("interval is that of the data", [noise("take", [4, 3], -300, 300), noise("picks", [2], -1, 4)],
            {"axis": [0]}, "cvm")
    op.case("scalar index drops the axis", [ramp([2, 3]), tensor([], [1])], {"axis": [0]})
    op.case("scalar index without axis", [ramp([2, 3]), tensor([], [4])], {"axis": []})
    op.case("scalar data without axis", [tensor([], [9]), tensor([3], [-1, 0, 1])], {"axis": []})
    op.refuse("take_c1", "axis above the rank", [ramp([2, 3]), tensor([1], [0])], {"axis": [2]})
    op.refuse("take_c1", "axis below -rank", [ramp([2, 3]), tensor([1], [0])], {"axis": [-3]})
    op.refuse("take_c1", "axis of a scalar", [tensor([], [9]), tensor([1], [0])], {"axis": [0]})
    op.refuse("attribute_length", "two axes", [ramp([2, 3]), tensor([1], [0])], {"axis": [0, 1]})
    op.refuse("shape_rank", "rank 9", [ramp([2, 2]), tensor([1] * 8, [0])], {"axis": [0]})
    op.refuse("value_range", "data beyond the limit of core",
              [tensor([1], [-(2**47) - 1], constant=True), ramp([1])], {"axis": []})
    return op


def place(index, n):
    """Counted from the back if negative; may lie outside of [0, n)."""
    return index + n if index < 0 else index


def clamped(index, n):
    return min(max(index, 0), n - 1)


def read_gas(c, results, index=80):
    """What is placed or moved one by one, and what says where, so many units for each of that."""
    return moved_gas(results) + index * sum(numel(t.shape) for t in c.operands[1:])


def gathered(c, shape, source):
    check_shape(shape)
    x = c.operands[0]
    y = build(shape, x.interval, lambda d: x.at(source(d)))
    return [y], read_gas(c, [y])


def gather(c):
    x, picks = c.operands
    check_int(c.attributes["axis"], -8, 7)
    axis = axis_of(c.attributes["axis"], len(x.shape), "gather_c1")
    behind = axis + len(picks.shape)
    n = x.shape[axis]
    return gathered(c, x.shape[:axis] + picks.shape + x.shape[axis + 1:],
                    lambda d: d[:axis] + (clamped(place(picks.at(d[axis:behind]), n), n),) + d[behind:])


def gather_nd(c):
    x, picks = c.operands
    batch = c.attributes["batch_dims"]
    check_int(batch, 0, 7)
    require(len(picks.shape) > batch, "gather_nd_c1")
    depth = picks.shape[-1]
    require(batch + depth <= len(x.shape), "gather_nd_c2")
    require(x.shape[:batch] == picks.shape[:batch], "gather_nd_c3")
    rows = len(picks.shape) - 1

    def source(d):
        dims = x.shape[batch:batch + depth]
        row = [picks.at(d[:rows] + (k,)) for k in range(depth)]
        return (*d[:batch], *(clamped(place(i, n), n) for i, n in zip(row, dims)), *d[rows:])

    return gathered(c, picks.shape[:-1] + x.shape[batch + depth:], source)


def check_elements(c, operator):
    x, picks = c.operands[:2]
    check_int(c.attributes["axis"], -8, 7)
    axis = axis_of(c.attributes["axis"], len(x.shape), f"{operator}_c1")
    fits = [j == axis or m <= n for j, (m, n) in enumerate(zip(picks.shape, x.shape))]
    return axis, len(picks.shape) == len(x.shape), all(fits)


def gather_elements(c):
    x, picks = c.operands
    axis, same_rank, fits = check_elements(c, "gather_elements")
    require(same_rank, "gather_elements_c2")
    require(fits, "gather_elements_c3")
    n = x.shape[axis]
    return gathered(c, picks.shape, lambda d: d[:axis] + (clamped(place(picks.at(d), n), n),) + d[axis + 1:])


def gather_tree(c):
    steps, parents, lengths, end = c.operands
    require(len(steps.shape) == 3 and parents.shape == steps.shape, "gather_tree_c1")
    require(lengths.shape == [steps.shape[1]], "gather_tree_c2")
    require(numel(end.shape) == 1, "gather_tree_c3")
    time, batch, beams = steps.shape
    stop = end.values[0]
    y = {}
    for b in range(batch):
        for w in range(beams):
            found, beam = [], w
            for t in reversed(range(min(max(lengths.values[b], 0), time))):
                found.insert(0, steps.at((t, b, beam)))
                beam = clamped(parents.at((t, b, beam)), beams)
            if stop in found:
                found = found[:found.index(stop)]
            found += [stop] * (time - len(found))
            y.update({(t, b, w): value for t, value in enumerate(found)})
    result = build(steps.shape, hull(steps.interval, end.interval), lambda d: y[d])
    return [result], read_gas(c, [result])


REDUCTIONS = {"update": lambda e, u: u, "add": lambda e, u: e + u, "sub": lambda e, u: e - u,
              "mul": lambda e, u: e * u, "max": max, "min": min}


def corners(a, b):
    products = [p * q for p in a for q in b]
    return min(products), max(products)


def scattered(c, most, target):
    """target(d): the index of x that updates[d] goes to, which may lie outside."""
    x, picks, updates = c.operands
    kind = c.attributes["kind"]
    y = {d: x.at(d) for d in indices(x.shape)}
    hits = dict.fromkeys(y, 0)
    for d in indices(updates.shape):
        at = tuple(target(d))
        if at in y:
            y[at] = REDUCTIONS[kind](y[at], updates.at(d))
            hits[at] += 1
    if picks.constant:
        most = max(hits.values())
    (lo, hi), u = x.interval, updates.interval
    if kind in ("add", "sub"):
        u = (-u[1], -u[0]) if kind == "sub" else u
        low, high = most * min(u[0], 0), most * max(u[1], 0)
        check_accumulator((min(lo, 0) + low, max(hi, 0) + high), c.profile)
        interval = lo + low, hi + high
    elif kind == "mul":
        factor = (1, 1)
        for _ in range(most):
            factor = corners(factor, hull(u, (1, 1)))
        check_accumulator(corners(hull((lo, hi), (1, 1)), factor), c.profile)
        interval = corners((lo, hi), factor)
    else:
        other = {"update": hull((lo, hi), u), "max": (lo, max(hi, u[1])), "min": (min(lo, u[0]), hi)}[kind]
        interval = other if most else (lo, hi)
    require(inside(interval, TENSOR_LIMITS["core"]), "value_range")
    result = build(x.shape, interval, lambda d: y[d])
    return [result], read_gas(c, [result], index=96)


def scatter(c):
    x, picks, updates = c.operands
    check_int(c.attributes["axis"], -8, 7)
    axis = axis_of(c.attributes["axis"], len(x.shape), "scatter_c1")
    require(updates.shape == x.shape[:axis] + picks.shape + x.shape[axis + 1:], "scatter_c2")
    behind = axis + len(picks.shape)
    return scattered(c, numel(picks.shape), lambda d: d[:axis] + (place(picks.at(d[axis:behind]), x.shape[axis]),)
                     + d[behind:])


def scatter_nd(c):
    x, picks, updates = c.operands
    require(picks.shape and picks.shape[-1] <= len(x.shape), "scatter_nd_c1")
    depth, rows = picks.shape[-1], len(picks.shape) - 1
    require(updates.shape == picks.shape[:-1] + x.shape[depth:], "scatter_nd_c2")
    return scattered(c, numel(picks.shape[:-1]), lambda d: (
        *(place(picks.at(d[:rows] + (k,)), x.shape[k]) for k in range(depth)), *d[rows:]))


def scatter_elements(c):
    x, picks, updates = c.operands
    axis, same_rank, fits = check_elements(c, "scatter_elements")
    require(same_rank and fits, "scatter_elements_c2")
    require(updates.shape == picks.shape, "scatter_elements_c3")
    return scattered(c, picks.shape[axis],
                     lambda d: d[:axis] + (place(picks.at(d), x.shape[axis]),) + d[axis + 1:])


def compact(c):
    x, mask = c.operands
    bound, value = c.attributes["bound"], c.attributes["value"]
    check_int(c.attributes["axis"], -8, 7)
    check_int(bound, 1, 2**31 - 1)
    check_int(value, *TENSOR_LIMITS["core"])
    axis = axis_of(c.attributes["axis"], len(x.shape), "compact_c1")
    require(mask.shape == [x.shape[axis]], "compact_c2")
    shape = x.shape[:axis] + [bound] + x.shape[axis + 1:]
    check_shape(shape)
    kept = [k for k, keep in enumerate(mask.values) if keep]
    n = len(mask.values)
    counts = (0, n)
    if mask.constant:
        counts = (len(kept), len(kept))
    elif mask.interval == (0, 0):
        counts = (0, 0)
    elif mask.interval[0] > 0 or mask.interval[1] < 0:
        counts = (n, n)
    interval = x.interval
    if counts[0] < bound:
        interval = hull(interval, (value, value)) if counts[1] else (value, value)
    y = build(shape, interval,
              lambda d: x.at(d[:axis] + (kept[d[axis]],) + d[axis + 1:]) if d[axis] < len(kept) else value)
    count = tensor([], [len(kept)], counts)
    return [y, count], read_gas(c, [y, count]) + 13 * (numel(y.shape) + 1)


LARGE = [-(2**63), 2**63 - 1]


def gather_cases():
    op = Operator("gather", "gather", gather)
    op.case("first axis", [ramp([3, 2]), tensor([4], [2, 0, -1, -3])], {"axis": 0})
    op.case("last axis from the back, matrix of indices", [ramp([2, 3]), tensor([2, 2], [2, 0, -2, -3])], {"axis": -1})
    op.case("middle axis", [noise("gather", [2, 3, 2], -300, 300), tensor([2], [1, -1])], {"axis": 1})
    op.case("clamped outside", [ramp([3], 5), tensor([6], [3, -4, 100, -100, 2, -3])], {"axis": 0})
    op.case("constant indices of 64 bits", [ramp([3], 5), tensor([2], LARGE, constant=True)], {"axis": 0})
    op.case("scalar index drops the axis", [ramp([2, 3]), tensor([], [-1])], {"axis": 1})
    op.refuse("gather_c1", "axis above the rank", [ramp([2]), ramp([1])], {"axis": 1})
    op.refuse("gather_c1", "scalar data", [tensor([], [1]), ramp([1])], {"axis": 0})
    op.refuse("shape_rank", "rank 9", [ramp([2, 2]), tensor([1] * 8, [0])], {"axis": 0})
    return op


def gather_nd_cases():
    op = Operator("gather", "gather_nd", gather_nd)
    cube = noise("nd", [2, 3, 2], -300, 300)
    op.case("elements", [cube, tensor([2, 3], [0, 1, 0, -1, -1, -1])], {"batch_dims": 0})
    op.case("slices", [cube, tensor([2, 2, 1], [0, 1, -1, -2])], {"batch_dims": 0})
    op.case("one tuple", [cube, tensor([2], [1, 2])], {"batch_dims": 0})
    op.case("batch", [cube, tensor([2, 1], [2, -3])], {"batch_dims": 1})
    op.case("batch of rows of tuples", [cube, tensor([2, 2, 2], [0, 0, 1, 1, 2, 0, -1, -1])], {"batch_dims": 1})
    op.case("two batch axes", [cube, tensor([2, 3, 1], [0, 1, 0, 1, 0, 1])], {"batch_dims": 2})
    op.case("clamped outside", [ramp([2, 3]), tensor([4, 2], [5, 5, -9, -9, 1, -4, 2, 0])], {"batch_dims": 0})
    op.refuse("gather_nd_c1", "scalar indices", [cube, tensor([], [0])], {"batch_dims": 0})
    op.refuse("gather_nd_c1", "nothing behind the batch", [cube, ramp([2])], {"batch_dims": 1})
    op.refuse("gather_nd_c2", "tuples too long", [cube, ramp([4])], {"batch_dims": 0})
    op.refuse("gather_nd_c2", "tuples too long behind the batch", [cube, ramp([2, 3])], {"batch_dims": 1})
    op.refuse("gather_nd_c3", "another batch", [cube, ramp([3, 1])], {"batch_dims": 1})
    op.refuse("attribute_range", "negative batch", [cube, ramp([1])], {"batch_dims": -1})
    return op


def gather_elements_cases():
    op = Operator("gather", "gather_elements", gather_elements)
    grid = noise("elements", [3, 4], -300, 300)
    op.case("columns", [grid, noise("down", [2, 4], -3, 2)], {"axis": 0})
    op.case("rows", [grid, noise("right", [3, 6], -4, 3)], {"axis": -1})
    op.case("fewer rows", [grid, noise("fewer", [2, 2], -4, 3)], {"axis": 1})
    op.case("clamped outside", [ramp([1, 3]), tensor([1, 4], [3, -4, 99, -99])], {"axis": 1})
    op.refuse("gather_elements_c1", "axis", [grid, grid], {"axis": 2})
    op.refuse("gather_elements_c2", "another rank", [grid, ramp([3])], {"axis": 0})
    op.refuse("gather_elements_c3", "more columns", [grid, ramp([1, 5])], {"axis": 0})
    return op


def gather_tree_cases():
    op = Operator("gather", "gather_tree", gather_tree)
    steps, parents = noise("steps", [5, 2, 3], 1, 9), noise("parents", [5, 2, 3], 0, 2)
    op.case("whole sequences", [steps, parents, tensor([2], [5, 5]), tensor([], [0])])
    op.case("shorter sequences", [steps, parents, tensor([2], [3, 1]), tensor([1], [0])])
    op.case("lengths outside", [steps, parents, tensor([2], LARGE, constant=True), tensor([], [0])])
    op.case("ends inside", [steps, parents, tensor([2], [5, 4]), tensor([], [7])])
    op.case("parents outside", [steps, noise("wild", [5, 2, 3], -4, 6), tensor([2], [5, 4]), tensor([], [20])])
    op.case("end widens the storage", [steps, parents, tensor([2], [1, 1]), tensor([1, 1], [-1000])])
    op.refuse("gather_tree_c1", "rank 2", [ramp([2, 3]), ramp([2, 3]), ramp([3]), ramp([])], {})
    op.refuse("gather_tree_c1", "other parents", [steps, ramp([5, 3, 2]), ramp([2]), ramp([])], {})
    op.refuse("gather_tree_c2", "other lengths", [steps, parents, ramp([3]), ramp([])], {})
    op.refuse("gather_tree_c3", "two ends", [steps, parents, ramp([2]), ramp([2])], {})
    return op


def scatter_cases():
    op = Operator("gather", "scatter", scatter)
    grid = noise("grid", [3, 4], -20, 30)
    for kind in REDUCTIONS:
        attributes = {"axis": 0, "kind": kind}
        op.case(f"{kind}, duplicates and dropped ones",
                [grid, tensor([5], [1, -1, 1, 3, 1]), noise(kind, [5, 4], -9, 12)], attributes)
        op.case(f"{kind}, along the last axis, matrix of indices",
                [grid, tensor([2, 2], [0, 0, -4, 9]), noise(kind, [3, 2, 2], 2, 5)], {"axis": -1, "kind": kind})
        op.case(f"{kind}, constant indices",
                [grid, tensor([3], [0, 1, -2], constant=True), noise(kind, [3, 4], -5, -2)], attributes)
        op.case(f"{kind}, everything dropped",
                [grid, tensor([2], LARGE, constant=True), noise(kind, [2, 4], -50, 90)], attributes)
        op.case(f"{kind}, scalar index", [ramp([2]), tensor([], [-1]), tensor([], [7])], attributes)
    op.refuse("scatter_c1", "axis", [grid, ramp([1]), grid], {"axis": 2, "kind": "add"})
    op.refuse("scatter_c2", "other updates", [grid, ramp([1]), ramp([4])], {"axis": 0, "kind": "add"})
    op.refuse("value_range", "two large sums", [ramp([1]), tensor([2], [0, 0]), tensor([2], [2**46, 2**46])],
              {"axis": 0, "kind": "add"})
    op.refuse("accumulator_range", "a sum beyond 64 bits",
              [ramp([1]), tensor([2], [0, 0]), tensor([2], [2**63 - 1, 1], constant=True)],
              {"axis": 0, "kind": "add"})
    op.refuse("accumulator_range", "a product beyond 64 bits",
              [tensor([1], [1]), tensor([63], [0] * 63), tensor([63], [2] * 63)], {"axis": 0, "kind": "mul"})
    return op


def scatter_nd_cases():
    op = Operator("gather", "scatter_nd", scatter_nd)
    cube = noise("cube", [2, 3, 2], -20, 30)
    for kind in REDUCTIONS:
        op.case(f"{kind}, elements", [cube, tensor([3, 3], [0, 1, 0, -2, -2, 0, 1, 2, -1]), noise(kind, [3], -9, 12)],
                {"kind": kind})
        op.case(f"{kind}, slices and dropped rows",
                [cube, tensor([2, 2, 2], [0, 0, 0, 3, -3, 0, 0, -3]), noise(kind, [2, 2, 2], 1, 4)], {"kind": kind})
        op.case(f"{kind}, constant indices",
                [cube, tensor([4, 1], [0, 1, -1, 2], constant=True), noise(kind, [4, 3, 2], -4, 4)], {"kind": kind})
    op.refuse("scatter_nd_c1", "tuples too long", [ramp([2]), ramp([2]), ramp([])], {"kind": "add"})
    op.refuse("scatter_nd_c1", "scalar indices", [ramp([2]), ramp([]), ramp([])], {"kind": "add"})
    op.refuse("scatter_nd_c2", "other updates", [cube, ramp([1]), ramp([3])], {"kind": "update"})
    return op


def scatter_elements_cases():
    op = Operator("gather", "scatter_elements", scatter_elements)
    grid = noise("grid", [3, 4], -20, 30)
    for kind in REDUCTIONS:
        op.case(f"{kind}, columns", [grid, noise(f"c{kind}", [4, 4], -4, 3), noise(kind, [4, 4], -9, 12)],
                {"axis": 0, "kind": kind})
        op.case(f"{kind}, fewer rows", [grid, noise(f"r{kind}", [2, 3], -4, 4), noise(kind, [2, 3], 2, 5)],
                {"axis": -1, "kind": kind})
        op.case(f"{kind}, constant indices",
                [grid, tensor([1, 4], [0, 1, 0, -3], constant=True), noise(kind, [1, 4], -4, 4)],
                {"axis": 0, "kind": kind})
    op.refuse("scatter_elements_c1", "axis", [grid, grid, grid], {"axis": -3, "kind": "add"})
    op.refuse("scatter_elements_c2", "another rank", [grid, ramp([3]), ramp([3])], {"axis": 0, "kind": "add"})
    op.refuse("scatter_elements_c2", "more rows", [grid, ramp([4, 1]), ramp([4, 1])], {"axis": 1, "kind": "add"})
    op.refuse("scatter_elements_c3", "other updates", [grid, ramp([1, 2]), ramp([2, 1])], {"axis": 0, "kind": "add"})
    return op


def compact_cases():
    op = Operator("gather", "compact", compact)

    def attributes(axis=0, bound=3, value=-1):
        return {"axis": axis, "bound": bound, "value": value}

    op.case("padded", [ramp([4], 5), tensor([4], [0, 1, 0, -7])], attributes())
    op.case("bound leaves slices out", [ramp([4], 5), tensor([4], [3, 1, 0, 1])], attributes(bound=2))
    op.case("slices of the last axis", [ramp([2, 3]), tensor([3], [1, 0, 1])], attributes(-1, 4, 99))
    op.case("slices of the first axis", [ramp([3, 2]), tensor([3], [0, 0, 1])], attributes(0, 2, 1000))
    op.case("nothing kept", [ramp([3]), tensor([3], [0, 0, 0], (0, 1))], attributes())
    op.case("mask proven empty", [ramp([3]), tensor([3], [0, 0, 0])], attributes())
    op.case("mask proven full", [ramp([3]), tensor([3], [1, 2, 1])], attributes())
    op.case("mask proven full, bound above", [ramp([3]), tensor([3], [-1, -2, -1])], attributes(bound=4))
    op.case("constant mask", [ramp([3]), tensor([3], [1, 0, 2**63 - 1], constant=True)], attributes(bound=2))
    op.case("constant mask, bound above", [ramp([3]), tensor([3], [1, 0, 2], constant=True)], attributes())
    op.case("constant empty mask", [ramp([3]), tensor([3], [0, 0, 0], constant=True)], attributes())
    op.refuse("compact_c1", "axis", [ramp([3]), ramp([3])], attributes(1))
    op.refuse("compact_c2", "shorter mask", [ramp([3]), ramp([2])], attributes())
    op.refuse("compact_c2", "matrix", [ramp([3]), ramp([3, 1])], attributes())
    op.refuse("attribute_range", "no bound", [ramp([3]), ramp([3])], attributes(bound=0))
    op.refuse("shape_elements", "large bound", [ramp([2, 64]), ramp([2])], attributes(bound=2**31 - 1))
    return op


if __name__ == "__main__":
    main(__file__, [
        take_cases(), gather_cases(), gather_nd_cases(), gather_elements_cases(), gather_tree_cases(),
        scatter_cases(), scatter_nd_cases(), scatter_elements_cases(), compact_cases(), *lowering_cases(),
    ])
