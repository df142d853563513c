// game_scenarios MODULES CONTRACTS_JSON < scripts: attacks on a game, one by one, on a chain of its own; then
// what each party pays in gas, for the page about bonds and clocks. Ends with 1 where an attack goes through.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { bytesOf, callOf, hexOf, wordAt } from "./abi.mjs";
import { GameWorld } from "./game_world.mjs";

const [modules, contractsFile] = process.argv.slice(2);
const contracts = JSON.parse(readFileSync(contractsFile, "utf8"));
const scripts = [];
for await (const line of createInterface({ input: process.stdin })) {
  const script = JSON.parse(line);
  script.moves = script.steps.filter((step) => step.goes_on);
  delete script.steps;
  if (script.begins === "ok") scripts.push(script);
}
const endsSo = (turn, says) => (script) => script.moves.at(-1)?.turn === turn && script.moves.at(-1).says === says;
const longest = (list) => list.reduce((a, b) => (b.moves.length > a.moves.length ? b : a));
const convicted = longest(scripts.filter(endsSo("convict", "lost")));
const misanswered = scripts.find(endsSo("answer", "lost"));
const upheld = longest(scripts.filter((script) => script.name.includes(": walk ") && endsSo("convict", "certificate_right")(script)));
const NONE = new Uint8Array();
const CLAIM = 6, FIELD = 35; // where the claim begins in an opening, and the bytes of each digest in it with its key

let world, asserter, challenger, third;

async function begin(script) {
  await world.register(script.program, script.bounds);
  const claimed = await world.send(asserter, "claim", [bytesOf(script.opening)], { value: world.terms.claimBond });
  assert.equal(claimed.says, "ok");
  return { script, claim: Number(wordAt(await world.read("claimCount"), 0)), claimGas: claimed.gas };
}

async function challenge(game, who = challenger) {
  const { says, receipt, gas } = await world.send(who, "challenge", [game.claim, bytesOf(game.script.opening)], { value: world.terms.challengeBond });
  assert.equal(says, "ok");
  const dispute = Number(wordAt(await world.read("disputeCount"), 0));
  return { ...game, who, dispute, position: world.positionIn(receipt), next: 0, gas: { ask: gas, answer: 0n } };
}

function argsOf(game, step) {
  const args = [game.dispute, game.position, bytesOf(step.message)];
  return step.turn === "convict" ? [...args, NONE] : args;
}

// The next move of the script.
async function move(game) {
  const step = game.script.moves[game.next];
  const who = step.turn === "answer" ? asserter : game.who;
  const { says, receipt, gas } = await world.send(who, step.turn, argsOf(game, step));
  assert.equal(says, "ok", step.turn);
  ++game.next;
  game.gas[step.turn === "answer" ? "answer" : "ask"] += gas;
  if (step.turn !== "convict" && step.says === "ok") game.position = world.positionIn(receipt);
  return step;
}

async function play(game, moves = game.script.moves.length) {
  while (game.next < moves) await move(game);
  return game;
}

const gained = async (who, owed) => assert.equal(await world.owed(who), owed);
const reward = () => world.terms.challengeBond + world.terms.claimBond - world.terms.burnt;

