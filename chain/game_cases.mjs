// game_cases MODULES CONTRACTS_JSON SEED ACTIONS < scripts: parties of all kinds play a game on a chain, by
// chance, and the contract does as the model does. Ends with 1 where it does not, or where an honest party
// has lost a wei, or money is left at the end. The scripts are disputes of liars, and walks about honest
// claims (tests/chain/write_disputes.cc).
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { bytesOf, wordAt } from "./abi.mjs";
import { GameModel } from "./game_model.mjs";
import { GameWorld } from "./game_world.mjs";

const [modules, contractsFile, seed, actions] = process.argv.slice(2);
const MOST_MESSAGE = 20_000; // hexadecimal digits

let state = BigInt(seed) * 2n + 1n;
const below = (n) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
  return Number((state >> 33n) % BigInt(n));
};
const any = (list) => list[below(list.length)];

const world = await GameWorld.create(modules, JSON.parse(readFileSync(contractsFile, "utf8")));
const model = new GameModel(world.terms);
const [honestAsserter, honestChallenger, ...others] = world.accounts;
const scripts = { honest: [], lies: [], refused: [] };
for await (const line of createInterface({ input: process.stdin })) {
  const script = JSON.parse(line);
  script.steps = script.steps.filter(({ message }) => message.length < MOST_MESSAGE);
  script.tries = [];
  script.moves = [];
  for (const step of script.steps) {
    if (step.goes_on) script.moves.push(step);
    else (script.tries[script.moves.length] ??= []).push(step);
  }
  const convicts = script.moves.at(-1)?.says === "lost";
  if (script.begins !== "ok") scripts.refused.push(script);
  else if (script.name.includes(": walk ")) scripts.honest.push(script);
  else if (convicts) scripts.lies.push(script);
}

const said = new Map();
const flows = new Map([honestAsserter, honestChallenger].map((who) => [who, 0n])); // withdrawn less paid
const expect = (found, expected, what) => {
  said.set(expected, (said.get(expected) ?? 0) + 1);
  if (found !== expected) throw new Error(`${what}: the game says ${found}, and the model ${expected}`);
};
const flow = (who, amount) => flows.has(who) && flows.set(who, flows.get(who) + amount);

const played = new Map(); // disputes: their script, the moves made, and the positions
const claimed = new Map(); // claims: their script

async function claim(who, script, value = world.terms.claimBond) {
  await world.register(script.program, script.bounds);
  const found = await world.send(who, "claim", [bytesOf(script.opening)], { value });
  expect(found.says, model.claim(world.now, who, value, script), "claim");
  if (found.says !== "ok") return;
  claimed.set(model.claimCount, script);
  flow(who, -value);
}

async function challenge(who, number, script, value = world.terms.challengeBond) {
  const found = await world.send(who, "challenge", [number, bytesOf(script.opening)], { value });
  expect(found.says, model.challenge(world.now, who, value, number, script), "challenge");
  if (found.says !== "ok") return;
  played.set(model.disputeCount, { script, moves: 0, positions: [world.positionIn(found.receipt)] });
  flow(who, -value);
}

async function move(who, number, step, stale = false) {
  const { script, positions } = played.get(number);
  const position = stale ? positions.at(-2) ?? new Uint8Array(32) : positions.at(-1);
  const message = bytesOf(step.message);
  const args = step.turn === "convict" ? [number, position, message, new Uint8Array()] : [number, position, message];
  const found = await world.send(who, step.turn, args);
  expect(found.says, model.move(world.now, who, number, { ...step, stale }), `${step.turn}, ${script.name}`);
  if (found.says !== "ok" || step.turn === "convict") return;
  const kept = played.get(number);
  if (step.says === "ok" && step === script.moves[kept.moves]) {
    ++kept.moves;
    positions.push(world.positionIn(found.receipt));
  } else if (step.says === "ok") {
    played.delete(number); // goes on by other ways than the script
  }
}

// What honest parties do at once: they move, take their bonds, and end what may be ended.
async function moveHonestly() {
  for (const [number, dispute] of [...model.disputes]) {
    const owner = model.claims.get(dispute.claim);
    if (owner.status === "convicted") {
      if (dispute.challenger === honestChallenger) await end("release", number);
      continue;
    }
    const kept = played.get(number);
    const next = kept?.script.moves[kept.moves];
    if (!next) continue;
    const who = next.turn === "answer" ? owner.asserter : dispute.challenger;
    const isHonest = who === (next.turn === "answer" ? honestAsserter : honestChallenger);
    if (isHonest) await move(who, number, next);
  }
}

async function end(name, number) {
  const found = await world.send(any(others), name, [number]);
  const expected = name === "release" ? model.release(number) : model[name](world.now, number);
  expect(found.says, expected, name);
}

async function withdraw(who) {
  const amount = await world.owed(who);
  if (amount !== (model.owed.get(who) ?? 0n)) throw new Error(`${who} is owed ${amount}, not ${model.owed.get(who)}`);
  const found = await world.send(who, "withdraw", [who]);
  expect(found.says, model.withdraw(who), "withdraw");
  flow(who, amount);
}

