// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

// Why no verdict was given: a label of docs/spec/errors.md, left-aligned.
error Refused(bytes32 label);

function refuse(bytes32 label) pure {
    revert Refused(label);
}

// The integer, where it is one of 64 bits.
function fit(int256 value) pure returns (int256) {
    if (int64(value) != value) refuse("element_overflow");
    return value;
}
