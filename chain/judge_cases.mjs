// judge_cases MODULES CONTRACTS_JSON < cases: what the contract says of certificates, beside what C++ has said.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { bytesOf, hexOf, labelOf, withAddresses, withBytes } from "./abi.mjs";
import { EthereumJs } from "./machines.mjs";

const [modules, contractsFile] = process.argv.slice(2);
const contracts = JSON.parse(readFileSync(contractsFile, "utf8"));
const machine = await EthereumJs.create(modules);
const referees = [];
for (const name of ["Pointwise", "Products", "Reductions", "Norms", "Gathers", "Ranks", "Images", "Detections", "Cells"]) referees.push(contracts[name] ? await machine.deploy(bytesOf(contracts[name].code)) : "0x" + "0".repeat(40));
const judge = await machine.deploy(withAddresses(contracts.Judge.code, referees));
const selector = contracts.Judge.methods["judge(bytes,bytes)"];

let same = 0, most = 0n;
const differences = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const c = JSON.parse(line);
  const { ok, data, gas, error } = await machine.call(judge, withBytes(selector, bytesOf(c.certificate), bytesOf(c.tables)));
  const expected = c.label ?? `convicted ${c.claim} ${c.trace || "0".repeat(64)} ${c.expansion || "0".repeat(64)}`;
  const found = ok ? `convicted ${hexOf(data.slice(0, 32))} ${hexOf(data.slice(32, 64))} ${hexOf(data.slice(64))}` : labelOf(data);
  if (gas > most) most = gas;
  if (found === expected) { ++same; continue; }
  const key = `${expected.split(" ")[0]} -> ${found.split(" ")[0]}`;
  if (!differences.has(key)) differences.set(key, []);
  differences.get(key).push(`${c.name}: ${c.what ?? ""} [${c.operators}] ${error ?? ""}`);
}
console.log(`${same} the same, most gas ${most}`);
for (const [key, names] of differences) console.log(`${key}: ${names.length}\n  ${names.slice(0, Number(process.env.SHOW ?? 4)).join("\n  ")}`);
