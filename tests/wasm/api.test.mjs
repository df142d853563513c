// The interface of npm's package tally-vm, in node.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { assemble, example, folder, part, text } from './setting.mjs';

const { readNpy, start, startVerifier, TallyError } = await part('');
const { startJudge } = await part('judge');
const { startWorker } = await part('worker');

const MODULE = '163023f63268da16acede4d2eb3c980486eb94d80cb75cfd0376dcd59f3e0356';
const PROBABILITIES = '203eba043df7c20b87ccc3ae34d072c4331540952247db12972f34bad666bd3b';
const made = example();
made.image = readNpy(made.input).data;

/** Checks that `work` is refused with `label`. */
async function refused(label, work) {
  const isIt = (error) => error instanceof TallyError && error.label === label && error.message !== '';
  if (work instanceof Promise) await assert.rejects(work, isIt);
  else assert.throws(work, isIt);
}

const relu = assemble(['param %0 "x" [3] in [-128, 127]', '%1 = relu %0', 'result %1 "y"']);

test('a network runs, at each level and on each engine', async () => {
  const tally = await start();
  const module = tally.load(made.module);
  assert.equal(module.id, MODULE);
  assert.deepEqual(module.params.map(({ name, shape, storage }) => [name, shape, storage]), [['image', [1, 1, 8, 8], 'i8']]);
  assert.deepEqual(module.params[0].grid, { scale: 1 / 16, zeroPoint: 0n });
  assert.equal(module.gas, 14836836n);
  for (const options of [{}, { arch: 'portable' }, { arch: 'simd128' }, { engine: 'reference' }]) {
    const { probabilities } = module.plan(options).run({ image: made.image });
    assert.ok(probabilities instanceof Int16Array);
    assert.equal(tally.digest({ data: probabilities, shape: [1, 10] }), PROBABILITIES);
  }
  assert.equal(JSON.parse(module.factsJson()).module_id, MODULE);
});

test('inputs are any integers, by name or in order', async () => {
  const tally = await start();
  const plan = tally.load(relu).plan();
  const kinds = [Int8Array, Int16Array, Int32Array, Uint8Array, Uint8ClampedArray, Uint16Array, Uint32Array, Array];
  for (const kind of kinds) {
    const x = kind.of(1, 0, 100);
    for (const inputs of [{ x }, [x], { x: { data: x, shape: [3] } }]) {
      assert.deepEqual(plan.run(inputs), { y: Int8Array.of(1, 0, 100) }, kind.name);
    }
  }
  assert.deepEqual(plan.run([BigInt64Array.of(-1n, 2n, 3n)]), { y: Int8Array.of(0, 2, 3) });
  await refused('input_interval', () => plan.run([[1, 2, 200]]));
  await refused('input_shape', () => plan.run([{ data: [1, 2, 3], shape: [1, 3] }]));
  await refused('input_count', () => plan.run({}));
  await refused('api_tensor', () => plan.run({ x: [1, 2, 3], z: [1] }));
  await refused('api_tensor', () => plan.run([[1, 2]]));
  await refused('api_tensor', () => plan.run([[1, 2.5, 3]]));
  await refused('api_tensor', () => plan.run([Float32Array.of(1, 2, 3)]));
  await refused('api_tensor', () => plan.run([BigUint64Array.of(1n, 2n, 2n ** 63n)]));
  await refused('api_tensor', () => plan.run({ x: undefined, ...{ x: null } }));
});

test('buffers are used in place', async () => {
  const tally = await start();
  const buffers = tally.load(relu).plan().buffers();
  const { inputs, results } = buffers;
  for (const x of [[-5, 6, 7], [8, -9, 10]]) {
    inputs.x.set(x);
    buffers.run();
    assert.deepEqual([...results.y], x.map((element) => Math.max(element, 0)));
  }
  tally.load(new Uint8Array(made.module)).plan();
  assert.equal(buffers.results.y[0], 8);
  buffers.close();
});

test('limits are kept, and refusals have labels and stages', async () => {
  const tally = await start();
  const module = tally.load(made.module);
  await refused('gas_limit', () => tally.load(made.module, { gasLimit: 14836835 }));
  await refused('file_size', () => tally.load(made.module, { maxBytes: 100 }));
  await refused('gas_limit', () => module.plan().run([made.image], { gasLimit: 14836835n }));
  await refused('memory_limit', () => module.plan().run([made.image], { memoryLimit: 10 }));
  await refused('api_plan_memory', () => module.plan({ memoryLimit: 10 }));
  await refused('arch_unknown', () => module.plan({ arch: 'mmx' }));
  await refused('engine_unavailable', () => module.plan({ engine: 'cuda' }));
  const plan = module.plan();
  plan.close();
  plan.close();
  await refused('api_handle', () => plan.run([made.image]));
  const malformed = (() => {
    try {
      return tally.load(made.module.slice(0, 1000));
    } catch (error) {
      return error;
    }
  })();
  assert.equal(malformed.stage, 'malformed');
});

