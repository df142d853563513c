// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Conviction} from "./Judge.sol";
import {Modules} from "./Modules.sol";
import {ClaimParts} from "./Opening.sol";
import {Refused, refuse} from "./Refusal.sol";
import {IRules} from "./Rules.sol";

// What a game costs, and how long it takes. Whoever deploys one chooses them (docs/guides/chain.md#terms).
struct Terms {
    uint256 claimBond; // wei
    uint256 challengeBond;
    uint256 burnt; // a part of the bond that an asserter loses, so that nobody gains by a challenge to itself
    uint64 window; // seconds after a claim in which it may be challenged
    uint64 clock; // seconds that each party has for all its moves in one dispute
}

// Claims with bonds, and the disputes about them. Anyone may claim, and anyone may challenge, at the same
// time as others; the parties of one dispute move in turns (docs/spec/dispute.md), each on a clock of its
// own. The first certificate that convicts ends the claim; the other challengers have their bonds back.
// Bonds are withdrawn by their owners: no call pays somebody else.
contract Game {
    // A message, and the position after it, that the next call brings along.
    event Claimed(uint256 indexed claim, address indexed asserter, bytes32 indexed module, bytes opening);
    event Challenged(uint256 indexed claim, uint256 indexed dispute, address challenger, bytes position);
    event Asked(uint256 indexed dispute, bytes query, bytes position);
    event Answered(uint256 indexed dispute, bytes answer, bytes position);
    event Ended(uint256 indexed claim, uint256 indexed dispute, bool convicted, bytes32 why);
    event Confirmed(uint256 indexed claim);

    enum Status { NONE, OPEN, CONFIRMED, CONVICTED }

    struct Claim {
        address asserter;
        uint48 until; // the window is open
        uint40 disputes; // that go on
        Status status;
        bytes32 facts; // the hash of its module, bounds, inputs and results
        bytes32 opening; // the hash of the message
    }

    struct Dispute {
        address challenger;
        uint64 since; // the last move
        uint32 block_; // in which it began
        uint64 claim;
        uint64 asserterLeft; // seconds
        uint64 challengerLeft;
        bool asked; // the asserter is to move
        bytes32 position; // its hash
    }

    IRules public immutable rules;
    Modules public immutable modules;
    uint256 private immutable claimBond;
    uint256 private immutable challengeBond;
    uint256 private immutable burnt;
    uint64 private immutable window;
    uint64 private immutable clock;

    uint64 public claimCount;
    uint256 public disputeCount;
    mapping(uint256 number => Claim) public claims;
    mapping(uint256 number => Dispute) public disputes;
    mapping(address => uint256) public owed;

    constructor(IRules rules_, Modules modules_, Terms memory t) {
        require(t.burnt <= t.claimBond && t.window > 0 && t.clock > 0);
        require(t.window < 1 << 40 && t.clock < 1 << 40);
        (rules, modules) = (rules_, modules_);
        (claimBond, challengeBond, burnt, window, clock) =
            (t.claimBond, t.challengeBond, t.burnt, t.window, t.clock);
    }

    function terms() external view returns (Terms memory) {
        return Terms(claimBond, challengeBond, burnt, window, clock);
    }

    // Claims what an opening says, with the bond. Refused: game_bond; game_module, where its module and
    // bounds are not registered; those of IRules.open.
    function claim(bytes calldata opening) external payable returns (uint256 number) {
        if (msg.value != claimBond) refuse("game_bond");
        (ClaimParts memory parts,) = rules.open(opening);
        if (!modules.isRegistered(parts.module, parts.bounds)) refuse("game_module");
        number = ++claimCount;
        claims[number] = Claim({
            asserter: msg.sender,
            until: uint48(block.timestamp) + uint48(window),
            disputes: 0,
            status: Status.OPEN,
            facts: factsOf(parts.module, parts.bounds, parts.inputs, parts.results),
            opening: keccak256(opening)
        });
        emit Claimed(number, msg.sender, parts.module, opening);
    }

    // Begins a dispute, with the bond; `opening` is that of the claim. Refused: game_bond; game_claim, where
    // there is no such claim, or it is decided; game_window.
    function challenge(uint256 number, bytes calldata opening) external payable returns (uint256 dispute) {
        Claim storage of_ = claims[number];
        if (msg.value != challengeBond) refuse("game_bond");
        if (of_.status != Status.OPEN || keccak256(opening) != of_.opening) refuse("game_claim");
        if (block.timestamp > of_.until) refuse("game_window");
        (, bytes memory position) = rules.open(opening);
        dispute = ++disputeCount;
        ++of_.disputes;
        disputes[dispute] = Dispute({
            challenger: msg.sender,
            since: uint64(block.timestamp),
            block_: uint32(block.number),
            claim: uint64(number),
            asserterLeft: clock,
            challengerLeft: clock,
            asked: false,
            position: keccak256(position)
        });
        emit Challenged(number, dispute, msg.sender, position);
    }

    // A query of the challenger. Refused, as are the moves below: game_dispute, where there is no such
    // dispute; game_claim, where its claim is decided; game_party; dispute_turn; dispute_time; game_position,
    // where another position is given than the last; those of IRules.
    function ask(uint256 dispute, bytes calldata position, bytes calldata query) external {
        Dispute storage d = takeTurn(dispute, position, false);
        bytes memory next = rules.ask(position, query);
        (d.asked, d.position) = (true, keccak256(next));
        emit Asked(dispute, query, next);
    }

    // The answer of the asserter, who has lost where it is another than the claim commits to.
    function answer(uint256 dispute, bytes calldata position, bytes calldata message) external {
        Dispute storage d = takeTurn(dispute, position, true);
        (bytes memory next, bool lost) = rules.answer(position, message);
        emit Answered(dispute, message, next);
        if (lost) return loseClaim(dispute, "dispute_answer");
        (d.asked, d.position) = (false, keccak256(next));
    }

    // The last move of the challenger: whoever is not convicted by the certificate has won. Refused too:
    // game_block, in the block of the challenge, so that nobody wins by a certificate that waits in public;
    // game_gas, where the judge has too little gas for a verdict.
    function convict(uint256 dispute, bytes calldata position, bytes calldata certificate, bytes calldata tables)
        external
    {
        takeTurn(dispute, position, false);
        if (disputes[dispute].block_ == uint32(block.number)) refuse("game_block");
        try modules.judge(certificate, tables) returns (Conviction memory conviction) {
            if (rules.convicts(position, conviction)) loseClaim(dispute, "convicted");
            else loseChallenge(dispute, "dispute_other");
        } catch (bytes memory reason) {
            if (reason.length != 36 || bytes4(reason) != Refused.selector) refuse("game_gas");
            bytes32 label;
            assembly ("memory-safe") {
                label := mload(add(reason, 36))
            }
            loseChallenge(dispute, label);
        }
    }

    // Ends a dispute whose party did not move in time. Refused: game_dispute, game_claim; game_early.
    function timeOut(uint256 dispute) external {
        Dispute storage d = disputeOf(dispute);
        if (claims[d.claim].status != Status.OPEN) refuse("game_claim");
        if (block.timestamp - d.since <= (d.asked ? d.asserterLeft : d.challengerLeft)) refuse("game_early");
        if (d.asked) loseClaim(dispute, "dispute_time");
        else loseChallenge(dispute, "dispute_time");
    }

    // Ends a dispute about a claim that another has convicted: the challenger has its bond back. Refused:
    // game_dispute; game_claim, where the claim is not convicted.
    function release(uint256 dispute) external {
        Dispute storage d = disputeOf(dispute);
        if (claims[d.claim].status != Status.CONVICTED) refuse("game_claim");
        owed[d.challenger] += challengeBond;
        end(dispute, true, "game_claim");
    }

    // Ends the window of a claim that nobody disputes any more: it holds, and its bond is returned. Refused:
    // game_claim; game_early.
    function confirm(uint256 number) external {
        Claim storage c = claims[number];
        if (c.status != Status.OPEN) refuse("game_claim");
        if (block.timestamp <= c.until || c.disputes != 0) refuse("game_early");
        (c.status, c.opening) = (Status.CONFIRMED, 0);
        owed[c.asserter] += claimBond;
        emit Confirmed(number);
    }

    // Pays what the caller is owed. Refused: game_payment, where `to` does not take it.
    function withdraw(address payable to) external {
        uint256 amount = owed[msg.sender];
        owed[msg.sender] = 0;
        (bool paid,) = to.call{value: amount}("");
        if (!paid) refuse("game_payment");
    }

    // Whether a claim holds, and is about this.
    function holds(uint256 number, bytes32 module, bytes32 bounds, bytes32 inputs, bytes32 results)
        external
        view
        returns (bool)
    {
        Claim storage c = claims[number];
        return c.status == Status.CONFIRMED && c.facts == factsOf(module, bounds, inputs, results);
    }

    function factsOf(bytes32 module, bytes32 bounds, bytes32 inputs, bytes32 results) private pure returns (bytes32) {
        return keccak256(abi.encode(module, bounds, inputs, results));
    }

    function disputeOf(uint256 dispute) private view returns (Dispute storage d) {
        d = disputes[dispute];
        if (d.challenger == address(0)) refuse("game_dispute");
    }

    // The dispute, if it is the caller's turn, and there is time; which the move takes.
    function takeTurn(uint256 dispute, bytes calldata position, bool ofAsserter) private returns (Dispute storage d) {
        d = disputeOf(dispute);
        Claim storage c = claims[d.claim];
        if (c.status != Status.OPEN) refuse("game_claim");
        if (msg.sender != (ofAsserter ? c.asserter : d.challenger)) refuse("game_party");
        if (d.asked != ofAsserter) refuse("dispute_turn");
        if (keccak256(position) != d.position) refuse("game_position");
        uint256 spent = block.timestamp - d.since;
        if (spent > (ofAsserter ? d.asserterLeft : d.challengerLeft)) refuse("dispute_time");
        d.since = uint64(block.timestamp);
        if (ofAsserter) d.asserterLeft -= uint64(spent);
        else d.challengerLeft -= uint64(spent);
    }

    function loseClaim(uint256 dispute, bytes32 why) private {
        Dispute storage d = disputes[dispute];
        claims[d.claim].status = Status.CONVICTED;
        owed[d.challenger] += challengeBond + claimBond - burnt;
        end(dispute, true, why);
        if (burnt != 0) {
            (bool paid,) = address(0).call{value: burnt}("");
            require(paid);
        }
    }

    function loseChallenge(uint256 dispute, bytes32 why) private {
        owed[claims[disputes[dispute].claim].asserter] += challengeBond;
        end(dispute, false, why);
    }

    // Nothing is kept of a dispute that has ended, nor of a claim that is convicted, once all have.
    function end(uint256 dispute, bool convicted, bytes32 why) private {
        uint256 number = disputes[dispute].claim;
        delete disputes[dispute];
        Claim storage c = claims[number];
        if (--c.disputes == 0 && c.status == Status.CONVICTED) delete claims[number];
        emit Ended(number, dispute, convicted, why);
    }
}
