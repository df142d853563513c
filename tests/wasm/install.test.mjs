// The packed file installs into an empty project, for JavaScript and for TypeScript, and is no larger than
// it says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { example, folder, packed, read, text } from './setting.mjs';

/** An empty project with the packed file in it. Returns its folder, and a function that runs programs there. */
function newProject() {
  const project = mkdtempSync(path.join(tmpdir(), 'tally-npm-'));
  const [file] = readdirSync(packed).filter((name) => name.endsWith('.tgz'));
  const run = (command, ...args) => execFileSync(command, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  run('npm', 'init', '-y');
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', path.join(packed, file));
  return { project, run };
}

test('npm installs the packed file into an empty project', () => {
  const { project, run } = newProject();
  writeFileSync(
    path.join(project, 'use.mjs'),
    `import { start, startVerifier } from 'tally-vm';
     import { startJudge } from 'tally-vm/judge';
     import { startWorker } from 'tally-vm/worker';
     console.log((await start()).version, (await startVerifier()).version, (await startJudge()).check(Uint8Array.of(0)).label);
     const worker = await startWorker();
     console.log((await worker.check(Uint8Array.of(0))).convicted);
     worker.close();`,
  );
  assert.match(run('node', 'use.mjs'), /^(\d+\.\d+\.\d+) \1 \w+\nfalse\n$/);
  rmSync(project, { recursive: true });
});

test('programs of the guide and of the package run as they are printed', () => {
  const { project, run } = newProject();
  const { module, input, receipt, key } = example();
  const certificate = read('tests/disputes/verdicts/elements_of_a_value.certificate');
  const files = { 'digits.tally': module, '0.npy': input, '0.receipt': receipt, 'key.pub': key, 'a.certificate': certificate };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(project, name), content);
  for (const page of ['docs/guides/browser.md', path.join(folder, 'README.md')]) {
    const program = [...text(page).matchAll(/^```js\n(.*?)^```/gms)].map(([, block]) => block).join('\n');
    writeFileSync(path.join(project, 'page.mjs'), program);
    assert.match(run('node', 'page.mjs'), /VERIFIED[\s\S]*REPRODUCED/, page);
  }
  rmSync(project, { recursive: true });
});

const USE = `import { start, TallyError, type Finding } from 'tally-vm';
import { startJudge } from 'tally-vm/judge';
import { startWorker } from 'tally-vm/worker';

export async function use(bytes: Uint8Array, text: string, pem: string): Promise<Finding> {
  const tally = await start({ maximumMemory: 2 ** 28 });
  const module = tally.load(bytes, { gasLimit: 10n ** 9n });
  const plan = module.plan({ arch: 'simd128' });
  const results = plan.run({ image: { data: new Int8Array(64), shape: [1, 1, 8, 8] } });
  const { wrong } = (await startJudge()).check(bytes);
  const worker = await startWorker();
  const far = await worker.load(bytes, { engine: 'cpu', signal: new AbortController().signal });
  await far.run([[1, 2, 3]], { gasLimit: 5 });
  const label: string = new TallyError('a', 'b', 'c').label + wrong?.right + results.image.length;
  return tally.receipt(text).verify({ key: tally.publicKey(pem), nonce: label });
}
`;

test('TypeScript knows its types, and refuses what is wrong', () => {
  const { project, run } = newProject();
  const tsc = path.join(process.env.TALLY_NODE_MODULES, 'typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
  const compile = (text) => {
    writeFileSync(path.join(project, 'use.mts'), text);
    return run('node', tsc, ...options, 'use.mts');
  };
  compile(USE);
  const refuses = (text, reason) => assert.throws(() => compile(text), ({ stdout }) => reason.test(stdout));
  refuses(USE.replace("'simd128'", "'mmx'"), /mmx/);
  refuses(USE.replace('[[1, 2, 3]]', "['1']"), /not assignable/);
  rmSync(project, { recursive: true });
});

test('the judge alone is under 400 KiB', () => {
  assert.ok(brotliCompressSync(read(path.join(folder, 'wasm/judge.wasm'))).length < 400 * 1024);
});
