// dispute_cases MODULES CONTRACTS_JSON < disputes: the verdict of the rules on each message on both machines,
// beside that of the referee in C++ (tests/chain/write_disputes.cc). Ends with 1 where they differ.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { bytesOf, callOf, labelOf, stringAt, wordAt } from "./abi.mjs";
import { deployGame } from "./deployments.mjs";
import { Edr, EthereumJs } from "./machines.mjs";

const [modules, contractsFile] = process.argv.slice(2);
const contracts = JSON.parse(readFileSync(contractsFile, "utf8"));
const machines = [await EthereumJs.create(modules), await Edr.create(modules)];
for (const machine of machines) Object.assign(machine, await deployGame(machine, contracts));
// ClaimParts has seven words, and the position is after them.
const OPENED = 7;

// The next position, and what is said of a message: "ok", "lost" or a label.
async function move(machine, position, { turn, message }) {
  const bytes = bytesOf(message);
  if (turn === "convict") return convict(machine, position, bytes);
  const found = await machine.call(machine.rules, callOf(contracts.Rules, turn, position, bytes));
  if (!found.ok) return { says: labelOf(found.data) };
  const lost = turn === "answer" && wordAt(found.data, 1) === 1n;
  return { position: stringAt(found.data, 0), says: lost ? "lost" : "ok" };
}

async function convict(machine, position, certificate) {
  const none = new Uint8Array();
  const judged = await machine.call(machine.modules, callOf(contracts.Modules, "judge", certificate, none));
  if (!judged.ok) return { says: labelOf(judged.data) };
  const conviction = [0, 1, 2].map((i) => wordAt(judged.data, i));
  const { data } = await machine.call(machine.rules, callOf(contracts.Rules, "convicts", position, conviction));
  return { says: wordAt(data, 0) === 1n ? "lost" : "dispute_other" };
}

const counts = { disputes: 0, messages: 0 };
const said = new Map();
const differences = [];
for await (const line of createInterface({ input: process.stdin })) {
  const dispute = JSON.parse(line);
  ++counts.disputes;
  for (const machine of machines) {
    const expect = (found, expected, where) => {
      ++counts.messages;
      said.set(expected, (said.get(expected) ?? 0) + 1);
      if (found !== expected) differences.push(`${machine.name}: ${found}, not ${expected}: ${dispute.name}, ${where}`);
    };
    const begun = await machine.call(machine.rules, callOf(contracts.Rules, "open", bytesOf(dispute.opening)));
    // The bounds are those of a module that is registered: whether they are is for the game.
    const begins = begun.ok ? "ok" : labelOf(begun.data);
    expect(begins, dispute.begins === "dispute_bounds" ? "ok" : dispute.begins, "opening");
    if (begins !== "ok") continue;
    let position = stringAt(begun.data, OPENED);
    for (const [i, step] of dispute.steps.entries()) {
      const moved = await move(machine, position, step);
      expect(moved.says, step.says, `step ${i}, ${step.turn} ${step.message.slice(0, 80)}`);
      if (step.goes_on && moved.position) position = moved.position;
    }
  }
}
console.log(`${counts.disputes} disputes, ${counts.messages} messages on ` + machines.map(({ name }) => name).join(" and "));
console.log([...said].sort((a, b) => b[1] - a[1]).map(([label, times]) => `${label} ${times}`).join(", "));
for (const difference of differences.slice(0, 20)) console.log(difference);
process.exit(differences.length > 0 ? 1 : 0);
