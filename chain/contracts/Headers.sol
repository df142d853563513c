// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Type} from "./Case.sol";
import {hashInDomain} from "./Sha256.sol";

// CBOR that is hashed: headers of tensors, and the objects that bind trees.

struct Writer {
    uint256 begin;
    uint256 pos;
}

// A string of at most 256 bytes, with one before it for the domain.
function newWriter() pure returns (Writer memory w) {
    bytes memory space = new bytes(288);
    assembly ("memory-safe") {
        mstore(w, add(space, 33))
        mstore(add(w, 32), add(space, 33))
    }
}

function writeByte(Writer memory w, uint256 value) pure {
    uint256 pos = w.pos;
    assembly ("memory-safe") {
        mstore8(pos, value)
    }
    w.pos = pos + 1;
}

// The head of an item: its major type and its argument in the fewest bytes.
function writeHead(Writer memory w, uint256 kind, uint256 argument) pure {
    unchecked {
        if (argument < 24) return writeByte(w, (kind << 5) | argument);
        uint256 size = argument < 1 << 8 ? 0 : argument < 1 << 16 ? 1 : argument < 1 << 32 ? 2 : 3;
        writeByte(w, (kind << 5) | (24 + size));
        for (uint256 n = 1 << size; n > 0; --n) writeByte(w, (argument >> (8 * (n - 1))) & 0xff);
    }
}

function writeDigest(Writer memory w, bytes32 digest) pure {
    writeHead(w, 2, 32);
    uint256 pos = w.pos;
    assembly ("memory-safe") {
        mstore(pos, digest)
    }
    w.pos = pos + 32;
}

function hashOf(Writer memory w, uint256 domain) view returns (bytes32) {
    return hashInDomain(domain, w.begin, w.pos - w.begin);
}

// {1: storage, 2: [dims...], 3: 1024, 4: root, 5: 1 where channels are last}
function tensorHeader(Type memory t, bytes32 root) pure returns (Writer memory w) {
    w = newWriter();
    writeHead(w, 5, t.channelsLast ? 5 : 4);
    writeByte(w, 1);
    writeByte(w, t.storage_);
    writeByte(w, 2);
    writeHead(w, 4, t.dims.length);
    for (uint256 i = 0; i < t.dims.length; ++i) writeHead(w, 0, t.dims[i]);
    writeByte(w, 3);
    writeHead(w, 0, 1024);
    writeByte(w, 4);
    writeDigest(w, root);
    if (t.channelsLast) {
        writeByte(w, 5);
        writeByte(w, 1);
    }
}

// Bytes after the root in a header.
function afterRoot(Type memory t) pure returns (uint256) {
    return t.channelsLast ? 2 : 0;
}

function traceDigest(uint256 entries, bytes32 root) view returns (bytes32) {
    Writer memory w = newWriter();
    writeHead(w, 5, 3);
    writeByte(w, 1);
    writeByte(w, 1);
    writeByte(w, 2);
    writeHead(w, 0, entries);
    writeByte(w, 3);
    writeDigest(w, root);
    return hashOf(w, 0x16);
}

function expansionDigest(bytes32 trace, uint256 entry, uint256 element, uint256 columns, bytes32 root)
    view
    returns (bytes32)
{
    Writer memory w = newWriter();
    writeHead(w, 5, 6);
    writeByte(w, 1);
    writeByte(w, 1);
    writeByte(w, 2);
    writeDigest(w, trace);
    writeByte(w, 3);
    writeHead(w, 0, entry);
    writeByte(w, 4);
    writeHead(w, 0, element);
    writeByte(w, 5);
    writeHead(w, 0, columns);
    writeByte(w, 6);
    writeDigest(w, root);
    return hashOf(w, 0x17);
}
