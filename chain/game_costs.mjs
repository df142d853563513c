// game_costs MODULES CONTRACTS_JSON < scripts: whole disputes on a chain of its own, transaction by
// transaction, as rows of a table: messages, bytes of calldata, gas. Ends with 1 where a liar is not
// convicted, or a transaction is beyond the limit of a chain.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { bytesOf, wordAt } from "./abi.mjs";
import { GameWorld } from "./game_world.mjs";
import { MOST_GAS } from "./machines.mjs";

const [modules, contractsFile] = process.argv.slice(2);
const world = await GameWorld.create(modules, JSON.parse(readFileSync(contractsFile, "utf8")));
const [asserter, challenger] = world.accounts;

// Gas of transactions: today, and where each byte of calldata costs at least so much.
class Costs {
  count = 0;
  bytes = 0;
  sums = [0n, 0n, 0n];
  most = 0n;

  add({ says, gas, bytes }) {
    assert.equal(says, "ok");
    ++this.count;
    this.bytes += bytes;
    [0n, 64n, 96n].forEach((least, i) => {
      const floor = 21000n + least * BigInt(bytes);
      const paid = gas > floor ? gas : floor;
      this.sums[i] += paid;
      if (paid > this.most) this.most = paid;
    });
    assert.ok(this.most < MOST_GAS, `a transaction of ${this.most} gas`);
  }

  row = () => `${this.count} | ${this.bytes} | ${this.sums.join(" | ")} | ${this.most}`;
}

console.log("| dispute | transactions of | number | calldata, bytes | gas | 64 a byte | 96 a byte | most of one |");
console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
for await (const line of createInterface({ input: process.stdin })) {
  const script = JSON.parse(line);
  const costs = { "whoever registers": new Costs(), "the asserter": new Costs(), "the challenger": new Costs() };
  for (const sent of await world.register(script.program, script.bounds)) costs["whoever registers"].add(sent);
  const opening = bytesOf(script.opening);
  costs["the asserter"].add(await world.send(asserter, "claim", [opening], { value: world.terms.claimBond }));
  const claim = wordAt(await world.read("claimCount"), 0);
  const begun = await world.send(challenger, "challenge", [claim, opening], { value: world.terms.challengeBond });
  costs["the challenger"].add(begun);
  const dispute = wordAt(await world.read("disputeCount"), 0);
  let position = world.positionIn(begun.receipt);
  for (const { turn, message } of script.steps) {
    const [who, name] = turn === "answer" ? [asserter, "the asserter"] : [challenger, "the challenger"];
    const tables = turn === "convict" ? [bytesOf(script.tables)] : [];
    const sent = await world.send(who, turn, [dispute, position, bytesOf(message), ...tables]);
    costs[name].add(sent);
    if (turn !== "convict") position = world.positionIn(sent.receipt);
  }
  const reward = world.terms.challengeBond + world.terms.claimBond - world.terms.burnt;
  assert.equal(await world.owed(challenger), reward, "the challenger has the reward");
  costs["the challenger"].add(await world.send(challenger, "withdraw", [challenger]));
  for (const [name, cost] of Object.entries(costs)) {
    if (cost.count > 0) console.log(`| ${script.name} | ${name} | ${cost.row()} |`);
  }
}
console.log("\n| the largest of each call | gas | calldata, bytes |\n| --- | --- | --- |");
for (const [name, { gas, bytes }] of world.most) console.log(`| \`${name}\` | ${gas} | ${bytes} |`);
