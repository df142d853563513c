// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Type} from "./Case.sol";
import {hashOf, tensorHeader} from "./Headers.sol";
import {hashInDomain, hashNode, largestPowerBelow, NO_LEAVES} from "./Sha256.sol";
import {layOut, LEAF_BYTES, leafSize, leavesOf} from "./Types.sol";

// Digests of tensors that a contract has (docs/spec/commitment.md), to compare them with those of a claim.
// Each takes its elements row-major, in 1, 2, 4 or 8 bytes, the least significant first: storage 0 to 3. Only
// for tensors whose committed layout is that order: those of rank 4 or 5 with 16 channels at most, and all of
// other ranks.
library Tensors {
    function digest(uint256 storage_, uint256[] memory dims, bytes memory elements) internal view returns (bytes32) {
        Type memory t;
        (t.storage_, t.dims) = (storage_, dims);
        layOut(t, true);
        require(!t.channelsLast && elements.length == t.elements << storage_);
        uint256 count = leavesOf(t);
        return hashOf(tensorHeader(t, count == 0 ? NO_LEAVES : rootOf(t, elements, 0, count)), 0x10);
    }

    // The io-map digest of inputs or results, from the digests of all of them.
    function ioMap(bytes32[] memory digests) internal view returns (bytes32) {
        require(digests.length < 24);
        bytes memory map = abi.encodePacked(uint8(0x80 | digests.length));
        for (uint256 i = 0; i < digests.length; ++i) map = abi.encodePacked(map, hex"5820", digests[i]);
        uint256 pos;
        assembly ("memory-safe") {
            pos := add(map, 32)
        }
        return hashInDomain(0x13, pos, map.length);
    }

    function rootOf(Type memory t, bytes memory elements, uint256 first, uint256 size) private view returns (bytes32) {
        if (size > 1) {
            uint256 left = largestPowerBelow(size);
            return hashNode(rootOf(t, elements, first, left), rootOf(t, elements, first + left, size - left));
        }
        uint256 at = (first / t.leavesPerGroup) * t.groupBytes + (first % t.leavesPerGroup) * LEAF_BYTES;
        uint256 pos;
        assembly ("memory-safe") {
            pos := add(add(elements, 32), at)
        }
        return hashInDomain(0, pos, leafSize(t, first));
    }
}
