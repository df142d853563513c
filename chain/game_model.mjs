// What a game should do, in a few lines without hashes: who has to have which bond at each moment. It is
// compared with the contract, call by call (game_cases.mjs).
//
// A dispute follows a script (tests/chain/write_disputes.cc): messages, with what the rules say of each.
export class GameModel {
  claims = new Map();
  disputes = new Map();
  owed = new Map();
  burnt = 0n;
  claimCount = 0;
  disputeCount = 0;

  constructor(terms) {
    this.terms = terms;
  }

  pay(who, amount) {
    this.owed.set(who, (this.owed.get(who) ?? 0n) + amount);
  }

  // All that the contract should have.
  balance() {
    let sum = 0n;
    for (const amount of this.owed.values()) sum += amount;
    for (const { status } of this.claims.values()) if (status === "open") sum += this.terms.claimBond;
    return sum + this.terms.challengeBond * BigInt(this.disputes.size);
  }

  claim(now, who, value, script) {
    if (value !== this.terms.claimBond) return "game_bond";
    if (script.begins === "dispute_bounds") return "game_module";
    if (script.begins !== "ok") return script.begins;
    this.claims.set(++this.claimCount, {
      asserter: who, until: now + this.terms.window, status: "open", disputes: 0, opening: script.opening,
    });
    return "ok";
  }

  challenge(now, who, value, number, script) {
    const claim = this.claims.get(number);
    if (value !== this.terms.challengeBond) return "game_bond";
    if (claim?.status !== "open" || script.opening !== claim.opening) return "game_claim";
    if (now > claim.until) return "game_window";
    ++claim.disputes;
    this.disputes.set(++this.disputeCount, {
      challenger: who, claim: number, since: now, left: { ask: this.terms.clock, answer: this.terms.clock }, asked: false,
    });
    return "ok";
  }

  // A message of a script: `says` is what the rules say of it in this position.
  move(now, who, number, { turn, says, stale }) {
    const dispute = this.disputes.get(number);
    if (!dispute) return "game_dispute";
    const claim = this.claims.get(dispute.claim);
    const side = turn === "answer" ? "answer" : "ask";
    if (claim.status !== "open") return "game_claim";
    if (who !== (side === "answer" ? claim.asserter : dispute.challenger)) return "game_party";
    if (dispute.asked !== (side === "answer")) return "dispute_turn";
    if (stale) return "game_position";
    const spent = now - dispute.since;
    if (spent > dispute.left[side]) return "dispute_time";
    const refused = turn === "convict" ? false : says !== "ok" && says !== "lost";
    if (refused) return says;
    dispute.since = now;
    dispute.left[side] -= spent;
    if (says === "lost") this.loseClaim(number);
    else if (turn === "convict") this.loseChallenge(number);
    else dispute.asked = side === "ask";
    return "ok";
  }

  timeOut(now, number) {
    const dispute = this.disputes.get(number);
    if (!dispute) return "game_dispute";
    if (this.claims.get(dispute.claim).status !== "open") return "game_claim";
    if (now - dispute.since <= dispute.left[dispute.asked ? "answer" : "ask"]) return "game_early";
    if (dispute.asked) this.loseClaim(number);
    else this.loseChallenge(number);
    return "ok";
  }

  release(number) {
    const dispute = this.disputes.get(number);
    if (!dispute) return "game_dispute";
    if (this.claims.get(dispute.claim).status !== "convicted") return "game_claim";
    this.pay(dispute.challenger, this.terms.challengeBond);
    this.end(number);
    return "ok";
  }

  confirm(now, number) {
    const claim = this.claims.get(number);
    if (claim?.status !== "open") return "game_claim";
    if (now <= claim.until || claim.disputes > 0) return "game_early";
    claim.status = "confirmed";
    this.pay(claim.asserter, this.terms.claimBond);
    return "ok";
  }

  withdraw(who) {
    this.owed.delete(who);
    return "ok";
  }

  loseClaim(number) {
    const dispute = this.disputes.get(number);
    this.claims.get(dispute.claim).status = "convicted";
    this.pay(dispute.challenger, this.terms.challengeBond + this.terms.claimBond - this.terms.burnt);
    this.burnt += this.terms.burnt;
    this.end(number);
  }

  loseChallenge(number) {
    this.pay(this.claims.get(this.disputes.get(number).claim).asserter, this.terms.challengeBond);
    this.end(number);
  }

  end(number) {
    const { claim: of } = this.disputes.get(number);
    this.disputes.delete(number);
    const claim = this.claims.get(of);
    if (--claim.disputes === 0 && claim.status === "convicted") this.claims.delete(of);
  }
}
