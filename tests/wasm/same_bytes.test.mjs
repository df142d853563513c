// WebAssembly gives what engine reference of this machine gives.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { checkCertificates, checkReceipts, checkRuns, checkVerdicts } from './checks.mjs';
import { allExamples, linesOf, part, verdicts } from './setting.mjs';

const { readNpy, start } = await part('');
const { startJudge } = await part('judge');

const agrees = ({ count, differ }, atLeast) => {
  assert.deepEqual(differ.slice(0, 5), [], `${differ.length} differ`);
  assert.ok(count >= atLeast, `${count} were compared`);
};

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
