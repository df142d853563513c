// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Game} from "./Game.sol";

// ERC-8274, v0.2, as far as a verifier of proofs goes.
interface IProofVerifier {
    function verify(bytes32 inputHash, bytes32 outputHash, bytes calldata metadata, bytes calldata proof)
        external
        returns (bool);
    function proofSystem() external view returns (string memory);
    function proofProfile() external view returns (bytes32);
}

interface IERC165 {
    function supportsInterface(bytes4 id) external view returns (bool);
}

// What a game has confirmed about one module, by the interface of ERC-8274. The hashes are those of the
// claim: of its inputs and of its results (docs/spec/commitment.md#hash). The proof is the number of a
// claim that the game has confirmed, as 32 bytes; metadata is not looked at.
contract Verifier is IProofVerifier, IERC165 {
    Game public immutable game;
    bytes32 public immutable module;
    bytes32 public immutable bounds;

    constructor(Game game_, bytes32 module_, bytes32 bounds_) {
        (game, module, bounds) = (game_, module_, bounds_);
    }

    function verify(bytes32 inputHash, bytes32 outputHash, bytes calldata, bytes calldata proof)
        external
        view
        returns (bool)
    {
        if (proof.length != 32) return false;
        return game.holds(uint256(bytes32(proof)), module, bounds, inputHash, outputHash);
    }

    function proofSystem() external pure returns (string memory) {
        return "op/tally";
    }

    // Which claims count as proofs here.
    function proofProfile() external view returns (bytes32) {
        return keccak256(abi.encode("tally/game/1", game, module, bounds));
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == type(IProofVerifier).interfaceId || id == type(IERC165).interfaceId;
    }
}
