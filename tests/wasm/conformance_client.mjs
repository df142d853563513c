// A client of the conformance suite: conformance_client.mjs validate | run FILE... It answers itself, or
// has the page of a browser answer that listens at TALLY_BROWSER, from modules that are served at
// TALLY_ORIGIN.
import { readFileSync } from 'node:fs';
import { answersTo } from './answers.mjs';
import { required } from './chromium.mjs';
import { part } from './setting.mjs';

const [command, ...files] = process.argv.slice(2);
const questions = [];
for (let i = 0; i < files.length; ++i) {
  const module = readFileSync(files[i]);
  questions.push({ module, asks: command === 'run' ? readFileSync(files[++i], 'utf8') : undefined });
}

async function answersOfPage(endpoint) {
  const browser = await required('playwright-core').chromium.connect(endpoint);
  const page = await browser.newPage();
  await page.goto(process.env.TALLY_ORIGIN);
  const lines = await page.evaluate(
    async (questions) => {
      const { start } = await import('/npm/tally-vm/src/tally.js');
      const { answersTo } = await import('/tests/answers.mjs');
      const bytesOf = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      return answersTo(await start(), questions.map(({ module, asks }) => ({ module: bytesOf(module), asks })));
    },
    questions.map(({ module, asks }) => ({ module: module.toString('base64'), asks })),
  );
  await browser.close();
  return lines;
}

const endpoint = process.env.TALLY_BROWSER;
const { start } = await part('');
const lines = endpoint ? await answersOfPage(endpoint) : answersTo(await start(), questions);
console.log(lines.join('\n'));
