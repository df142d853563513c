// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import "./Case.sol";
import {typeAt, valueAt} from "./Pointers.sol";
import {Cursor, readByte, readVarint} from "./Cursor.sol";
import {afterRoot, expansionDigest, hashOf, tensorHeader, traceDigest, Writer} from "./Headers.sol";
import {decodeCertificate, leafHashes} from "./Opening.sol";
import {Row, rowIn} from "./Operators.sol";
import {Order} from "./Order.sol";
import {Refused, refuse} from "./Refusal.sol";
import {hashInDomain, isOpening, NO_LEAVES, openedAt, OpenedTree, sha256Of} from "./Sha256.sol";
import {decodeType, inLeaves, layOut, leafSize, leavesOf, LEAF_BYTES, typeOf} from "./Types.sol";
import {lastInteger, openedValue, readElement, samePath} from "./Values.sol";

// Whom a certificate convicts: whoever has signed this claim and this trace; and, where it opens an
// expansion, has answered with that one.
struct Conviction {
    bytes32 claim;
    bytes32 trace;
    bytes32 expansion;
}

interface IJudge {
    // The verdict of `tally check-certificate`. A contract does not compute exponentials: `tables` has the
    // bytes of the constants that field 11 gives by their recipes, one after the other, whose SHA-256 the
    // recipes have. Refused: by a label of docs/spec/certificate.md#refusals; table_bytes, where the tables
    // are others.
    function judge(bytes calldata certificate, bytes calldata tables) external view returns (Conviction memory);
}

