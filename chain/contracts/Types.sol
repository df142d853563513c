// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case, Function, Type} from "./Case.sol";
import {Cursor, readArray, readInt, readSigned, readUnsigned, readVarint} from "./Cursor.sol";
import {refuse} from "./Refusal.sol";

// Types of values, from the bounds or, of parameters, from the program; and their leaves.

uint256 constant LEAF_BYTES = 1024;
uint256 constant MOST_ROW_MAJOR_CHANNELS = 16;

// The narrowest storage that holds an interval.
function storageOf(int256 lo, int256 hi) pure returns (uint256) {
    if (int8(lo) == lo && int8(hi) == hi) return 0;
    if (int16(lo) == lo && int16(hi) == hi) return 1;
    if (int32(lo) == lo && int32(hi) == hi) return 2;
    return 3;
}

function rowMajorStrides(uint256[] memory dims) pure returns (uint256[] memory strides, uint256 elements) {
    unchecked {
        strides = new uint256[](dims.length);
        elements = 1;
        for (uint256 axis = dims.length; axis > 0; ) {
            --axis;
            strides[axis] = elements;
            elements *= dims[axis];
        }
    }
}

// Fills in what follows from storage and dims.
function layOut(Type memory t, bool ofRun) pure {
    unchecked {
        uint256 rank = t.dims.length;
        (t.strides, t.elements) = rowMajorStrides(t.dims);
        uint256 fiber = rank == 0 ? 1 : t.dims[rank - 1];
        if (ofRun && (rank == 4 || rank == 5) && t.dims[1] > MOST_ROW_MAJOR_CHANNELS) {
            t.channelsLast = true;
            fiber = t.dims[1];
            for (uint256 axis = 2; axis < rank; ++axis) t.strides[axis] *= fiber;
            t.strides[1] = 1;
        }
        fiber <<= t.storage_;
        if (fiber >= LEAF_BYTES) {
            t.groupBytes = fiber;
            t.leavesPerGroup = (fiber + LEAF_BYTES - 1) / LEAF_BYTES;
        } else {
            t.groupBytes = (LEAF_BYTES / fiber) * fiber;
            t.leavesPerGroup = 1;
        }
    }
}

function leavesOf(Type memory t) pure returns (uint256) {
    unchecked {
        uint256 bytes_ = t.elements << t.storage_;
        return ((bytes_ + t.groupBytes - 1) / t.groupBytes) * t.leavesPerGroup;
    }
}

// The bytes of leaf `number`.
function leafSize(Type memory t, uint256 number) pure returns (uint256) {
    unchecked {
        uint256 total = t.elements << t.storage_;
        uint256 group = number / t.leavesPerGroup;
        uint256 inGroup = (number % t.leavesPerGroup) * LEAF_BYTES;
        uint256 end = total - group * t.groupBytes;
        if (end > t.groupBytes) end = t.groupBytes;
        end -= inGroup;
        return end < LEAF_BYTES ? end : LEAF_BYTES;
    }
}

// The number of a row-major element in the order of the leaves.
function inLeaves(Type memory t, uint256 element) pure returns (uint256) {
    unchecked {
        if (!t.channelsLast) return element;
        uint256 channels = t.dims[1];
        uint256 positions = t.strides[0] / channels;
        uint256 rest = element % t.strides[0];
        return element - rest + (rest % positions) * channels + rest / positions;
    }
}

// [storage, [dim, ...], lo, hi] of the bounds. The validator has accepted it, whose digest the claim has.
function decodeType(uint256 pos, uint256 end, bool ofRun) pure returns (Type memory t) {
    Cursor memory c = Cursor(pos, end);
    readArray(c);
    t.storage_ = readUnsigned(c);
    t.dims = new uint256[](readArray(c));
    for (uint256 i = 0; i < t.dims.length; ++i) t.dims[i] = readUnsigned(c);
    t.lo = readInt(c);
    t.hi = readInt(c);
    layOut(t, ofRun);
}

// shape lo hi of a parameter.
function decodeParam(uint256 pos, uint256 end) pure returns (Type memory t) {
    Cursor memory c = Cursor(pos, end);
    t.dims = new uint256[](readVarint(c));
    for (uint256 i = 0; i < t.dims.length; ++i) t.dims[i] = readVarint(c);
    t.lo = readSigned(c);
    t.hi = readSigned(c);
    t.storage_ = storageOf(t.lo, t.hi);
    layOut(t, true);
}

function isConstant(uint256 value) pure returns (bool) {
    return uint32(value >> 64) != 0;
}

// The address of the type of value `id` of a function, which is decoded once.
function typeOf(Function memory f, uint256 id) pure returns (uint256 known) {
    if (id >= f.values.length) refuse("program_types");
    uint256 value = f.values[id];
    known = uint32(value >> 112);
    if (known != 0) return known;
    uint256 pos = uint32(value);
    Type memory t =
        id < f.params ? decodeParam(pos, type(uint32).max) : decodeType(pos, type(uint32).max, !isConstant(value));
    assembly ("memory-safe") {
        known := t
    }
    f.values[id] = value | (known << 112);
}
