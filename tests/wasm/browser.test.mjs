// The same bytes in a browser's page, in a worker of it, and the page web/verify, from a folder of files.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { openBrowser, required, serve, serveBrowser } from './chromium.mjs';
import { agrees, allExamples, example, linesOf, packed, text, verdicts } from './setting.mjs';

const PAGE = pathToFileURL(path.join(packed, 'verify.html')).href;
const RECEIPTS = path.resolve('examples/receipts');
const CERTIFICATES = path.resolve('tests/disputes/verdicts');

let browser, server;
before(async () => {
  browser = await openBrowser();
  server = await serve({ npm: packed, tests: 'tests/wasm' });
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** Calls `name` of checks.mjs in a page. Bytes pass as lists. */
async function inPage(name, options, cases) {
  const page = await browser.newPage();
  await page.goto(server.origin);
  const asLists = (key, value) => (value instanceof Uint8Array ? { bytes: [...value] } : value);
  const answer = await page.evaluate(
    async ({ name, options, json }) => {
      const { readNpy, start } = await import('/npm/tally-vm/src/tally.js');
      const { startJudge } = await import('/npm/tally-vm/src/judge.js');
      const checks = await import('/tests/checks.mjs');
      const cases = JSON.parse(json, (key, value) => (value?.bytes ? Uint8Array.from(value.bytes) : value));
      if (name === 'checkRuns') return checks.checkRuns(await start(), cases, options);
      if (name === 'checkReceipts') return checks.checkReceipts(await start(), readNpy, cases, options);
      return checks[name](await startJudge(), cases);
    },
    { name, options, json: JSON.stringify(cases, asLists) },
  );
  await page.close();
  return answer;
}

test('a thousand drawn modules, by each level', async () => {
  const lines = linesOf('WRITE_RUNS', '0', '1000');
  for (const options of [{ arch: 'portable' }, { arch: 'simd128' }]) agrees(await inPage('checkRuns', options, lines), 1000);
});

test('receipts of this repository', async () => {
  agrees(await inPage('checkReceipts', {}, allExamples()), 27);
});

test('certificates, drawn and those that are files', async () => {
  agrees(await inPage('checkCertificates', {}, linesOf('WRITE_CASES', 'modules', '0', '30')), 250);
  agrees(await inPage('checkVerdicts', {}, verdicts()), 20);
});

test('the conformance suite', async () => {
  const shared = await serveBrowser();
  const env = { ...process.env, TALLY_BROWSER: shared.wsEndpoint(), TALLY_ORIGIN: server.origin };
  const words = ['conformance/run.py', '--batch', '1000', 'node', 'tests/wasm/conformance_client.mjs'];
  const { stdout } = await promisify(execFile)('python3', words, { env });
  await shared.close();
  assert.match(stdout, / 0 differ/);
});

test('a worker of a page answers', async () => {
  const page = await browser.newPage();
  await page.goto(server.origin);
  const { module, receipt, key } = example();
  const word = await page.evaluate(
    async ({ receipt, key, bytes }) => {
      const { startWorker } = await import('/npm/tally-vm/src/worker.js');
      const tally = await startWorker();
      const module = await tally.load(Uint8Array.from(bytes));
      const { finding } = await tally.verify(receipt, { key });
      return `${module.engine} ${finding.word}`;
    },
    { receipt, key, bytes: [...module] },
  );
  assert.equal(word, 'cpu VERIFIED');
  await page.close();
});

/** The page, ready. */
async function openPage(options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(PAGE);
  await page.getByText('Ready', { exact: true }).waitFor();
  return { page, errors, close: () => context.close() };
}

async function drop(page, ...files) {
  await page.setInputFiles('#files', files);
  await page.locator('#findings:not([aria-busy])').waitFor();
  await page.locator('#status', { hasText: 'Checked' }).waitFor();
}

const digits = (name) => path.join(RECEIPTS, 'digits', name);
const key = path.join(RECEIPTS, 'key.pub');

test('a receipt is verified and its run repeated, without a network', async () => {
  const { page, errors, close } = await openPage({ offline: true });
  await drop(page, digits('0.receipt'), key, digits('module.tally'), digits('0.npy'));
  const said = await page.locator('#findings').innerText();
  assert.match(said, /VERIFIED: signed with the key at hand/);
  assert.match(said, /REPRODUCED: the run was repeated here in \d+\.\d ms/);
  assert.match(said, /163023f63268da16acede4d2eb3c980486eb94d80cb75cfd0376dcd59f3e0356/);
  await drop(page, digits('100.npy'));
  assert.match(await page.locator('#findings').innerText(), /DIVERGED|CANNOT_RECOMPUTE/);
  await page.getByRole('button', { name: 'Start again' }).click();
  assert.equal(await page.locator('#findings').innerText(), '');
  assert.deepEqual(errors, []);
  await close();
});

test('each part that is missing is asked for', async () => {
  const { page, close } = await openPage();
  await drop(page, digits('0.receipt'));
  const said = page.locator('#findings');
  assert.match(await said.innerText(), /UNVERIFIABLE[\s\S]*Drop the public key[\s\S]*Drop its module and its inputs/);
  await drop(page, digits('module.tally'));
  assert.match(await said.innerText(), /Drop its inputs to repeat the run here: image\.npy/);
  await close();
});

test('a certificate convicts, and its element is drawn', async () => {
  const { page, close } = await openPage();
  await drop(page, path.join(CERTIFICATES, 'elements_of_a_value.certificate'));
  assert.match(await page.locator('#findings').innerText(), /CONVICTED: element 0 of entry 0 is claimed to be/);
  await page.getByRole('img', { name: /element \[0, 0\] is claimed to be/ }).waitFor();
  await drop(page, path.join(CERTIFICATES, 'spoilt_certificate_right.certificate'));
  assert.match(await page.locator('#findings').innerText(), /NOT CONVICTED: .*\(certificate_right\)/);
  await close();
});

test('axe finds nothing, in dark and light, on a narrow screen', async () => {
  const axe = text(required.resolve('axe-core'));
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await openPage({ colorScheme, viewport: { width: 360, height: 800 }, bypassCSP: true });
    await drop(page, digits('0.receipt'), key, digits('module.tally'), digits('0.npy'), path.join(CERTIFICATES, 'elements_of_a_value.certificate'));
    await page.addScriptTag({ content: axe });
    const { violations } = await page.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
    assert.equal(scrollWidth, clientWidth, 'the page is wider than the screen');
    await close();
  }
});

test('the keyboard reaches everything', async () => {
  const { page, close } = await openPage();
  await drop(page, digits('0.receipt'));
  const reached = new Set();
  for (let i = 0; i < 6; ++i) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.id));
  }
  assert.ok(reached.has('files') && reached.has('clear'), [...reached].join(' '));
  await page.focus('#clear');
  await page.keyboard.press('Enter');
  await page.getByText('Ready', { exact: true }).waitFor();
  await close();
});
