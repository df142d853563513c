// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

// SHA-256 by its precompile, and trees of RFC 6962, as docs/spec/commitment.md has them.

// SHA256(domain || bytes). The byte before them is borrowed for the domain.
function hashInDomain(uint256 domain, uint256 pos, uint256 size) view returns (bytes32 digest) {
    assembly ("memory-safe") {
        let before := sub(pos, 1)
        let saved := mload(before)
        mstore8(before, domain)
        if iszero(staticcall(gas(), 2, before, add(size, 1), 0, 32)) {
            revert(0, 0)
        }
        digest := mload(0)
        mstore8(before, byte(0, saved))
    }
}

function sha256Of(uint256 pos, uint256 size) view returns (bytes32 digest) {
    assembly ("memory-safe") {
        if iszero(staticcall(gas(), 2, pos, size, 0, 32)) {
            revert(0, 0)
        }
        digest := mload(0)
    }
}

function hashNode(bytes32 left, bytes32 right) view returns (bytes32 digest) {
    assembly ("memory-safe") {
        let pos := mload(0x40)
        mstore8(pos, 1)
        mstore(add(pos, 1), left)
        mstore(add(pos, 33), right)
        if iszero(staticcall(gas(), 2, pos, 65, 0, 32)) {
            revert(0, 0)
        }
        digest := mload(0)
    }
}

// The root of the tree without leaves.
bytes32 constant NO_LEAVES = 0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855;

// An opened tree: some of its leaves, and the roots of the parts between them.
struct OpenedTree {
    uint256 count; // all leaves
    bytes32 root;
    uint256[] numbers; // which leaves are opened
    uint256[] leaves; // their addresses
    uint256[] sizes; // and bytes
    uint256 siblings; // how many
    uint256 siblingsAt; // the first; each is a byte string of 34 bytes
}

function openedAt(OpenedTree memory tree, uint256 number) pure returns (bool found, uint256 i) {
    unchecked {
        uint256 end = tree.numbers.length;
        uint256 first = 0;
        while (first < end) {
            uint256 middle = (first + end) >> 1;
            uint256 pos = tree.numbers[middle];
            if (pos == number) return (true, middle);
            if (pos < number) first = middle + 1;
            else end = middle;
        }
        return (false, 0);
    }
}

// Whether the leaves are those of the tree with `count` leaves and its root.
function isOpening(OpenedTree memory tree, bytes32[] memory hashes, uint256 count) view returns (bool) {
    unchecked {
        uint256 opened = hashes.length;
        if (opened == 0 || tree.numbers[opened - 1] >= count) return false;
        for (uint256 i = 1; i < opened; ++i) {
            if (tree.numbers[i - 1] >= tree.numbers[i]) return false;
        }
        uint256[3] memory used; // hashes, siblings, and whether these were too few
        bytes32 root = rootOf(tree, hashes, 0, count, used);
        return used[2] == 0 && used[1] == tree.siblings && root == tree.root;
    }
}

// The root of the part of `size` leaves from `first` on.
function rootOf(OpenedTree memory tree, bytes32[] memory hashes, uint256 first, uint256 size, uint256[3] memory used)
    view
    returns (bytes32 root)
{
    unchecked {
        uint256 next = used[0];
        if (next == hashes.length || tree.numbers[next] >= first + size) {
            uint256 sibling = used[1]++;
            if (sibling >= tree.siblings) {
                used[2] = 1;
                return 0;
            }
            uint256 pos = tree.siblingsAt + 34 * sibling + 2;
            assembly ("memory-safe") {
                root := mload(pos)
            }
            return root;
        }
        if (size == 1) {
            used[0] = next + 1;
            return hashes[next];
        }
        uint256 left = largestPowerBelow(size);
        root = rootOf(tree, hashes, first, left, used);
        if (used[2] == 1) return 0;
        return hashNode(root, rootOf(tree, hashes, first + left, size - left, used));
    }
}

// The largest power of two below n > 1.
function largestPowerBelow(uint256 n) pure returns (uint256 power) {
    unchecked {
        power = 1;
        --n;
        for (uint256 shift = 32; shift > 0; shift >>= 1) {
            if (n >> shift > 0) {
                n >>= shift;
                power <<= shift;
            }
        }
    }
}