const SCENARIOS = {
  async "terms at their edges, and beyond"() {
    const most = (1n << 40n) - 1n;
    const game = (more) => world.deploy("Game", world.rules, world.modules, Object.values({ ...world.terms, ...more }));
    for (const terms of [{ burnt: 0n }, { burnt: world.terms.claimBond }, { window: 1n, clock: 1n }, { window: most, clock: most }]) {
      await game(terms);
    }
    for (const terms of [{ burnt: world.terms.claimBond + 1n }, { window: 0n }, { clock: 0n }, { window: most + 1n }, { clock: most + 1n }]) {
      await assert.rejects(game(terms), /no deployment/);
    }
  },

  async "a claim is about a module that is registered, with its bond"() {
    const claim = (value) => world.send(asserter, "claim", [bytesOf(convicted.opening)], { value });
    assert.equal((await claim(world.terms.claimBond)).says, "game_module");
    await world.register(convicted.program, convicted.bounds);
    for (const value of [0n, world.terms.claimBond - 1n, world.terms.claimBond + 1n]) assert.equal((await claim(value)).says, "game_bond");
    assert.equal((await claim(world.terms.claimBond)).says, "ok");
  },

  // The code of any other address might be another one tomorrow.
  async "a module is made of parts that are stored"() {
    const ask = (name, ...args) => world.send(third, name, args, { to: world.modules, contract: "Modules" });
    assert.equal((await ask("store", new Uint8Array(24576))).says, "module_part");
    const stored = (await ask("store", new Uint8Array(24575).fill(1))).receipt.logs[0].data;
    const foreign = await world.deploy("Puppet");
    for (const parts of [[[foreign], [stored]], [[stored], [foreign]], [[stored, foreign], [stored]], [[stored], [world.rules]]]) {
      assert.equal((await ask("register", ...parts)).says, "module_part");
    }
    assert.equal((await ask("register", [stored, stored], [stored])).says, "ok");
  },

  async "a lie is convicted, and half of its bond is burnt"() {
    const burnt = await world.balance("0x" + "00".repeat(20));
    await play(await challenge(await begin(convicted)));
    await gained(challenger, reward());
    await gained(asserter, 0n);
    assert.equal((await world.balance("0x" + "00".repeat(20))) - burnt, world.terms.burnt);
  },

  async "a certificate leaves out what is registered"() {
    const of = { ...convicted, moves: convicted.moves.with(-1, { ...convicted.moves.at(-1), message: withoutProgram(convicted) }) };
    await play(await challenge(await begin(of)));
    await gained(challenger, reward());
  },

  async "a false answer ends the claim"() {
    await play(await challenge(await begin(misanswered)));
    await gained(challenger, reward());
  },

  async "an honest claim keeps its bond, and takes the challenger's"() {
    const game = await play(await challenge(await begin(upheld)));
    await gained(asserter, world.terms.challengeBond);
    world.now += world.terms.window + 1n;
    assert.equal((await world.send(third, "confirm", [game.claim])).says, "ok");
    await gained(asserter, world.terms.challengeBond + world.terms.claimBond);
  },

  // Who opens a dispute brings the opening along, and pays for each result that a liar puts into it.
  async "an opening has no more results than a module may have"() {
    await world.register(convicted.program, convicted.bounds);
    const claim = (results) => world.send(asserter, "claim", [withResults(convicted, results)], { value: world.terms.claimBond });
    assert.equal((await claim(1025)).says, "dispute_opening");
    assert.equal((await claim(1024)).says, "ok");
    const number = Number(wordAt(await world.read("claimCount"), 0));
    const begun = await world.send(challenger, "challenge", [number, withResults(convicted, 1024)], { value: world.terms.challengeBond });
    const position = world.positionIn(begun.receipt);
    const asked = await world.send(challenger, "ask", [1, position, bytesOf(convicted.moves[0].message)]);
    assert.ok(position.length > 32 * 1024 && world.positionIn(asked.receipt).length < 1024);
  },

  // Whatever is no verdict changes nothing: the challenger may send the certificate again.
  async "a judge that ends without a verdict decides nothing"() {
    const judge = await world.deploy("FakeJudge");
    world.modules = await world.deploy("Modules", judge);
    world.game = await world.deploy("Game", world.rules, world.modules, Object.values(world.terms));
    const game = await play(await challenge(await begin(convicted)), convicted.moves.length - 1);
    const word = "11".padStart(64, "0"), label = hexOf(Buffer.from("certificate_form".padEnd(32, "\0")));
    const selector = await refusedSelector();
    const convict = () => world.send(challenger, "convict", argsOf(game, convicted.moves.at(-1)));
    const set = (reason, endless) => world.send(third, "set", [bytesOf(reason), endless], { to: judge, contract: "FakeJudge" });
    for (const reason of ["", "4e487b71" + word, selector + label + word, selector, "11".repeat(36)]) {
      await set(reason, 0);
      assert.equal((await convict()).says, "game_gas", reason);
    }
    await set("", 1);
    assert.equal((await convict()).says, "game_gas");
    await set(selector + label, 0);
    assert.equal((await convict()).says, "ok");
    await gained(asserter, world.terms.challengeBond);
  },

  async "nothing is decided twice, and nothing that is not there"() {
    const says = async (name, number) => (await world.send(third, name, [number])).says;
    for (const name of ["timeOut", "release"]) assert.equal(await says(name, 1), "game_dispute");
    for (const number of [0, 1]) assert.equal(await says("confirm", number), "game_claim");
    const game = await challenge(await begin(upheld));
    assert.equal(await says("release", game.dispute), "game_claim");
    assert.equal((await move(game)).turn, "ask");
    const outOfTurn = await world.send(challenger, "convict", [game.dispute, game.position, NONE, NONE]);
    assert.equal(outOfTurn.says, "dispute_turn");
    await play(game);
    for (const name of ["timeOut", "release"]) assert.equal(await says(name, game.dispute), "game_dispute");
    world.now += world.terms.window + 1n;
    assert.equal(await says("confirm", game.claim), "ok");
    assert.equal(await says("confirm", game.claim), "game_claim");
    await gained(asserter, world.terms.challengeBond + world.terms.claimBond);
    const late = await world.send(challenger, "challenge", [game.claim, bytesOf(upheld.opening)], { value: world.terms.challengeBond });
    assert.equal(late.says, "game_claim");
  },

  async "of several challengers the first wins, and the others have their bonds back"() {
    const game = await begin(convicted);
    const first = await challenge(game), second = await challenge(game, third);
    await play(second, second.script.moves.length - 1);
    await play(first);
    assert.equal((await world.send(third, "convict", argsOf(second, second.script.moves.at(-1)))).says, "game_claim");
    assert.equal((await world.send(asserter, "release", [second.dispute])).says, "ok");
    await gained(challenger, reward());
    await gained(third, world.terms.challengeBond);
    assert.equal(wordAt(await world.read("claims", game.claim), 0), 0n); // nothing is kept
  },

  async "a silent asserter loses when its clock is over, and not before"() {
    const game = await play(await challenge(await begin(convicted)), 1);
    world.now += world.terms.clock;
    assert.equal((await world.send(third, "timeOut", [game.dispute])).says, "game_early");
    world.now += 1n;
    assert.equal((await world.send(asserter, "answer", argsOf(game, game.script.moves[1]))).says, "dispute_time");
    assert.equal((await world.send(third, "timeOut", [game.dispute])).says, "ok");
    await gained(challenger, reward());
  },

  async "a silent challenger loses its bond, and the claim is confirmed"() {
    const game = await challenge(await begin(upheld));
    world.now += world.terms.clock + 1n;
    assert.equal((await world.send(third, "timeOut", [game.dispute])).says, "ok");
    await gained(asserter, world.terms.challengeBond);
  },

  // Each party waits in every move, and has no second left at the end: the clock is for all moves together.
  async "slow parties take two clocks at most"() {
    const game = await challenge(await begin(convicted));
    const began = world.now;
    const left = { answer: world.terms.clock, ask: world.terms.clock };
    const sideOf = ({ turn }) => (turn === "answer" ? "answer" : "ask");
    while (game.next < game.script.moves.length) {
      const step = game.script.moves[game.next];
      const more = game.script.moves.slice(game.next + 1).filter((later) => sideOf(later) === sideOf(step)).length;
      const wait = left[sideOf(step)] / BigInt(more + 1);
      left[sideOf(step)] -= wait;
      world.now += wait;
      if (more === 0) {
        world.now += 1n;
        const who = sideOf(step) === "answer" ? asserter : game.who;
        assert.equal((await world.send(who, step.turn, argsOf(game, step))).says, "dispute_time");
        world.now -= 1n;
      }
      await move(game);
    }
    assert.equal(world.now - began, 2n * world.terms.clock);
    await gained(challenger, reward());
  },

  // Somebody keeps all transactions of a party from the chain for a time.
  async "a party that is censored for less than its clock does not lose"() {
    const game = await play(await challenge(await begin(convicted)), 2);
    world.now += world.terms.clock; // no move of the challenger gets in
    await play(game);
    await gained(challenger, reward());
  },

  async "a challenge in the last second of the window holds up the claim"() {
    const game = await begin(convicted);
    world.now += world.terms.window;
    assert.equal((await world.send(third, "confirm", [game.claim])).says, "game_early");
    const disputed = await challenge(game);
    world.now += 1n;
    assert.equal((await world.send(third, "confirm", [game.claim])).says, "game_early");
    const late = await world.send(third, "challenge", [game.claim, bytesOf(convicted.opening)], { value: world.terms.challengeBond });
    assert.equal(late.says, "game_window");
    await play(disputed);
  },

  // A certificate waits in public; whoever copies it needs a dispute that is older than the block.
  async "a copied certificate wins nothing in the block of the challenge"() {
    const game = await play(await challenge(await begin(convicted)), convicted.moves.length - 1);
    const thief = { ...game, who: third, dispute: game.dispute + 1 };
    const open = { from: third, to: world.game, value: "0x" + world.terms.challengeBond.toString(16), gas: "0x400000",
                   data: "0x" + hexOf(callOf(contracts.Game, "challenge", game.claim, bytesOf(convicted.opening))) };
    const begun = await world.chain.request("eth_call", open, "pending");
    assert.equal(BigInt(begun), BigInt(thief.dispute));
    // The position at the beginning is the one that the honest dispute began with.
    const steal = { from: third, to: world.game, gas: "0xf00000",
                    data: "0x" + hexOf(callOf(contracts.Game, "convict", thief.dispute, await beginning(game), bytesOf(convicted.moves.at(-1).message), NONE)) };
    await world.chain.request("evm_setAutomine", false);
    const hashes = [];
    for (const transaction of [open, steal]) hashes.push(await world.chain.request("eth_sendTransaction", transaction));
    await world.chain.request("evm_setNextBlockTimestamp", "0x" + world.now.toString(16));
    await world.chain.request("evm_mine");
    await world.chain.request("evm_setAutomine", true);
    const [opened, stolen] = await Promise.all(hashes.map((hash) => world.chain.request("eth_getTransactionReceipt", hash)));
    assert.deepEqual([opened.status, stolen.status, opened.blockNumber], ["0x1", "0x0", stolen.blockNumber]);
    await play(game);
    await gained(challenger, reward());
  },

  async "a payee that calls again is paid once, and one that refuses is owed it still"() {
    const puppet = await world.deploy("Puppet");
    const act = (data, value = 0n) => world.send(third, "act", [world.game, data], { to: puppet, contract: "Puppet", value });
    const of = (name, ...args) => callOf(contracts.Game, name, ...args);
    await world.register(upheld.program, upheld.bounds);
    assert.equal((await act(of("claim", bytesOf(upheld.opening)), world.terms.claimBond)).says, "ok");
    const claim = Number(wordAt(await world.read("claimCount"), 0));
    world.now += world.terms.window + 1n;
    assert.equal((await world.send(third, "confirm", [claim])).says, "ok");
    const withdraw = of("withdraw", puppet);
    await world.send(third, "set", [withdraw, 1], { to: puppet, contract: "Puppet" });
    assert.equal((await act(withdraw)).says, "game_payment");
    await gained(puppet, world.terms.claimBond);
    await world.send(third, "set", [withdraw, 0], { to: puppet, contract: "Puppet" });
    const before = await world.balance(world.game);
    assert.equal((await act(withdraw)).says, "ok");
    assert.equal(before - (await world.balance(world.game)), world.terms.claimBond);
    assert.equal(await world.balance(puppet), world.terms.claimBond);
  },

  async "calldata of any form changes nothing"() {
    const game = await play(await challenge(await begin(convicted)), 2);
    const before = hexOf(await world.read("disputes", game.dispute));
    let seed = 1;
    const random = () => (seed = (seed * 48271) % 2147483647);
    const selectors = Object.values(contracts.Game.methods);
    for (let i = 0; i < 2000; ++i) {
      // One bit of the party's own call, in its words; or any call of somebody, cut anywhere.
      const right = callOf(contracts.Game, "ask", ...argsOf(game, game.script.moves[2]));
      const isParty = i % 2 === 0;
      let data = right;
      if (isParty) data[4 + (random() % 96)] ^= 1 << (random() % 8);
      else data = bytesOf(selectors[random() % selectors.length] + hexOf(right.slice(4, random() % right.length)));
      const call = { from: isParty ? challenger : third, to: world.game, data: "0x" + hexOf(data), gas: "0xf00000" };
      await world.chain.request("evm_setNextBlockTimestamp", "0x" + world.now.toString(16));
      await world.chain.answer({ jsonrpc: "2.0", id: 1, method: "eth_sendTransaction", params: [call] });
    }
    assert.equal(hexOf(await world.read("disputes", game.dispute)), before);
    await play(game);
    await gained(challenger, reward());
  },

  async "a verifier says yes to confirmed claims about its module alone"() {
    const game = await begin(upheld);
    const [module, bounds, inputs, results] = factsOf(upheld);
    const verifier = await world.deploy("Verifier", world.game, "0x" + module, "0x" + bounds);
    const other = await world.deploy("Verifier", world.game, "0x" + bounds, "0x" + bounds);
    const asks = async (at, claim, output = results) => {
      const data = callOf(contracts.Verifier, "verify", "0x" + inputs, "0x" + output, NONE, claim);
      return BigInt(await world.chain.request("eth_call", { to: at, data: "0x" + hexOf(data) }, "latest")) === 1n;
    };
    const proof = bytesOf(game.claim.toString(16).padStart(64, "0"));
    assert.equal(await asks(verifier, proof), false);
    world.now += world.terms.window + 1n;
    assert.equal((await world.send(third, "confirm", [game.claim])).says, "ok");
    assert.equal(await asks(verifier, proof), true);
    assert.equal(await asks(verifier, proof, inputs), false);
    assert.equal(await asks(verifier, proof.slice(1)), false);
    assert.equal(await asks(other, proof), false);
  },
};

