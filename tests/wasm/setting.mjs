// The tests of tests/wasm/run share these: the package, the files of the repository, and programs of this
// machine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const needed = (name) => process.env[name] ?? fail(`${name} is not set: tests/wasm/run sets it`);
const fail = (message) => {
  throw new Error(message);
};

export const folder = path.join(needed('TALLY_NPM'), 'tally-vm');
export const packed = needed('TALLY_NPM');

/** A module of the package: '' or 'judge' or 'worker'. */
export const part = (name) => import(pathToFileURL(path.join(folder, 'src', `${name || 'tally'}.js`)));

export const read = (file) => new Uint8Array(readFileSync(file));
export const text = (file) => readFileSync(file, 'utf8');

/** Lines of JSON that one of this machine's programs prints. */
export function linesOf(variable, ...args) {
  const out = execFileSync(needed(variable), args, { encoding: 'utf8', maxBuffer: 2 ** 30, cwd: process.cwd() });
  return out.trim().split('\n').map((line) => JSON.parse(line));
}

/** Calls `work` with a folder that is there until it returns. */
function inFolder(work) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tally-wasm-'));
  try {
    return work((name) => path.join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const tally = (...args) => execFileSync(needed('TALLY'), args, { stdio: 'pipe' });

/** The text of a receipt of a run on this machine, by a new key. `inputs`: .npy files by name. */
export function signed({ module, ...inputs }) {
  return inFolder((at) => {
    writeFileSync(at('module'), module);
    const given = Object.entries(inputs).flatMap(([name, bytes]) => {
      writeFileSync(at(name), bytes);
      return ['--input', `${name}=${at(name)}`];
    });
    tally('keygen', '-o', at('key'));
    tally('run', at('module'), ...given, '-o', at('out'), '--receipt', at('receipt'), '--key', at('key'));
    return read(at('receipt'));
  });
}

/** A module from its text. */
export function assemble(lines) {
  return inFolder((at) => {
    writeFileSync(at('text'), ['tally 1', 'profile core', ...lines, ''].join('\n'));
    tally('asm', at('text'), '-o', at('module'));
    return read(at('module'));
  });
}

/** A network of examples/receipts with a run of it. */
export function example(network = 'digits', row = 0) {
  const at = `examples/receipts/${network}`;
  return {
    module: read(`${at}/module.tally`),
    input: read(`${at}/${row}.npy`),
    receipt: text(`${at}/${row}.receipt`),
    key: text('examples/receipts/key.pub'),
  };
}

/** Every receipt of examples/receipts. */
export function allExamples() {
  const networks = readdirSync('examples/receipts').filter((name) => existsSync(`examples/receipts/${name}/module.tally`));
  return networks.flatMap((network) => {
    const rows = readdirSync(`examples/receipts/${network}`).filter((name) => name.endsWith('.receipt'));
    return rows.map((name) => ({ name: `${network}/${name}`, ...example(network, path.basename(name, '.receipt')) }));
  });
}

/** The certificates of tests/disputes/verdicts. */
export function verdicts() {
  const folder = 'tests/disputes/verdicts';
  return text(`${folder}/verdicts.txt`)
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
    .map(([name, verdict]) => ({ name, verdict, certificate: read(`${folder}/${name}.certificate`) }));
}

/** Checks what a function of checks.mjs has returned. */
export function agrees({ count, differ }, atLeast) {
  assert.deepEqual(differ.slice(0, 5), [], `${differ.length} differ`);
  assert.ok(count >= atLeast, `${count} were compared`);
}
