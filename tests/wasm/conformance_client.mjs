// A client of the conformance suite (conformance/README.md): conformance_client.mjs validate | run FILE...
import { readFileSync } from 'node:fs';
import { part } from './setting.mjs';

const { start } = await part('');
const tally = await start();
const [command, ...files] = process.argv.slice(2);

/** Returns the result of `work`, or its label. */
function answered(work) {
  try {
    return work();
  } catch (error) {
    if (error.label === undefined) throw error;
    return { error: error.label };
  }
}

// Integers of 64 bits do not fit a number of JavaScript: they pass as texts.
const exact = (text) => JSON.parse(text.replace(/(?<=[[,:]\s*)-?\d{16,}(?=\s*[\],}])/g, '"@$&"'));
const integer = (value) =>
  value === undefined ? undefined : BigInt(String(value).replace('@', ''));
const written = (value) => JSON.stringify(value).replace(/"@(-?\d+)"/g, '$1');

function validate(file) {
  const module = tally.load(readFileSync(file));
  const facts = exact(module.factsJson());
  module.close();
  return { id: facts.module_id, functions: [facts, ...facts.functions] };
}

function run(file, asks) {
  const module = tally.load(readFileSync(file));
  const { inputs, gas_limit: gas, memory_limit: memory } = exact(readFileSync(asks, 'utf8'));
  const tensors = inputs.map(({ shape, values }) => ({ shape, data: BigInt64Array.from(values, integer) }));
  const plan = module.plan({ engine: 'reference' });
  const results = plan.run(tensors, { gasLimit: integer(gas), memoryLimit: integer(memory) });
  return {
    results: module.results.map(({ name, shape, storage }) => {
      return { shape, storage, digest: tally.digest({ data: results[name], shape }) };
    }),
  };
}

for (let i = 0; i < files.length; ++i) {
  const [file, asks] = command === 'validate' ? [files[i]] : [files[i], files[++i]];
  console.log(written(answered(() => (asks ? run(file, asks) : validate(file)))));
}
