// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Frame, Type, Value} from "./Case.sol";

// Structs of memory by their addresses. A function that returns a struct sets aside memory for it each time
// that it is called, whatever it returns; one that returns a number does not, and is taken for the other
// here.

function identity(uint256 pos) pure returns (uint256) {
    return pos;
}

function valueAt() pure returns (function(uint256) pure returns (Value memory) here) {
    function(uint256) pure returns (uint256) same = identity;
    assembly ("memory-safe") {
        here := same
    }
}

function typeAt() pure returns (function(uint256) pure returns (Type memory) here) {
    function(uint256) pure returns (uint256) same = identity;
    assembly ("memory-safe") {
        here := same
    }
}

function frameAddress() pure returns (function(uint256) pure returns (Frame memory) here) {
    function(uint256) pure returns (uint256) same = identity;
    assembly ("memory-safe") {
        here := same
    }
}
