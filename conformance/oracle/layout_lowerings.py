"""The lowerings of the layout family, each from its meaning in ops/layout/lowerings.md."""

from vectorlib import *


def by_index(shape, element):
    """One result, by the element at each index."""
    check_shape(shape)
    return [build(list(shape), None, element)]


def axes_in(axes, rank):
    normal = [axis_of(axis, rank, "lowering_operands") for axis in axes]
    require(len(set(normal)) == len(normal), "lowering_operands")
    return normal


def same_order(x, shape):
    return [(list(shape), x.values)]


def squeeze_axes(c):
    x = c.operands[0]
    axes = [axis_of(axis, len(x.shape), "lowering_operands") for axis in c.attributes["axes"]]
    require(all(x.shape[axis] == 1 for axis in axes), "lowering_operands")
    gone = axes if c.attributes["axes"] else [i for i, n in enumerate(x.shape) if n == 1]
    return same_order(x, [n for i, n in enumerate(x.shape) if i not in gone])


def unsqueeze(c):
    x, shape = c.operands[0], list(c.operands[0].shape)
    for axis in sorted(axes_in(c.attributes["axes"], len(shape) + len(c.attributes["axes"]))):
        shape.insert(axis, 1)
    return same_order(x, shape)


def flatten_2d(c):
    x, axis = c.operands[0], c.attributes["axis"]
    rank = len(x.shape)
    require(-rank <= axis <= rank, "lowering_operands")
    axis += rank if axis < 0 else 0
    return same_order(x, [numel(x.shape[:axis]), numel(x.shape[axis:])])


def swap_axes(c):
    x = c.operands[0]
    a, b = (axis_of(c.attributes[name], len(x.shape), "lowering_operands") for name in ("first", "second"))

    def swapped(index):
        index = list(index)
        index[a], index[b] = index[b], index[a]
        return index

    return by_index(swapped(x.shape), lambda d: x.at(swapped(d)))


def stretched(x, shape, place):
    """x read at place(d), 0 on its axes of one element."""
    return by_index(shape, lambda d: x.at([i % n for i, n in zip(place(d), x.shape)]))


def expand(c):
    x, shape = c.operands[0], c.attributes["shape"]
    rank = max(len(x.shape), len(shape))
    mine, other = [1] * (rank - len(x.shape)) + x.shape, [1] * (rank - len(shape)) + shape
    require(all(m == n or 1 in (m, n) for m, n in zip(mine, other)), "lowering_operands")
    return stretched(x, [max(m, n) for m, n in zip(mine, other)], lambda d: d[rank - len(x.shape):])


def broadcast_axes(c):
    x, shape = c.operands[0], c.attributes["shape"]
    require(len(c.attributes["axes"]) == len(x.shape), "lowering_operands")
    axes = [axis_of(axis, len(shape), "lowering_operands") for axis in c.attributes["axes"]]
    require(axes == sorted(set(axes)), "lowering_operands")
    require(all(n in (1, shape[axis]) for n, axis in zip(x.shape, axes)), "broadcast_to_c1")
    return stretched(x, shape, lambda d: [d[axis] for axis in axes])


def picked(x, places):
    """x at the listed places of each axis; an integer in place of a list drops the axis, None adds one."""
    shape = [1 if p is None else len(p) for p in places if not isinstance(p, int)]

    def element(d):
        d, at = iter(d), []
        for p in places:
            if p is None:
                next(d)
            else:
                at.append(p if isinstance(p, int) else p[next(d)])
        return x.at(at)

    return by_index(shape, element)


def part(n, begin, end, step):
    require(step != 0, "lowering_operands")
    places = list(range(n))[slice(begin, end, step)]  # Python's own clamping
    require(places, "lowering_operands")
    return places


def slice_(c):
    x, a = c.operands[0], c.attributes
    count = len(a["begin"])
    require(len(a["end"]) == count and len(a["axes"]) in (0, count) and len(a["steps"]) in (0, count), "lowering_operands")
    axes = axes_in(a["axes"] or range(count), len(x.shape))
    places = [list(range(n)) for n in x.shape]
    for j, axis in enumerate(axes):
        places[axis] = part(x.shape[axis], a["begin"][j], a["end"][j], (a["steps"] or [1] * count)[j])
    return picked(x, places)


