// screenshot.mjs OUT.png: the page with a receipt of this repository and a certificate about a large
// tensor, for the guide. tests/wasm/run sets the variables that it needs: ./dev wasm
// tests/wasm/screenshot.mjs
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser } from './chromium.mjs';
import { linesOf, packed } from './setting.mjs';

const convicting = linesOf('WRITE_CASES', 'network', 'mobilenet_v2').find(({ what }) => /element 75263 of entry 8/.test(what));
const folder = mkdtempSync(path.join(tmpdir(), 'tally-wasm-'));
const certificate = path.join(folder, 'mobilenet.certificate');
writeFileSync(certificate, Buffer.from(convicting.certificate, 'hex'));

const browser = await openBrowser();
const page = await browser.newPage({ viewport: { width: 860, height: 400 } });
await page.goto(pathToFileURL(path.join(packed, 'verify.html')).href);
await page.getByText('Ready', { exact: true }).waitFor();
const digits = ['0.receipt', 'module.tally', '0.npy'].map((name) => `examples/receipts/digits/${name}`);
await page.setInputFiles('#files', [...digits, 'examples/receipts/key.pub', certificate]);
await page.locator('#status', { hasText: 'Checked' }).waitFor();
await page.screenshot({ path: process.argv[2] ?? 'docs/guides/verify.png', fullPage: true });
await browser.close();
rmSync(folder, { recursive: true });
