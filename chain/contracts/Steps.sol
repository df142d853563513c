// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case, Type} from "./Case.sol";
import {Row} from "./Operators.sol";
import {Judged, Referee, Region} from "./Referee.sol";
import {fit, refuse} from "./Refusal.sol";
import {LEAF_BYTES} from "./Types.sol";

// The columns of an expansion (docs/spec/expansion.md). As they are added one after the other, they are
// listed; or the one integer that is judged is computed; or all are, one after the other, and the last is the
// element.
abstract contract Steps is Referee {
    uint256 internal constant MOST_LEAF_BYTES = 48 << 10;
    uint256 internal constant TERMS_AT_ONCE = 1024;
    uint256 internal constant MOST_COLUMNS = 1 << 19;
    uint256 internal constant I64 = 3;

    uint256 internal constant SUM = 0;
    uint256 internal constant MAX = 1;
    uint256 internal constant MIN = 2;
    uint256 internal constant PRODUCT = 3;

    uint256 internal constant LIST = 0;
    uint256 internal constant JUDGE = 1;
    uint256 internal constant RUN = 2;

    struct Build {
        uint256 mode;
        uint256 columns; // added so far
        int256 integer; // the one that is judged, or was computed last
    }

    // A term of a fold: a function of what it has captured and of i.
    struct Term {
        function(Case memory, Judged memory, uint256[] memory, uint256) internal view returns (int256) pos;
        uint256[] captured;
    }

    // The expansion by steps of a row that has one; false for others.
    function bySteps(Case memory c, Judged memory j, Build memory b) internal view virtual returns (bool);

    function expand(Case memory c, Judged memory j, bool list) internal view virtual override returns (int256) {
        Build memory b = beginSteps(c, list);
        if (gatheredBytes(c, j) <= MOST_LEAF_BYTES || !bySteps(c, j, b)) gather(c, j, b);
        return endSteps(c, b);
    }

    function beginSteps(Case memory c, bool list) internal pure returns (Build memory b) {
        b.mode = list ? LIST : JUDGE;
        if (list) c.columns = new uint256[](16);
    }

    function endSteps(Case memory c, Build memory b) internal pure returns (int256) {
        if (b.mode == LIST) {
            uint256[] memory columns = c.columns;
            uint256 length = b.columns;
            assembly ("memory-safe") {
                mstore(columns, length)
            }
        }
        return b.integer;
    }

    // The element, by all columns of its expansion by steps.
    function runSteps(Case memory c, Judged memory j) internal view returns (int256) {
        Build memory b;
        b.mode = RUN;
        j.run = new int256[][](16);
        bySteps(c, j, b);
        return b.integer;
    }

    function sizeOf(Region memory region) internal pure returns (uint256 size) {
        unchecked {
            size = 1;
            for (uint256 axis = 0; axis < region.count.length; ++axis) size *= region.count[axis];
        }
    }

    // The number of the i-th element of a region, in its tensor.
    function elementOf(Region memory region, uint256[] memory dims, uint256 i) internal pure returns (uint256 element) {
        unchecked {
            uint256 stride = 1;
            for (uint256 axis = dims.length; axis > 0; ) {
                --axis;
                uint256 n = region.count[axis];
                element += uint256(int256(region.begin[axis]) + int256(i % n) * region.step[axis]) * stride;
                i /= n;
                stride *= dims[axis];
            }
        }
    }

    function wholeOf(uint256[] memory dims) internal pure returns (Region memory region) {
        unchecked {
            uint256 rank = dims.length;
            region.begin = new uint256[](rank);
            region.count = new uint256[](rank);
            region.step = new int256[](rank);
            for (uint256 axis = 0; axis < rank; ++axis) (region.count[axis], region.step[axis]) = (dims[axis], 1);
        }
    }

    function only(Region memory region, uint256 axis, uint256 pos) internal pure {
        (region.begin[axis], region.count[axis], region.step[axis]) = (pos, 1, 1);
    }

    // The bytes that an element asks for (docs/spec/expansion.md#which-expansion).
    function gatheredBytes(Case memory c, Judged memory j) private view returns (uint256 bytes_) {
        unchecked {
            Row row = j.row;
            for (uint256 k = 0; k < j.operands.length; ++k) {
                Type memory t = j.types[k];
                uint256 all = t.elements << t.storage_;
                if (row.readsMany(k)) {
                    bytes_ += sizeOf(regionOf(c, j, k)) << t.storage_;
                } else if (row.readsOne(k)) {
                    bytes_ += all < LEAF_BYTES ? all : LEAF_BYTES;
                } else if (row.readsNamed(k)) {
                    bytes_ += all < 16 * LEAF_BYTES ? all : 16 * LEAF_BYTES;
                }
            }
        }
    }

    // Adds a column. Whether an integer of it is to be computed: j.integer, into b.integer. A column of no
    // integers is left out.
    function add(Case memory c, Judged memory j, Build memory b, uint256 length, uint256 storage_)
        internal
        pure
        returns (uint256 column, bool mine)
    {
        unchecked {
            column = b.columns;
            if (length == 0) return (column, false);
            if (column == MOST_COLUMNS) refuse("expansion_size");
            b.columns = column + 1;
            if (b.mode == JUDGE) return (column, column == j.column);
            if (b.mode == LIST) {
                if (column == c.columns.length) c.columns = longer(c.columns);
                c.columns[column] = (length << 8) | storage_;
                return (column, false);
            }
            if (column == j.run.length) {
                int256[][] memory columns = new int256[][](2 * column);
                for (uint256 i = 0; i < column; ++i) columns[i] = j.run[i];
                j.run = columns;
            }
            j.run[column] = new int256[](length);
            (j.column, j.integer) = (column, 0);
            return (column, true);
        }
    }

    function longer(uint256[] memory words) private pure returns (uint256[] memory copy) {
        unchecked {
            copy = new uint256[](2 * words.length);
            for (uint256 i = 0; i < words.length; ++i) copy[i] = words[i];
        }
    }

    // After an integer is computed: whether another one of its column is to be.
    function more(Judged memory j, Build memory b) internal pure returns (bool) {
        unchecked {
            if (b.mode != RUN) return false;
            int256[] memory column = j.run[j.column];
            column[j.integer] = b.integer;
            return ++j.integer < column.length;
        }
    }

    function one(Case memory c, Judged memory j, Build memory b) internal pure returns (uint256 column, bool mine) {
        return add(c, j, b, 1, I64);
    }

    // The elements of a region of an operand.
    function part(Case memory c, Judged memory j, Build memory b, uint256 k, Region memory region)
        internal
        view
        returns (uint256 column, uint256 length)
    {
        bool mine;
        length = sizeOf(region);
        (column, mine) = add(c, j, b, length, j.types[k].storage_);
        while (mine) {
            b.integer = x(c, j, k, elementOf(region, j.types[k].dims, j.integer));
            mine = more(j, b);
        }
    }

    // A part of each operand of which many elements are read, and the element by them.
    function gather(Case memory c, Judged memory j, Build memory b) private view {
        unchecked {
            Row row = j.row;
            Region[] memory parts = new Region[](j.operands.length);
            uint256[] memory columnOf = new uint256[](parts.length);
            for (uint256 k = 0; k < parts.length; ++k) {
                if (!row.readsMany(k)) continue;
                parts[k] = regionOf(c, j, k);
                (uint256 column, ) = part(c, j, b, k, parts[k]);
                columnOf[k] = column + 1;
            }
            (, bool mine) = one(c, j, b);
            if (!mine) return;
            uint256 address_;
            assembly ("memory-safe") {
                address_ := parts
            }
            (j.parts, j.columnOf) = (address_, columnOf);
            b.integer = compute(c, j);
        }
    }

    function joined(uint256 kind, int256 a, int256 b) internal pure returns (int256) {
        unchecked {
            if (kind == SUM) return fit(a + b);
            if (kind == MAX) return a < b ? b : a;
            if (kind == MIN) return b < a ? b : a;
            return fit(a * b);
        }
    }

    // The terms joined chunk by chunk, and again what the chunks give.
    function fold(Case memory c, Judged memory j, Build memory b, uint256 length, uint256 kind, int256 none, Term memory term)
        internal
        view
        returns (uint256 column)
    {
        unchecked {
            for (bool first = true; ; first = false) {
                uint256 before = column;
                uint256 chunks = (length + TERMS_AT_ONCE - 1) / TERMS_AT_ONCE;
                if (chunks == 0) chunks = 1;
                bool mine;
                (column, mine) = add(c, j, b, chunks, I64);
                while (mine) {
                    uint256 i = j.integer * TERMS_AT_ONCE;
                    uint256 end = i + TERMS_AT_ONCE < length ? i + TERMS_AT_ONCE : length;
                    int256 all = none;
                    for (; i < end; ++i) {
                        all = joined(kind, all, first ? term.pos(c, j, term.captured, i) : columnBefore(c, j, before, i));
                    }
                    b.integer = all;
                    mine = more(j, b);
                }
                if (chunks == 1) return column;
                length = chunks;
            }
        }
    }

    // A term that is the integers of a column, less a number.
    function ofColumn(uint256 column, int256 less) internal pure returns (Term memory term) {
        term.pos = columnTerm;
        term.captured = new uint256[](2);
        (term.captured[0], term.captured[1]) = (column, uint256(less));
    }

    function columnTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        return fit(columnBefore(c, j, captured[0], i) - int256(captured[1]));
    }
}
