// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import "./Case.sol";
import "./Cursor.sol";
import {checkBounds, decodeProgram} from "./Program.sol";
import {refuse} from "./Refusal.sol";
import {hashInDomain, isOpening, OpenedTree} from "./Sha256.sol";

// A certificate's bytes (docs/spec/certificate.md#the-file), up to what they open.

uint256 constant MOST_BYTES = 1 << 20;

function decodeCertificate(Case memory c, Cursor memory file)
    view
{
    if (file.end - file.pos > MOST_BYTES) refuse("certificate_size");
    uint256 fields = readMap(file);
    expectKey(file, 1);
    if (readUnsigned(file) != 1) refuse("proof_version");
    expectKey(file, 2);
    ClaimParts memory claim = decodeClaim(readBytes(file));
    (c.claim, c.gas_) = (claim.id, claim.gas_);
    expectKey(file, 3);
    bytes32 inputs;
    bytes32 results;
    (inputs, c.inputs) = decodeIoMap(readBytes(file));
    expectKey(file, 4);
    (results, c.results) = decodeIoMap(readBytes(file));
    expectKey(file, 5);
    Cursor memory program = readBytes(file);
    expectKey(file, 6);
    Cursor memory bounds = readBytes(file);
    expectKey(file, 7);
    decodeCharge(c, file);
    uint256 key = readUnsigned(file);
    uint256 expected = 9;
    if (key == 8) {
        (c.hasTrace, expected) = (true, expected + 1);
        decodeTrace(c, file);
        key = readUnsigned(file);
    }
    if (key == 9) {
        (c.hasColumns, expected) = (true, expected + 1);
        expectArray(file, 3);
        c.columnsEntry = readUnsigned(file);
        c.columnsElement = readUnsigned(file);
        decodeTree(c.columnsTree, file, true);
        key = readUnsigned(file);
    }
    if (key != 10) refuse("cbor_type");
    decodeValues(c, file);
    expectKey(file, 11);
    decodeRecipes(c, file);
    if (fields != expected) refuse("certificate_form");
    expectEnd(file);
    openClaim(c, claim, [inputs, results], program, bounds);
}

struct ClaimParts {
    bytes32 id;
    uint256 gas_;
    bytes32 module;
    bytes32 inputs;
    bytes32 results;
    bytes32 bounds;
    bool ran;
}

function decodeClaim(Cursor memory claim) view returns (ClaimParts memory parts) {
    parts.id = hashInDomain(0x14, claim.pos, claim.end - claim.pos);
    uint256 fields = readMap(claim);
    expectKey(claim, 1);
    if (readUnsigned(claim) != 1) refuse("proof_version");
    expectKey(claim, 2);
    parts.module = readDigest(claim);
    expectKey(claim, 3);
    parts.inputs = readDigest(claim);
    uint256 key = readUnsigned(claim);
    bool hasResults = key == 4;
    if (hasResults) {
        parts.results = readDigest(claim);
        key = readUnsigned(claim);
    }
    if (key != 5) refuse("cbor_type");
    parts.bounds = readDigest(claim);
    expectKey(claim, 6);
    parts.gas_ = readUnsigned(claim);
    expectKey(claim, 7);
    uint256 size = head(claim, TEXT);
    bytes32 status = textAt(take(claim, size), size);
    parts.ran = status == "ok";
    bool limit = status == "gas_limit" || status == "memory_limit";
    bool refused = limit || status == "input_count" || status == "input_shape" || status == "input_interval";
    if (!parts.ran && !refused) refuse(status == 0 ? bytes32("bad_text_encoding") : bytes32("claim_status"));
    if (hasResults != parts.ran || (!parts.ran && parts.gas_ != 0)) refuse("claim_status");
    if (limit) {
        expectKey(claim, 8);
        readUnsigned(claim);
    }
    if (fields != 6 + (hasResults ? 1 : 0) + (limit ? 1 : 0)) refuse("cbor_type");
    expectEnd(claim);
}

// A text of at most 31 printable bytes, and "?" for a longer one; 0 where it has control characters, or bytes
// that no status has.
function textAt(uint256 pos, uint256 size) pure returns (bytes32 text) {
    bool printable = true;
    for (uint256 i = 0; i < size; ++i) {
        assembly ("memory-safe") {
            let b := byte(0, mload(add(pos, i)))
            if or(lt(b, 32), gt(b, 126)) { printable := 0 }
        }
    }
    if (!printable) return 0;
    if (size == 0 || size > 31) return "?";
    assembly ("memory-safe") {
        text := shl(sub(256, mul(8, size)), shr(sub(256, mul(8, size)), mload(pos)))
    }
}

function decodeIoMap(Cursor memory map) view returns (bytes32 digest, bytes32[] memory values) {
    digest = hashInDomain(0x13, map.pos, map.end - map.pos);
    values = decodeDigests(map);
}

// [digest, ...] and nothing else.
function decodeDigests(Cursor memory list) pure returns (bytes32[] memory digests) {
    digests = new bytes32[](readArray(list));
    for (uint256 i = 0; i < digests.length; ++i) digests[i] = readDigest(list);
    expectEnd(list);
}

