// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case, Function} from "./Case.sol";
import {Cursor, readArray, readByte, readInt, readUnsigned, readVarint, expectArray, expectEnd, expectKey, head, MAP, take} from "./Cursor.sol";
import {refuse} from "./Refusal.sol";
import {storageOf} from "./Types.sol";
import {CONSTANT_OPERATOR, OPERATORS, VARIADIC, Row, rowIn, rowOf} from "./Operators.sol";

// The program of a module beside its bounds, instruction by instruction: where everything is, and which
// values a trace commits to. Whoever relies on a module has validated it (docs/spec/validation.md); a rule of
// validation is checked here where reading depends on it.

uint256 constant MOST_FOLDED = 16;

function decodeProgram(Case memory c, Cursor memory program, Cursor memory bounds) pure {
    readHeader(program);
    uint256 functions = readBoundsHeader(c, bounds);
    if (readVarint(program) != functions) refuse("program_types");
    c.functions = new Function[](functions);
    bytes memory table = OPERATORS;
    for (uint256 i = 0; i < functions; ++i) decodeFunction(table, c.functions[i], program, bounds);
    expectEnd(bounds);
    c.constants = readVarint(program);
    c.constantsAt = take(program, 32 * c.constants);
    take(program, 32);
    expectEnd(program);
    for (uint256 i = 0; i < functions; ++i) fold(c.functions[i]);
}

// Magic, format version, profile and spec version; then the frame of the functions.
function readHeader(Cursor memory program) pure {
    uint256 magic = take(program, 8);
    assembly ("memory-safe") {
        magic := shr(192, mload(magic))
    }
    if (magic != 0x8974616c6c790d0a) refuse("bad_magic");
    if (readByte(program) != 1) refuse("bad_format_version");
    if (readByte(program) > 1) refuse("bad_profile");
    take(program, 4);
    if (readByte(program) != 1) refuse("bad_section");
    take(program, 8);
}

function skipVarints(Cursor memory c, uint256 count) pure {
    uint256 pos = c.pos;
    uint256 end = c.end;
    if (count > end - pos) refuse("unexpected_end");
    assembly ("memory-safe") {
        for {} count {} {
            count := sub(count, lt(byte(0, mload(pos)), 128))
            pos := add(pos, 1)
        }
    }
    if (pos > end) refuse("unexpected_end");
    c.pos = pos;
}

// A type of a parameter; its address.
function skipParam(Cursor memory program) pure returns (uint256 pos) {
    pos = program.pos;
    skipVarints(program, readVarint(program) + 2);
}

// Passes over the heads of so many numbers, without a look at them.
function skipHeads(Cursor memory c, uint256 count) pure {
    uint256 pos = c.pos;
    assembly ("memory-safe") {
        for {} count { count := sub(count, 1) } {
            let argument := and(byte(0, mload(pos)), 31)
            pos := add(pos, 1)
            if gt(argument, 23) { pos := add(pos, shl(and(argument, 3), 1)) }
        }
    }
    c.pos = pos;
}

// A type of bounds that are right, since a claim names them; its address.
function skipType(Cursor memory bounds) pure returns (uint256 pos) {
    unchecked {
        pos = bounds.pos;
        uint256 rank;
        // [storage, [dim, ...], lo, hi]
        assembly ("memory-safe") {
            rank := and(byte(2, mload(pos)), 31)
        }
        bounds.pos = pos + 3;
        skipHeads(bounds, rank + 2);
    }
}

// A type of bounds that may be none.
function checkType(Cursor memory bounds) pure {
    unchecked {
        expectArray(bounds, 4);
        uint256 storage_ = readUnsigned(bounds);
        uint256 rank = readArray(bounds);
        bool dims = true;
        uint256 elements = 1;
        for (uint256 i = 0; i < rank; ++i) {
            int256 dim = readInt(bounds);
            if (dim < 1 || dim >= 1 << 31) dims = false;
            if (elements <= 1 << 36) elements *= uint256(dim);
        }
        if (rank > 8) refuse("shape_rank");
        if (!dims) refuse("shape_dim");
        if (elements > 1 << 36) refuse("shape_elements");
        (int256 lo, int256 hi) = checkInterval(bounds);
        if (storage_ != storageOf(lo, hi)) refuse("bounds_storage");
    }
}

function checkInterval(Cursor memory bounds) pure returns (int256 lo, int256 hi) {
    lo = readInt(bounds);
    hi = readInt(bounds);
    if (lo > hi) refuse("bounds_interval");
}

// The fields before the functions; how many these are.
function readBoundsHeader(Case memory c, Cursor memory bounds) pure returns (uint256 functions) {
    if (head(bounds, MAP) != 3) refuse("cbor_type");
    expectKey(bounds, 1);
    c.boundsGas = readUnsigned(bounds);
    expectKey(bounds, 2);
    readUnsigned(bounds);
    expectKey(bounds, 3);
    return readArray(bounds);
}

