// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case} from "../Case.sol";
import "../Operators.sol";
import {Judged, Region} from "../Referee.sol";
import {fit, refuse} from "../Refusal.sol";
import {axisOf, coordinatesOf, elementAt, strideOf} from "../Shapes.sol";
import {Selections} from "../Selections.sol";

// The families sort and sampling.
contract Ranks is Selections {
    function number() internal pure override returns (uint256) {
        return 5;
    }

    function regionOf(Case memory, Judged memory j, uint256 k) internal pure override returns (Region memory region) {
        unchecked {
            uint256[] memory dims = j.types[k].dims;
            region = wholeOf(dims);
            if (k != 0 || j.code == OP_UNIQUE) return region;
            uint256[] memory d = coordinatesOf(j.element, j.results[j.result].dims);
            uint256 along = dims.length - 1;
            if (j.code == OP_RANDOM_CATEGORICAL) {
                d = coordinatesOf((j.element / uint256(j.attributes[0])) * dims[along], dims);
            } else {
                along = axisOf(j.attributes[j.code == OP_TOP_K ? 1 : 0], dims.length);
            }
            for (uint256 axis = 0; axis < dims.length; ++axis) if (axis != along) only(region, axis, d[axis]);
        }
    }

    function compute(Case memory c, Judged memory j) internal view override returns (int256) {
        unchecked {
            if (j.code == OP_UNIQUE) return runSteps(c, j);
            if (j.code == OP_RANDOM_UNIFORM) {
                uint256 count = uint256(j.attributes[4] - j.attributes[3] + 1);
                int256 iteration = j.operands.length > 0 ? x(c, j, 0, 0) : int256(0);
                return fit(j.attributes[3] + int256((drawBits(j, iteration) * count) >> 64));
            }
            int256[] memory line = readRegion(c, j, 0);
            if (j.code == OP_RANDOM_CATEGORICAL) return chosen(c, j, line);
            return ranked(j, line);
        }
    }

    // Orders.

    function isDescending(Judged memory j) private pure returns (bool) {
        return j.attributes[j.code == OP_TOP_K ? 2 : 1] != 0;
    }

    function rankIn(Judged memory j) private pure returns (uint256) {
        uint256[] memory dims = j.results[j.result].dims;
        return coordinatesOf(j.element, dims)[axisOf(j.attributes[j.code == OP_TOP_K ? 1 : 0], dims.length)];
    }

    // The element of the line that is asked for, or its position.
    function ranked(Judged memory j, int256[] memory line) private pure returns (int256) {
        unchecked {
            // Keys, and below them positions: no two are the same.
            uint256[] memory keys = new uint256[](line.length);
            bool descending = isDescending(j);
            for (uint256 i = 0; i < keys.length; ++i) {
                keys[i] = (uint256((descending ? ~line[i] : line[i]) + (1 << 63)) << 64) | i;
            }
            uint256 rank = rankIn(j);
            uint256 position;
            if (j.code == OP_TOP_K && j.attributes[3] == 1) {
                uint256 last = quickSelect(keys, uint256(j.attributes[0]) - 1);
                // By position: the entry with `rank` entries up to the last before it.
                for (uint256 i = 0; i < line.length; ++i) {
                    uint256 key = (uint256((descending ? ~line[i] : line[i]) + (1 << 63)) << 64) | i;
                    if (key > last) continue;
                    position = i;
                    if (rank == 0) break;
                    --rank;
                }
            } else {
                position = uint64(quickSelect(keys, rank));
            }
            bool asksPosition = j.code == OP_ARG_SORT || (j.code == OP_TOP_K && j.result == 1);
            return asksPosition ? int256(position) : line[position];
        }
    }

    // The key that `rank` keys are below (Hoare's FIND). Pivots are drawn from the keys, so that no line is
    // known to be slow beforehand.
    function quickSelect(uint256[] memory keys, uint256 rank) private pure returns (uint256) {
        unchecked {
            uint256 first = 0;
            uint256 end = keys.length;
            uint256 seed = uint256(keccak256(abi.encodePacked(keys)));
            while (end - first > 1) {
                uint256 pivot = keys[first + (seed % (end - first))];
                seed = uint256(keccak256(abi.encode(seed)));
                uint256 below = first;
                uint256 above = end - 1;
                while (true) {
                    while (keys[below] < pivot) ++below;
                    while (keys[above] > pivot) --above;
                    if (below >= above) break;
                    (keys[below], keys[above]) = (keys[above], keys[below]);
                }
                // The pivot is where both have met.
                if (below == rank) return keys[below];
                if (below < rank) first = below + 1;
                else end = below;
            }
            return keys[first];
        }
    }

    // Draws.

    // The 64 bits of an element: Philox 4x32-10 (ops/sampling/spec.md).
    function drawBits(Judged memory j, int256 iteration) private pure returns (uint256) {
        unchecked {
            uint256 k0 = uint32(uint256(j.attributes[1]));
            uint256 k1 = uint32(uint256(j.attributes[2]));
            uint256 c0 = uint32(j.element);
            uint256 c1 = uint32(j.element >> 32);
            uint256 c2 = uint32(uint256(iteration));
            uint256 c3 = 0;
            for (uint256 round = 0; round < 10; ++round) {
                uint256 a = 0xD2511F53 * c0;
                uint256 b = 0xCD9E8D57 * c2;
                (c0, c1, c2, c3) = ((b >> 32) ^ c1 ^ k0, uint32(b), (a >> 32) ^ c3 ^ k1, uint32(a));
                k0 = uint32(k0 + 0x9E3779B9);
                k1 = uint32(k1 + 0xBB67AE85);
            }
            return c0 | (c1 << 32);
        }
    }

    function drawnBelow(Case memory c, Judged memory j, int256 sum) private view returns (int256) {
        int256 iteration = j.operands.length > 1 ? x(c, j, 1, 0) : int256(0);
        return int256(int64(uint64((drawBits(j, iteration) * uint64(uint256(sum))) >> 64)));
    }

    function chosen(Case memory c, Judged memory j, int256[] memory weights) private view returns (int256) {
        unchecked {
            int256 sum = 0;
            for (uint256 k = 0; k < weights.length; ++k) sum += weights[k];
            int256 drawn = drawnBelow(c, j, sum);
            if (sum <= 0) return 0;
            uint256 choice = 0;
            for (int256 before = weights[0]; before <= drawn; before += weights[choice]) ++choice;
            return int256(choice);
        }
    }

    // Steps.

    function bySteps(Case memory c, Judged memory j, Build memory b) internal view override returns (bool) {
        if (j.code == OP_UNIQUE) {
            uniqueBySteps(c, j, b);
            return true;
        }
        if (j.code == OP_RANDOM_UNIFORM) return false;
        (uint256 xs, uint256 n) = part(c, j, b, 0, regionOf(c, j, 0));
        if (j.code == OP_RANDOM_CATEGORICAL) {
            categoricalBySteps(c, j, b, xs, n);
            return true;
        }
        Keys memory keys = keysOf(xs, n, isDescending(j), j.types[0].lo, j.types[0].hi, NONE);
        uint256 rank = rankIn(j);
        bool mine;
        if (j.code == OP_SORT) {
            uint256 key = selectKey(c, j, b, keys, rankOf(rank));
            (, mine) = one(c, j, b);
            while (mine) {
                b.integer = columnBefore(c, j, key, 0);
                if (keys.descending) b.integer = ~b.integer;
                mine = more(j, b);
            }
            return true;
        }
        uint256 position;
        if (j.code == OP_ARG_SORT || j.attributes[3] == 0) {
            position = select(c, j, b, keys, rankOf(rank)).position;
        } else {
            uint256[] memory captured = new uint256[](8);
            Selected memory last = select(c, j, b, keys, rankOf(uint256(j.attributes[0]) - 1));
            (captured[1], captured[2], captured[3]) = (xs, n, keys.descending ? 1 : 0);
            (captured[4], captured[5]) = (last.key, last.position);
            (captured[6], captured[7]) = (uint256(j.types[0].lo), uint256(j.types[0].hi));
            position = bisect(c, j, b, Search(n, 0, int256(n) - 1, rankOf(rank), reachedTerm, captured));
        }
        if (j.code == OP_ARG_SORT || j.result == 1) return true;
        (, mine) = one(c, j, b);
        while (mine) {
            b.integer = columnBefore(c, j, xs, positionIn(c, j, position, 0, n));
            mine = more(j, b);
        }
        return true;
    }

    function reachedTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        if (int256(i) >= columnBefore(c, j, captured[0], 0)) return 0;
        Keys memory keys =
            keysOf(captured[1], captured[2], captured[3] != 0, int256(captured[6]), int256(captured[7]), NONE);
        return reaches(c, j, keys, Selected(captured[4], captured[5]), i) ? int256(1) : int256(0);
    }

    function categoricalBySteps(Case memory c, Judged memory j, Build memory b, uint256 weights, uint256 n) private view {
        uint256 sum = fold(c, j, b, n, SUM, 0, ofColumn(weights, 0));
        (uint256 drawn, bool mine) = one(c, j, b);
        while (mine) {
            b.integer = drawnBelow(c, j, columnBefore(c, j, sum, 0));
            mine = more(j, b);
        }
        uint256[] memory captured = new uint256[](2);
        captured[1] = weights;
        uint256 choice = bisect(c, j, b, Search(n, 0, int256(n) - 1, Rank(0, drawn, NONE, NONE), weightTerm, captured));
        (, mine) = one(c, j, b);
        while (mine) {
            b.integer = columnBefore(c, j, sum, 0) > 0 ? columnBefore(c, j, choice, 0) : int256(0);
            mine = more(j, b);
        }
    }

    function weightTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 k) private pure returns (int256) {
        return int256(k) < columnBefore(c, j, captured[0], 0) ? columnBefore(c, j, captured[1], k) : int256(0);
    }

    // Unique.

    struct Slices {
        uint256 elements; // column
        uint256 n;
        uint256 size;
        uint256 order; // columns
        uint256 begins;
        uint256 upto;
    }

    function compareSlices(Case memory c, Judged memory j, Slices memory s, uint256 p, uint256 q) private pure returns (int256) {
        unchecked {
            for (uint256 e = 0; e < s.size; ++e) {
                int256 a = columnBefore(c, j, s.elements, p * s.size + e);
                int256 b = columnBefore(c, j, s.elements, q * s.size + e);
                if (a != b) return a < b ? int256(-1) : int256(1);
            }
            return 0;
        }
    }

    function isBefore(Case memory c, Judged memory j, Slices memory s, uint256 p, uint256 q) private pure returns (bool) {
        if (p >= s.n || q >= s.n) return p < q;
        int256 order = compareSlices(c, j, s, p, q);
        return order < 0 || (order == 0 && p < q);
    }

    function slicesOf(Case memory c, Judged memory j, Build memory b) private view returns (Slices memory s) {
        unchecked {
            uint256 all = j.types[0].elements;
            int256[] memory list = listOf(j, 0);
            uint256 inner = 1;
            s.n = all;
            if (list.length != 0) {
                uint256 axis = axisOf(list[0], j.types[0].dims.length);
                (s.n, inner) = (j.types[0].dims[axis], strideOf(j.types[0].dims, axis));
            }
            s.size = all / s.n;
            bool mine;
            (s.elements, mine) = add(c, j, b, all, j.types[0].storage_);
            while (mine) {
                uint256 e = j.integer % s.size;
                b.integer = x(c, j, 0, ((e / inner) * s.n + j.integer / s.size) * inner + (e % inner));
                mine = more(j, b);
            }
        }
    }

    // Batcher's odd-even merge sort: column after column, pairs that are `apart` from each other are put in
    // order.
    function orderSlices(Case memory c, Judged memory j, Build memory b, Slices memory s) private view {
        unchecked {
            uint256 length = 1;
            while (length < s.n) length *= 2;
            bool mine;
            (s.order, mine) = add(c, j, b, length, I64);
            while (mine) {
                b.integer = int256(j.integer);
                mine = more(j, b);
            }
            for (uint256 merged = 1; merged < length; merged *= 2) {
                for (uint256 apart = merged; apart >= 1; apart /= 2) {
                    uint256 last = s.order;
                    (s.order, mine) = add(c, j, b, length, I64);
                    while (mine) {
                        b.integer = exchanged(c, j, s, last, length, merged, apart);
                        mine = more(j, b);
                    }
                }
            }
        }
    }

    function exchanged(Case memory c, Judged memory j, Slices memory s, uint256 last, uint256 length, uint256 merged, uint256 apart)
        private
        pure
        returns (int256)
    {
        unchecked {
            uint256 i = j.integer;
            uint256 first = apart % merged;
            if (i < first) return columnBefore(c, j, last, i);
            bool isLower = (i - first) % (2 * apart) < apart;
            uint256 lower = isLower ? i : i - apart;
            uint256 upper = lower + apart;
            if (upper >= length || lower / (2 * merged) != upper / (2 * merged)) return columnBefore(c, j, last, i);
            uint256 p = positionIn(c, j, last, lower, length);
            uint256 q = positionIn(c, j, last, upper, length);
            return int256(isBefore(c, j, s, q, p) == isLower ? q : p);
        }
    }

    // Sums of the first i + 1 of a column of zeros and ones.
    function sumsUpTo(Case memory c, Judged memory j, Build memory b, uint256 marks, uint256 length)
        private
        view
        returns (uint256 column)
    {
        unchecked {
            uint256 chunks = (length + TERMS_AT_ONCE - 1) / TERMS_AT_ONCE;
            (uint256 sums, bool mine) = add(c, j, b, chunks, I64);
            while (mine) {
                uint256 end = (j.integer + 1) * TERMS_AT_ONCE;
                b.integer = sumOf(c, j, marks, j.integer * TERMS_AT_ONCE, end < length ? end : length);
                mine = more(j, b);
            }
            uint256 before = chunks == 1 ? sums : sumsUpTo(c, j, b, sums, chunks);
            (column, mine) = add(c, j, b, length, I64);
            while (mine) {
                uint256 k = j.integer / TERMS_AT_ONCE;
                int256 sum = k == 0 ? int256(0) : columnBefore(c, j, before, k - 1);
                b.integer = fit(sum + sumOf(c, j, marks, k * TERMS_AT_ONCE, j.integer + 1));
                mine = more(j, b);
            }
        }
    }

    function sumOf(Case memory c, Judged memory j, uint256 column, uint256 i, uint256 end) private pure returns (int256 sum) {
        unchecked {
            for (; i < end; ++i) sum = fit(sum + columnBefore(c, j, column, i));
        }
    }

    // The group of position i in the order.
    function groupAt(Case memory c, Judged memory j, uint256 upto, uint256 i) private pure returns (int256) {
        return fit(columnBefore(c, j, upto, i) - 1);
    }

    function uniqueBySteps(Case memory c, Judged memory j, Build memory b) private view {
        unchecked {
            Slices memory s = slicesOf(c, j, b);
            orderSlices(c, j, b, s);
            bool mine;
            (s.begins, mine) = add(c, j, b, s.n, I64);
            while (mine) {
                uint256 i = j.integer;
                bool begins = i == 0
                    || compareSlices(c, j, s, positionIn(c, j, s.order, i - 1, s.n), positionIn(c, j, s.order, i, s.n)) != 0;
                b.integer = begins ? int256(1) : int256(0);
                mine = more(j, b);
            }
            s.upto = sumsUpTo(c, j, b, s.begins, s.n);
            if (j.result == 4) {
                (, mine) = one(c, j, b);
                while (mine) {
                    b.integer = columnBefore(c, j, s.upto, s.n - 1);
                    mine = more(j, b);
                }
            } else if (j.result == 2) {
                entryOfSlice(c, j, b, s);
            } else {
                entryOfUnique(c, j, b, s);
            }
        }
    }

    // Terms: [the other column, the column of positions or groups, n]
    function foundTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        int256 wanted = captured[3] == NONE ? columnBefore(c, j, captured[0], 0) : int256(captured[3]);
        int256 own = captured[4] == 1 ? groupAt(c, j, captured[1], i) : columnBefore(c, j, captured[1], i);
        return own == wanted ? int256(i) : int256(captured[2]);
    }

    // The first i at which `column`, or the group there, is what column `wanted` has, or the number `own`.
    function firstAt(Case memory c, Judged memory j, Build memory b, uint256 n, uint256 column, bool groups, uint256 wanted, uint256 own)
        private
        view
        returns (uint256)
    {
        uint256[] memory captured = new uint256[](5);
        (captured[0], captured[1], captured[2], captured[3]) = (wanted, column, n, own);
        if (groups) captured[4] = 1;
        return fold(c, j, b, n, MIN, int256(n), Term(foundTerm, captured));
    }

    // [a number, begins, order]: groups that begin at a slice below that number.
    function beginsBelowTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        if (columnBefore(c, j, captured[1], i) != 1) return 0;
        return columnBefore(c, j, captured[2], i) < columnBefore(c, j, captured[0], 0) ? int256(1) : int256(0);
    }

    function beginsBelow(Slices memory s, uint256 number_) private pure returns (uint256[] memory captured) {
        captured = new uint256[](3);
        (captured[0], captured[1], captured[2]) = (number_, s.begins, s.order);
    }

    function entryOfSlice(Case memory c, Judged memory j, Build memory b, Slices memory s) private view {
        uint256 place = firstAt(c, j, b, s.n, s.order, false, NONE, j.element);
        (uint256 group, bool mine) = one(c, j, b);
        while (mine) {
            b.integer = groupAt(c, j, s.upto, positionIn(c, j, place, 0, s.n));
            mine = more(j, b);
        }
        if (j.attributes[1] != 0) return;
        uint256 pos = firstAt(c, j, b, s.n, s.upto, true, group, NONE);
        uint256 first;
        (first, mine) = one(c, j, b);
        while (mine) {
            b.integer = columnBefore(c, j, s.order, positionIn(c, j, pos, 0, s.n));
            mine = more(j, b);
        }
        fold(c, j, b, s.n, SUM, 0, Term(beginsBelowTerm, beginsBelow(s, first)));
    }

    // [at, upto, n]: entries in the group of the position.
    function sameGroupTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        uint256 place = positionIn(c, j, captured[0], 0, captured[2] + 1);
        if (place == captured[2]) return 0;
        return groupAt(c, j, captured[1], i) == groupAt(c, j, captured[1], place) ? int256(1) : int256(0);
    }

    // The entry, and the element in its slice, of the other results.
    function placeIn(Judged memory j) private pure returns (uint256 rank, uint256 within) {
        unchecked {
            int256[] memory list = listOf(j, 0);
            if (j.result != 0 || list.length == 0) return (j.element, 0);
            uint256 axis = axisOf(list[0], j.types[0].dims.length);
            uint256 inner = strideOf(j.types[0].dims, axis);
            rank = coordinatesOf(j.element, j.results[0].dims)[axis];
            within = (j.element / (inner * uint256(j.attributes[2]))) * inner + (j.element % inner);
        }
    }

    function entryOfUnique(Case memory c, Judged memory j, Build memory b, Slices memory s) private view {
        (uint256 rank, uint256 within) = placeIn(j);
        bool mine;
        uint256 pos;
        if (j.attributes[1] != 0) {
            uint256 number_;
            (number_, mine) = one(c, j, b);
            while (mine) {
                b.integer = int256(rank);
                mine = more(j, b);
            }
            pos = firstAt(c, j, b, s.n, s.upto, true, number_, NONE);
        } else {
            uint256 first = bisect(c, j, b, Search(s.n, 0, int256(s.n) - 1, rankOf(rank), beginsBelowTerm, beginsBelow(s, 0)));
            pos = firstAt(c, j, b, s.n, s.order, false, first, NONE);
        }
        uint256[] memory captured = new uint256[](3);
        (captured[0], captured[1], captured[2]) = (pos, s.upto, s.n);
        uint256 count = fold(c, j, b, s.n, SUM, 0, Term(sameGroupTerm, captured));
        (, mine) = one(c, j, b);
        while (mine) {
            bool exists = int256(rank) < columnBefore(c, j, s.upto, s.n - 1);
            if (j.result == 3) {
                b.integer = exists ? columnBefore(c, j, count, 0) : int256(0);
            } else if (!exists) {
                b.integer = j.result == 0 ? j.attributes[3] : int256(-1);
            } else {
                uint256 slice = positionIn(c, j, s.order, positionIn(c, j, pos, 0, s.n), s.n);
                b.integer = j.result == 0 ? columnBefore(c, j, s.elements, slice * s.size + within) : int256(slice);
            }
            mine = more(j, b);
        }
    }
}