def masked_slice(c):
    x, a = c.operands[0], c.attributes
    count = len(a["begin"])
    require(len(a["end"]) == count and len(a["strides"]) in (0, count), "lowering_operands")
    masks = {name: [*a[f"{name}_mask"], *[0] * count][:count]
             for name in ("begin", "end", "new_axis", "shrink_axis", "ellipsis")}
    used = sum(not new and not dots for new, dots in zip(masks["new_axis"], masks["ellipsis"]))
    require(sum(masks["ellipsis"]) <= 1 and used <= len(x.shape), "lowering_operands")
    places, axis = [], 0
    for j in range(count):
        if masks["ellipsis"][j]:
            places += [list(range(n)) for n in x.shape[axis:axis + len(x.shape) - used]]
            axis += len(x.shape) - used
        elif masks["new_axis"][j]:
            places.append(None)
        else:
            n = x.shape[axis]
            if masks["shrink_axis"][j]:
                require(-n <= a["begin"][j] < n, "lowering_operands")
                places.append(a["begin"][j] % n)
            else:
                places.append(part(n, None if masks["begin"][j] else a["begin"][j],
                                   None if masks["end"][j] else a["end"][j], (a["strides"] or [1] * count)[j]))
            axis += 1
    return picked(x, places + [list(range(n)) for n in x.shape[axis:]])


def reverse(c):
    x = c.operands[0]
    axes = axes_in(c.attributes["axes"], len(x.shape))
    return picked(x, [list(reversed(range(n))) if i in axes else list(range(n)) for i, n in enumerate(x.shape)])


def crop(c):
    x, before, after = c.operands[0], c.attributes["before"], c.attributes["after"]
    require(len(before) == len(after) == len(x.shape), "lowering_operands")
    places = [list(range(b, n - a)) for b, a, n in zip(before, after, x.shape)]
    require(all(places), "lowering_operands")
    return picked(x, places)


def crop_like(c):
    x, like = c.operands
    require(len(x.shape) == len(like.shape), "lowering_operands")
    axes = [axis_of(axis, len(x.shape), "lowering_operands") for axis in c.attributes["axes"]] or range(len(x.shape))
    offsets = c.attributes["offsets"] or [0] * len(axes)
    require(len(offsets) == len(axes), "lowering_operands")
    places = [list(range(n)) for n in x.shape]
    for axis, offset in zip(axes, offsets):
        require(offset + like.shape[axis] <= x.shape[axis], "lowering_operands")
        places[axis] = list(range(offset, offset + like.shape[axis]))
    return picked(x, places)


def pad_or_crop(c):
    from layout_definitions import pad
    a = c.attributes
    cut = crop(Case(c.name, c.operands, {name: [max(-n, 0) for n in a[name]] for name in ("before", "after")}, c.profile))
    grow = {name: [max(n, 0) for n in a[name]] for name in ("before", "after")}
    (y,), _ = pad(Case(c.name, cut_tensors(cut), a | grow, c.profile))
    return [tensor(y.shape, y.values)]


def cut_tensors(results):
    return [tensor(t.shape, t.values) for t in results]


