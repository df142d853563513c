// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {valueAt} from "./Pointers.sol";
import {Case, COLUMN, Type, Value} from "./Case.sol";
import {Judged, Region} from "./Referee.sol";
import {fit, refuse} from "./Refusal.sol";
import {Steps} from "./Steps.sol";
import {load, locate, openedOf, openedValue} from "./Values.sol";

// Runs through all elements of regions, leaf by leaf: one is looked up for each run, not for each element.
abstract contract Walks is Steps {
    // A region of leaves that are opened, or the column that has its elements in order.
    struct Walk {
        Value value;
        uint256 base; // bytes before its first element
        uint256[] counts; // elements along the axes that have several
        int256[] strides; // bytes
        int256 lo;
        uint256 span; // hi - lo
        bytes32 label; // that refuses an element outside
    }

    // False where the elements are not those of opened leaves: a caller's argument, or a recipe's.
    function walkOf(Case memory c, Judged memory j, uint256 k, Region memory region)
        internal
        pure
        returns (bool known, Walk memory walk)
    {
        unchecked {
            Type memory t = j.types[k];
            uint256 pos;
            bool isPart = j.parts != 0 && j.columnOf[k] != 0;
            if (isPart) {
                // It is there: what is before the last column.
                pos = openedValue(c, COLUMN, j.columnOf[k] - 1);
                if (pos == 0) refuse("leaf_missing");
            } else {
                if (j.frame.caller != 0 && j.operands[k] < j.frame.function_.params) return (false, walk);
                pos = openedOf(c, j.frame, j.operands[k]);
                if (pos == 0) return (false, walk);
            }
            walk.value = valueAt()(pos);
            uint256 axes = 0;
            for (uint256 axis = 0; axis < region.count.length; ++axis) {
                if (region.count[axis] != 1) ++axes;
            }
            walk.counts = new uint256[](axes);
            walk.strides = new int256[](axes);
            int256 stride = int256(1 << t.storage_);
            for (uint256 axis = region.count.length; axis > 0; ) {
                --axis;
                int256 apart = int256(t.strides[axis] << t.storage_);
                if (!isPart) walk.base += region.begin[axis] * uint256(apart);
                if (region.count[axis] == 1) continue;
                --axes;
                walk.counts[axes] = region.count[axis];
                walk.strides[axes] = isPart ? stride : apart * region.step[axis];
                stride *= int256(region.count[axis]);
            }
            (walk.lo, walk.span) = (t.lo, uint256(t.hi - t.lo));
            walk.label = isPart ? bytes32("step_order") : bytes32("element_interval");
            known = true;
        }
    }

    // Steps of `stride` from byte `offset` on that stay in its leaf, at most n, and the address of the first.
    function runOf(Value memory value, uint256 offset, int256 stride, uint256 n)
        internal
        pure
        returns (uint256 pos, uint256 steps)
    {
        unchecked {
            uint256 available;
            (pos, available) = locate(value, offset);
            if (stride > 0) {
                steps = (available - (1 << value.type_.storage_)) / uint256(stride) + 1;
            } else {
                uint256 before = (offset % value.type_.groupBytes) % 1024;
                steps = before / uint256(-stride) + 1;
            }
            if (steps > n) steps = n;
        }
    }

    // Adds one to the coordinates but that of `inner`; false after the last.
    function advance(uint256[] memory place, uint256[] memory counts, uint256 inner) internal pure returns (bool) {
        unchecked {
            for (uint256 axis = counts.length; axis > 0; ) {
                --axis;
                if (axis == inner) continue;
                if (++place[axis] < counts[axis]) return true;
                place[axis] = 0;
            }
            return false;
        }
    }

    function offsetOf(Walk memory walk, uint256[] memory place) internal pure returns (uint256) {
        unchecked {
            int256 offset = int256(walk.base);
            for (uint256 axis = 0; axis < place.length; ++axis) offset += int256(place[axis]) * walk.strides[axis];
            return uint256(offset);
        }
    }

    // The elements of the region of operand 0, each less `zero`, joined.
    function joinedRegion(Case memory c, Judged memory j, uint256 kind, int256 zero) internal view returns (int256 all) {
        unchecked {
            int256[] memory values = readRegion(c, j, 0);
            for (uint256 i = 0; i < values.length; ++i) {
                all = i == 0 ? values[0] - zero : joined(kind, all, values[i] - zero);
            }
        }
    }

    // The first, or the last, place in the region of operand 0 that has this element.
    function positionOf(Case memory c, Judged memory j, int256 extreme, bool last) internal view returns (uint256) {
        unchecked {
            int256[] memory values = readRegion(c, j, 0);
            for (uint256 i = 0; i < values.length; ++i) {
                uint256 pos = last ? values.length - 1 - i : i;
                if (values[pos] == extreme) return pos;
            }
            return 0;
        }
    }

    // The elements of the region of operand k, in order.
    function readRegion(Case memory c, Judged memory j, uint256 k) internal view returns (int256[] memory all) {
        unchecked {
            Region memory region = regionOf(c, j, k);
            uint256 n = sizeOf(region);
            if (n > 1 << 16) refuse("judgement_size");
            all = new int256[](n);
            if (n == 0) return all;
            (bool known, Walk memory walk) = walkOf(c, j, k, region);
            if (!known) {
                for (uint256 i = 0; i < n; ++i) all[i] = x(c, j, k, elementOf(region, j.types[k].dims, i));
                return all;
            }
            uint256[] memory place = new uint256[](walk.counts.length);
            uint256 inner = place.length == 0 ? 0 : place.length - 1;
            uint256 next = 0;
            do {
                next = readRun(walk, place, all, next);
            } while (advance(place, walk.counts, inner));
        }
    }

    // The elements along the last axis, into all[next] and on; where the next ones go.
    function readRun(Walk memory walk, uint256[] memory place, int256[] memory all, uint256 next)
        private
        pure
        returns (uint256)
    {
        unchecked {
            uint256 n = 1;
            int256 apart = 1;
            if (place.length != 0) (n, apart) = (walk.counts[place.length - 1], walk.strides[place.length - 1]);
            uint256 offset = offsetOf(walk, place);
            uint256 storage_ = walk.value.type_.storage_;
            while (n > 0) {
                (uint256 pos, uint256 steps) = runOf(walk.value, offset, apart, n);
                n -= steps;
                offset = uint256(int256(offset) + int256(steps) * apart);
                for (; steps > 0; --steps) {
                    int256 value = load(pos, storage_);
                    if (uint256(value - walk.lo) > walk.span) refuse(walk.label);
                    all[next++] = value;
                    pos = uint256(int256(pos) + apart);
                }
            }
            return next;
        }
    }
}
