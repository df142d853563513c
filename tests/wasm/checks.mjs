// Whether WebAssembly says what this machine's own code says: in node, and in a browser's page. Each check
// takes lines of JSON and returns {count, differ}: what was compared, and a text for each difference.

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const ARRAYS = { i8: Int8Array, i16: Int16Array, i32: Int32Array, i64: BigInt64Array };

/** Runs of tests/wasm/write_runs, by one engine or level: ids, digests of results, labels. */
export function checkRuns(tally, lines, options) {
  const differ = [];
  for (const line of lines) {
    const expect = (what, is, should) => {
      if (is !== should) differ.push(`module ${line.number}: ${what} is ${is}, not ${should}`);
    };
    const module = tally.load(bytesOf(line.module));
    expect('id', module.id, line.id);
    const plan = module.plan(options);
    const inputs = line.inputs.map(({ storage, data }) => new ARRAYS[storage](bytesOf(data).buffer));
    try {
      const results = plan.run(inputs);
      module.results.forEach(({ name, shape }, i) => {
        expect(`result ${i}`, tally.digest({ data: results[name], shape }), line.results[i]);
      });
      expect('label', '', line.label ?? '');
    } catch (error) {
      if (error.label === undefined) throw error;
      expect('label', error.label, line.label ?? '');
    }
    plan.close();
    module.close();
  }
  return { count: lines.length, differ };
}

/** Certificates of tests/chain/write_cases: the verdict of the judge on each. */
export function checkCertificates(judge, lines) {
  const differ = [];
  for (const line of lines) {
    const { convicted, claim, trace, expansion, label } = judge.check(bytesOf(line.certificate));
    const says = line.label
      ? { convicted: false, label: line.label }
      : { convicted: line.expansion === '', claim: line.claim, trace: line.trace, expansion: line.expansion };
    const is = line.label
      ? { convicted, label }
      : { convicted, claim, trace: trace ?? '', expansion: expansion ?? '' };
    if (JSON.stringify(is) !== JSON.stringify(says)) {
      differ.push(`${line.name}: ${JSON.stringify(is)}, not ${JSON.stringify(says)}`);
    }
  }
  return { count: lines.length, differ };
}

/** Receipts of examples/receipts: signed, and repeated. `runs`: {name, module, inputs, receipt, key}. */
export function checkReceipts(tally, readNpy, runs, options) {
  const differ = [];
  for (const { name, module: bytes, input, receipt: text, key } of runs) {
    const module = tally.load(bytes);
    const plan = module.plan(options);
    const receipt = tally.receipt(text);
    const words = [receipt.verify({ key: tally.publicKey(key) }), receipt.recompute(plan, [readNpy(input)])];
    const said = words.map(({ word }) => word).join(' ');
    if (said !== 'VERIFIED REPRODUCED') differ.push(`${name}: ${said} ${words.map(({ message }) => message)}`);
    receipt.close();
    plan.close();
    module.close();
  }
  return { count: runs.length, differ };
}

/** Certificates with the verdicts of tests/disputes/verdicts: {name, certificate, verdict}. */
export function checkVerdicts(judge, cases) {
  const differ = [];
  for (const { name, certificate, verdict } of cases) {
    const { label, text } = judge.check(certificate);
    const is = label === '' || label === 'certificate_expansion' ? `convicted: ${text}` : label;
    if (is !== verdict) differ.push(`${name}: ${is}, not ${verdict}`);
  }
  return { count: cases.length, differ };
}
