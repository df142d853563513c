// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case} from "./Case.sol";
import {Judged} from "./Referee.sol";
import {fit, refuse} from "./Refusal.sol";
import {Walks} from "./Walks.sol";

// Columns that find something: bisections, and positions (docs/spec/expansion.md#notation).
abstract contract Searches is Walks {
    uint256 internal constant NONE = type(uint256).max;

    // A number, with the integer of column `plus`, and without those of `less` and `lessToo`, where they are
    // some.
    struct Rank {
        int256 base;
        uint256 plus;
        uint256 less;
        uint256 lessToo;
    }

    // The greatest t of [lo, hi] at which the sum of weights over n entries is at most `most`. The weight of
    // entry i reads t in the column captured[0].
    struct Search {
        uint256 n;
        int256 lo;
        int256 hi;
        Rank most;
        function(Case memory, Judged memory, uint256[] memory, uint256) internal view returns (int256) weight;
        uint256[] captured;
    }

    function rankOf(uint256 base) internal pure returns (Rank memory) {
        return Rank(int256(base), NONE, NONE, NONE);
    }

    function valueOf(Case memory c, Judged memory j, Rank memory rank) private pure returns (int256 value) {
        unchecked {
            value = rank.base;
            if (rank.plus != NONE) value = fit(value + columnBefore(c, j, rank.plus, 0));
            if (rank.less != NONE) value = fit(value - columnBefore(c, j, rank.less, 0));
            if (rank.lessToo != NONE) value = fit(value - columnBefore(c, j, rank.lessToo, 0));
        }
    }

    // Integer i of a column, which is a position below `end`.
    function positionIn(Case memory c, Judged memory j, uint256 column, uint256 i, uint256 end)
        internal
        pure
        returns (uint256)
    {
        int256 position = columnBefore(c, j, column, i);
        if (position < 0 || position >= int256(end)) refuse("step_order");
        return uint256(position);
    }

    function bisect(Case memory c, Judged memory j, Build memory b, Search memory s) internal view returns (uint256 best) {
        unchecked {
            bool mine;
            (best, mine) = one(c, j, b);
            while (mine) {
                b.integer = s.lo;
                mine = more(j, b);
            }
            uint256 bits = 0;
            for (uint256 range = uint256(s.hi - s.lo); range > 0; range >>= 1) ++bits;
            if (bits == 64) {
                best = raise(c, j, b, s, best, 62);
                best = raise(c, j, b, s, best, 62);
                bits = 63;
            }
            for (; bits > 0; --bits) best = raise(c, j, b, s, best, bits - 1);
        }
    }

    // A round: the next candidate, its sum, and the better of both.
    function raise(Case memory c, Judged memory j, Build memory b, Search memory s, uint256 best, uint256 bit)
        private
        view
        returns (uint256 better)
    {
        unchecked {
            (uint256 next, bool mine) = one(c, j, b);
            while (mine) {
                int256 from = columnBefore(c, j, best, 0);
                b.integer = from > fit(s.hi - int256(1 << bit)) ? s.hi : fit(from + int256(1 << bit));
                mine = more(j, b);
            }
            uint256[] memory captured = new uint256[](s.captured.length);
            for (uint256 i = 1; i < captured.length; ++i) captured[i] = s.captured[i];
            captured[0] = next;
            uint256 sum = fold(c, j, b, s.n, SUM, 0, Term(s.weight, captured));
            (better, mine) = one(c, j, b);
            while (mine) {
                int256 most = valueOf(c, j, s.most);
                b.integer = columnBefore(c, j, sum, 0) <= most ? columnBefore(c, j, next, 0) : columnBefore(c, j, best, 0);
                mine = more(j, b);
            }
        }
    }

    // Whether entry i of a column is not 0, below the position in column captured[0] where that is one.
    function setTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) internal pure returns (int256) {
        if (captured[0] != NONE && int256(i) >= columnBefore(c, j, captured[0], 0)) return 0;
        return columnBefore(c, j, captured[1], i) != 0 ? int256(1) : int256(0);
    }
}
