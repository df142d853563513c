// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case} from "../Case.sol";
import "../Operators.sol";
import {Judged, Region} from "../Referee.sol";
import {fit, refuse} from "../Refusal.sol";
import {clamp} from "../Rounding.sol";
import {axisOf, coordinatesOf, elementAt, strideOf} from "../Shapes.sol";
import {Lists} from "./Lists.sol";

// The family gather, and the rows of detection that keep a part of a list: elements at positions that other
// elements name.
contract Gathers is Lists {
    function number() internal pure override returns (uint256) {
        return 4;
    }

    function regionOf(Case memory, Judged memory j, uint256 k) internal pure override returns (Region memory region) {
        region = wholeOf(j.types[k].dims);
        uint256[] memory d = coordinatesOf(j.element, j.results[j.result].dims);
        if (j.code == OP_GATHER_TREE) only(region, 1, d[1]);
        if (j.code == OP_GET_VALID_COUNTS) only(region, 0, d[0]);
        if (j.code == OP_CTC_GREEDY_DECODER) only(region, 1, d[0]);
    }

    function compute(Case memory c, Judged memory j) internal view override returns (int256) {
        uint256 code = j.code;
        if (code == OP_GET_VALID_COUNTS || code == OP_CTC_GREEDY_DECODER) return runSteps(c, j);
        if (code == OP_TAKE || code == OP_GATHER) return gathered(c, j);
        if (code == OP_GATHER_ND) return gatheredByTuple(c, j);
        if (code == OP_GATHER_ELEMENTS) return gatheredElement(c, j);
        if (code == OP_GATHER_TREE) return ofTree(c, j);
        if (code == OP_COMPACT) return compacted(c, j);
        return scattered(c, j);
    }

    // The position that an index names on an axis: the nearest, counted from the back where it is negative.
    function clampedIndex(int256 index, uint256 n) private pure returns (uint256) {
        return uint256(clamp(index < 0 ? index + int256(n) : index, 0, int256(n) - 1));
    }

    function gathered(Case memory c, Judged memory j) private view returns (int256) {
        unchecked {
            uint256[] memory from = j.types[0].dims;
            uint256 n = j.types[0].elements;
            uint256 inner = 1;
            int256 axis = j.attributes[0];
            bool flat = false;
            if (j.code == OP_TAKE) {
                int256[] memory list = listOf(j, 0);
                flat = list.length == 0;
                if (!flat) axis = list[0];
            }
            if (!flat) {
                uint256 along = axisOf(axis, from.length);
                (n, inner) = (from[along], strideOf(from, along));
            }
            uint256 indices = j.types[1].elements;
            int256 index = x(c, j, 1, (j.element / inner) % indices);
            uint256 pos = j.code == OP_TAKE ? uint256(clamp(index, 0, int256(n) - 1)) : clampedIndex(index, n);
            return x(c, j, 0, ((j.element / inner / indices) * n + pos) * inner + (j.element % inner));
        }
    }

    function gatheredByTuple(Case memory c, Judged memory j) private view returns (int256) {
        unchecked {
            uint256[] memory from = j.types[0].dims;
            uint256 batch = uint256(j.attributes[0]);
            uint256 depth = j.types[1].dims[j.types[1].dims.length - 1];
            uint256 inner = batch + depth == 0 ? j.types[0].elements : strideOf(from, batch + depth - 1);
            uint256 batches = 1;
            for (uint256 axis = 0; axis < batch; ++axis) batches *= from[axis];
            uint256 row = j.element / inner;
            uint256 start = (row / (j.types[1].elements / depth / batches)) * (j.types[0].elements / batches);
            for (uint256 k = 0; k < depth; ++k) {
                start += clampedIndex(x(c, j, 1, row * depth + k), from[batch + k]) * strideOf(from, batch + k);
            }
            return x(c, j, 0, start + (j.element % inner));
        }
    }

    function gatheredElement(Case memory c, Judged memory j) private view returns (int256) {
        uint256[] memory from = j.types[0].dims;
        uint256[] memory d = coordinatesOf(j.element, j.results[0].dims);
        uint256 axis = axisOf(j.attributes[0], from.length);
        d[axis] = clampedIndex(x(c, j, 1, elementAt(d, j.types[1].dims)), from[axis]);
        return x(c, j, 0, elementAt(d, from));
    }

    function ofTree(Case memory c, Judged memory j) private view returns (int256) {
        unchecked {
            uint256[] memory dims = j.types[0].dims;
            uint256[] memory d = coordinatesOf(j.element, dims);
            int256 end = x(c, j, 3, 0);
            uint256 length = uint256(clamp(x(c, j, 2, d[1]), 0, int256(dims[0])));
            uint256 beam = d[2];
            int256[] memory sequence = new int256[](dims[0]);
            for (uint256 t = dims[0]; t > 0; ) {
                --t;
                if (t >= length) {
                    sequence[t] = end;
                    continue;
                }
                uint256 pos = (t * dims[1] + d[1]) * dims[2] + beam;
                sequence[t] = x(c, j, 0, pos);
                beam = uint256(clamp(x(c, j, 1, pos), 0, int256(dims[2]) - 1));
            }
            for (uint256 t = 0; t < d[0]; ++t) if (sequence[t] == end) return end;
            return sequence[d[0]];
        }
    }

    function compacted(Case memory c, Judged memory j) private view returns (int256) {
        unchecked {
            int256[] memory mask = readRegion(c, j, 1);
            uint256[] memory d = coordinatesOf(j.element, j.results[j.result].dims);
            uint256 axis = j.result == 1 ? 0 : axisOf(j.attributes[0], j.types[0].dims.length);
            uint256 kept = 0;
            for (uint256 k = 0; k < mask.length; ++k) {
                if (mask[k] == 0) continue;
                if (j.result == 0 && kept == d[axis]) {
                    d[axis] = k;
                    return x(c, j, 0, elementAt(d, j.types[0].dims));
                }
                ++kept;
            }
            return j.result == 1 ? int256(kept) : j.attributes[2];
        }
    }

    // Scatters.

    function updated(uint256 kind, int256 v, int256 update) private pure returns (int256) {
        unchecked {
            if (kind == 0) return update;
            if (kind == 1) return fit(v + update);
            if (kind == 2) return fit(v - update);
            if (kind == 3) return fit(v * update);
            if (kind == 4) return v < update ? update : v;
            return update < v ? update : v;
        }
    }

    function kindOf(Judged memory j) private pure returns (uint256) {
        return uint256(j.attributes[j.code == OP_SCATTER_ND ? 0 : 1]);
    }

    // The position on an axis; false where it is outside.
    function indexInside(int256 index, uint256 n) private pure returns (bool, uint256) {
        if (index < 0) index += int256(n);
        return (index >= 0 && index < int256(n), uint256(index));
    }

    // Whether update u changes the element that is judged.
    function meets(Case memory c, Judged memory j, uint256 u) private view returns (bool) {
        unchecked {
            uint256[] memory from = j.types[0].dims;
            uint256 pos;
            bool inside_;
            if (j.code == OP_SCATTER_ND) {
                uint256[] memory dims = j.types[1].dims;
                uint256 depth = dims[dims.length - 1];
                uint256 inner = depth == 0 ? j.types[0].elements : strideOf(from, depth - 1);
                uint256 start = u % inner;
                bool all = true;
                for (uint256 k = 0; k < depth; ++k) {
                    (inside_, pos) = indexInside(x(c, j, 1, (u / inner) * depth + k), from[k]);
                    if (!inside_) all = false;
                    else start += pos * strideOf(from, k);
                }
                return all && start == j.element;
            }
            uint256 axis = axisOf(j.attributes[0], from.length);
            if (j.code == OP_SCATTER) {
                uint256 inner = strideOf(from, axis);
                uint256 indices = j.types[1].elements;
                (inside_, pos) = indexInside(x(c, j, 1, (u / inner) % indices), from[axis]);
                return inside_ && ((u / (inner * indices)) * from[axis] + pos) * inner + (u % inner) == j.element;
            }
            (inside_, pos) = indexInside(x(c, j, 1, u), from[axis]);
            if (!inside_) return false;
            uint256[] memory d = coordinatesOf(u, j.types[1].dims);
            d[axis] = pos;
            return elementAt(d, from) == j.element;
        }
    }

    function scattered(Case memory c, Judged memory j) private view returns (int256 y) {
        unchecked {
            y = x(c, j, 0, j.element);
            uint256 kind = kindOf(j);
            for (uint256 u = 0; u < j.types[2].elements; ++u) {
                if (meets(c, j, u)) y = updated(kind, y, x(c, j, 2, u));
            }
        }
    }

    // Steps.

    function bySteps(Case memory c, Judged memory j, Build memory b) internal view override returns (bool) {
        unchecked {
            if (j.code == OP_GATHER_TREE) {
                treeBySteps(c, j, b);
                return true;
            }
            if (j.code == OP_COMPACT) {
                compactBySteps(c, j, b);
                return true;
            }
            if (j.code == OP_GET_VALID_COUNTS) {
                validCounts(c, j, b);
                return true;
            }
            if (j.code == OP_CTC_GREEDY_DECODER) {
                decoded(c, j, b);
                return true;
            }
            if (j.code < OP_SCATTER || j.code > OP_SCATTER_ELEMENTS) return false;
            uint256 updates = j.types[2].elements;
            (uint256 after_, bool mine) = add(c, j, b, updates, I64);
            if (mine) {
                uint256 u = j.integer;
                int256 before = u == 0 ? x(c, j, 0, j.element) : columnBefore(c, j, after_, u - 1);
                b.integer = meets(c, j, u) ? updated(kindOf(j), before, x(c, j, 2, u)) : before;
            }
            (, mine) = one(c, j, b);
            while (mine) {
                b.integer = columnBefore(c, j, after_, updates - 1);
                mine = more(j, b);
            }
            return true;
        }
    }

    function treeBySteps(Case memory c, Judged memory j, Build memory b) private view {
        unchecked {
            uint256[] memory dims = j.types[0].dims;
            uint256[] memory d = coordinatesOf(j.element, dims);
            uint256 time = dims[0];
            (uint256 beams, bool mine) = add(c, j, b, time, I64);
            if (mine) {
                uint256 step = time - 1 - j.integer;
                uint256 length = uint256(clamp(x(c, j, 2, d[1]), 0, int256(time)));
                if (step + 1 >= length) {
                    b.integer = int256(d[2]);
                } else {
                    uint256 beam = positionIn(c, j, beams, j.integer - 1, dims[2]);
                    int256 parent = x(c, j, 1, ((step + 1) * dims[1] + d[1]) * dims[2] + beam);
                    b.integer = clamp(parent, 0, int256(dims[2]) - 1);
                }
            }
            uint256 sequence;
            (sequence, mine) = add(c, j, b, time, I64);
            if (mine) {
                uint256 length = uint256(clamp(x(c, j, 2, d[1]), 0, int256(time)));
                b.integer = j.integer < length
                    ? x(c, j, 0, (j.integer * dims[1] + d[1]) * dims[2] + positionIn(c, j, beams, time - 1 - j.integer, dims[2]))
                    : x(c, j, 3, 0);
            }
            uint256[] memory captured = new uint256[](2);
            (captured[0], captured[1]) = (sequence, d[0]);
            uint256 ended = fold(c, j, b, d[0], MIN, int256(d[0]), Term(endedTerm, captured));
            (, mine) = one(c, j, b);
            while (mine) {
                b.integer = columnBefore(c, j, ended, 0) < int256(d[0]) ? x(c, j, 3, 0) : columnBefore(c, j, sequence, d[0]);
                mine = more(j, b);
            }
        }
    }

    function endedTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private view returns (int256) {
        return columnBefore(c, j, captured[0], i) == x(c, j, 3, 0) ? int256(i) : int256(captured[1]);
    }

    function compactBySteps(Case memory c, Judged memory j, Build memory b) private view {
        unchecked {
            uint256 n = j.types[1].elements;
            uint256[] memory captured = new uint256[](2);
            captured[0] = NONE;
            uint256 count = fold(c, j, b, n, SUM, 0, Term(keptTerm, captured));
            if (j.result == 1) return;
            uint256[] memory d = coordinatesOf(j.element, j.results[0].dims);
            uint256 axis = axisOf(j.attributes[0], d.length);
            uint256 position = bisect(c, j, b, Search(n, 0, int256(n) - 1, rankOf(d[axis]), keptTerm, new uint256[](1)));
            (, bool mine) = one(c, j, b);
            if (!mine) return;
            if (columnBefore(c, j, count, 0) <= int256(d[axis])) {
                b.integer = j.attributes[2];
                return;
            }
            d[axis] = positionIn(c, j, position, 0, n);
            b.integer = x(c, j, 0, elementAt(d, j.types[0].dims));
        }
    }

    // Whether the mask keeps k, before the position in column captured[0] where it is one.
    function keptTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 k) private view returns (int256) {
        if (captured[0] != NONE && int256(k) >= columnBefore(c, j, captured[0], 0)) return 0;
        return x(c, j, 1, k) != 0 ? int256(1) : int256(0);
    }
}
