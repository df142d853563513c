// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Cursor} from "./Cursor.sol";
import {OpenedTree} from "./Sha256.sol";

// A certificate, opened: all that a referee knows. It is in memory from FLOOR on, and has its addresses
// there, so that a contract that is given those bytes at the same place can go on with them (Referee.sol).
uint256 constant FLOOR = 0x2000;

// Kinds of values, and charges, as docs/spec/certificate.md numbers them.
uint256 constant INPUT = 0;
uint256 constant RESULT = 1;
uint256 constant ENTRY = 2;
uint256 constant COLUMN = 3;
uint256 constant CONSTANT = 4;

uint256 constant CHARGE_CLAIM = 0;
uint256 constant CHARGE_ORDER = 1;
uint256 constant CHARGE_TYPE = 2;
uint256 constant CHARGE_ELEMENT = 3;

// The type of a value, and how its bytes are cut into leaves.
struct Type {
    uint256 storage_; // 0 to 3: 1, 2, 4 or 8 bytes
    int256 lo;
    int256 hi;
    uint256 elements;
    uint256[] dims;
    uint256[] strides; // elements from one coordinate to the next, in the order of its leaves
    bool channelsLast;
    uint256 groupBytes; // leaves are cut from groups of so many bytes
    uint256 leavesPerGroup;
}

// Leaves of a value that are opened.
struct Value {
    uint256 kind;
    uint256 index;
    Type type_;
    OpenedTree tree;
    uint256 oddLeaf; // one more than the leaf of another size than it has, which only the accused may have
}

// An entry of the trace.
struct Entry {
    uint256 number;
    uint256[] path; // step << 64 | invocation, outermost first
    uint256 id;
    bytes32 value;
}

// A function of the module. A step is an instruction, packed:
//   operator: 16 bits, address of the attributes: 32, of the operands: 32, operands: 16, first result: 32,
//   results: 16, the operator's row: 112
// and so is a value:
//   address of its type: 32, step that computes it: 16, readers: 8 (at most 2), folded: 8,
//   constant: 32 (its number and 1), instructions that are judged with it: 8, wide ones among them: 8,
//   address of its decoded type: 32
struct Function {
    uint256 params;
    uint256[] steps;
    uint256[] values;
    uint256 results;
    uint256 resultsAt;
}

// A body that runs, and the one that has called it.
struct Frame {
    Function function_;
    uint256[] path;
    uint256 step; // that has called it, in the caller's body
    uint256 invocation;
    uint256 caller; // its address, or 0
}

// What a referee of another contract is asked for.
uint256 constant ASK_ELEMENT = 0; // an element that an instruction computes
uint256 constant ASK_VALUE = 1; // an element of any value: it is read, or computed where it is folded
uint256 constant ASK_COLUMNS = 2; // their types
uint256 constant ASK_INTEGER = 3; // one integer of a column

// What reading an element does.
uint256 constant READ_LEAVES = 0;
uint256 constant READ_ANY = 1; // nothing is opened: which element of the wide instruction is asked for?

struct Question {
    uint256 kind;
    Frame frame;
    uint256 id;
    uint256 element;
    uint256 column;
}

struct Case {
    Question question;
    uint256 mode;
    address[] referees;
    // The fields of the certificate.
    uint256 charge;
    uint256 kind;
    uint256 index;
    uint256 element;
    Cursor header;
    bytes32 claim; // its id
    bytes32 trace; // its digest
    bytes32 expansion; // its digest
    uint256 gas_; // that the claim has
    bytes32[] inputs;
    bytes32[] results;
    Function[] functions;
    uint256 boundsGas;
    uint256 constants;
    uint256 constantsAt; // their digests, one after the other
    bool hasTrace;
    OpenedTree traceTree;
    Entry[] entries;
    bool hasColumns;
    uint256 columnsEntry;
    uint256 columnsElement;
    OpenedTree columnsTree;
    uint256[] columns; // length << 8 | storage, of those that the element should have
    bool hasWide;
    uint256 wideId; // the wide instruction's value, in the frame of the entry
    uint256 wideElement;
    Value[] values;
    Value[] recipes; // constants that are given by their recipes
}