contract Judge is IJudge, Order {
    // The contracts that judge rows, by their numbers: the code of this address is a list of 20 bytes for
    // each, after one byte.
    address private immutable referees;

    constructor(address[] memory addresses) {
        bytes memory list = hex"00"; // no instruction
        for (uint256 i = 0; i < addresses.length; ++i) list = abi.encodePacked(list, addresses[i]);
        // The creation code returns what follows it.
        bytes memory code = abi.encodePacked(hex"61", uint16(list.length), hex"80600a3d393df3", list);
        address pos;
        assembly ("memory-safe") {
            pos := create(0, add(code, 32), mload(code))
        }
        require(pos != address(0));
        referees = pos;
    }

    function judge(bytes calldata certificate, bytes calldata tables) external view returns (Conviction memory) {
        assembly ("memory-safe") {
            if gt(mload(0x40), FLOOR) { revert(0, 0) }
            mstore(0x40, FLOOR)
        }
        Case memory c;
        bytes memory list = referees.code;
        c.referees = new address[]((list.length - 1) / 20);
        for (uint256 i = 0; i < c.referees.length; ++i) {
            address at_;
            assembly ("memory-safe") {
                at_ := shr(96, mload(add(add(list, 33), mul(20, i))))
            }
            c.referees[i] = at_;
        }
        bytes memory file = certificate;
        Cursor memory pos;
        assembly ("memory-safe") {
            mstore(pos, add(file, 32))
            mstore(add(pos, 32), add(add(file, 32), mload(file)))
        }
        decodeCertificate(c, pos);
        openTrace(c);
        openColumns(c);
        openRecipes(c, tables);
        openValues(c);
        tryCharge(c);
        return Conviction(c.claim, c.trace, c.expansion);
    }

    // What is opened.

    function openTrace(Case memory c) private view {
        if (!c.hasTrace) return;
        OpenedTree memory tree = c.traceTree;
        bool isEmpty = tree.count == 0 && tree.numbers.length == 0 && tree.siblings == 0;
        if (!isEmpty && !isOpening(tree, leafHashes(tree), tree.count)) refuse("certificate_trace");
        c.trace = traceDigest(tree.count, tree.root);
    }

    function openColumns(Case memory c) private view {
        if (!c.hasColumns) return;
        OpenedTree memory tree = c.columnsTree;
        if (tree.numbers.length != 0) {
            if (!isOpening(tree, leafHashes(tree), tree.count)) refuse("certificate_trace");
        } else if (tree.siblings != 0) {
            refuse("certificate_trace");
        }
        (bool opened, Entry memory entry) = entryOf(c, c.columnsEntry);
        if (!opened) refuse("certificate_form");
        Type memory t = typeNamed(c, ENTRY, c.columnsEntry);
        if (c.columnsElement >= t.elements) refuse("certificate_form");
        c.expansion = expansionDigest(c.trace, c.columnsEntry, c.columnsElement, tree.count, tree.root);
        (, Frame memory frame) = frameAt(c, entry.path);
        findWide(c, frame, entry.id);
        if (c.hasWide) listColumns(c, frame);
    }

    // The wide instruction among those that are judged with the element, and which of its elements.
    function findWide(Case memory c, Frame memory frame, uint256 id) private view {
        uint256 step = frame.function_.steps[stepOf(frame.function_, id)];
        Row row = rowIn(step);
        if (row.runsFunctions()) return;
        if (row.isWide(uint16(step >> 80))) {
            (c.hasWide, c.wideId, c.wideElement) = (true, id, c.columnsElement);
            return;
        }
        c.mode = READ_ANY;
        bytes memory answer = ask(c, ASK_ELEMENT, row.referee(), frame, id, c.columnsElement);
        (, c.hasWide, c.wideId, c.wideElement) = abi.decode(answer, (int256, bool, uint256, uint256));
        c.mode = READ_LEAVES;
    }

    function listColumns(Case memory c, Frame memory frame) private view {
        uint256 step = frame.function_.steps[stepOf(frame.function_, c.wideId)];
        uint256 referee = rowIn(step).referee();
        (bool done, bytes memory answer) = tryAsk(c, ASK_COLUMNS, referee, frame, c.wideId, c.wideElement);
        if (!done) {
            // An element without an expansion has no columns.
            bytes memory none = abi.encodeWithSelector(Refused.selector, bytes32("expansion_size"));
            if (keccak256(answer) != keccak256(none)) refuseAs(answer);
            return;
        }
        uint256[] memory columns;
        assembly ("memory-safe") {
            mstore(answer, div(mload(answer), 32))
            columns := answer
        }
        unchecked {
            uint256 integers;
            for (uint256 i = 0; i < columns.length; ++i) integers += columns[i] >> 8;
            if (integers <= c.boundsGas) c.columns = columns;
        }
    }

    function tryCharge(Case memory c) private view {
        bool isValue = c.charge == CHARGE_TYPE || c.charge == CHARGE_ELEMENT;
        bool hasHeader = c.header.end != c.header.pos;
        if (c.charge != CHARGE_ELEMENT && c.element != 0) refuse("certificate_form");
        if (c.charge != CHARGE_TYPE && hasHeader) refuse("certificate_form");
        if (c.charge == CHARGE_CLAIM && (c.kind != 0 || c.index != 0)) refuse("certificate_form");
        if (isValue && c.kind == CONSTANT) refuse("certificate_form");
        bool claimIsWrong = c.gas_ != c.boundsGas || c.inputs.length != c.functions[0].params
            || c.results.length != c.functions[0].results;
        if (c.charge == CHARGE_CLAIM) {
            if (!claimIsWrong) refuse("certificate_right");
            return;
        }
        if (claimIsWrong) refuse("certificate_claim");
        if (c.charge == CHARGE_ORDER) tryOrder(c);
        else if (c.charge == CHARGE_TYPE) tryType(c);
        else tryElement(c);
    }

    function entryOf(Case memory c, uint256 index) private pure returns (bool opened, Entry memory entry) {
        uint256 i;
        if (!c.hasTrace) return (false, entry);
        (opened, i) = openedAt(c.traceTree, index);
        if (opened) entry = c.entries[i];
    }

    function tryOrder(Case memory c) private view {
        if (c.kind == COLUMN) {
            if (!c.hasColumns) refuse("certificate_form");
            if (c.columnsTree.count == c.columns.length) refuse("certificate_right");
            return;
        }
        uint256 count = c.traceTree.count;
        if (c.kind != ENTRY || !c.hasTrace || c.index > count) refuse("certificate_form");
        (bool expected, Frame memory frame, uint256 id) = placeOf(c, c.index);
        if (c.index == count) {
            if (count == 0 && c.traceTree.root != NO_LEAVES) return;
            if (!expected) refuse("certificate_right");
            return;
        }
        (bool opened, Entry memory entry) = entryOf(c, c.index);
        if (!opened) refuse("certificate_form");
        if (expected && entry.id == id && samePath(entry.path, frame.path)) refuse("certificate_right");
    }

    // Where entry `index` should be; false after the end of the run.
    function placeOf(Case memory c, uint256 index) private view returns (bool expected, Frame memory frame, uint256) {
        if (index == 0) return placeFrom(c, entryFrame(c), 0);
        (bool opened, Entry memory before) = entryOf(c, index - 1);
        if (!opened) refuse("certificate_form");
        bool exists;
        (exists, frame) = frameAt(c, before.path);
        if (!exists || !hasEntry(frame, before.id)) refuse("certificate_form");
        return placeAfter(c, frame, before.id);
    }

    function tryType(Case memory c) private view {
        Type memory t = typeNamed(c, c.kind, c.index);
        bytes32 digest = digestOf(c, c.kind, c.index);
        (uint256 pos, uint256 size) = (c.header.pos, c.header.end - c.header.pos);
        if (hashInDomain(0x10, pos, size) != digest) refuse("certificate_value");
        bytes32 root;
        if (size >= 32 + afterRoot(t)) {
            uint256 rootAt = c.header.end - 32 - afterRoot(t);
            assembly ("memory-safe") {
                root := mload(rootAt)
            }
        }
        if (hashOf(tensorHeader(t, root), 0x10) == digest) refuse("certificate_right");
    }

    function tryElement(Case memory c) private view {
        Type memory t = typeNamed(c, c.kind, c.index);
        if (c.element >= t.elements) refuse("certificate_form");
        uint256 opened = openedValue(c, c.kind, c.index);
        if (opened != 0 && valueAt()(opened).oddLeaf != 0) {
            uint256 offset = inLeaves(t, c.element) << t.storage_;
            uint256 leaf = (offset / t.groupBytes) * t.leavesPerGroup + (offset % t.groupBytes) / LEAF_BYTES;
            if (valueAt()(opened).oddLeaf == leaf + 1) return;
        }
        if (opened == 0) refuse("leaf_missing");
        int256 claimed = readElement(valueAt()(opened), c.element);
        if (c.kind == INPUT) {
            if (claimed >= t.lo && claimed <= t.hi) refuse("certificate_right");
            return;
        }
        if (rightElement(c) == claimed) refuse("certificate_right");
    }

    function rightElement(Case memory c) private view returns (int256) {
        bytes memory answer;
        if (c.kind == RESULT) return elementOf(c, entryFrame(c), resultOf(c.functions[0], c.index), c.element);
        if (c.kind == COLUMN) {
            (, Entry memory of_) = entryOf(c, c.columnsEntry);
            (, Frame memory body) = frameAt(c, of_.path);
            c.question.column = c.index;
            uint256 step = body.function_.steps[stepOf(body.function_, c.wideId)];
            uint256 referee = rowIn(step).referee();
            answer = ask(c, ASK_INTEGER, referee, body, c.wideId, c.wideElement);
            return abi.decode(answer, (int256));
        }
        if (c.hasColumns && (c.columnsEntry != c.index || c.columnsElement != c.element)) refuse("certificate_form");
        (, Entry memory entry) = entryOf(c, c.index);
        (, Frame memory frame) = frameAt(c, entry.path);
        if (c.hasColumns && c.hasWide && c.wideId == entry.id && c.wideElement == c.element) return lastInteger(c);
        uint256 step_ = frame.function_.steps[stepOf(frame.function_, entry.id)];
        answer = ask(c, ASK_ELEMENT, rowIn(step_).referee(), frame, entry.id, c.element);
        return abi.decode(answer, (int256));
    }

    // Values by their names.

    function typeNamed(Case memory c, uint256 kind, uint256 index) private view returns (Type memory t) {
        Function memory f = c.functions[0];
        if (kind == INPUT && index < f.params) return typeAt()(typeOf(f, index));
        if (kind == RESULT && index < f.results) {
            uint256 id = resultOf(f, index);
            // As a value of a run, also where it is a constant.
            return id < f.params ? typeAt()(typeOf(f, id)) : decodeType(uint32(f.values[id]), type(uint32).max, true);
        }
        if (kind == ENTRY) {
            (bool opened, Entry memory entry) = entryOf(c, index);
            if (opened) {
                (bool exists, Frame memory frame) = frameAt(c, entry.path);
                if (exists && hasEntry(frame, entry.id)) return typeAt()(typeOf(frame.function_, entry.id));
            }
        }
        if (kind == COLUMN && index < c.columns.length) {
            t.dims = new uint256[](1);
            (t.dims[0], t.storage_) = (c.columns[index] >> 8, uint8(c.columns[index]));
            layOut(t, false);
            return t;
        }
        if (kind == CONSTANT && index < c.constants) return constantType(c, index);
        refuse("certificate_form");
    }

    function constantType(Case memory c, uint256 index) private pure returns (Type memory t) {
        unchecked {
            for (uint256 i = 0; i < c.functions.length; ++i) {
                Function memory f = c.functions[i];
                for (uint256 id = f.params; id < f.values.length; ++id) {
                    if (uint32(f.values[id] >> 64) == index + 1) return typeAt()(typeOf(f, id));
                }
            }
            refuse("certificate_form");
        }
    }

    function digestOf(Case memory c, uint256 kind, uint256 index) private pure returns (bytes32 digest) {
        bool opened;
        if (kind == INPUT || kind == RESULT) {
            bytes32[] memory values = kind == INPUT ? c.inputs : c.results;
            if (index >= values.length) refuse("certificate_form");
            return values[index];
        }
        if (kind == CONSTANT) {
            uint256 pos = c.constantsAt + 32 * index;
            assembly ("memory-safe") {
                digest := mload(pos)
            }
            return digest;
        }
        if (kind == ENTRY) {
            Entry memory entry;
            (opened, entry) = entryOf(c, index);
            digest = entry.value;
        } else if (c.hasColumns) {
            uint256 i;
            (opened, i) = openedAt(c.columnsTree, index);
            if (opened) {
                uint256 pos = c.columnsTree.leaves[i];
                assembly ("memory-safe") {
                    digest := mload(pos)
                }
            }
        }
        if (!opened) refuse("certificate_trace");
    }

    // All leaves of a constant that is given by its recipe are in the table.
    function openRecipes(Case memory c, bytes memory tables) private view {
        unchecked {
            uint256 pos;
            uint256 left = tables.length;
            assembly ("memory-safe") {
                pos := add(tables, 32)
            }
            for (uint256 i = 1; i < c.recipes.length; ++i) {
                if (c.recipes[i - 1].index >= c.recipes[i].index) refuse("certificate_form");
            }
            for (uint256 i = 0; i < c.recipes.length; ++i) {
                Value memory table = c.recipes[i];
                table.type_ = typeNamed(c, CONSTANT, table.index);
                (uint256 from, uint256 size) = (table.tree.leaves[0], table.tree.sizes[0]);
                if (hashInDomain(0x1c, from, size) != digestOf(c, CONSTANT, table.index)) refuse("certificate_value");
                if (!isRecipeOf(Cursor(from, from + size), table.type_)) refuse("certificate_claim");
                Type memory t = table.type_;
                uint256 bytes_ = t.elements << t.storage_;
                bytes32 expected;
                assembly ("memory-safe") {
                    expected := mload(sub(add(from, size), 32))
                }
                if (bytes_ > left || sha256Of(pos, bytes_) != expected) refuse("table_bytes");
                openTable(table.tree, t, pos);
                (pos, left) = (pos + bytes_, left - bytes_);
            }
            if (left != 0) refuse("table_bytes");
        }
    }

    function openTable(OpenedTree memory tree, Type memory t, uint256 pos) private pure {
        unchecked {
            uint256 count = leavesOf(t);
            (tree.numbers, tree.leaves, tree.sizes) =
                (new uint256[](count), new uint256[](count), new uint256[](count));
            for (uint256 i = 0; i < count; ++i) {
                tree.numbers[i] = i;
                tree.leaves[i] = pos + (i / t.leavesPerGroup) * t.groupBytes + (i % t.leavesPerGroup) * LEAF_BYTES;
                tree.sizes[i] = leafSize(t, i);
            }
        }
    }

    // 4 + storage, shape: what comes before the fields of a recipe in the directory.
    function isRecipeOf(Cursor memory entry, Type memory t) private pure returns (bool) {
        unchecked {
            uint256 storage_ = readByte(entry);
            uint256 rank = readVarint(entry);
            if (storage_ != 4 + t.storage_ || rank != t.dims.length) return false;
            for (uint256 i = 0; i < rank; ++i) if (readVarint(entry) != t.dims[i]) return false;
            return true;
        }
    }

    function openValues(Case memory c) private view {
        uint256 last = 0;
        for (uint256 i = 0; i < c.values.length; ++i) {
            Value memory value = c.values[i];
            uint256 name = (value.kind << 64) | value.index;
            if (i > 0 && name <= last) refuse("certificate_form");
            last = name;
        }
        for (uint256 i = 0; i < c.values.length; ++i) openValue(c, c.values[i]);
    }

    function openValue(Case memory c, Value memory value) private view {
        Type memory t = typeNamed(c, value.kind, value.index);
        value.type_ = t;
        bytes32 digest = digestOf(c, value.kind, value.index);
        OpenedTree memory tree = value.tree;
        uint256 count = leavesOf(t);
        bool isValue = hashOf(tensorHeader(t, tree.root), 0x10) == digest && tree.count == count
            && isOpening(tree, leafHashes(tree), count);
        if (!isValue) refuse("certificate_value");
        for (uint256 i = 0; i < tree.numbers.length; ++i) {
            if (tree.sizes[i] == leafSize(t, tree.numbers[i])) continue;
            if (value.kind != c.kind || value.index != c.index) refuse("leaf_bytes");
            value.oddLeaf = tree.numbers[i] + 1;
        }
    }
}