test('memory ends where its owner says, and calls go on after that', async () => {
  const tally = await start({ maximumMemory: 2 ** 25 });
  await refused('api_memory', () => tally.load(new Uint8Array(2 ** 26)));
  const large = assemble(['param %0 "x" [4194304] in [-128, 127]', '%1 = relu %0', 'result %1 "y"']);
  const module = tally.load(large);
  await refused('api_memory', () => module.plan().run([new Int8Array(4194304).subarray(0)].map((x) => new Int32Array(x))));
  assert.equal(tally.load(made.module).id, MODULE);
  await refused('api_option', start({ maximumMemory: 1 }));
  await refused('api_option', start({ maximumMemory: 2 ** 40 }));
});

test('what 32 bits do not reach is refused before it is computed', async () => {
  const tally = await start();
  const beyond = (dims) => assemble([`param %0 "x" [${dims}] in [-128, 127]`, '%1 = relu %0', 'result %1 "y"']);
  await refused('api_memory', () => tally.load(beyond('134217729, 64')));
  await refused('api_memory', () => tally.load(beyond('1024, 1024, 512')).plan());
  await refused('api_memory', () => tally.load(beyond('1024, 1024, 512')).plan({ engine: 'reference' }));
});

test('receipts are verified and repeated', async () => {
  const tally = await start();
  const plan = tally.load(made.module).plan();
  const receipt = tally.receipt(made.receipt);
  const key = tally.publicKey(made.key);
  assert.equal(receipt.module, MODULE);
  assert.equal(receipt.key, key.id);
  assert.equal(receipt.status, 'ok');
  assert.equal(receipt.verify({ key }).word, 'VERIFIED');
  assert.equal(receipt.verify({}).word, 'UNVERIFIABLE');
  assert.equal(receipt.verify({ key, results: receipt.results }).holds, true);
  assert.equal(receipt.verify({ key, results: receipt.inputs }).word, 'REFUTED');
  assert.equal(receipt.recompute(plan, [made.image]).word, 'REPRODUCED');
  const other = made.image.slice();
  other[0] += 1;
  assert.equal(receipt.recompute(plan, [other]).holds, false);
  const forged = tally.receipt(made.receipt.replace(/"sig":"..../, '"sig":"AAAA'));
  assert.equal(forged.verify({ key }).word, 'REFUTED');
  await refused('key_format', () => tally.publicKey('no key'));
  await refused('receipt_form', () => tally.receipt('{}'));
});

test('a verifier without engines does the same but for runs', async () => {
  const tally = await startVerifier();
  const module = tally.load(made.module);
  const receipt = tally.receipt(made.receipt);
  assert.equal(receipt.verify({ key: tally.publicKey(made.key) }).word, 'VERIFIED');
  assert.equal(module.id, receipt.module);
  assert.equal(module.inputsDigest([made.image]), receipt.inputs);
});

test('a judge alone judges', async () => {
  const judge = await startJudge();
  const verdict = judge.check(Uint8Array.of(1, 2, 3));
  assert.equal(verdict.convicted, false);
  assert.notEqual(verdict.label, '');
  await refused('api_null', () => judge.check('a text'));
  assert.equal(judge.check(new Uint8Array()).label, 'unexpected_end');
});

test('a worker answers by promises, and a run can be stopped', async () => {
  const tally = await startWorker();
  const module = await tally.load(made.module);
  assert.equal(module.id, MODULE);
  const { probabilities } = await module.run([made.image]);
  assert.equal(probabilities.length, 10);
  const answer = await tally.verify(made.receipt, { key: made.key, module: made.module, inputs: [made.image] });
  assert.equal(answer.finding.word, 'VERIFIED');
  assert.equal(answer.recomputed.word, 'REPRODUCED');
  assert.equal((await tally.check(Uint8Array.of(1))).convicted, false);
  await refused('input_count', module.run([]));
  await refused('input_interval', module.run([made.image.map(() => 100)]));

  const long = assemble(['param %0 "x" [1024, 1024] in [-128, 127]', '%1 = matmul %0, %0 {transpose_a = false, transpose_b = false, zero_a = 0, zero_b = 0}', 'result %1 "y"']);
  const slow = await tally.load(long, { engine: 'formal' });
  const stop = new AbortController();
  const running = slow.run([new Int8Array(2 ** 20)], { signal: stop.signal });
  setTimeout(() => stop.abort(), 100);
  await refused('cancelled', running);
  await refused('cancelled', module.run([made.image]));
});

test('buffers that are transferred are moved', async () => {
  const tally = await startWorker();
  const module = await tally.load(relu);
  const x = Int8Array.of(1, 2, 3);
  assert.deepEqual(await module.run([x], { transfer: [x.buffer] }), { y: Int8Array.of(1, 2, 3) });
  assert.equal(x.length, 0);
  tally.close();
});

test('the version is that of the package', async () => {
  const { version } = JSON.parse(text(path.join(folder, 'package.json')));
  assert.equal((await start()).version, version);
});
