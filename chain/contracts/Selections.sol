// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case} from "./Case.sol";
import {Judged} from "./Referee.sol";
import {Searches} from "./Searches.sol";

// One element of an order, without sorting (docs/spec/expansion.md#notation).
abstract contract Selections is Searches {
    // A line in a column as keys, of which the least come first, and of equal ones the lower position.
    // Entries whose integer in column `marked` is 0 are left out, where that is a column.
    struct Keys {
        uint256 x;
        uint256 n;
        bool descending;
        int256 lo;
        int256 hi;
        uint256 marked;
    }

    struct Selected {
        uint256 key; // columns
        uint256 position;
    }

    function keysOf(uint256 x_, uint256 n, bool descending, int256 lo, int256 hi, uint256 marked)
        internal
        pure
        returns (Keys memory)
    {
        return descending ? Keys(x_, n, true, ~hi, ~lo, marked) : Keys(x_, n, false, lo, hi, marked);
    }

    function capturedOf(Keys memory keys, uint256 key) private pure returns (uint256[] memory captured) {
        captured = new uint256[](5);
        (captured[1], captured[2]) = (keys.x, keys.descending ? 1 : 0);
        (captured[3], captured[4]) = (keys.marked, key);
    }

    function isMarked(Case memory c, Judged memory j, uint256 marked, uint256 i) internal pure returns (bool) {
        return marked == NONE || columnBefore(c, j, marked, i) != 0;
    }

    function keyAt(Case memory c, Judged memory j, uint256 column, uint256 descending, uint256 i) private pure returns (int256 key) {
        key = columnBefore(c, j, column, i);
        if (descending != 0) key = ~key;
    }

    function lessTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        if (!isMarked(c, j, captured[3], i)) return 0;
        return keyAt(c, j, captured[1], captured[2], i) < columnBefore(c, j, captured[0], 0) ? int256(1) : int256(0);
    }

    function equalTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        if (int256(i) >= columnBefore(c, j, captured[0], 0) || !isMarked(c, j, captured[3], i)) return 0;
        return keyAt(c, j, captured[1], captured[2], i) == columnBefore(c, j, captured[4], 0) ? int256(1) : int256(0);
    }

    // The key that so many entries are before.
    function selectKey(Case memory c, Judged memory j, Build memory b, Keys memory keys, Rank memory rank)
        internal
        view
        returns (uint256)
    {
        return bisect(c, j, b, Search(keys.n, keys.lo, keys.hi, rank, lessTerm, capturedOf(keys, 0)));
    }

    // That entry. lessToo of the rank is not one yet.
    function select(Case memory c, Judged memory j, Build memory b, Keys memory keys, Rank memory rank)
        internal
        view
        returns (Selected memory selected)
    {
        unchecked {
            selected.key = selectKey(c, j, b, keys, rank);
            uint256[] memory captured = capturedOf(keys, 0);
            captured[0] = selected.key;
            uint256 before = fold(c, j, b, keys.n, SUM, 0, Term(lessTerm, captured));
            Rank memory ofEquals = Rank(rank.base, rank.plus, rank.less, before);
            captured = capturedOf(keys, selected.key);
            selected.position = bisect(c, j, b, Search(keys.n, 0, int256(keys.n) - 1, ofEquals, equalTerm, captured));
        }
    }

    // Whether entry i is before the selected one, or is it.
    function reaches(Case memory c, Judged memory j, Keys memory keys, Selected memory selected, uint256 i)
        internal
        pure
        returns (bool)
    {
        if (!isMarked(c, j, keys.marked, i)) return false;
        int256 own = keyAt(c, j, keys.x, keys.descending ? 1 : 0, i);
        int256 limit = columnBefore(c, j, selected.key, 0);
        return own < limit || (own == limit && int256(i) <= columnBefore(c, j, selected.position, 0));
    }
}