// Refuses bounds that are none.
function checkBounds(Case memory c, Cursor memory bounds) pure {
    for (uint256 functions = readBoundsHeader(c, bounds); functions > 0; --functions) {
        for (uint256 steps = readArray(bounds); steps > 0; --steps) {
            expectArray(bounds, 3);
            checkInterval(bounds);
            for (uint256 results = readArray(bounds); results > 0; --results) checkType(bounds);
        }
    }
    expectEnd(bounds);
}

function decodeFunction(bytes memory table, Function memory f, Cursor memory program, Cursor memory bounds) pure {
    unchecked {
        f.params = readVarint(program);
        Cursor memory params = Cursor(program.pos, program.end);
        for (uint256 i = 0; i < f.params; ++i) skipParam(program);
        uint256 steps = readVarint(program);
        if (readArray(bounds) != steps) refuse("program_types");
        f.steps = new uint256[](steps);
        // Values are added at the end of memory, where nothing else is added meanwhile.
        uint256[] memory values = new uint256[](0);
        for (uint256 i = 0; i < f.params; ++i) push(values, skipParam(params));
        for (uint256 step = 0; step < steps; ++step) {
            // [lo, hi, [result, ...]]
            bounds.pos += 1;
            skipHeads(bounds, 2);
            uint256 results = readArray(bounds);
            f.steps[step] = decodeStep(table, program) | (values.length << 96) | (results << 128);
            uint256 constant_ = 0;
            if (uint16(f.steps[step]) == CONSTANT_OPERATOR) {
                params.pos = uint32(f.steps[step] >> 16);
                constant_ = uint32(readVarint(params) >> 1) + 1;
            }
            for (uint256 i = 0; i < results; ++i) push(values, skipType(bounds) | (step << 32) | (constant_ << 64));
        }
        f.values = values;
        f.results = readVarint(program);
        f.resultsAt = program.pos;
        skipVarints(program, f.results);
    }
}

function decodeStep(bytes memory table, Cursor memory program) pure returns (uint256 step) {
    unchecked {
        uint256 code = readVarint(program);
        Row row = rowOf(table, code);
        uint256 operands = row.operands();
        if (operands == VARIADIC) operands = readVarint(program);
        step = code | (program.pos << 48) | (operands << 80);
        skipVarints(program, operands);
        step |= (program.pos << 16) | (Row.unwrap(row) << 144);
        uint256 attributes = row.attributes();
        uint256 lists = row.lists();
        if (lists == 0) {
            skipVarints(program, attributes);
            return step;
        }
        for (uint256 i = 0; i < attributes; ++i) skipVarints(program, (lists >> i) & 1 == 1 ? readVarint(program) : 1);
    }
}

// Adds a word to an array that ends where free memory begins.
function push(uint256[] memory words, uint256 word) pure {
    assembly ("memory-safe") {
        let free := mload(0x40)
        mstore(free, word)
        mstore(0x40, add(free, 32))
        mstore(words, add(mload(words), 1))
    }
}

// The values that are folded into the instruction that reads them (docs/spec/trace.md).
function fold(Function memory f) pure {
    unchecked {
        uint256[] memory values = f.values;
        Cursor memory c = Cursor(0, type(uint32).max);
        for (uint256 step = 0; step < f.steps.length; ++step) {
            uint256 word = f.steps[step];
            c.pos = uint32(word >> 48);
            for (uint256 n = uint16(word >> 80); n > 0; --n) countReader(values, readVarint(c));
        }
        c.pos = f.resultsAt;
        for (uint256 n = f.results; n > 0; --n) countReader(values, readVarint(c));
        for (uint256 step = 0; step < f.steps.length; ++step) {
            uint256 word = f.steps[step];
            Row row = rowIn(word);
            if (row.runsFunctions() || uint16(word) == CONSTANT_OPERATOR) continue;
            c.pos = uint32(word >> 48);
            uint256 operands = uint16(word >> 80);
            uint256 instructions = 1;
            uint256 wide = row.isWide(operands) ? 1 : 0;
            for (uint256 k = 0; k < operands; ++k) {
                uint256 id = readVarint(c);
                uint256 value = values[id];
                uint256 more = uint8(value >> 96);
                uint256 moreWide = uint8(value >> 104);
                if (more == 0 || uint8(value >> 48) != 1 || !row.readsOne(k)) continue;
                if (instructions + more > MOST_FOLDED || wide + moreWide > 1) continue;
                instructions += more;
                wide += moreWide;
                values[id] = value | (1 << 56);
            }
            if (uint16(word >> 128) == 1) values[uint32(word >> 96)] |= (instructions << 96) | (wide << 104);
        }
    }
}

function countReader(uint256[] memory values, uint256 id) pure {
    if (id >= values.length) refuse("operand_undefined");
    uint256 value = values[id];
    if (uint8(value >> 48) < 2) values[id] = value + (1 << 48);
}
