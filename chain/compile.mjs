// Compiles the contracts: compile.mjs MODULES CONTRACTS_FOLDER OUT_JSON. Prints the bytes of each; ends with
// 1 where one does not compile, or is larger than a chain takes.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const MOST_BYTES = 24576; // EIP-170

const [modules, folder, out] = process.argv.slice(2);
const solc = createRequire(resolve(modules, "x.js"))("solc");

const sources = {};
for (const name of readdirSync(folder, { recursive: true })) {
  if (name.endsWith(".sol")) sources[name] = { content: readFileSync(join(folder, name), "utf8") };
}
const input = {
  language: "Solidity",
  sources,
  settings: {
    evmVersion: "osaka",
    viaIR: true,
    optimizer: { enabled: true, runs: 200 },
    metadata: { bytecodeHash: "none", appendCBOR: false },
    outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object", "evm.methodIdentifiers"] } },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
const errors = (output.errors ?? []).filter((e) => e.severity === "error");
for (const error of errors) console.error(error.formattedMessage);
if (errors.length > 0) process.exit(1);
const contracts = {};
for (const file of Object.values(output.contracts)) {
  for (const [name, c] of Object.entries(file)) {
    const code = c.evm.deployedBytecode.object;
    if (code.length > 0) contracts[name] = { abi: c.abi, methods: c.evm.methodIdentifiers, code: c.evm.bytecode.object, size: code.length / 2 };
  }
}
writeFileSync(out, JSON.stringify(contracts));
for (const [name, { size }] of Object.entries(contracts)) console.log(`${name} ${size} bytes`);
process.exit(Object.values(contracts).some(({ size }) => size > MOST_BYTES) ? 1 : 0);
