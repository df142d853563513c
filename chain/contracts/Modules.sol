// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import "./Cursor.sol";
import {Conviction, IJudge} from "./Judge.sol";
import {refuse} from "./Refusal.sol";
import {hashInDomain} from "./Sha256.sol";

// The programs and bounds of modules, each kept once, as code. It is a judge too: of certificates about these
// modules, whose fields 5 and 6 may be empty.
//
// That somebody has registered a module says nothing of it. Who relies on a claim knows its module and its
// bounds, and has validated them (tally validate).
contract Modules is IJudge {
    event Stored(address part);
    event Registered(bytes32 indexed module, bytes32 indexed bounds);

    struct Parts {
        address[] program;
        address[] bounds;
    }

    IJudge private immutable judgeOfAll;
    mapping(address part => bool) private isPart; // no code of anybody else, which might change
    mapping(bytes32 pair => Parts) private known;

    constructor(IJudge judge_) {
        judgeOfAll = judge_;
    }

    // Keeps bytes of a program or of bounds, 24,575 at most, as the code of a new address, after one byte
    // that is no instruction. Refused: module_part.
    function store(bytes calldata part) external returns (address at_) {
        if (part.length > 24575) refuse("module_part");
        bytes memory code = abi.encodePacked(hex"61", uint16(part.length + 1), hex"80600a3d393df300", part);
        assembly ("memory-safe") {
            at_ := create(0, add(code, 32), mload(code))
        }
        if (at_ == address(0)) refuse("module_part");
        isPart[at_] = true;
        emit Stored(at_);
    }

    // The module of a program and bounds, whose parts are stored. Refused: module_part, where one is not.
    function register(address[] calldata program, address[] calldata bounds)
        external
        returns (bytes32 module, bytes32 boundsDigest)
    {
        for (uint256 i = 0; i < program.length; ++i) if (!isPart[program[i]]) refuse("module_part");
        for (uint256 i = 0; i < bounds.length; ++i) if (!isPart[bounds[i]]) refuse("module_part");
        (module, boundsDigest) = (digestOf(program, 0x11), digestOf(bounds, 0x12));
        bytes32 pair = keccak256(abi.encode(module, boundsDigest));
        if (known[pair].program.length == 0) known[pair] = Parts(program, bounds);
        emit Registered(module, boundsDigest);
    }

    function isRegistered(bytes32 module, bytes32 bounds) public view returns (bool) {
        return known[keccak256(abi.encode(module, bounds))].program.length != 0;
    }

    function judge(bytes calldata certificate, bytes calldata tables) external view returns (Conviction memory) {
        return judgeOfAll.judge(complete(certificate), tables);
    }

    // The certificate with the program and the bounds of its claim, where both are empty.
    function complete(bytes memory certificate) private view returns (bytes memory) {
        Cursor memory c;
        assembly ("memory-safe") {
            mstore(c, add(certificate, 32))
            mstore(add(c, 32), add(add(certificate, 32), mload(certificate)))
        }
        uint256 from = c.pos;
        // What is no certificate is left to the judge.
        tryRead(c, MAP);
        tryRead(c, UNSIGNED);
        tryRead(c, UNSIGNED);
        (bytes32 module, bytes32 bounds) = pairOf(c);
        for (uint256 key = 3; key <= 4; ++key) {
            tryRead(c, UNSIGNED);
            skip(c, tryRead(c, BYTES));
        }
        uint256 before = c.pos;
        bool isOpen = tryRead(c, UNSIGNED) == 5 && tryRead(c, BYTES) == 0 && tryRead(c, UNSIGNED) == 6
            && tryRead(c, BYTES) == 0 && c.end != 0;
        if (!isOpen || !isRegistered(module, bounds)) return certificate;
        Parts storage parts = known[keccak256(abi.encode(module, bounds))];
        return bytes.concat(
            bytesAt(from, before),
            field(5, bytesOf(parts.program)),
            field(6, bytesOf(parts.bounds)),
            bytesAt(c.pos, c.end)
        );
    }

    // Fields 2 and 5 of the claim, which is field 2 of the certificate.
    function pairOf(Cursor memory c) private pure returns (bytes32 module, bytes32 bounds) {
        tryRead(c, UNSIGNED);
        uint256 size = tryRead(c, BYTES);
        Cursor memory claim = Cursor(c.pos, c.end);
        tryRead(claim, MAP);
        tryRead(claim, UNSIGNED);
        tryRead(claim, UNSIGNED);
        for (uint256 key = 2; key <= 5; ++key) {
            tryRead(claim, UNSIGNED);
            bytes32 digest = tryDigest(claim);
            if (key == 2) module = digest;
            bounds = digest;
        }
        skip(c, size);
    }

    function skip(Cursor memory c, uint256 size) private pure {
        unchecked {
            if (c.pos > c.end || size > c.end - c.pos) giveUp(c);
            else c.pos += size;
        }
    }

    function bytesAt(uint256 from, uint256 end) private pure returns (bytes memory copy) {
        copy = new bytes(end - from);
        assembly ("memory-safe") {
            mcopy(add(copy, 32), from, mload(copy))
        }
    }

    // A byte string in CBOR, after its key.
    function field(uint8 key, bytes memory content) private pure returns (bytes memory) {
        uint256 size = content.length;
        if (size < 24) return abi.encodePacked(key, uint8(0x40 | size), content);
        if (size < 1 << 8) return abi.encodePacked(key, uint8(0x58), uint8(size), content);
        if (size < 1 << 16) return abi.encodePacked(key, uint8(0x59), uint16(size), content);
        return abi.encodePacked(key, uint8(0x5a), uint32(size), content);
    }

    function digestOf(address[] memory parts, uint256 domain) private view returns (bytes32) {
        bytes memory content = bytesOf(parts);
        uint256 pos;
        assembly ("memory-safe") {
            pos := add(content, 32)
        }
        return hashInDomain(domain, pos, content.length);
    }

    // The bytes of all parts, one after the other.
    function bytesOf(address[] memory parts) private view returns (bytes memory content) {
        unchecked {
            uint256 size = 0;
            for (uint256 i = 0; i < parts.length; ++i) size += parts[i].code.length - 1;
            content = new bytes(size);
            uint256 pos;
            assembly ("memory-safe") {
                pos := add(content, 32)
            }
            for (uint256 i = 0; i < parts.length; ++i) {
                (address part, uint256 bytes_) = (parts[i], parts[i].code.length - 1);
                assembly ("memory-safe") {
                    extcodecopy(part, pos, 1, bytes_)
                }
                pos += bytes_;
            }
        }
    }
}
