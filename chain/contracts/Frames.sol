// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Case, Frame, FLOOR, Function} from "./Case.sol";
import {Cursor, readVarint, unzigzag} from "./Cursor.sol";
import {IF_OPERATOR, Row, rowIn} from "./Operators.sol";
import {refuse} from "./Refusal.sol";

// Instructions of the bodies that run, and questions to the contract that has the row of one.
abstract contract Frames {
    // The answer of the contract that has the row of an instruction.
    function ask(Case memory c, uint256 kind, uint256 referee, Frame memory frame, uint256 id, uint256 i)
        internal
        view
        returns (bytes memory answer)
    {
        bool done;
        (done, answer) = tryAsk(c, kind, referee, frame, id, i);
        if (!done) refuseAs(answer);
    }

    function refuseAs(bytes memory reason) internal pure {
        assembly ("memory-safe") {
            revert(add(reason, 32), mload(reason))
        }
    }

    // The same, or why it has refused.
    function tryAsk(Case memory c, uint256 kind, uint256 referee, Frame memory frame, uint256 id, uint256 i)
        internal
        view
        returns (bool done, bytes memory answer)
    {
        c.question.kind = kind;
        c.question.frame = frame;
        c.question.id = id;
        c.question.element = i;
        address to = c.referees[referee];
        if (to.code.length == 0) refuse("row_not_judged");
        assembly ("memory-safe") {
            let end := mload(0x40)
            done := staticcall(gas(), to, FLOOR, sub(end, FLOOR), 0, 0)
            answer := end
            mstore(answer, returndatasize())
            returndatacopy(add(answer, 32), 0, returndatasize())
            mstore(0x40, and(add(add(answer, returndatasize()), 63), not(31)))
        }
    }

    function stepOf(Function memory f, uint256 id) internal pure returns (uint256) {
        return uint16(f.values[id] >> 32);
    }

    function operandsOf(uint256 step) internal pure returns (uint256[] memory operands) {
        unchecked {
            Cursor memory pos = Cursor(uint32(step >> 48), type(uint32).max);
            operands = new uint256[](uint16(step >> 80));
            for (uint256 k = 0; k < operands.length; ++k) operands[k] = readVarint(pos);
        }
    }

    function attributesOf(Row row, uint256 step) internal pure returns (int256[] memory attributes) {
        unchecked {
            Cursor memory pos = Cursor(uint32(step >> 16), type(uint32).max);
            attributes = new int256[](row.attributes());
            for (uint256 k = 0; k < attributes.length; ++k) {
                if ((row.lists() >> k) & 1 == 1) {
                    int256[] memory list = new int256[](readVarint(pos));
                    for (uint256 i = 0; i < list.length; ++i) list[i] = unzigzag(readVarint(pos));
                    int256 address_;
                    assembly ("memory-safe") {
                        address_ := list
                    }
                    attributes[k] = address_;
                } else {
                    uint256 value = readVarint(pos);
                    attributes[k] = (row.plain() >> k) & 1 == 1 ? int256(value) : unzigzag(value);
                }
            }
        }
    }

    function attributesAt(Frame memory frame, uint256 step) internal pure returns (int256[] memory) {
        uint256 word = frame.function_.steps[step];
        return attributesOf(rowIn(word), word);
    }

    // The body that invocation `invocation` of an instruction runs.
    function inside(Case memory c, Frame memory frame, uint256 step, uint256 invocation)
        internal
        pure
        returns (Frame memory body)
    {
        unchecked {
            int256[] memory attributes = attributesAt(frame, step);
            bool other = uint16(frame.function_.steps[step]) == IF_OPERATOR && invocation > 0;
            uint256 function_ = uint256(attributes[other ? 1 : 0]);
            if (function_ >= c.functions.length) refuse("program_types");
            body.function_ = c.functions[function_];
            uint256 depth = frame.path.length;
            body.path = new uint256[](depth + 1);
            for (uint256 i = 0; i < depth; ++i) body.path[i] = frame.path[i];
            body.path[depth] = (step << 64) | invocation;
            body.step = step;
            body.invocation = invocation;
            uint256 address_;
            assembly ("memory-safe") {
                address_ := frame
            }
            body.caller = address_;
        }
    }

    function resultOf(Function memory f, uint256 result) internal pure returns (uint256 id) {
        Cursor memory pos = Cursor(f.resultsAt, type(uint32).max);
        if (result >= f.results) refuse("program_types");
        for (uint256 k = 0; k <= result; ++k) id = readVarint(pos);
    }
}
