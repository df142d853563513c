// Programs of C++ in WebAssembly: the tests of kernels, and the plans of drawn modules.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import test from 'node:test';
import { text } from './setting.mjs';

function run(program, ...args) {
  const file = path.join(process.env.TALLY_PROGRAMS, program);
  const command = ['--no-warnings', 'tests/wasm/run_wasi.mjs', file, ...args];
  const { status, stdout, stderr } = spawnSync('node', command, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  assert.equal(status, 0, `${program}: ${stdout.slice(-2000)}${stderr.slice(-2000)}`);
  return stdout;
}

test('kernels of products give what their formulas do', () => {
  assert.match(run('kernels_test'), /\[ {2}PASSED {2}\] [1-9]\d* tests?/);
});

test('drawn modules have every pair of kernels and fusions of both levels', () => {
  const ofLevels = (list) => list.split('\n').filter((line) => /^(portable|simd128) /.test(line));
  const listed = ofLevels(text('fuzz/plan_pairs.txt'));
  assert.ok(listed.length > 100);
  assert.deepEqual(ofLevels(run('count_pairs')), listed);
});
