// WebAssembly gives what engine reference of this machine gives.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { checkCertificates, checkReceipts, checkRuns, checkVerdicts } from './checks.mjs';
import { agrees, allExamples, assemble, linesOf, part, verdicts } from './setting.mjs';

const { readNpy, start } = await part('');
const { startJudge } = await part('judge');

test('drawn modules, by each engine', async () => {
  for (const options of [{ arch: 'portable' }, { arch: 'simd128' }, { engine: 'reference' }]) {
    for (let first = 0; first < 3000; first += 1000) {
      agrees(checkRuns(await start(), linesOf('WRITE_RUNS', first, 1000), options), 1000);
    }
  }
});

test('certificates of drawn modules, true ones and spoilt', async () => {
  agrees(checkCertificates(await startJudge(), linesOf('WRITE_CASES', 'modules', '0', '60')), 500);
});

test('certificates of long rows and recipes', async () => {
  agrees(checkCertificates(await startJudge(), linesOf('WRITE_CASES', 'row')), 5);
});

test('receipts of this repository, at each level', async () => {
  const runs = allExamples();
  for (const arch of ['portable', 'simd128']) agrees(checkReceipts(await start(), readNpy, runs, { arch }), 27);
});

test('certificates that are files', async () => {
  agrees(checkVerdicts(await startJudge(), verdicts()), 20);
});

test('products of recurrent layers that just fit lanes of 32 bits', async () => {
  const list = (count, value) => `{${Array.from({ length: count }, value).join(', ')}}`;
  const module = assemble([
    'param %0 "x" [1,1,16] in [-32767, 32767]',
    `%1 = constant i16 [1,4,16] ${list(64, () => 32767)}`,
    `%2 = constant i8 [1,4,4] ${list(16, () => 1)}`,
    `%3 = constant i8 [1,4] ${list(4, () => 1)}`,
    `%4 = constant i8 [1,4] ${list(4, () => 1)}`,
    `%5 = constant i8 [1,4] ${list(4, () => 0)}`,
    `%6 = constant i16 [64] ${list(64, (_, i) => 1000 * i - 32000)}`,
    '%7, %8 = rnn %0, %1, %2, %3, %4, %5, %6 {direction = forward, shift = 30, initial_state = false, lengths = false}',
    'result %7 "y"',
    'result %8 "last"',
  ]);
  const tally = await start();
  const x = new Int16Array(16).fill(32767);
  const outputs = [{ engine: 'reference' }, { arch: 'portable' }, { arch: 'simd128' }].map((options) =>
    String(tally.load(module).plan(options).run([x]).y),
  );
  assert.deepEqual(outputs, Array(3).fill('16000,16000,16000,16000'));
});

test('a check sees what differs', async () => {
  const [line] = linesOf('WRITE_RUNS', '0', '1');
  const digest = line.results[0].replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  const { differ } = checkRuns(await start(), [{ ...line, results: [digest, ...line.results.slice(1)] }], {});
  assert.equal(differ.length, 1);
});

test('the conformance suite', () => {
  const client = ['node', 'tests/wasm/conformance_client.mjs'];
  const out = execFileSync('python3', ['conformance/run.py', ...client], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  assert.match(out, / 0 differ/);
});
