// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case} from "../Case.sol";
import {Judged} from "../Referee.sol";
import {coordinatesOf} from "../Shapes.sol";
import {Searches} from "../Searches.sol";

// get_valid_counts and ctc_greedy_decoder: what is kept of a list, one after the other.
abstract contract Lists is Searches {
    // Valid counts.

    function validCounts(Case memory c, Judged memory j, Build memory b) internal view {
        unchecked {
            uint256[] memory dims = j.types[0].dims;
            uint256[] memory d = coordinatesOf(j.element, j.results[j.result].dims);
            uint256 first = d[0] * dims[1] * dims[2];
            (uint256 valid, bool mine) = add(c, j, b, dims[1], I64);
            while (mine) {
                b.integer = x(c, j, 0, first + j.integer * dims[2] + 1) > j.attributes[0] ? int256(1) : int256(0);
                mine = more(j, b);
            }
            uint256[] memory captured = new uint256[](2);
            (captured[0], captured[1]) = (NONE, valid);
            uint256 count = fold(c, j, b, dims[1], SUM, 0, Term(setTerm, captured));
            if (j.result == 0) return;
            captured = new uint256[](2);
            captured[1] = valid;
            uint256 row = bisect(c, j, b, Search(dims[1], 0, int256(dims[1]) - 1, rankOf(d[1]), setTerm, captured));
            (, mine) = one(c, j, b);
            while (mine) {
                b.integer = columnBefore(c, j, count, 0) <= int256(d[1])
                    ? int256(-1)
                    : x(c, j, 0, first + positionIn(c, j, row, 0, dims[1]) * dims[2] + d[2]);
                mine = more(j, b);
            }
        }
    }

    // The greedy decoder.

    function decoded(Case memory c, Judged memory j, Build memory b) internal view {
        unchecked {
            uint256[] memory dims = j.types[0].dims;
            uint256[] memory d = coordinatesOf(j.element, j.results[j.result].dims);
            (uint256 best, bool mine) = add(c, j, b, dims[0], I64);
            bool ended = false;
            while (mine) {
                // The definition reads nothing after the end; a step knows nothing of ends.
                if (b.mode == RUN && !ended && j.operands.length == 2 && x(c, j, 1, j.integer * dims[1] + d[0]) == 0) ended = true;
                b.integer = ended ? int256(0) : bestClass(c, j, (j.integer * dims[1] + d[0]) * dims[2], dims[2]);
                mine = more(j, b);
            }
            uint256 open;
            (open, mine) = add(c, j, b, dims[0], I64);
            while (mine) {
                b.integer = j.operands.length == 2 ? maskAt(c, j, b, j.integer * dims[1] + d[0], open) : int256(1);
                mine = more(j, b);
            }
            uint256[] memory captured = new uint256[](4);
            (captured[0], captured[1]) = (open, dims[0]);
            uint256 end = fold(c, j, b, dims[0], MIN, int256(dims[0]), Term(closedTerm, captured));
            captured = new uint256[](4);
            (captured[0], captured[1], captured[2]) = (NONE, best, end);
            uint256 count = fold(c, j, b, dims[0], SUM, 0, Term(symbolTerm, captured));
            if (j.result == 1) return;
            uint256[] memory search = new uint256[](4);
            (search[1], search[2]) = (best, end);
            uint256 step = bisect(c, j, b, Search(dims[0], 0, int256(dims[0]) - 1, rankOf(d[1]), symbolTerm, search));
            (, mine) = one(c, j, b);
            while (mine) {
                b.integer = int256(d[1]) < columnBefore(c, j, count, 0)
                    ? columnBefore(c, j, best, positionIn(c, j, step, 0, dims[0]))
                    : int256(-1);
                mine = more(j, b);
            }
        }
    }

    // The mask, which the definition reads up to its first 0.
    function maskAt(Case memory c, Judged memory j, Build memory b, uint256 pos, uint256 open) private view returns (int256) {
        if (b.mode == RUN && j.integer > 0 && columnBefore(c, j, open, j.integer - 1) == 0) return 0;
        return x(c, j, 1, pos);
    }

    // The lowest class of the greatest score.
    function bestClass(Case memory c, Judged memory j, uint256 first, uint256 classes) private view returns (int256) {
        unchecked {
            uint256 greatest = 0;
            for (uint256 k = 1; k < classes; ++k) {
                if (x(c, j, 0, first + k) > x(c, j, 0, first + greatest)) greatest = k;
            }
            return int256(greatest);
        }
    }

    function closedTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        return columnBefore(c, j, captured[0], i) == 0 ? int256(i) : int256(captured[1]);
    }

    function symbolTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 t) private pure returns (int256) {
        if (captured[0] != NONE && int256(t) >= columnBefore(c, j, captured[0], 0)) return 0;
        if (int256(t) >= columnBefore(c, j, captured[2], 0)) return 0;
        int256 best = columnBefore(c, j, captured[1], t);
        if (best == j.attributes[0]) return 0;
        if (j.attributes[1] == 0 || t == 0) return 1;
        return best != columnBefore(c, j, captured[1], t - 1) ? int256(1) : int256(0);
    }
}
