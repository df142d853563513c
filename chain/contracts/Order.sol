// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ASK_VALUE, Case, Frame, Function} from "./Case.sol";
import {CONSTANT_OPERATOR, IF_OPERATOR, LOOP_OPERATOR, rowIn} from "./Operators.sol";
import {Frames} from "./Frames.sol";
import {isConstant} from "./Types.sol";

// The order of a trace's entries (docs/spec/trace.md#entries): a fact of the program and of its conditions.
abstract contract Order is Frames {
    // An element of any value of a body.
    function elementOf(Case memory c, Frame memory frame, uint256 id, uint256 i) internal view returns (int256) {
        return abi.decode(ask(c, ASK_VALUE, 0, frame, id, i), (int256));
    }

    function entryFrame(Case memory c) internal pure returns (Frame memory frame) {
        frame.function_ = c.functions[0];
        frame.path = new uint256[](0);
    }

    // The body at a path; false where there is none.
    function frameAt(Case memory c, uint256[] memory path) internal pure returns (bool exists, Frame memory frame) {
        unchecked {
            frame = entryFrame(c);
            for (uint256 i = 0; i < path.length; ++i) {
                uint256 step = path[i] >> 64;
                uint256 invocation = uint64(path[i]);
                if (step >= frame.function_.steps.length) return (false, frame);
                uint256 word = frame.function_.steps[step];
                uint256 code = uint16(word);
                if (!rowIn(word).runsFunctions()) return (false, frame);
                uint256 most = code == IF_OPERATOR ? 2 : 1;
                if (code == LOOP_OPERATOR) most = uint256(attributesAt(frame, step)[1]);
                if (invocation >= most) return (false, frame);
                frame = inside(c, frame, step, invocation);
            }
            exists = true;
        }
    }

    // Whether a trace may have an entry of value `id` of a body.
    function hasEntry(Frame memory frame, uint256 id) internal pure returns (bool) {
        Function memory f = frame.function_;
        if (id < f.params || id >= f.values.length) return false;
        uint256 value = f.values[id];
        return !isConstant(value) && uint8(value >> 56) == 0;
    }

    function runsAny(Function memory f) private pure returns (bool) {
        unchecked {
            for (uint256 i = 0; i < f.steps.length; ++i) {
                if (uint16(f.steps[i]) != CONSTANT_OPERATOR) return true;
            }
            return false;
        }
    }

    // The place that follows an entry, or the first; false at the end of the run.
    function placeAfter(Case memory c, Frame memory frame, uint256 id)
        internal
        view
        returns (bool exists, Frame memory where, uint256 value)
    {
        unchecked {
            Function memory f = frame.function_;
            uint256 step = stepOf(f, id);
            uint256 word = f.steps[step];
            if (id + 1 < uint32(word >> 96) + uint16(word >> 128)) return (true, frame, id + 1);
            return placeFrom(c, frame, step + 1);
        }
    }

    function placeFrom(Case memory c, Frame memory frame, uint256 step)
        internal
        view
        returns (bool exists, Frame memory where, uint256 value)
    {
        unchecked {
            bool functionsRan = false;
            for (;;) {
                Function memory f = frame.function_;
                if (step == f.steps.length) {
                    uint256 address_ = frame.caller;
                    if (address_ == 0) return (false, frame, 0);
                    Frame memory body = frame;
                    assembly ("memory-safe") {
                        frame := address_
                    }
                    step = body.step;
                    functionsRan = !goesOn(c, frame, body);
                    if (!functionsRan) {
                        frame = inside(c, frame, step, body.invocation + 1);
                        step = 0;
                    }
                    continue;
                }
                if (!functionsRan) {
                    (bool runs, Frame memory body) = firstBody(c, frame, step);
                    if (runs) {
                        frame = body;
                        step = 0;
                        continue;
                    }
                }
                functionsRan = false;
                uint256 word = f.steps[step];
                uint256 first = uint32(word >> 96);
                if (uint16(word >> 128) > 0 && hasEntry(frame, first)) return (true, frame, first);
                ++step;
            }
        }
    }

    // The first body that an instruction runs which has entries.
    function firstBody(Case memory c, Frame memory frame, uint256 step)
        private
        view
        returns (bool runs, Frame memory body)
    {
        uint256 word = frame.function_.steps[step];
        uint256 code = uint16(word);
        if (!rowIn(word).runsFunctions()) return (false, frame);
        uint256 invocation = 0;
        bool conditional = code == LOOP_OPERATOR && attributesAt(frame, step)[4] != 0;
        if (code == IF_OPERATOR || conditional) {
            bool set = elementOf(c, frame, operandsOf(word)[0], 0) != 0;
            if (conditional && !set) return (false, frame);
            invocation = set ? 0 : 1;
        }
        body = inside(c, frame, step, invocation);
        runs = runsAny(body.function_);
    }

    // Whether another invocation follows that of a body.
    function goesOn(Case memory c, Frame memory caller, Frame memory body) private view returns (bool) {
        unchecked {
            if (uint16(caller.function_.steps[body.step]) != LOOP_OPERATOR) return false;
            int256[] memory attributes = attributesAt(caller, body.step);
            bool more = body.invocation + 1 < uint256(attributes[1]);
            if (!more || attributes[4] == 0) return more;
            return elementOf(c, body, resultOf(body.function_, 0), 0) != 0;
        }
    }
}
