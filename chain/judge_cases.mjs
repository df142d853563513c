// judge_cases MODULES CONTRACTS_JSON < cases: what the judge says of certificates on both machines, beside
// what C++ has said (tests/chain/write_cases.cc). Ends with 1 where they differ.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { bytesOf, callOf, hexOf, labelOf } from "./abi.mjs";
import { deployJudge } from "./deployments.mjs";
import { Edr, EthereumJs, MOST_GAS, transactionGas } from "./machines.mjs";

const [modules, contractsFile] = process.argv.slice(2);
const contracts = JSON.parse(readFileSync(contractsFile, "utf8"));
const machines = [await EthereumJs.create(modules), await Edr.create(modules)];
for (const machine of machines) machine.judge = await deployJudge(machine, contracts);

const NONE = "0".repeat(64);
const expectedOf = (c) => c.label ?? `convicted ${c.claim} ${c.trace || NONE} ${c.expansion || NONE}`;
const foundOf = ({ ok, data }) =>
  ok ? `convicted ${hexOf(data.slice(0, 32))} ${hexOf(data.slice(32, 64))} ${hexOf(data.slice(64))}` : labelOf(data);

const counts = { convicted: 0, refused: 0, too_large: 0 };
const differences = [];
const most = new Map(); // gas of a transaction, by the operators of the module
for await (const line of createInterface({ input: process.stdin })) {
  const c = JSON.parse(line);
  const data = callOf(contracts.Judge, "judge", bytesOf(c.certificate), bytesOf(c.tables));
  const expected = expectedOf(c);
  const answers = [];
  for (const machine of machines) answers.push(await machine.call(machine.judge, data));
  const gas = transactionGas(data, answers[0].gas);
  if (gas > (most.get(c.operators)?.gas ?? 0n)) {
    const [at64, at96] = [64n, 96n].map((least) => transactionGas(data, answers[0].gas, least));
    most.set(c.operators, { gas, at64, at96, bytes: data.length, name: c.name });
  }
  const outOfGas = answers.filter((a) => !a.ok && a.data.length === 0).length;
  if (outOfGas === machines.length) {
    ++counts.too_large;
    if (process.env.SHOW) console.log(`out of gas: ${c.name}`);
    continue;
  }
  answers.forEach((answer, i) => {
    const found = foundOf(answer);
    if (found !== expected) differences.push(`${machines[i].name}: ${found}, not ${expected}: ${c.name} [${c.operators}]`);
  });
  ++counts[c.label ? "refused" : "convicted"];
}
const largest = [...most.values()].sort((a, b) => (a.gas < b.gas ? 1 : -1)).slice(0, 10);
console.log(`${counts.convicted} convicted, ${counts.refused} refused, ${counts.too_large} beyond ${MOST_GAS} gas, on ` +
            machines.map((machine) => machine.name).join(" and "));
console.log("| gas | 64 a byte | 96 a byte | calldata, bytes | case |");
for (const { gas, at64, at96, bytes, name } of largest) console.log(`| ${gas} | ${at64} | ${at96} | ${bytes} | ${name} |`);
for (const difference of differences.slice(0, 20)) console.log(difference);
process.exit(differences.length > 0 ? 1 : 0);
