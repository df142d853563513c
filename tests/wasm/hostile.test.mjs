// Files that nobody made, in the page: it says why, and goes on.
import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openBrowser } from './chromium.mjs';
import { assemble, example, packed, read, signed } from './setting.mjs';

const COUNT = Number(process.env.TALLY_DAMAGED ?? 10000);

let browser, page;
const errors = [];
before(async () => {
  browser = await openBrowser();
  page = await browser.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(pathToFileURL(path.join(packed, 'verify.html')).href);
  await page.getByText('Ready', { exact: true }).waitFor();
});
after(() => browser?.close());

const { module, input, receipt, key } = example();
const encode = (text) => new TextEncoder().encode(text);
const whole = {
  '0.receipt': encode(receipt),
  'key.pub': encode(key),
  'module.tally': module,
  '0.npy': input,
  'a.certificate': read('tests/disputes/verdicts/elements_of_a_value.certificate'),
};
/** The whole files that a damaged one is dropped with. */
const TOGETHER = {
  '0.receipt': ['key.pub'],
  'key.pub': ['0.receipt'],
  'module.tally': [],
  '0.npy': ['0.receipt', 'key.pub', 'module.tally'],
  'a.certificate': [],
};
const listsOf = (files) => Object.entries(files).map(([name, bytes]) => [name, [...bytes]]);

/** Drops files, and waits for what the page says. */
async function drop(files) {
  return page.evaluate(async (files) => {
    const transfer = new DataTransfer();
    for (const [name, bytes] of files) transfer.items.add(new File([Uint8Array.from(bytes)], name));
    const input = document.getElementById('files');
    input.files = transfer.files;
    document.getElementById('status').textContent = '';
    input.dispatchEvent(new Event('change'));
    while (!/^(Checked|This did not)/.test(document.getElementById('status').textContent)) await new Promise((r) => setTimeout(r));
    return document.getElementById('findings').innerText;
  }, listsOf(files));
}

const clear = () => page.click('#clear');

const goesOn = async () => {
  await clear();
  const { 'a.certificate': _, ...run } = whole;
  assert.match(await drop(run), /VERIFIED[\s\S]*REPRODUCED/);
  await clear();
};

test(`${COUNT} damaged files`, async () => {
  const said = await page.evaluate(
    async ({ files, together, count }) => {
      let state = 1;
      const random = (below) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      const damaged = (bytes) => {
        const kind = random(4);
        if (kind === 0) return bytes.slice(0, random(bytes.length));
        const copy = kind === 1 ? [...bytes.slice(0, random(bytes.length)), ...bytes] : [...bytes];
        for (let i = 0; i <= random(8); ++i) copy[random(copy.length)] = random(4) === 0 ? 255 : random(256);
        return copy;
      };
      const input = document.getElementById('files');
      const status = document.getElementById('status');
      const words = {};
      for (let i = 0; i < count; ++i) {
        const [name, bytes] = files[i % files.length];
        const transfer = new DataTransfer();
        const add = (name, bytes) => transfer.items.add(new File([Uint8Array.from(bytes)], name));
        for (const [other, whole] of files) if (together[name].includes(other)) add(other, whole);
        add(name, damaged(bytes));
        document.getElementById('clear').click();
        input.files = transfer.files;
        status.textContent = '';
        input.dispatchEvent(new Event('change'));
        while (!/^(Checked|This did not)/.test(status.textContent)) await new Promise((r) => setTimeout(r));
        for (const word of document.getElementById('findings').innerText.match(/\b[A-Z_]{6,}\b|This did not/g) ?? ['nothing']) {
          words[word] = (words[word] ?? 0) + 1;
        }
      }
      return words;
    },
    { files: listsOf(whole), together: TOGETHER, count: COUNT },
  );
  assert.deepEqual(errors, []);
  assert.equal(said.FAILED, undefined, JSON.stringify(said));
  for (const word of ['REFUSED', 'UNVERIFIABLE', 'VERIFIED', 'REPRODUCED', 'CONVICTED']) assert.ok(said[word] > 0, JSON.stringify(said));
  await goesOn();
});

test('a module that asks for more memory than the page gives', async () => {
  const large = assemble(['param %0 "x" [1024, 1024, 200] in [-128, 127]', '%1 = relu %0', 'result %1 "y"']);
  assert.match(await drop({ 'large.tally': large }), /\(api_memory\)/);
  await goesOn();
});

test('a run that is stopped', async () => {
  // The receipt has to be one of this module: else nothing is run.
  const product = '{transpose_a = false, transpose_b = false, zero_a = 0, zero_b = 0}';
  const lines = ['param %0 "x" [1024, 1024] in [-128, 127]'];
  for (let i = 1; i < 120; i += 2) {
    lines.push(`%${i} = matmul %${i - 1}, %0 ${product}`, `%${i + 1} = clip %${i} {a_min = -128, a_max = 127}`);
  }
  const long = assemble([...lines, 'result %120 "y"']);
  const header = "{'descr': '|i1', 'fortran_order': False, 'shape': (1024, 1024), }".padEnd(117) + '\n';
  const zeros = new Uint8Array(128 + 2 ** 20);
  zeros.set([0x93, ...encode('NUMPY'), 1, 0, 118, 0, ...encode(header)]);
  const running = drop({ 'a.receipt': signed({ module: long, x: zeros }), 'long.tally': long, 'x.npy': zeros });
  await page.getByRole('button', { name: 'Stop' }).click();
  assert.match(await running, /stopped: by the button \(cancelled\)/);
  await goesOn();
});
