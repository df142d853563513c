// The script of the worker that worker.js starts.
import { start } from './tally.js';

let tally;
const loaded = new Map();
let last = 0;

const METHODS = {
  async start(options) {
    tally = await start(options);
  },

  version() {
    return tally.version;
  },

  load(bytes, { engine, arch, planMemoryLimit, ...limits }) {
    const module = tally.load(bytes, limits);
    const plan = module.plan({ engine, arch, memoryLimit: planMemoryLimit });
    loaded.set(++last, { module, plan });
    const { id, params, results, gas, arenaBytes, constantBytes, instructions, profile } = module;
    const { steps, keptBytes, memoryBytes } = plan;
    const facts = { id, params, results, gas, arenaBytes, constantBytes, instructions, profile, engine: plan.engine };
    return { ...facts, steps, keptBytes, memoryBytes, number: last };
  },

  run(number, inputs, limits) {
    return loaded.get(number).plan.run(inputs, limits);
  },

  close(number) {
    const { plan, module } = loaded.get(number);
    plan.close();
    module.close();
    loaded.delete(number);
  },

  check(certificate) {
    return tally.judge.check(certificate);
  },

  // `module` and `inputs`: to run it again.
  verify(text, { key, module, inputs, engine, arch, limits, ...evidence }) {
    const receipt = tally.receipt(text);
    const finding = receipt.verify({ ...evidence, key: key && tally.publicKey(key) });
    const { claim, results, nonce, trace, origin, gas, issuedAt, status } = receipt;
    const said = { claim, module: receipt.module, inputs: receipt.inputs, results, key: receipt.key };
    const answer = { receipt: { ...said, nonce, trace, origin, gas, issuedAt, status }, finding };
    if (module && inputs) {
      const began = performance.now();
      const plan = tally.load(module).plan({ engine, arch });
      answer.recomputed = receipt.recompute(plan, inputs, limits);
      answer.milliseconds = performance.now() - began;
    }
    return answer;
  },
};

/** The buffers of results, which are moved. */
const buffersOf = (result) =>
  Object.values(result ?? {})
    .filter((value) => ArrayBuffer.isView(value))
    .map((value) => value.buffer);

async function answer({ id, method, args }, post) {
  try {
    const result = await METHODS[method](...args);
    post({ id, result }, method === 'run' ? buffersOf(result) : []);
  } catch (error) {
    const { stage = 'fault', label = 'api_exception', message } = error;
    post({ id, error: { stage, label, message } }, []);
  }
}

if (typeof self === 'object' && typeof self.postMessage === 'function') {
  self.onmessage = ({ data }) => answer(data, (message, transfer) => self.postMessage(message, transfer));
} else {
  import('node:worker_threads').then(({ parentPort }) => {
    parentPort.on('message', (data) => answer(data, (message, transfer) => parentPort.postMessage(message, transfer)));
  });
}
