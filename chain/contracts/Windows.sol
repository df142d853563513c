// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {OP_CONV2D, OP_MAX_POOL2D} from "./Operators.sol";
import {Judged, Region} from "./Referee.sol";
import {Walks} from "./Walks.sol";

// Windows that slide over the axes of a tensor.
abstract contract Windows is Walks {
    // A window along one axis, at a place.
    struct Window {
        uint256 size;
        uint256 stride;
        uint256 dilation;
        uint256 padding;
    }

    // The windows of a row, by axis.
    function windowsOf(Judged memory j, uint256 rank) internal pure returns (Window[] memory windows) {
        unchecked {
            windows = new Window[](rank);
            uint256 code = j.code;
            // Where the lists of stride, dilation and padding are among the attributes.
            uint256 pos = code >> 8 == 0x05 ? 1 : 0;
            int256[] memory strides = listOf(j, code == OP_CONV2D ? 1 : pos);
            bool dilated = code != OP_MAX_POOL2D;
            int256[] memory dilations = listOf(j, code == OP_CONV2D ? 2 : pos + 1);
            int256[] memory paddings = listOf(j, code == OP_CONV2D ? 0 : pos + 2);
            if (!dilated) paddings = listOf(j, 2);
            for (uint256 axis = 0; axis < rank; ++axis) {
                Window memory w = windows[axis];
                (w.size, w.stride, w.dilation) = (1, 1, 1);
                if (axis + strides.length < rank) continue;
                uint256 i = axis + strides.length - rank;
                w.size = code >> 8 == 0x05 ? uint256(listOf(j, 0)[i]) : j.types[1].dims[axis];
                w.stride = uint256(strides[i]);
                if (dilated) w.dilation = uint256(dilations[i]);
                w.padding = uint256(paddings[paddings.length == 1 ? 0 : i]);
            }
        }
    }

    // Taps of a window at a place whose positions are in [lo, hi).
    function tapsInside(Window memory w, uint256 place, int256 lo, int256 hi) internal pure returns (uint256 first, uint256 end) {
        unchecked {
            int256 start = int256(place * w.stride) - int256(w.padding);
            first = tapsBefore(w, lo - start);
            end = tapsBefore(w, hi - start);
            if (end < first) end = first;
        }
    }

    function tapsBefore(Window memory w, int256 distance) internal pure returns (uint256) {
        unchecked {
            if (distance <= 0) return 0;
            uint256 taps = (uint256(distance) + w.dilation - 1) / w.dilation;
            return taps < w.size ? taps : w.size;
        }
    }

    // The positions of the windows at d that are inside, from axis `from` on.
    function inside(uint256[] memory dims, Window[] memory windows, uint256[] memory d, uint256 from)
        internal
        pure
        returns (Region memory region)
    {
        unchecked {
            region = wholeOf(dims);
            for (uint256 axis = from; axis < dims.length; ++axis) {
                Window memory w = windows[axis];
                (uint256 first, uint256 end) = tapsInside(w, d[axis], 0, int256(dims[axis]));
                region.begin[axis] = uint256(int256(d[axis] * w.stride + first * w.dilation) - int256(w.padding));
                region.count[axis] = end - first;
                region.step[axis] = int256(w.dilation);
            }
        }
    }
}
