// Answers to the questions of the conformance suite (conformance/README.md), in node and in pages: lines of
// JSON.

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
const integer = (value) => (value === undefined ? undefined : BigInt(String(value).replace('@', '')));
const written = (value) => JSON.stringify(value).replace(/"@(-?\d+)"/g, '$1');

function validate(tally, bytes) {
  const module = tally.load(bytes);
  const facts = exact(module.factsJson());
  module.close();
  return { id: facts.module_id, functions: [facts, ...facts.functions] };
}

function run(tally, bytes, asks) {
  const module = tally.load(bytes);
  const { inputs, gas_limit: gas, memory_limit: memory } = exact(asks);
  const tensors = inputs.map(({ shape, values }) => ({ shape, data: BigInt64Array.from(values, integer) }));
  const plan = module.plan();
  const results = plan.run(tensors, { gasLimit: integer(gas), memoryLimit: integer(memory) });
  return {
    results: module.results.map(({ name, shape, storage }) => {
      return { shape, storage, digest: tally.digest({ data: results[name], shape }) };
    }),
  };
}

/** A line for each question: {module, asks}, bytes and the text of a run, which is undefined where the module is validated. */
export function answersTo(tally, questions) {
  return questions.map(({ module, asks }) =>
    written(answered(() => (asks === undefined ? validate(tally, module) : run(tally, module, asks)))),
  );
}
