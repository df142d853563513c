// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Type} from "./Case.sol";
import "./Cursor.sol";
import {expansionDigest, traceDigest} from "./Headers.sol";
import {Conviction} from "./Judge.sol";
import {ClaimParts, decodeClaim, decodeDigests, decodeIoMap} from "./Opening.sol";
import {countParts, findPart, LEVELS, rootOfParts} from "./Parts.sol";
import {refuse} from "./Refusal.sol";
import {hashInDomain, NO_LEAVES} from "./Sha256.sol";
import {LEAF_BYTES, layOut, leavesOf} from "./Types.sol";

// The subjects of queries, as docs/spec/dispute.md numbers them.
uint256 constant TRACE = 0;
uint256 constant RESULT_HEADER = 1;
uint256 constant VALUE = 2;
uint256 constant EXPANSION = 3;
uint256 constant COLUMNS = 4;
uint256 constant COLUMN_VALUE = 5;
uint256 constant NOTHING = 6; // before the first query

uint256 constant MOST_TENSORS = 1024; // inputs, and results
uint256 constant MOST_LEAF = 1024; // bytes
uint256 constant MOST_HEADER = 96;
uint256 constant MOST_DEPTH = 63; // calls
uint256 constant MOST_STEP = 1 << 16;
uint256 constant MOST_RANK = 8;
uint256 constant MOST_DIM = (1 << 31) - 1;
uint256 constant MOST_ELEMENTS = 1 << 36;

// A dispute after some messages: all that the next one is judged by.
struct Position {
    bytes32 claim; // its id
    bytes32 trace; // its digest
    bytes32[] results; // their digests, before the first query
    bool asked; // a query waits for its answer
    uint256 subject; // the last query is about this part
    uint256 first;
    uint256 size;
    bytes32 root; // its root
    bytes32[] roots; // the parts below have, which the last answer has shown
    uint256 count; // leaves of the tree that comes next, or 0
    bytes32 next; // its root
    bool hasEntry; // an entry was asked for, not a result
    uint256 entry;
    uint256 elements; // that its value has
    bytes32 expansion; // its digest
}

// A position is sent and kept as its ABI encoding.
interface IRules {
    // Where a dispute about a claim begins. Refused: dispute_claim, dispute_opening; those of CBOR.
    function open(bytes calldata opening) external view returns (ClaimParts memory claim, bytes memory position);

    // After a query of the challenger. Refused, as if it had not been sent: dispute_turn, dispute_query,
    // dispute_message; those of CBOR.
    function ask(bytes calldata position, bytes calldata query) external view returns (bytes memory);

    // After an answer of the asserter, who has lost where it is not the one that is committed to. Refused:
    // dispute_turn; those of CBOR.
    function answer(bytes calldata position, bytes calldata message) external view returns (bytes memory, bool lost);

    // Whether a certificate convicts the asserter of this dispute, or somebody else. Refused: dispute_turn.
    function convicts(bytes calldata position, Conviction calldata conviction) external view returns (bool);
}