function readKind(Cursor memory file, uint256 last) pure returns (uint256 kind) {
    kind = readUnsigned(file);
    if (kind > last) refuse("certificate_form");
}

function decodeCharge(Case memory c, Cursor memory file) pure {
    expectArray(file, 5);
    c.charge = readKind(file, CHARGE_ELEMENT);
    c.kind = readKind(file, CONSTANT);
    c.index = readUnsigned(file);
    c.element = readUnsigned(file);
    c.header = readBytes(file);
}

function decodeSiblings(OpenedTree memory tree, Cursor memory file) pure {
    tree.siblings = readArray(file);
    tree.siblingsAt = file.pos;
    for (uint256 i = 0; i < tree.siblings; ++i) readDigest(file);
}

function beginTree(OpenedTree memory tree, Cursor memory file) pure returns (uint256 opened) {
    expectArray(file, 4);
    tree.count = readUnsigned(file);
    tree.root = readDigest(file);
    opened = readArray(file);
    tree.numbers = new uint256[](opened);
    tree.leaves = new uint256[](opened);
    tree.sizes = new uint256[](opened);
}

// A tree whose leaves are byte strings, or digests.
function decodeTree(OpenedTree memory tree, Cursor memory file, bool digests) pure {
    uint256 opened = beginTree(tree, file);
    for (uint256 i = 0; i < opened; ++i) {
        expectArray(file, 2);
        tree.numbers[i] = readUnsigned(file);
        tree.sizes[i] = head(file, BYTES);
        tree.leaves[i] = take(file, tree.sizes[i]);
        if (digests && tree.sizes[i] != 32) refuse("cbor_type");
    }
    decodeSiblings(tree, file);
}

function decodeTrace(Case memory c, Cursor memory file) pure {
    OpenedTree memory tree = c.traceTree;
    uint256 opened = beginTree(tree, file);
    c.entries = new Entry[](opened);
    for (uint256 i = 0; i < opened; ++i) {
        expectArray(file, 2);
        tree.numbers[i] = readUnsigned(file);
        tree.leaves[i] = file.pos;
        c.entries[i] = decodeEntry(file);
        c.entries[i].number = tree.numbers[i];
        tree.sizes[i] = file.pos - tree.leaves[i];
    }
    decodeSiblings(tree, file);
}

function decodeEntry(Cursor memory file) pure returns (Entry memory entry) {
    expectArray(file, 3);
    uint256 depth = readArray(file);
    if (depth >= 64) refuse("trace_entry");
    entry.path = new uint256[](depth);
    for (uint256 i = 0; i < depth; ++i) {
        expectArray(file, 2);
        uint256 step = readUnsigned(file);
        if (step > 1 << 16) refuse("trace_entry");
        uint256 invocation = readUnsigned(file);
        if (invocation > uint64(type(int64).max)) refuse("trace_entry");
        entry.path[i] = (step << 64) | invocation;
    }
    entry.id = readUnsigned(file);
    if (entry.id > type(uint32).max) refuse("trace_entry");
    entry.value = readDigest(file);
}

function decodeValues(Case memory c, Cursor memory file) pure {
    c.values = new Value[](readArray(file));
    for (uint256 i = 0; i < c.values.length; ++i) {
        Value memory value = c.values[i];
        expectArray(file, 3);
        value.kind = readKind(file, CONSTANT);
        value.index = readUnsigned(file);
        decodeTree(value.tree, file, false);
    }
}

// Entries of the directory; the bytes of a recipe are its one leaf until they are opened.
function decodeRecipes(Case memory c, Cursor memory file) pure {
    c.recipes = new Value[](readArray(file));
    for (uint256 i = 0; i < c.recipes.length; ++i) {
        OpenedTree memory tree = c.recipes[i].tree;
        expectArray(file, 2);
        (c.recipes[i].kind, c.recipes[i].index) = (CONSTANT, readUnsigned(file));
        (tree.numbers, tree.leaves, tree.sizes) = (new uint256[](1), new uint256[](1), new uint256[](1));
        tree.sizes[0] = head(file, BYTES);
        tree.leaves[0] = take(file, tree.sizes[0]);
    }
}

function openClaim(
    Case memory c,
    ClaimParts memory claim,
    bytes32[2] memory maps,
    Cursor memory program,
    Cursor memory bounds
) view {
    if (!claim.ran || maps[0] != claim.inputs || maps[1] != claim.results) refuse("certificate_claim");
    if (hashInDomain(0x11, program.pos, program.end - program.pos) != claim.module) refuse("certificate_claim");
    if (hashInDomain(0x12, bounds.pos, bounds.end - bounds.pos) != claim.bounds) {
        checkBounds(c, bounds);
        refuse("certificate_claim");
    }
    decodeProgram(c, program, bounds);
}

function leafHashes(OpenedTree memory tree) view returns (bytes32[] memory hashes) {
    unchecked {
        hashes = new bytes32[](tree.leaves.length);
        for (uint256 i = 0; i < hashes.length; ++i) hashes[i] = hashInDomain(0, tree.leaves[i], tree.sizes[i]);
    }
}
