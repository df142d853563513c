// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {hashNode, largestPowerBelow} from "./Sha256.sol";

// The parts of a tree that one answer of a dispute shows (docs/spec/dispute.md): those four levels below the
// part that is asked about, from left to right. A leaf that is nearer is a part of its own.

uint256 constant LEVELS = 4;

// How many they are.
function countParts(uint256 size, uint256 levels) pure returns (uint256) {
    unchecked {
        if (levels == 0 || size == 1) return 1;
        uint256 left = largestPowerBelow(size);
        return countParts(left, levels - 1) + countParts(size - left, levels - 1);
    }
}

// Which of the parts below [first, first + size) is [from, from + length), if one is.
function findPart(uint256 first, uint256 size, uint256 levels, uint256 from, uint256 length)
    pure
    returns (bool found, uint256 i)
{
    unchecked {
        if (levels == 0 || size == 1) return (first == from && size == length, 0);
        uint256 left = largestPowerBelow(size);
        if (from < first + left) return findPart(first, left, levels - 1, from, length);
        (found, i) = findPart(first + left, size - left, levels - 1, from, length);
        i += countParts(left, levels - 1);
    }
}

// The root of a part of `size` leaves, from those of the parts below it, which begin at `next`.
function rootOfParts(bytes32[] memory roots, uint256 next, uint256 size, uint256 levels)
    view
    returns (bytes32, uint256)
{
    unchecked {
        if (levels == 0 || size == 1) return (roots[next], next + 1);
        uint256 half = largestPowerBelow(size);
        bytes32 left;
        bytes32 right;
        (left, next) = rootOfParts(roots, next, half, levels - 1);
        (right, next) = rootOfParts(roots, next, size - half, levels - 1);
        return (hashNode(left, right), next);
    }
}