// One that goes on, or sometimes any.
const among = (map, count) => (map.size > 0 && below(16) > 0 ? any([...map.keys()].slice(-12)) : 1 + below(count + 2));
const anyDispute = () => among(model.disputes, model.disputeCount);
const anyClaim = () => among(model.claims, model.claimCount);

async function act() {
  const choice = below(100);
  if (choice < 6) return claim(any(others), any(scripts.lies));
  if (choice < 10) return claim(honestAsserter, any(scripts.honest));
  if (choice < 12) return claim(any(world.accounts), any(scripts.refused));
  if (choice < 13) return claim(any(others), any(scripts.lies), any([0n, world.terms.claimBond - 1n, world.terms.claimBond + 1n]));
  if (choice < 25) {
    const number = anyClaim();
    const script = claimed.get(number) ?? any(scripts.lies);
    const isLie = scripts.lies.includes(script);
    const who = any(isLie ? [...others, honestChallenger] : others);
    const sameOpening = isLie || below(8) !== 0 ? script : any(scripts.honest);
    const value = who !== honestChallenger && below(16) === 0 ? any([0n, 1n, world.terms.claimBond]) : world.terms.challengeBond;
    return challenge(who, number, sameOpening, value);
  }
  if (choice < 84) {
    const number = anyDispute();
    const kept = played.get(number);
    const dispute = model.disputes.get(number);
    if (!kept) return end("timeOut", number);
    const next = kept.script.moves[kept.moves];
    const tries = (kept.script.tries[kept.moves] ?? []).filter(({ turn }) => dispute?.asked === (turn === "answer"));
    const step = next && (below(3) > 0 || tries.length === 0) ? next : tries.length > 0 ? any(tries) : undefined;
    if (!step) return end("timeOut", number);
    const right = dispute && (step.turn === "answer" ? model.claims.get(dispute.claim).asserter : dispute.challenger);
    const who = below(10) > 0 && right ? right : any(others);
    const honest = who === (step.turn === "answer" ? honestAsserter : honestChallenger);
    return move(who, number, honest ? next : step, !honest && below(12) === 0);
  }
  if (choice < 87) return end("timeOut", anyDispute());
  if (choice < 90) return end("release", anyDispute());
  if (choice < 93) return end("confirm", anyClaim());
  if (choice < 97) return withdraw(any(world.accounts));
  // Time goes by: to the edge of a clock or a window, or anywhere.
  await moveHonestly();
  const edges = [...model.disputes.values()].map((d) => d.since + d.left[d.asked ? "answer" : "ask"])
    .concat([...model.claims.values()].map(({ until }) => until)).flatMap((edge) => [edge, edge + 1n]).filter((edge) => edge > world.now);
  const honestEdge = [...model.disputes.values()].filter((d) => waitsForHonest(d)).map((d) => d.since + d.left[d.asked ? "answer" : "ask"]);
  let later = edges.length > 0 && below(2) === 0 ? any(edges) : world.now + BigInt(1 + below(4000));
  for (const edge of honestEdge) if (edge < later) later = edge;
  if (later > world.now) world.now = later;
}

const waitsForHonest = (d) =>
  d.asked ? model.claims.get(d.claim).asserter === honestAsserter : d.challenger === honestChallenger;

async function check() {
  const balance = await world.balance(world.game);
  if (balance !== model.balance()) throw new Error(`the game has ${balance} wei, and should have ${model.balance()}`);
}

for (let i = 0; i < Number(actions); ++i) {
  await act();
  await check();
}
// To the end of all: whoever is honest goes on, nobody else does.
for (let rounds = 0; model.disputes.size > 0; ++rounds) {
  if (rounds > 1000) throw new Error("disputes without an end");
  await moveHonestly();
  const left = [...model.disputes.entries()];
  if (left.some(([number, d]) => waitsForHonest(d) && played.get(number)?.script.moves[played.get(number).moves] && model.claims.get(d.claim).status === "open")) continue;
  world.now += world.terms.clock + 1n;
  for (const [number, dispute] of left) {
    if (!model.disputes.has(number)) continue;
    await end(model.claims.get(dispute.claim).status === "convicted" ? "release" : "timeOut", number);
  }
}
world.now += world.terms.window + 1n;
for (const [number, { status }] of [...model.claims]) if (status === "open") await end("confirm", number);
for (const who of world.accounts) await withdraw(who);
await check();
if ((await world.balance(world.game)) !== 0n) throw new Error("money is left");
for (let number = 1; number <= model.disputeCount; ++number) {
  if (wordAt(await world.read("disputes", number), 0) !== 0n) throw new Error(`dispute ${number} is left in storage`);
}
for (const [who, net] of flows) if (net < 0n) throw new Error(`the honest ${who} has lost ${-net} wei`);
const [asserted, challenged] = [...flows.values()].map((net) => Number(net) / 1e18);
console.log(`${model.claimCount} claims, ${model.disputeCount} disputes, ${model.burnt / world.terms.burnt} convicted; ` +
            `the honest asserter has won ${asserted} bonds of a claim, the honest challenger ${challenged}`);
console.log([...said].sort((a, b) => b[1] - a[1]).map(([label, times]) => `${label} ${times}`).join(", "));