// The selector of Refused(bytes32), as a contract reverts with it.
async function refusedSelector() {
  const call = { to: world.rules, data: "0x" + hexOf(callOf(contracts.Rules, "open", NONE)) };
  const { error } = await world.chain.answer({ jsonrpc: "2.0", id: 1, method: "eth_call", params: [call, "latest"] });
  return (error.data?.data ?? error.data).slice(2, 10);
}

// The position that a dispute about a claim begins with.
async function beginning(game) {
  const data = callOf(contracts.Rules, "open", bytesOf(game.script.opening));
  const found = bytesOf(await world.chain.request("eth_call", { to: world.rules, data: "0x" + hexOf(data) }, "latest"));
  const at = Number(wordAt(found, 7));
  return found.slice(at + 32, at + 32 + Number(BigInt("0x" + hexOf(found.slice(at, at + 32)))));
}

// The last certificate with nothing in its fields 5 and 6.
function withoutProgram({ moves, program, bounds }) {
  const string = (hex) => {
    const size = hex.length / 2;
    return (size < 24 ? (0x40 + size).toString(16) : size < 256 ? "58" + size.toString(16).padStart(2, "0") : "59" + size.toString(16).padStart(4, "0")) + hex;
  };
  const both = "05" + string(program) + "06" + string(bounds);
  assert.ok(moves.at(-1).message.includes(both));
  return moves.at(-1).message.replace(both, "05400640");
}