def split(c):
    x, sizes, count = c.operands[0], list(c.attributes["sizes"]), c.attributes["count"]
    axis = axis_of(c.attributes["axis"], len(x.shape), "lowering_operands")
    n = x.shape[axis]
    require((count == 0) != (not sizes), "lowering_operands")
    if count:
        chunk = -(-n // count)
        sizes = [min(chunk, n - chunk * k) for k in range(count)]
    if not count and -1 in sizes:
        require(sizes.count(-1) == 1, "lowering_operands")
        sizes[sizes.index(-1)] = n - sum(sizes) - 1
    require(all(size > 0 for size in sizes) and sum(sizes) == n, "lowering_operands")
    results, start = [], 0
    for size in sizes:
        results += picked(x, [list(range(start, start + size)) if i == axis else list(range(m))
                              for i, m in enumerate(x.shape)])
        start += size
    return results


def stack(c):
    first = c.operands[0]
    axis = axis_of(c.attributes["axis"], len(first.shape) + 1, "lowering_operands")
    require(all(x.shape == first.shape for x in c.operands), "lowering_operands")
    shape = first.shape[:axis] + [len(c.operands)] + first.shape[axis:]
    return by_index(shape, lambda d: c.operands[d[axis]].at(d[:axis] + d[axis + 1:]))


def unstack(c):
    x = c.operands[0]
    axis = axis_of(c.attributes["axis"], len(x.shape), "lowering_operands")
    return [picked(x, [k if i == axis else list(range(m)) for i, m in enumerate(x.shape)])[0]
            for k in range(x.shape[axis])]


def digits(number, base, count):
    found = []
    for _ in range(count):
        number, digit = divmod(number, base)
        found.insert(0, digit)
    return found


def block_places(x, block):
    require(3 <= len(x.shape) <= 5, "lowering_operands")
    return block ** (len(x.shape) - 2)


def space_to_depth(c):
    x, b, mode = c.operands[0], c.attributes["block"], c.attributes["mode"]
    places, (n, channels, *space) = block_places(x, b), x.shape
    require(all(dim % b == 0 for dim in space), "lowering_operands")

    def element(d):
        place, channel = divmod(d[1], channels) if mode == "blocks_first" else divmod(d[1], places)[::-1]
        return x.at([d[0], channel, *(o * b + i for o, i in zip(d[2:], digits(place, b, len(space))))])

    return by_index([n, channels * places, *(dim // b for dim in space)], element)


def depth_to_space(c):
    x, b, mode = c.operands[0], c.attributes["block"], c.attributes["mode"]
    places, (n, channels, *space) = block_places(x, b), x.shape
    require(channels % places == 0, "lowering_operands")
    kept = channels // places

    def element(d):
        place = 0
        for i in d[2:]:
            place = place * b + i % b
        channel = place * kept + d[1] if mode == "blocks_first" else d[1] * places + place
        return x.at([d[0], channel, *(i // b for i in d[2:])])

    return by_index([n, kept, *(dim * b for dim in space)], element)


def reorg(c):
    x, b = c.operands[0], c.attributes["block"]
    block_places(x, b)
    whole = [*x.shape[:2], *(dim // b * b for dim in x.shape[2:])]
    require(all(whole), "lowering_operands")
    return space_to_depth(Case(c.name, picked(x, [list(range(n)) for n in whole]), c.attributes, c.profile))


def reorg_yolo(c):
    """Darknet's loop, over flat positions of both tensors."""
    x, s = c.operands[0], c.attributes["stride"]
    require(len(x.shape) == 4, "lowering_operands")
    n, channels, height, width = x.shape
    require(channels % (s * s) == 0 and height % s == 0 and width % s == 0, "lowering_operands")
    kept = channels // (s * s)
    y = [0] * numel(x.shape)
    for b, k, j, i in indices(x.shape):
        place = k // kept
        row, column = j * s + place // s, i * s + place % s
        source = column + width * s * (row + height * s * (k % kept + kept * b))
        y[i + width * (j + height * (k + channels * b))] = x.values[source]
    return [([n, channels * s * s, height // s, width // s], y)]


def shuffle_channels(c):
    x, group = c.operands[0], c.attributes["group"]
    axis = axis_of(c.attributes["axis"], len(x.shape), "lowering_operands")
    require(x.shape[axis] % group == 0, "lowering_operands")
    size = x.shape[axis] // group
    # Channel i of group g goes to group * i + g.
    order = [g * size + i for i in range(size) for g in range(group)]
    return picked(x, [order if j == axis else list(range(m)) for j, m in enumerate(x.shape)])


def sequence_repeat(c):
    x = c.operands[0]
    require(len(x.shape) >= 5, "lowering_operands")
    axis, times = len(x.shape) - 5, c.attributes["repetitions"]
    return picked(x, [list(range(n)) * (times if i == axis else 1) for i, n in enumerate(x.shape)])


def band(c):
    x = c.operands[0]
    require(len(x.shape) >= 2, "lowering_operands")

    def stays(row, column):
        return all(column - row >= lowest for lowest in c.attributes["lowest"]) and \
            all(column - row <= highest for highest in c.attributes["highest"])

    return by_index(x.shape, lambda d: x.at(d) if stays(*d[-2:]) else 0)


def lowering_cases():
    operators = []

    def cases(name, define):
        operators.append(Lowering("layout", name, define))
        return operators[-1]

    op = cases("squeeze_axes", squeeze_axes)
    op.case("listed", [ramp([1, 2, 1])], {"axes": [-1]})
    op.case("all of dim 1", [ramp([1, 2, 1])], {"axes": []})
    op.case("down to a scalar", [ramp([1, 1])], {"axes": []})
    op.refuse("lowering_operands", "dim 2", [ramp([1, 2])], {"axes": [1]})

    op = cases("unsqueeze", unsqueeze)
    op.case("ends and middle", [ramp([2, 3])], {"axes": [0, -1, 2]})
    op.case("any order", [ramp([2])], {"axes": [2, 0]})
    op.case("scalar", [tensor([], [4])], {"axes": [0, 1]})
    op.refuse("lowering_operands", "twice", [ramp([2])], {"axes": [0, -3, 1]})
    op.refuse("lowering_operands", "outside", [ramp([2])], {"axes": [2]})

    op = cases("flatten_2d", flatten_2d)
    for axis in range(-3, 4):
        op.case(f"axis {axis}", [ramp([2, 3, 2])], {"axis": axis})
    op.case("scalar", [tensor([], [4])], {"axis": 0})
    op.refuse("lowering_operands", "outside", [ramp([2])], {"axis": 2})

    op = cases("swap_axes", swap_axes)
    op.case("first and last", [ramp([2, 3, 4])], {"first": 0, "second": -1})
    op.case("one axis", [ramp([2, 3])], {"first": 1, "second": 1})
    op.refuse("lowering_operands", "outside", [ramp([2, 3])], {"first": 0, "second": 2})

    op = cases("expand", expand)
    op.case("both ways", [ramp([3, 1])], {"shape": [2, 1, 6]})
    op.case("lower rank", [ramp([2, 3])], {"shape": [1]})
    op.case("empty shape", [ramp([2])], {"shape": []})
    op.refuse("lowering_operands", "another dim", [ramp([2])], {"shape": [3]})

    op = cases("broadcast_axes", broadcast_axes)
    op.case("channels", [ramp([3])], {"shape": [2, 3, 2], "axes": [1]})
    op.case("two axes and a 1", [ramp([2, 1])], {"shape": [2, 3, 4], "axes": [0, -1]})
    op.case("scalar", [tensor([], [4])], {"shape": [2], "axes": []})
    op.refuse("lowering_operands", "descending", [ramp([2, 3])], {"shape": [3, 2], "axes": [1, 0]})
    op.refuse("lowering_operands", "too few", [ramp([2, 3])], {"shape": [2, 3], "axes": [0]})
    op.refuse("broadcast_to_c1", "another dim", [ramp([2])], {"shape": [3], "axes": [0]})

    op = cases("slice", slice_)

    def attributes(begin, end, axes=(), steps=()):
        return {"begin": list(begin), "end": list(end), "axes": list(axes), "steps": list(steps)}

    far = 2**63 - 1
    op.case("first axes", [ramp([4, 5])], attributes([1], [3]))
    op.case("listed axes", [ramp([4, 5])], attributes([1, 0], [far, -1], [-1, 0], [2, 3]))
    for step in (1, 2, 3, 7, far):
        op.case(f"to the front by -{step}", [ramp([7])], attributes([far], [-far - 1], [0], [-step]))
        op.case(f"to the back by {step}", [ramp([7])], attributes([-far], [far], [0], [step]))
    rng = random.Random("slice")
    for i in range(24):
        n, begin, end, step = 6, rng.randint(-9, 9), rng.randint(-9, 9), rng.choice([-3, -2, -1, 1, 2, 3])
        if list(range(n))[slice(begin, end, step)]:
            op.case(f"random {i}", [ramp([n])], attributes([begin], [end], [0], [step]))
        else:
            op.refuse("lowering_operands", f"empty {i}", [ramp([n])], attributes([begin], [end], [0], [step]))
    op.refuse("lowering_operands", "step 0", [ramp([4])], attributes([0], [4], [0], [0]))
    op.refuse("lowering_operands", "lengths", [ramp([4])], attributes([0], [4, 4]))
    op.refuse("lowering_operands", "axis twice", [ramp([4])], attributes([0, 0], [1, 1], [0, -1]))

    op = cases("masked_slice", masked_slice)

    def masked(begins, ends, strides=(), **masks):
        names = ("begin", "end", "new_axis", "shrink_axis", "ellipsis")
        return {"begin": begins, "end": ends, "strides": list(strides)} | {f"{m}_mask": masks.get(m, []) for m in names}

    cube = ramp([3, 4, 5])
    op.case("plain", [cube], masked([1, 0], [3, -1], [1, 2]))
    op.case("open ends", [cube], masked([9, 1, 2], [9, 0, 3], [-1, 1, -2], begin=[1, 0, 1], end=[1, 1, 1]))
    op.case("new axes", [cube], masked([0, 0, 1, 0], [0, 2, 3, 0], new_axis=[1, 0, 0, 1]))
    op.case("shrunk axes", [cube], masked([-1, 2], [0, 0], [-1, 5], shrink_axis=[1, 1]))
    op.case("ellipsis in front", [cube], masked([0, 1], [0, 3], ellipsis=[1]))
    op.case("ellipsis in the middle", [cube], masked([1, 0, 2], [2, 0, 0], ellipsis=[0, 1], shrink_axis=[0, 0, 1]))
    op.case("ellipsis for nothing", [cube], masked([1, 0, 0, 0], [2, 0, 2, 2], ellipsis=[0, 1]))
    op.case("everything", [cube], masked([0, 9, 0, 0, -2], [0, 9, 0, 0, 0], [1, 1, 1, 1, 1], new_axis=[1],
                                         shrink_axis=[0, 0, 0, 0, 1], ellipsis=[0, 1], begin=[0, 0, 1, 1], end=[0, 0, 1, 1]))
    op.case("down to a scalar", [ramp([2])], masked([1], [0], shrink_axis=[1]))
    op.refuse("lowering_operands", "two ellipses", [cube], masked([0, 0], [1, 1], ellipsis=[1, 1]))
    op.refuse("lowering_operands", "too many entries", [ramp([2])], masked([0, 0], [1, 1]))
    op.refuse("lowering_operands", "shrunk outside", [ramp([2])], masked([2], [3], shrink_axis=[1]))
    op.refuse("lowering_operands", "empty", [ramp([2])], masked([1], [1]))

    op = cases("reverse", reverse)
    op.case("two axes", [cube], {"axes": [0, -1]})
    op.case("none", [ramp([2])], {"axes": []})
    op.case("one element", [ramp([1, 2])], {"axes": [0]})
    op.refuse("lowering_operands", "twice", [ramp([2])], {"axes": [0, -1]})

    op = cases("crop", crop)
    op.case("both sides", [cube], {"before": [1, 0, 2], "after": [1, 1, 0]})
    op.refuse("lowering_operands", "nothing left", [ramp([3])], {"before": [2], "after": [1]})
    op.refuse("lowering_operands", "rank", [ramp([3])], {"before": [], "after": [1]})

    op = cases("crop_like", crop_like)
    op.case("space", [ramp([1, 2, 5, 6]), ramp([1, 1, 3, 2])], {"axes": [2, 3], "offsets": [1, 4]})
    op.case("all axes", [ramp([3, 3]), ramp([2, 1])], {"axes": [], "offsets": []})
    op.refuse("lowering_operands", "too short", [ramp([3]), ramp([2])], {"axes": [0], "offsets": [2]})
    op.refuse("lowering_operands", "ranks", [ramp([3]), ramp([2, 1])], {"axes": [0], "offsets": [0]})

    op = cases("pad_or_crop", pad_or_crop)
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
        op.case(mode, [ramp([4, 3], 1)], {"before": [-1, 2], "after": [1, -1], "value": 0, "mode": mode})
    op.refuse("lowering_operands", "nothing left", [ramp([2])],
              {"before": [-1], "after": [-1], "value": 0, "mode": "constant"})

    op = cases("split", split)
    op.case("equal", [ramp([2, 6])], {"axis": 1, "count": 3, "sizes": []})
    op.case("the last is smaller", [ramp([7])], {"axis": 0, "count": 3, "sizes": []})
    op.case("sizes", [ramp([6, 2])], {"axis": -2, "count": 0, "sizes": [1, 3, 2]})
    op.case("the rest", [ramp([6])], {"axis": 0, "count": 0, "sizes": [1, -1, 2]})
    op.refuse("lowering_operands", "both", [ramp([6])], {"axis": 0, "count": 2, "sizes": [3, 3]})
    op.refuse("lowering_operands", "neither", [ramp([6])], {"axis": 0, "count": 0, "sizes": []})
    op.refuse("lowering_operands", "two rests", [ramp([6])], {"axis": 0, "count": 0, "sizes": [-1, -1]})
    op.refuse("lowering_operands", "too little", [ramp([6])], {"axis": 0, "count": 0, "sizes": [3, 2]})
    op.refuse("lowering_operands", "too much", [ramp([6])], {"axis": 0, "count": 0, "sizes": [3, 4]})
    op.refuse("lowering_operands", "an empty part", [ramp([4])], {"axis": 0, "count": 3, "sizes": []})
    op.refuse("lowering_operands", "an empty rest", [ramp([4])], {"axis": 0, "count": 0, "sizes": [4, -1]})

    op = cases("stack", stack)
    op.case("in front", [ramp([2, 2]), ramp([2, 2], 9)], {"axis": 0})
    op.case("behind", [ramp([2, 2]), ramp([2, 2], 9), ramp([2, 2], -9)], {"axis": -1})
    op.case("scalars", [tensor([], [1]), tensor([], [2])], {"axis": 0})
    op.refuse("lowering_operands", "shapes", [ramp([2]), ramp([1])], {"axis": 0})
    op.refuse("lowering_operands", "axis", [ramp([2]), ramp([2])], {"axis": 2})

    op = cases("unstack", unstack)
    op.case("middle", [ramp([2, 3, 2])], {"axis": 1})
    op.case("scalars", [ramp([3])], {"axis": -1})
    op.refuse("lowering_operands", "axis", [ramp([3])], {"axis": 1})

    for name, define in (("space_to_depth", space_to_depth), ("depth_to_space", depth_to_space), ("reorg", reorg)):
        op = cases(name, define)
        for mode in ("blocks_first", "depth_first"):
            line, plane, volume = {"depth_to_space": ([1, 6, 2], [2, 12, 2, 3], [1, 16, 1, 2, 1]),
                                   "space_to_depth": ([1, 2, 6], [2, 3, 4, 6], [1, 2, 2, 4, 2]),
                                   "reorg": ([1, 2, 7], [2, 3, 5, 7], [1, 2, 3, 4, 2])}[name]
            op.case(f"{mode}, line", [ramp(line)], {"block": 3, "mode": mode})
            op.case(f"{mode}, plane", [ramp(plane)], {"block": 2, "mode": mode})
            op.case(f"{mode}, volume", [ramp(volume)], {"block": 2, "mode": mode})
            op.case(f"{mode}, block 1", [ramp(plane)], {"block": 1, "mode": mode})
        op.refuse("lowering_operands", "rank 2", [ramp([2, 2])], {"block": 1, "mode": mode})
        op.refuse("lowering_operands", "rank 6", [ramp([1] * 6)], {"block": 1, "mode": mode})
        op.refuse("lowering_operands", "block", [ramp([1, 6, 3, 3])], {"block": 2**31 - 1, "mode": mode})

    op = cases("reorg_yolo", reorg_yolo)
    op.case("stride 2", [ramp([2, 8, 2, 4])], {"stride": 2})
    op.case("stride 3", [ramp([1, 9, 3, 3])], {"stride": 3})
    op.refuse("lowering_operands", "channels", [ramp([1, 6, 2, 2])], {"stride": 2})
    op.refuse("lowering_operands", "rank", [ramp([4, 2, 2])], {"stride": 2})

    op = cases("shuffle_channels", shuffle_channels)
    op.case("image", [ramp([2, 6, 2, 1])], {"axis": 1, "group": 2})
    op.case("last axis", [ramp([2, 6])], {"axis": -1, "group": 3})
    op.refuse("lowering_operands", "group", [ramp([1, 6])], {"axis": 1, "group": 4})

    op = cases("sequence_repeat", sequence_repeat)
    op.case("rank 5", [ramp([2, 1, 3, 1, 1])], {"repetitions": 3})
    op.case("rank 6", [ramp([2, 2, 1, 1, 1, 2])], {"repetitions": 2})
    op.refuse("lowering_operands", "rank 4", [ramp([1] * 4)], {"repetitions": 2})

    op = cases("band", band)
    square = noise("band", [2, 4, 5], -9, 9)
    op.case("upper triangle", [square], {"lowest": [0], "highest": []})
    op.case("lower triangle", [square], {"lowest": [], "highest": [0]})
    for k in (-6, -2, 1, 6):
        op.case(f"upper from {k}", [square], {"lowest": [k], "highest": []})
        op.case(f"lower to {k}", [square], {"lowest": [], "highest": [k]})
    op.case("three diagonals", [square], {"lowest": [-1], "highest": [1]})
    op.case("everything", [square], {"lowest": [], "highest": []})
    op.case("nothing", [square], {"lowest": [1], "highest": [0]})
    op.case("far bounds", [square], {"lowest": [-(2**31 - 1)], "highest": [2**31 - 1]})
    op.refuse("lowering_operands", "vector", [ramp([3])], {"lowest": [0], "highest": []})
    return operators
