// build.mjs NODE_MODULES WASM OUT.html: the page as one file, which works from a folder and without a
// network.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const [modules, wasm, out] = process.argv.slice(2);
const { buildSync } = createRequire(path.resolve(modules, 'x.js'))('esbuild');
const here = path.dirname(fileURLToPath(import.meta.url));
const read = (file) => readFileSync(path.join(here, file), 'utf8');

/** A script with everything that it imports. What is node's alone is not reached in a browser. */
function bundle(file) {
  const { outputFiles } = buildSync({
    entryPoints: [path.join(here, file)],
    bundle: true,
    format: 'iife',
    minify: true,
    write: false,
    target: 'es2022',
    external: ['node:*'],
    logOverride: { 'empty-import-meta': 'silent' },
  });
  return outputFiles[0].text;
}

/** A text as JavaScript in a page: no `</script>` ends it. */
const literal = (value) => JSON.stringify(value).replaceAll('<', '\\u003c');

const parts = {
  wasm: gzipSync(readFileSync(wasm), { level: 9 }).toString('base64'),
  worker: bundle('../../api/wasm/package/src/worker_main.js'),
};
const script = `\nwindow.tallyParts = ${literal(parts)};\n${bundle('page.js').replaceAll('</script', '<\\/script')}`;
const style = `\n${read('style.css')}`;
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} 'wasm-unsafe-eval'`,
  `style-src ${hash(style)}`,
  'worker-src blob:',
  "img-src data:",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');
const page = read('index.html')
  .replace('{{policy}}', () => policy)
  .replace(/\n\s*\{\{style\}\}\s*/, () => style)
  .replace(/\n\s*\{\{script\}\}\s*/, () => script);
writeFileSync(out, page);
