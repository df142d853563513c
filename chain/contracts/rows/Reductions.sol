// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case} from "../Case.sol";
import "../Operators.sol";
import {Judged, Region} from "../Referee.sol";
import {fit} from "../Refusal.sol";
import {clamp, roundDiv} from "../Rounding.sol";
import {axisOf, coordinatesOf} from "../Shapes.sol";
import {Windows} from "../Windows.sol";

// The families reduction and pooling: sums and extremes of slices and of windows.
contract Reductions is Windows {
    function number() internal pure override returns (uint256) {
        return 2;
    }

    function regionOf(Case memory, Judged memory j, uint256) internal pure override returns (Region memory) {
        uint256[] memory d = coordinatesOf(j.element, j.results[j.result].dims);
        if (j.code >> 8 != 0x05) return sliceOf(j, d);
        return inside(j.types[0].dims, windowsOf(j, j.types[0].dims.length), d, 0);
    }

    function compute(Case memory c, Judged memory j) internal view override returns (int256) {
        return j.code >> 8 == 0x05 ? pooled(c, j) : reduced(c, j);
    }

    function bySteps(Case memory c, Judged memory j, Build memory b) internal view override returns (bool) {
        uint256 code = j.code;
        (uint256 xs, uint256 n) = part(c, j, b, 0, regionOf(c, j, 0));
        if (code == OP_WINDOW_SUM || code == OP_AVERAGE_POOL) {
            uint256 sum = fold(c, j, b, n, SUM, 0, ofColumn(xs, j.attributes[code == OP_WINDOW_SUM ? 5 : 7]));
            if (code == OP_WINDOW_SUM) return true;
            (, bool mine) = one(c, j, b);
            while (mine) {
                b.integer = average(j, columnBefore(c, j, sum, 0));
                mine = more(j, b);
            }
            return true;
        }
        uint256 kind = kindOf(j);
        int256 none = kind == SUM ? int256(0) : kind == MAX ? j.types[0].lo : kind == MIN ? j.types[0].hi : int256(1);
        uint256 extreme = fold(c, j, b, n, kind, none, ofColumn(xs, 0));
        if (code == OP_MAX_POOL_INDICES && j.result == 1) {
            positions(c, j, b, [n, xs, extreme, 1], MIN, int256(j.types[0].elements));
        } else if (code == OP_ARG_EXTREME) {
            bool highest = j.attributes[1] == 1;
            positions(c, j, b, [n, xs, extreme, 0], highest ? MAX : MIN, highest ? int256(-1) : int256(n));
        }
        return true;
    }

    // Bit a: axis a is reduced.
    function axesOf(Judged memory j) private pure returns (uint256 axes) {
        unchecked {
            uint256 rank = j.types[0].dims.length;
            uint256 code = j.code;
            if (code == OP_ARG_EXTREME) return 1 << axisOf(j.attributes[2], rank);
            int256[] memory list = listOf(j, code == OP_REDUCE ? 1 : 0);
            uint256 all = (1 << rank) - 1;
            if (list.length == 0) return all;
            for (uint256 i = 0; i < list.length; ++i) axes |= 1 << axisOf(list[i], rank);
            if (code != OP_REDUCE && j.attributes[2] != 0) axes ^= all;
        }
    }

    function sliceOf(Judged memory j, uint256[] memory d) private pure returns (Region memory region) {
        unchecked {
            uint256[] memory dims = j.types[0].dims;
            region = wholeOf(dims);
            if (j.code == OP_CUMULATIVE_SUM) {
                uint256 along = axisOf(j.attributes[0], dims.length);
                for (uint256 axis = 0; axis < dims.length; ++axis) only(region, axis, d[axis]);
                uint256 own = j.attributes[1] != 0 ? 0 : 1;
                (region.begin[along], region.count[along]) = j.attributes[2] != 0
                    ? (d[along] + 1 - own, dims[along] - d[along] - 1 + own)
                    : (0, d[along] + own);
                return region;
            }
            uint256 axes = axesOf(j);
            uint256 rest = j.element;
            for (uint256 axis = dims.length; axis > 0; ) {
                --axis;
                if ((axes >> axis) & 1 == 1) continue;
                only(region, axis, rest % dims[axis]);
                rest /= dims[axis];
            }
        }
    }

    function pooled(Case memory c, Judged memory j) private view returns (int256) {
        if (j.code == OP_WINDOW_SUM) return joinedRegion(c, j, SUM, j.attributes[5]);
        if (j.code == OP_AVERAGE_POOL) return average(j, joinedRegion(c, j, SUM, j.attributes[7]));
        int256 greatest = joinedRegion(c, j, MAX, 0);
        if (j.code == OP_MAX_POOL_INDICES && j.result == 1) {
            Region memory region = regionOf(c, j, 0);
            return int256(elementOf(region, j.types[0].dims, positionOf(c, j, greatest, false)));
        }
        return greatest;
    }

    function average(Judged memory j, int256 sum) private pure returns (int256) {
        unchecked {
            int256[] memory a = j.attributes;
            uint256[] memory dims = j.types[0].dims;
            uint256[] memory d = coordinatesOf(j.element, j.results[0].dims);
            Window[] memory windows = windowsOf(j, dims.length);
            int256[] memory ends = listOf(j, 4);
            int256 count = 1;
            for (uint256 axis = 0; axis < dims.length; ++axis) {
                int256 lo = 0;
                int256 hi = int256(dims[axis]);
                if (a[6] != 0) {
                    lo = -int256(windows[axis].padding);
                    if (axis + ends.length >= dims.length) hi += ends[axis + ends.length - dims.length];
                }
                (uint256 first, uint256 end) = tapsInside(windows[axis], d[axis], lo, hi);
                count *= int256(end - first);
            }
            int256 y = roundDiv(uint256(a[10]), fit(sum * a[8]), fit(count << uint256(a[9])));
            return clamp(fit(y + a[11]), a[12], a[13]);
        }
    }

    function reduced(Case memory c, Judged memory j) private view returns (int256) {
        unchecked {
            if (j.code == OP_MAX) return joinedRegion(c, j, MAX, 0);
            if (j.code == OP_SUM || j.code == OP_CUMULATIVE_SUM) return joinedRegion(c, j, SUM, 0);
            if (j.code == OP_REDUCE) return joinedRegion(c, j, uint256(j.attributes[0]), 0);
            // The definition reads nothing where there is one element.
            if (sizeOf(regionOf(c, j, 0)) == 1) return 0;
            int256 extreme = joinedRegion(c, j, j.attributes[0] == 0 ? MAX : MIN, 0);
            return int256(positionOf(c, j, extreme, j.attributes[1] == 1));
        }
    }

    function kindOf(Judged memory j) private pure returns (uint256) {
        uint256 code = j.code;
        if (code >> 8 == 0x05 || code == OP_MAX) return MAX;
        if (code == OP_SUM || code == OP_CUMULATIVE_SUM) return SUM;
        if (code == OP_REDUCE) return uint256(j.attributes[0]);
        return j.attributes[0] == 0 ? MAX : MIN;
    }

    // The positions at which the extreme is, and `none` elsewhere, folded: [length, column, extreme, whether
    // positions are those in the tensor].
    function positions(Case memory c, Judged memory j, Build memory b, uint256[4] memory of_, uint256 kind, int256 none)
        private
        view
    {
        Term memory term = Term(positionTerm, new uint256[](4));
        (term.captured[0], term.captured[1], term.captured[2], term.captured[3]) = (of_[1], of_[2], uint256(none), of_[3]);
        fold(c, j, b, of_[0], kind, none, term);
    }

    function positionTerm(Case memory c, Judged memory j, uint256[] memory captured, uint256 i) private pure returns (int256) {
        if (columnBefore(c, j, captured[0], i) != columnBefore(c, j, captured[1], 0)) return int256(captured[2]);
        if (captured[3] == 0) return int256(i);
        return int256(elementOf(regionOf(c, j, 0), j.types[0].dims, i));
    }
}
