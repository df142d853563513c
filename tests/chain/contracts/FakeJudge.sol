// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

// A judge that reverts with what it is told to, or spends all of its gas.
contract FakeJudge {
    bytes public reason;
    bool public endless;

    function set(bytes calldata reason_, bool endless_) external {
        (reason, endless) = (reason_, endless_);
    }

    function judge(bytes calldata, bytes calldata) external view {
        for (uint256 i = 0; endless; ++i) {}
        bytes memory data = reason;
        assembly ("memory-safe") {
            revert(add(data, 32), mload(data))
        }
    }
}
