// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {refuse} from "./Refusal.sol";

// Bytes in memory that are read from front to back: deterministic CBOR (docs/spec/commitment.md), and the
// integers of a module's binary form (docs/spec/binary.md).
struct Cursor {
    uint256 pos;
    uint256 end;
}

uint256 constant UNSIGNED = 0;
uint256 constant NEGATIVE = 1;
uint256 constant BYTES = 2;
uint256 constant TEXT = 3;
uint256 constant ARRAY = 4;
uint256 constant MAP = 5;

function readByte(Cursor memory c) pure returns (uint256 value) {
    uint256 pos = c.pos;
    if (pos >= c.end) refuse("unexpected_end");
    assembly ("memory-safe") {
        value := byte(0, mload(pos))
    }
    unchecked {
        c.pos = pos + 1;
    }
}

// The address of so many bytes, which are passed over.
function take(Cursor memory c, uint256 size) pure returns (uint256 pos) {
    unchecked {
        pos = c.pos;
        if (size > c.end - pos) refuse("unexpected_end");
        c.pos = pos + size;
    }
}

function anyHead(Cursor memory c) pure returns (uint256 kind, uint256 argument) {
    unchecked {
        (uint256 pos, uint256 end) = (c.pos, c.end);
        if (pos >= end) refuse("unexpected_end");
        uint256 word;
        assembly ("memory-safe") {
            word := mload(pos)
        }
        kind = word >> 253;
        argument = (word >> 248) & 31;
        if (argument < 24) {
            c.pos = pos + 1;
            return (kind, argument);
        }
        if (argument > 27) refuse("cbor_head");
        uint256 size = 1 << (argument - 24);
        if (end - pos <= size) refuse("unexpected_end");
        argument = (word << 8) >> (256 - 8 * size);
        if (argument < (size == 1 ? 24 : 1 << (4 * size))) refuse("cbor_not_shortest");
        c.pos = pos + 1 + size;
    }
}

function head(Cursor memory c, uint256 kind) pure returns (uint256 argument) {
    uint256 found;
    (found, argument) = anyHead(c);
    if (found != kind) refuse("cbor_type");
}

function readUnsigned(Cursor memory c) pure returns (uint256) {
    return head(c, UNSIGNED);
}

// An integer of 64 bits.
function readInt(Cursor memory c) pure returns (int256) {
    (uint256 kind, uint256 argument) = anyHead(c);
    if (kind > NEGATIVE || argument > uint64(type(int64).max)) refuse("cbor_type");
    return kind == UNSIGNED ? int256(argument) : ~int256(argument);
}

function expectKey(Cursor memory c, uint256 key) pure {
    if (readUnsigned(c) != key) refuse("cbor_type");
}

function readArray(Cursor memory c) pure returns (uint256 size) {
    size = head(c, ARRAY);
    if (size > c.end - c.pos) refuse("count_limit");
}

function readMap(Cursor memory c) pure returns (uint256 size) {
    size = head(c, MAP);
    if (size > (c.end - c.pos) / 2) refuse("count_limit");
}

function expectArray(Cursor memory c, uint256 size) pure {
    if (head(c, ARRAY) != size) refuse("cbor_type");
}

// A byte string, as bytes to be read in turn.
function readBytes(Cursor memory c) pure returns (Cursor memory inside) {
    uint256 size = head(c, BYTES);
    inside.pos = take(c, size);
    inside.end = inside.pos + size;
}

function readDigest(Cursor memory c) pure returns (bytes32 digest) {
    uint256 size = head(c, BYTES);
    uint256 pos = take(c, size);
    if (size != 32) refuse("cbor_type");
    assembly ("memory-safe") {
        digest := mload(pos)
    }
}

function expectEnd(Cursor memory c) pure {
    if (c.pos != c.end) refuse("trailing_bytes");
}

// LEB128, in the fewest bytes.
function readVarint(Cursor memory c) pure returns (uint256 value) {
    unchecked {
        (uint256 pos, uint256 end) = (c.pos, c.end);
        for (uint256 shift = 0; ; shift += 7) {
            if (pos >= end) refuse("unexpected_end");
            uint256 next;
            assembly ("memory-safe") {
                next := byte(0, mload(pos))
            }
            ++pos;
            if (shift == 63 && next > 1) refuse("varint_too_long");
            value |= (next & 127) << shift;
            if (next < 128) {
                if (next == 0 && shift != 0) refuse("varint_not_minimal");
                c.pos = pos;
                return value;
            }
        }
    }
}

function unzigzag(uint256 value) pure returns (int256) {
    unchecked {
        return int256(value >> 1) ^ -int256(value & 1);
    }
}

function readSigned(Cursor memory c) pure returns (int256) {
    return unzigzag(readVarint(c));
}

// Reading bytes that may be anything, without a refusal: what follows the first that is not as it should be
// reads as 0, and isRead says so at the end.

// The argument of a head of this type.
function tryRead(Cursor memory c, uint256 kind) pure returns (uint256 argument) {
    unchecked {
        (uint256 pos, uint256 end) = (c.pos, c.end);
        if (pos >= end) return giveUp(c);
        uint256 word;
        assembly ("memory-safe") {
            word := mload(pos)
        }
        argument = (word >> 248) & 31;
        if (word >> 253 != kind || argument > 27) return giveUp(c);
        c.pos = pos + 1;
        if (argument < 24) return argument;
        uint256 size = 1 << (argument - 24);
        if (end - pos <= size) return giveUp(c);
        argument = (word << 8) >> (256 - 8 * size);
        if (argument < (size == 1 ? 24 : 1 << (4 * size))) return giveUp(c);
        c.pos = pos + 1 + size;
    }
}

function tryDigest(Cursor memory c) pure returns (bytes32 digest) {
    unchecked {
        if (tryRead(c, BYTES) != 32 || c.end - c.pos < 32) return bytes32(giveUp(c));
        uint256 pos = c.pos;
        assembly ("memory-safe") {
            digest := mload(pos)
        }
        c.pos = pos + 32;
    }
}

function giveUp(Cursor memory c) pure returns (uint256) {
    (c.pos, c.end) = (1, 0);
    return 0;
}

// Whether all was read as it should be, to the end.
function isRead(Cursor memory c) pure returns (bool) {
    return c.pos == c.end;
}
