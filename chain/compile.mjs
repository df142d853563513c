// Compiles the contracts: compile.mjs MODULES OUT_JSON [FOLDER...]. Contracts of further folders import those
// of this one as "tally/Game.sol". Prints the bytes of each; ends with 1 where one does not compile, or is
// larger than a chain takes.
import { readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const MOST_BYTES = 24576; // EIP-170

export function sourcesOf(name, folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(".sol"))
    .map((file) => [join(name, file), { content: readFileSync(join(folder, file), "utf8") }]);
}

// The contracts of some of the files; a compiler of its own, in a thread of its own.
export function compile({ modules, sources, files }) {
  const solc = createRequire(resolve(modules, "x.js"))("solc");
  const wanted = { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object", "evm.methodIdentifiers"] };
  const input = {
    language: "Solidity",
    sources,
    settings: {
      evmVersion: "osaka",
      viaIR: true,
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: "none", appendCBOR: false },
      outputSelection: Object.fromEntries(files.map((file) => [file, wanted])),
    },
  };
  return JSON.parse(solc.compile(JSON.stringify(input)));
}

// By their names: the ABI, the selectors of the functions, the code that creates one, and the bytes of one.
export function contractsIn(outputs) {
  const contracts = {};
  for (const file of outputs.flatMap((output) => Object.values(output.contracts ?? {}))) {
    for (const [name, c] of Object.entries(file)) {
      const size = c.evm.deployedBytecode.object.length / 2;
      if (size > 0) contracts[name] = { abi: c.abi, methods: c.evm.methodIdentifiers, code: c.evm.bytecode.object, size };
    }
  }
  return contracts;
}

async function main() {
  const [modules, out, ...folders] = process.argv.slice(2);
  const own = join(dirname(fileURLToPath(import.meta.url)), "contracts");
  const sources = Object.fromEntries(
    [sourcesOf("tally", own), ...folders.map((folder) => sourcesOf(basename(resolve(folder)), folder))].flat());
  // The largest first, each to the thread with the least.
  const threads = Array.from({ length: availableParallelism() }, () => ({ files: [], size: 0 }));
  const files = Object.keys(sources).sort((a, b) => sources[b].content.length - sources[a].content.length);
  for (const file of files) {
    const least = threads.reduce((a, b) => (b.size < a.size ? b : a));
    least.files.push(file);
    least.size += sources[file].content.length;
  }
  const outputs = await Promise.all(threads.map(({ files }) => new Promise((done, failed) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { modules, sources, files } });
    worker.on("message", done).on("error", failed);
  })));
  const errors = outputs.flatMap((output) => (output.errors ?? []).filter((e) => e.severity === "error"));
  for (const message of new Set(errors.map((error) => error.formattedMessage))) console.error(message);
  if (errors.length > 0) process.exit(1);
  const contracts = contractsIn(outputs);
  writeFileSync(out, JSON.stringify(contracts));
  for (const [name, { size }] of Object.entries(contracts).sort()) console.log(`${name} ${size} bytes`);
  process.exit(Object.values(contracts).some(({ size }) => size > MOST_BYTES) ? 1 : 0);
}

if (!isMainThread) parentPort.postMessage(compile(workerData));
else if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
