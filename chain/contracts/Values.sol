// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case, CONSTANT, COLUMN, ENTRY, Entry, Frame, Function, INPUT, Type, Value} from "./Case.sol";
import {valueAt} from "./Pointers.sol";
import {openedAt} from "./Sha256.sol";
import {inLeaves, LEAF_BYTES} from "./Types.sol";
import {refuse} from "./Refusal.sol";

// Elements of the leaves that are opened.

// The opened leaves of a value, or none: its address, or 0.
function openedValue(Case memory c, uint256 kind, uint256 index) pure returns (uint256 pos) {
    if (kind == CONSTANT) pos = valueIn(c.recipes, kind, index);
    if (pos == 0) pos = valueIn(c.values, kind, index);
}

function valueIn(Value[] memory values, uint256 kind, uint256 index) pure returns (uint256 pos) {
    unchecked {
        for (uint256 i = 0; i < values.length; ++i) {
            Value memory value = values[i];
            if (value.kind == kind && value.index == index) {
                assembly ("memory-safe") {
                    pos := value
                }
                return pos;
            }
        }
    }
}

function samePath(uint256[] memory a, uint256[] memory b) pure returns (bool) {
    unchecked {
        if (a.length != b.length) return false;
        for (uint256 i = 0; i < a.length; ++i) {
            if (a[i] != b[i]) return false;
        }
        return true;
    }
}

// Where value `id` of a body is opened, which is an input, a constant or an entry: its address, or 0.
function openedOf(Case memory c, Frame memory frame, uint256 id) pure returns (uint256) {
    unchecked {
        Function memory f = frame.function_;
        uint256 constant_ = uint32(f.values[id] >> 64);
        if (constant_ != 0) return openedValue(c, CONSTANT, constant_ - 1);
        if (id < f.params) return openedValue(c, INPUT, id);
        for (uint256 i = 0; i < c.entries.length; ++i) {
            Entry memory entry = c.entries[i];
            if (entry.id == id && samePath(entry.path, frame.path)) return openedValue(c, ENTRY, entry.number);
        }
        return 0;
    }
}

// The address of byte `offset` of the bytes of a value, and how many bytes of its leaf follow.
function locate(Value memory value, uint256 offset) pure returns (uint256 pos, uint256 available) {
    unchecked {
        Type memory t = value.type_;
        uint256 inGroup = offset % t.groupBytes;
        uint256 leaf = (offset / t.groupBytes) * t.leavesPerGroup + inGroup / LEAF_BYTES;
        (bool found, uint256 i) = openedAt(value.tree, leaf);
        if (!found || value.oddLeaf == leaf + 1) refuse("leaf_missing");
        inGroup %= LEAF_BYTES;
        return (value.tree.leaves[i] + inGroup, value.tree.sizes[i] - inGroup);
    }
}

// The integer at an address: 2^storage bytes, the least significant first, in two's complement.
function load(uint256 pos, uint256 storage_) pure returns (int256 value) {
    assembly ("memory-safe") {
        let word := mload(pos)
        switch storage_
        case 0 { value := signextend(0, byte(0, word)) }
        case 1 { value := signextend(1, or(byte(0, word), shl(8, byte(1, word)))) }
        default {
            value := or(
                or(byte(0, word), shl(8, byte(1, word))), or(shl(16, byte(2, word)), shl(24, byte(3, word)))
            )
            switch storage_
            case 2 { value := signextend(3, value) }
            default {
                value := or(
                    value,
                    or(
                        or(shl(32, byte(4, word)), shl(40, byte(5, word))),
                        or(shl(48, byte(6, word)), shl(56, byte(7, word)))
                    )
                )
                value := signextend(7, value)
            }
        }
    }
}

function readElement(Value memory value, uint256 element) pure returns (int256) {
    unchecked {
        Type memory t = value.type_;
        if (element >= t.elements) refuse("leaf_missing");
        (uint256 pos, ) = locate(value, inLeaves(t, element) << t.storage_);
        return load(pos, t.storage_);
    }
}

// Integer i of a column.
function readColumn(Case memory c, uint256 column, uint256 i) pure returns (int256) {
    uint256 pos = openedValue(c, COLUMN, column);
    if (pos == 0) refuse("leaf_missing");
    return readElement(valueAt()(pos), i);
}

// The integer of the last column.
function lastInteger(Case memory c) pure returns (int256) {
    if (c.columns.length == 0) refuse("certificate_form");
    return readColumn(c, c.columns.length - 1, 0);
}
