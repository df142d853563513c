// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {frameAddress, typeAt, valueAt} from "./Pointers.sol";
import {ASK_ELEMENT, ASK_INTEGER, ASK_VALUE, Case, ENTRY, FLOOR, Frame, Function, Question, READ_ANY, Type} from "./Case.sol";
import {Frames} from "./Frames.sol";
import {CALL_OPERATOR, IF_OPERATOR, LOOP_OPERATOR, Row, rowIn} from "./Operators.sol";
import {fit, refuse} from "./Refusal.sol";
import {HALF_UP, roundShift} from "./Rounding.sol";
import {typeOf} from "./Types.sol";
import {lastInteger, openedOf, readColumn, readElement} from "./Values.sol";

// The instruction of which one element of one result is judged.
struct Judged {
    Frame frame;
    uint256 code;
    Row row;
    uint256[] operands; // values
    Type[] types; // the operands have
    Type[] results;
    uint256 result;
    uint256 element;
    int256[] attributes; // a list is the address of an int256[]
    uint256 parts; // columns that are read in place of operands, if there are: the address of Region[]
    uint256[] columnOf; // the number of the column of operand k, and 1
    int256[][] run; // columns that are computed here, if there are
    uint256 column; // that is judged
    uint256 integer; // that is judged in it
}

// A part of a tensor: along each axis `count` coordinates from `begin` on, `step` apart.
struct Region {
    uint256[] begin;
    uint256[] count;
    int256[] step;
}

