// Mutants of the contracts: one check, comparison or bound is another in each, and the tests have to see it.
//
//   mutants.mjs MODULES CONTRACTS_JSON CASES_FOLDER FILE:CONTRACT... [OPTION...]
//
//   --part=I/N      every N-th, from the I-th on
//   --only=LINE     those of one line
//   --tests=NAME,.. some of the tests: game_scenarios.mjs, ...
//
// CONTRACT is the one that the file is compiled into. The folder has cases.jsonl (write_cases), and
// scripts.jsonl and network.jsonl (write_disputes); a test whose file is missing is left out. Prints each
// mutant that survives, and ends with 1 where there is one.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile, contractsIn, sourcesOf } from "./compile.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const [modules, contractsFile, cases, ...words] = process.argv.slice(2);
const option = (name, otherwise) => words.find((text) => text.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise;
const [part, parts] = option("part", "0/1").split("/").map(Number);
const only = option("only");

// What each pattern becomes.
const OTHERS = [
  [/ < /g, " <= "], [/ <= /g, " < "], [/ > /g, " >= "], [/ >= /g, " > "], [/ == /g, " != "], [/ != /g, " == "],
  [/ && /g, " || "], [/ \|\| /g, " && "], [/ \+ 1\b/g, ""], [/ - 1\b/g, ""], [/(?<=constant \w+ = )\d+(?=;)/g, (n) => `${Number(n) + 1}`],
  [/(?<=\bif \()(?!false\)).*(?=\) (refuse|return|revert)\b)/g, "false"], [/(?<=\brequire\().*(?=\);)/g, "true"],
];

// Each line of the code with one change: {line, text}.
function* mutantsOf(source) {
  const lines = source.split("\n");
  for (const [number, text] of lines.entries()) {
    if (/^\s*(\/\/|import|pragma|event|error)/.test(text)) continue;
    const code = text.replace(/ \/\/.*/, "");
    for (const [pattern, other] of OTHERS) {
      for (const { index, 0: found } of code.matchAll(pattern)) {
        const changed = code.slice(0, index) + (typeof other === "function" ? other(found) : other) + code.slice(index + found.length);
        if (changed !== code) yield { line: number + 1, text: changed.trim(), source: lines.with(number, changed).join("\n") };
      }
    }
  }
}

const original = JSON.parse(readFileSync(contractsFile, "utf8"));
const folder = mkdtempSync(join(tmpdir(), "mutants"));
const TESTS = [
  ["dispute_cases.mjs", "scripts.jsonl"], ["game_scenarios.mjs", "scripts.jsonl"],
  ["game_cases.mjs", "scripts.jsonl", "1", "1500"], ["game_costs.mjs", "network.jsonl"], ["judge_cases.mjs", "cases.jsonl"],
].filter(([script, file]) => existsSync(join(cases, file)) && option("tests", script).split(",").includes(script));

// The test that sees the mutant, if one does.
function killerOf(contracts) {
  const file = join(folder, `contracts${part}.json`);
  writeFileSync(file, JSON.stringify(contracts));
  return TESTS.find(([script, input, ...more]) => {
    const done = spawnSync(process.execPath, [join(HERE, script), modules, file, ...more], {
      input: readFileSync(join(cases, input)), timeout: 120_000, stdio: ["pipe", "ignore", "ignore"],
    });
    return done.status !== 0;
  })?.[0];
}

const sources = Object.fromEntries(sourcesOf("tally", join(HERE, "contracts")));
const counts = { mutants: 0, killed: 0, invalid: 0 };
for (const word of words.filter((text) => !text.startsWith("--"))) {
  const [file, contract] = word.split(":");
  const key = `tally/${file}`;
  let number = 0;
  for (const { line, text, source } of mutantsOf(sources[key].content)) {
    if (number++ % parts !== part || (only && Number(only) !== line)) continue;
    const files = Object.keys(sources).filter((name) => name.endsWith(`/${contract}.sol`));
    const output = compile({ modules, sources: { ...sources, [key]: { content: source } }, files });
    const compiled = contractsIn([output]);
    if (!(contract in compiled)) {
      ++counts.invalid;
      continue;
    }
    ++counts.mutants;
    if (killerOf({ ...original, [contract]: compiled[contract] })) ++counts.killed;
    else console.log(`survives: ${file}:${line}: ${text}`);
  }
}
console.log(`${counts.killed} of ${counts.mutants} mutants are killed; ${counts.invalid} more do not compile`);
process.exit(counts.killed === counts.mutants ? 0 : 1);
