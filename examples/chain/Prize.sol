// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Tensors} from "tally/Tensors.sol";
import {Verifier} from "tally/Verifier.sol";

// A prize for whoever draws a digit that a network reads as the one that is asked for. The network is a
// module; a claim that the game has confirmed says what it reads.
contract Prize {
    Verifier public immutable verifier; // its module is the network
    uint256 public immutable digit;
    uint256 private constant PIXELS = 64; // [1, 1, 8, 8] of 0 to 16, 1 byte each
    uint256 private constant DIGITS = 10; // [1, 10] scores of 2 bytes

    constructor(Verifier verifier_, uint256 digit_) payable {
        (verifier, digit) = (verifier_, digit_);
    }

    // Pays all to the caller, who has made the claim about this drawing and these scores.
    function take(uint256 claim, bytes calldata drawing, bytes calldata scores) external {
        require(verifier.verify(inputsOf(drawing), resultsOf(scores), "", abi.encode(claim)), "no such claim");
        (address asserter,,,,,) = verifier.game().claims(claim);
        require(asserter == msg.sender, "a claim of somebody else");
        require(highest(scores) == digit, "another digit");
        (bool paid,) = msg.sender.call{value: address(this).balance}("");
        require(paid);
    }

    function inputsOf(bytes calldata drawing) public view returns (bytes32) {
        require(drawing.length == PIXELS);
        uint256[] memory dims = new uint256[](4);
        (dims[0], dims[1], dims[2], dims[3]) = (1, 1, 8, 8);
        return digestOfOne(Tensors.digest(0, dims, drawing));
    }

    function resultsOf(bytes calldata scores) public view returns (bytes32) {
        require(scores.length == 2 * DIGITS);
        uint256[] memory dims = new uint256[](2);
        (dims[0], dims[1]) = (1, DIGITS);
        return digestOfOne(Tensors.digest(1, dims, scores));
    }

    function digestOfOne(bytes32 tensor) private view returns (bytes32) {
        bytes32[] memory all = new bytes32[](1);
        all[0] = tensor;
        return Tensors.ioMap(all);
    }

    // The digit with the highest score, the first of equal ones.
    function highest(bytes calldata scores) public pure returns (uint256 best) {
        int256 most = type(int256).min;
        for (uint256 i = 0; i < DIGITS; ++i) {
            int256 score = int16(uint16(uint8(scores[2 * i])) | (uint16(uint8(scores[2 * i + 1])) << 8));
            if (score > most) (best, most) = (i, score);
        }
    }
}
