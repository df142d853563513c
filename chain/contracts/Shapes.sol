// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Type} from "./Case.sol";

// Coordinates of elements, row-major.

function coordinatesOf(uint256 element, uint256[] memory dims) pure returns (uint256[] memory d) {
    unchecked {
        d = new uint256[](dims.length);
        for (uint256 axis = dims.length; axis > 0; ) {
            --axis;
            d[axis] = element % dims[axis];
            element /= dims[axis];
        }
    }
}

function elementAt(uint256[] memory d, uint256[] memory dims) pure returns (uint256 element) {
    unchecked {
        for (uint256 axis = 0; axis < dims.length; ++axis) element = element * dims[axis] + d[axis];
    }
}

// Elements from one coordinate of an axis to the next.
function strideOf(uint256[] memory dims, uint256 axis) pure returns (uint256 stride) {
    unchecked {
        stride = 1;
        for (uint256 i = axis + 1; i < dims.length; ++i) stride *= dims[i];
    }
}

// An axis that may be counted from the back.
function axisOf(int256 axis, uint256 rank) pure returns (uint256) {
    unchecked {
        return uint256(axis < 0 ? axis + int256(rank) : axis);
    }
}

// The element of a tensor that is broadcast to element `at` of another.
function broadcastElement(uint256[] memory from, uint256[] memory to, uint256 pos) pure returns (uint256 element) {
    unchecked {
        uint256 scale = 1;
        uint256 missing = to.length - from.length;
        for (uint256 axis = to.length; axis > missing; ) {
            --axis;
            uint256 dim = from[axis - missing];
            if (dim > 1) element += (pos % to[axis]) * scale;
            pos /= to[axis];
            scale *= dim;
        }
    }
}