// The referee of a dispute (docs/spec/dispute.md#rules), without clocks, bonds and parties.
contract Rules is IRules {
    function open(bytes calldata opening) external view returns (ClaimParts memory claim, bytes memory) {
        Cursor memory c = cursorOf(opening);
        readVersion(c, 6);
        expectKey(c, 2);
        claim = decodeClaim(readBytes(c));
        expectKey(c, 3);
        (bytes32 inputs, bytes32[] memory ofInputs) = decodeIoMap(readBytes(c));
        expectKey(c, 4);
        Position memory p;
        bytes32 results;
        (results, p.results) = decodeIoMap(readBytes(c));
        expectKey(c, 5);
        p.count = readUnsigned(c);
        expectKey(c, 6);
        p.next = readDigest(c);
        expectEnd(c);
        if (!claim.ran) refuse("dispute_claim");
        if (inputs != claim.inputs || results != claim.results) refuse("dispute_opening");
        if (p.count == 0 && p.next != NO_LEAVES) refuse("dispute_opening");
        // No module has more. The challenger has to bring them along, and pays for each.
        if (ofInputs.length > MOST_TENSORS || p.results.length > MOST_TENSORS) refuse("dispute_opening");
        p.claim = claim.id;
        p.trace = traceDigest(p.count, p.next);
        p.subject = NOTHING;
        return (claim, abi.encode(p));
    }

    function ask(bytes calldata position, bytes calldata query) external view returns (bytes memory) {
        Position memory p = abi.decode(position, (Position));
        if (p.asked) refuse("dispute_turn");
        Cursor memory c = cursorOf(query);
        readVersion(c, 4);
        expectKey(c, 2);
        uint256 subject = readUnsigned(c);
        if (subject > COLUMN_VALUE) refuse("dispute_message");
        expectKey(c, 3);
        uint256 first = readUnsigned(c);
        expectKey(c, 4);
        uint256 size = readUnsigned(c);
        expectEnd(c);
        bool may;
        (may, p.root) = mayAsk(p, subject, first, size);
        if (!may) refuse("dispute_query");
        (p.asked, p.subject, p.first, p.size) = (true, subject, first, size);
        // Only the first query is about a result.
        (p.roots, p.results) = (new bytes32[](0), new bytes32[](0));
        return abi.encode(p);
    }

    // Whether the query goes on from the last answer, and the root of what it is about.
    function mayAsk(Position memory p, uint256 subject, uint256 first, uint256 size)
        private
        pure
        returns (bool, bytes32)
    {
        if (p.subject == NOTHING && subject == RESULT_HEADER && size == 1 && first < p.results.length) {
            return (true, p.results[first]);
        }
        if (p.subject != NOTHING && p.size > 1) {
            (bool found, uint256 i) = findPart(p.first, p.size, LEVELS, first, size);
            if (!found || subject != p.subject) return (false, 0);
            return (true, p.roots[i]);
        }
        if (p.subject == VALUE) {
            return (p.hasEntry && subject == EXPANSION && size == 1 && first < p.elements, 0);
        }
        // From a leaf to all of the next tree.
        bool isNext = (p.subject == NOTHING && subject == TRACE)
            || ((p.subject == TRACE || p.subject == RESULT_HEADER) && subject == VALUE)
            || (p.subject == EXPANSION && subject == COLUMNS) || (p.subject == COLUMNS && subject == COLUMN_VALUE);
        return (isNext && p.count != 0 && first == 0 && size == p.count, p.next);
    }

    struct Answer {
        bytes32[] roots;
        uint256 columns;
        Cursor leaf;
        Cursor header;
    }

    function answer(bytes calldata position, bytes calldata message) external view returns (bytes memory, bool lost) {
        Position memory p = abi.decode(position, (Position));
        if (!p.asked) refuse("dispute_turn");
        Cursor memory c = cursorOf(message);
        readVersion(c, 5);
        Answer memory a;
        expectKey(c, 2);
        a.roots = decodeDigests(readBytes(c));
        expectKey(c, 3);
        a.columns = readUnsigned(c);
        expectKey(c, 4);
        a.leaf = readBytes(c);
        expectKey(c, 5);
        a.header = readBytes(c);
        expectEnd(c);
        lost = !hasForm(p, a) || !isAnswer(p, a);
        p.asked = false;
        return (abi.encode(p), lost);
    }

    // An answer has what was asked for and nothing else.
    function hasForm(Position memory p, Answer memory a) private pure returns (bool) {
        uint256 leaf = a.leaf.end - a.leaf.pos;
        uint256 header = a.header.end - a.header.pos;
        if (leaf > MOST_LEAF || header > MOST_HEADER) return false;
        bool ofLeaf = p.size == 1 && p.subject != RESULT_HEADER && p.subject != EXPANSION;
        bool hasHeader = p.size == 1 && (p.subject == TRACE || p.subject == RESULT_HEADER || p.subject == COLUMNS);
        if (leaf != 0 && !ofLeaf) return false;
        if (header != 0 && !hasHeader) return false;
        if (a.roots.length != 0 && p.size == 1 && p.subject != EXPANSION) return false;
        return a.columns == 0 || p.subject == EXPANSION;
    }

    function isAnswer(Position memory p, Answer memory a) private view returns (bool) {
        if (p.subject == RESULT_HEADER) return learnHeader(p, p.root, a.header);
        if (p.subject == EXPANSION) return learnExpansion(p, a);
        if (p.size > 1) return learnParts(p, a.roots);
        Cursor memory leaf = a.leaf;
        if (hashInDomain(0, leaf.pos, leaf.end - leaf.pos) != p.root) return false;
        if (p.subject == COLUMNS) {
            if (leaf.end - leaf.pos != 32) return false;
            bytes32 digest;
            uint256 pos = leaf.pos;
            assembly ("memory-safe") {
                digest := mload(pos)
            }
            return learnHeader(p, digest, a.header);
        }
        if (p.subject != TRACE) return true;
        (p.hasEntry, p.entry) = (true, p.first);
        (bool isEntry, bytes32 value) = decodeEntryValue(leaf);
        return isEntry && learnHeader(p, value, a.header);
    }

    function learnParts(Position memory p, bytes32[] memory roots) private view returns (bool) {
        if (roots.length != countParts(p.size, LEVELS)) return false;
        (bytes32 root,) = rootOfParts(roots, 0, p.size, LEVELS);
        p.roots = roots;
        return root == p.root;
    }

    // The number of columns and their root; of an element without an expansion 0, and no root.
    function learnExpansion(Position memory p, Answer memory a) private view returns (bool) {
        if (a.roots.length != (a.columns == 0 ? 0 : 1)) return false;
        (p.count, p.next) = (a.columns, a.columns == 0 ? NO_LEAVES : a.roots[0]);
        p.expansion = expansionDigest(p.trace, p.entry, p.first, p.count, p.next);
        return true;
    }

    // A header that no tensor has names no leaves to ask for: it is what the accused is convicted of.
    function learnHeader(Position memory p, bytes32 digest, Cursor memory header) private view returns (bool) {
        if (hashInDomain(0x10, header.pos, header.end - header.pos) != digest) return false;
        (bool isTensor, Type memory t, bytes32 root) = decodeHeader(header);
        (p.count, p.next) = isTensor ? (leavesOf(t), root) : (0, bytes32(0));
        p.elements = isTensor ? t.elements : 0;
        return true;
    }

    // {1: storage, 2: [dims...], 3: 1024, 4: root, 5: 1 where channels are last}
    function decodeHeader(Cursor memory header) private pure returns (bool isTensor, Type memory t, bytes32 root) {
        unchecked {
            Cursor memory c = Cursor(header.pos, header.end);
            uint256 pairs = tryRead(c, MAP);
            bool keys = tryRead(c, UNSIGNED) == 1;
            t.storage_ = tryRead(c, UNSIGNED);
            keys = keys && tryRead(c, UNSIGNED) == 2;
            uint256 rank = tryRead(c, ARRAY);
            if (t.storage_ > 3 || rank > MOST_RANK) return (false, t, 0);
            t.dims = new uint256[](rank);
            uint256 elements = 1;
            for (uint256 i = 0; i < rank; ++i) {
                uint256 dim = tryRead(c, UNSIGNED);
                if (dim == 0 || dim > MOST_DIM) return (false, t, 0);
                elements *= dim;
                if (elements > MOST_ELEMENTS) return (false, t, 0);
                t.dims[i] = dim;
            }
            keys = keys && tryRead(c, UNSIGNED) == 3 && tryRead(c, UNSIGNED) == LEAF_BYTES && tryRead(c, UNSIGNED) == 4;
            root = tryDigest(c);
            if (pairs == 5) keys = keys && tryRead(c, UNSIGNED) == 5 && tryRead(c, UNSIGNED) == 1;
            // Row-major may be anything: constants are.
            layOut(t, pairs == 5);
            bool hasLayout = pairs == 5 ? t.channelsLast : pairs == 4;
            return (keys && hasLayout && isRead(c), t, root);
        }
    }

    // The digest of an entry's value: [[[step, invocation], ...], id, digest]
    function decodeEntryValue(Cursor memory c) private pure returns (bool isEntry, bytes32 value) {
        isEntry = tryRead(c, ARRAY) == 3;
        uint256 depth = tryRead(c, ARRAY);
        if (depth > MOST_DEPTH) return (false, 0);
        for (uint256 i = 0; i < depth; ++i) {
            isEntry = isEntry && tryRead(c, ARRAY) == 2 && tryRead(c, UNSIGNED) <= MOST_STEP
                && tryRead(c, UNSIGNED) <= uint64(type(int64).max);
        }
        isEntry = isEntry && tryRead(c, UNSIGNED) <= type(uint32).max;
        value = tryDigest(c);
        isEntry = isEntry && isRead(c);
    }

    function convicts(bytes calldata position, Conviction calldata conviction) external pure returns (bool) {
        Position memory p = abi.decode(position, (Position));
        if (p.asked) refuse("dispute_turn");
        return conviction.claim == p.claim && (conviction.trace == 0 || conviction.trace == p.trace)
            && (conviction.expansion == 0 || conviction.expansion == p.expansion);
    }

    function cursorOf(bytes calldata message) private pure returns (Cursor memory c) {
        bytes memory bytes_ = message;
        assembly ("memory-safe") {
            mstore(c, add(bytes_, 32))
            mstore(add(c, 32), add(add(bytes_, 32), mload(bytes_)))
        }
    }

    function readVersion(Cursor memory c, uint256 fields) private pure {
        if (head(c, MAP) != fields) refuse("cbor_type");
        expectKey(c, 1);
        if (readUnsigned(c) != 1) refuse("proof_version");
    }
}
