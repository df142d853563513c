// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

// A party that is a contract: it calls what it is told to, and when it is paid it refuses, or calls again.
contract Puppet {
    bytes public whenPaid;
    bool public refuses;
    uint256 public paid;
    bool public againWentThrough;

    function set(bytes calldata again, bool refuses_) external {
        (whenPaid, refuses) = (again, refuses_);
    }

    function act(address to, bytes calldata data) external payable {
        (bool done, bytes memory answer) = to.call{value: msg.value}(data);
        if (done) return;
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }

    receive() external payable {
        require(!refuses);
        ++paid;
        if (whenPaid.length != 0) (againWentThrough,) = msg.sender.call(whenPaid);
    }
}