// The opening with so many results, as its claim has them: another digest in field 4 of the claim, which is
// field 2 of the opening, and another field 4 of the opening.
function withResults({ opening }, count) {
  const zero = "5820" + "00".repeat(32);
  const map = bytesOf("99" + count.toString(16).padStart(4, "0") + zero.repeat(count));
  const digest = createHash("sha256").update(Uint8Array.of(0x13)).update(map).digest();
  const bytes = bytesOf(opening);
  bytes.set(digest, CLAIM + 3 + 2 * FIELD + 3);
  // After a key, a byte string of up to 255 bytes.
  const end = (at) => (bytes[at + 1] < 0x58 ? at + 2 + bytes[at + 1] - 0x40 : at + 3 + bytes[at + 2]);
  const results = end(CLAIM + bytes[CLAIM - 1]);
  const size = map.length.toString(16).padStart(map.length < 1 << 16 ? 4 : 8, "0");
  return bytesOf(hexOf(bytes.slice(0, results)) + (map.length < 1 << 16 ? "0459" : "045a") + size + hexOf(map) + hexOf(bytes.slice(end(results))));
}

// Module, bounds, inputs and results: fields 2, 5, 3 and 4 of the claim that an opening begins with. All but
// the fields after them have heads of one size.
function factsOf({ opening }) {
  const claim = opening.slice(opening.indexOf("a7010102"));
  const digest = (i) => claim.slice(8 + 70 * i + 4, 8 + 70 * i + 68);
  return [digest(0), digest(3), digest(1), digest(2)];
}

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  world = await GameWorld.create(modules, contracts);
  [asserter, challenger, third] = world.accounts;
  await scenario();
  console.log(`ok: ${name}`);
}