// The referee of one element (docs/spec/trace.md#judging-an-element). It computes the element from those that
// it reads, and values that are folded on the way. The rows of the table are in several contracts: one that
// needs a row of another gives it all that it has in memory from FLOOR on.
abstract contract Referee is Frames {
    // Its number among c.referees.
    function number() internal pure virtual returns (uint256);

    // An element by the definition of a row of this contract.
    function compute(Case memory c, Judged memory j) internal view virtual returns (int256);

    // The elements that it reads of an operand of which it reads many.
    function regionOf(Case memory c, Judged memory j, uint256 operand) internal view virtual returns (Region memory);

    // Its columns, or one integer of one (Steps.sol).
    function expand(Case memory c, Judged memory j, bool list) internal view virtual returns (int256);

    fallback() external {
        Case memory c;
        assembly ("memory-safe") {
            if gt(mload(0x40), FLOOR) { revert(0, 0) }
            calldatacopy(FLOOR, 0, calldatasize())
            mstore(0x40, and(add(add(FLOOR, calldatasize()), 31), not(31)))
            c := FLOOR
        }
        uint256 kind = c.question.kind;
        Question memory q = c.question;
        Judged memory j;
        uint256[4] memory answer;
        if (kind == ASK_VALUE) {
            answer[0] = uint256(element(c, q.frame, q.id, q.element));
        } else if (kind == ASK_ELEMENT) {
            answer[0] = uint256(judge(c, q.frame, q.id, q.element));
            if (c.hasWide) answer[1] = 1;
            (answer[2], answer[3]) = (c.wideId, c.wideElement);
        } else if (kind == ASK_INTEGER) {
            j = judgedOf(q.frame, q.id, q.element);
            j.column = c.question.column;
            j.integer = c.element;
            answer[0] = uint256(expand(c, j, false));
        } else {
            j = judgedOf(q.frame, q.id, q.element);
            expand(c, j, true);
            uint256[] memory columns = c.columns;
            assembly ("memory-safe") {
                return(add(columns, 32), mul(32, mload(columns)))
            }
        }
        assembly ("memory-safe") {
            return(answer, 128)
        }
    }

    function judgedOf(Frame memory frame, uint256 id, uint256 i)
        internal
        pure
        returns (Judged memory j)
    {
        unchecked {
            Function memory f = frame.function_;
            uint256 step = f.steps[stepOf(f, id)];
            uint256 first = uint32(step >> 96);
            j.frame = frame;
            j.code = uint16(step);
            j.result = id - first;
            j.element = i;
            j.operands = operandsOf(step);
            j.types = new Type[](j.operands.length);
            for (uint256 k = 0; k < j.operands.length; ++k) j.types[k] = typeAt()(typeOf(f, j.operands[k]));
            j.results = new Type[](uint16(step >> 128));
            for (uint256 k = 0; k < j.results.length; ++k) j.results[k] = typeAt()(typeOf(f, first + k));
            j.row = rowIn(step);
            j.attributes = attributesOf(j.row, step);
        }
    }

    function listOf(Judged memory j, uint256 k) internal pure returns (int256[] memory list) {
        int256 pos = j.attributes[k];
        assembly ("memory-safe") {
            list := pos
        }
    }

    // Element i of operand k.
    function x(Case memory c, Judged memory j, uint256 k, uint256 i) internal view returns (int256) {
        if (j.parts != 0 && j.columnOf[k] != 0) return ofPart(c, j, k, i);
        return element(c, j.frame, j.operands[k], i);
    }

    // The same, from the column that has the part of it which the row reads.
    function ofPart(Case memory c, Judged memory j, uint256 k, uint256 i) private pure returns (int256 value) {
        unchecked {
            Region[] memory parts;
            uint256 address_ = j.parts;
            assembly ("memory-safe") {
                parts := address_
            }
            Region memory part = parts[k];
            uint256[] memory dims = j.types[k].dims;
            if (i >= j.types[k].elements) refuse("step_order");
            uint256 pos = 0;
            uint256 scale = 1;
            for (uint256 axis = dims.length; axis > 0; ) {
                --axis;
                int256 distance = int256(i % dims[axis]) - int256(part.begin[axis]);
                i /= dims[axis];
                int256 step = part.step[axis];
                int256 n = distance / step;
                if (n * step != distance || n < 0 || uint256(n) >= part.count[axis]) refuse("step_order");
                pos += uint256(n) * scale;
                scale *= part.count[axis];
            }
            value = readColumn(c, j.columnOf[k] - 1, pos);
            if (value < j.types[k].lo || value > j.types[k].hi) refuse("step_order");
        }
    }

    // Integer i of a column, which is before the one that is judged.
    function columnBefore(Case memory c, Judged memory j, uint256 column, uint256 i) internal pure returns (int256) {
        bool runs = j.run.length != 0;
        if (column > j.column) refuse("step_order");
        uint256 end = column == j.column ? j.integer : runs ? j.run[column].length : c.columns[column] >> 8;
        if (i >= end) refuse("step_order");
        return runs ? j.run[column][i] : readColumn(c, column, i);
    }

    // Element i of a value of a body.
    function element(Case memory c, Frame memory frame, uint256 id, uint256 i) internal view returns (int256 value) {
        unchecked {
            Function memory f = frame.function_;
            Type memory t = typeAt()(typeOf(f, id));
            if (i >= t.elements) refuse("element_interval");
            if (id < f.params) {
                if (frame.caller != 0) return argument(c, frame, id, i);
            } else if (uint16(f.values[id] >> 56) & 0xff != 0) {
                return folded(c, frame, id, i);
            }
            if (c.mode == READ_ANY) return t.lo;
            uint256 pos = openedOf(c, frame, id);
            if (pos == 0) refuse("leaf_missing");
            value = readElement(valueAt()(pos), i);
            if (value < t.lo || value > t.hi) refuse("element_interval");
        }
    }

    // An element of a value that is folded: by its expansion, where it has one that is opened.
    function folded(Case memory c, Frame memory frame, uint256 id, uint256 i) private view returns (int256) {
        if (c.mode == READ_ANY || (c.hasColumns && c.kind == ENTRY && c.hasWide)) {
            uint256 step = frame.function_.steps[stepOf(frame.function_, id)];
            if (rowIn(step).isWide(uint16(step >> 80))) {
                if (c.mode == READ_ANY) {
                    (c.hasWide, c.wideId, c.wideElement) = (true, id, i);
                    return typeAt()(typeOf(frame.function_, id)).lo;
                }
                if (id == c.wideId && i == c.wideElement) return lastInteger(c);
            }
        }
        return judge(c, frame, id, i);
    }

    // Element i of a value that an instruction computes.
    function judge(Case memory c, Frame memory frame, uint256 id, uint256 i) internal view returns (int256) {
        Function memory f = frame.function_;
        uint256 step = stepOf(f, id);
        Row row = rowIn(f.steps[step]);
        if (row.runsFunctions()) return ofFunctions(c, frame, step, id - uint32(f.steps[step] >> 96), i);
        if (row.referee() == number()) return compute(c, judgedOf(frame, id, i));
        bytes memory answer = ask(c, ASK_ELEMENT, row.referee(), frame, id, i);
        (int256 value, uint256 hasWide, uint256 wideId, uint256 wideElement) =
            abi.decode(answer, (int256, uint256, uint256, uint256));
        if (c.mode == READ_ANY && hasWide != 0) (c.hasWide, c.wideId, c.wideElement) = (true, wideId, wideElement);
        return value;
    }

    // v as 2^exponent (1 + position), and operand k, a table of 1,025 entries, at that position.
    function interpolated(Case memory c, Judged memory j, int256 v, uint256 k) internal view returns (uint256 exponent, int256 y) {
        unchecked {
            while (exponent < 62 && v >= int256(1 << (exponent + 1))) ++exponent;
            int256 scaled = exponent <= 40 ? fit(v << (40 - exponent)) : v >> (exponent - 40);
            int256 position = fit(scaled - (1 << 40));
            int256 index = position >> 30;
            y = x(c, j, k, uint256(index));
            int256 step = fit(x(c, j, k, uint256(index + 1)) - y);
            y = fit(y + roundShift(HALF_UP, fit(step * (position - (index << 30))), 30, false));
        }
    }

    // Functions.

    // Result `result` of the body that an invocation runs.
    function ofCall(Case memory c, Frame memory frame, uint256 step, uint256 invocation, uint256 result, uint256 i)
        internal
        view
        returns (int256)
    {
        Frame memory body = inside(c, frame, step, invocation);
        return element(c, body, resultOf(body.function_, result), i);
    }

    function ofFunctions(Case memory c, Frame memory frame, uint256 step, uint256 result, uint256 i)
        private
        view
        returns (int256)
    {
        unchecked {
            uint256 word = frame.function_.steps[step];
            uint256 code = uint16(word);
            if (code == CALL_OPERATOR) return ofCall(c, frame, step, 0, result, i);
            if (code == IF_OPERATOR) {
                bool taken = element(c, frame, operandsOf(word)[0], 0) != 0;
                return ofCall(c, frame, step, taken ? 0 : 1, result, i);
            }
            Loop memory loop = loopOf(c, frame, step);
            uint256 trips = tripsOf(c, frame, step, loop);
            if (result < loop.states) {
                if (trips == 0) return element(c, frame, loop.operands[loop.flags + result], i);
                return ofCall(c, frame, step, trips - 1, loop.flags + result, i);
            }
            if (result == loop.states + loop.outputs) return int256(trips);
            uint256 elements = typeAt()(typeOf(frame.function_, uint32(word >> 96) + result)).elements / loop.trips;
            if (i / elements >= trips) return 0;
            return ofCall(c, frame, step, i / elements, loop.flags + result, i % elements);
        }
    }

    struct Loop {
        uint256[] operands;
        uint256 body;
        uint256 trips;
        uint256 flags;
        uint256 states;
        uint256 fixed_;
        uint256 outputs;
    }

    function loopOf(Case memory c, Frame memory frame, uint256 step) internal pure returns (Loop memory loop) {
        unchecked {
            int256[] memory attributes = attributesAt(frame, step);
            loop.operands = operandsOf(frame.function_.steps[step]);
            loop.body = uint256(attributes[0]);
            loop.trips = uint256(attributes[1]);
            loop.states = uint256(attributes[2]);
            loop.flags = uint256(attributes[4]);
            loop.fixed_ = loop.operands.length - loop.flags - loop.states - uint256(attributes[3]);
            loop.outputs = c.functions[loop.body].results - loop.flags - loop.states;
        }
    }

    function tripsOf(Case memory c, Frame memory frame, uint256 step, Loop memory loop) private view returns (uint256) {
        unchecked {
            if (loop.flags == 0) return loop.trips;
            uint256 trips = 0;
            bool runs = element(c, frame, loop.operands[0], 0) != 0;
            for (; runs && trips < loop.trips; ++trips) runs = ofCall(c, frame, step, trips, 0, 0) != 0;
            return trips;
        }
    }

    // A parameter of a function is what its caller gave.
    function argument(Case memory c, Frame memory frame, uint256 id, uint256 i) private view returns (int256) {
        unchecked {
            Frame memory outer = frameAddress()(frame.caller);
            uint256 word = outer.function_.steps[frame.step];
            uint256 code = uint16(word);
            if (code != LOOP_OPERATOR) {
                return element(c, outer, operandsOf(word)[id + (code == IF_OPERATOR ? 1 : 0)], i);
            }
            if (id == 0) return int256(frame.invocation);
            Loop memory loop = loopOf(c, outer, frame.step);
            Function memory body = c.functions[loop.body];
            uint256 trip = frame.invocation;
            uint256 which = id - 1;
            // A state is what the trip before has computed, or a parameter that it has passed on.
            for (; which < loop.states && trip > 0; --trip) {
                uint256 passed = resultOf(body, loop.flags + which);
                if (passed >= body.params) return ofCall(c, outer, frame.step, trip - 1, loop.flags + which, i);
                if (passed == 0) return int256(trip - 1);
                which = passed - 1;
            }
            uint256 operand = loop.operands[loop.flags + which];
            if (which < loop.states + loop.fixed_) return element(c, outer, operand, i);
            return element(c, outer, operand, trip * typeAt()(typeOf(body, 1 + which)).elements + i);
        }
    }
}
