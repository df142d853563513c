// Debian's Chromium, and a server of files for pages that import modules.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };

/** A package of npm that tests/wasm/package.json names. */
export const required = createRequire(path.resolve(process.env.TALLY_NODE_MODULES, 'x.js'));

const HOW = { executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] };

export const openBrowser = () => required('playwright-core').chromium.launch(HOW);

/** A browser for other processes: {wsEndpoint(), close()}. */
export const serveBrowser = () => required('playwright-core').chromium.launchServer(HOW);

/** Serves `folders`, by the first part of a path. Returns {origin, close}. */
export async function serve(folders) {
  const server = createServer((request, response) => {
    const [, first, ...rest] = new URL(request.url, 'http://x').pathname.split('/');
    const file = folders[first] && path.join(folders[first], ...rest.filter((part) => part !== '..'));
    if (!file || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(first === '' ? 200 : 404, { 'content-type': 'text/html' }).end('<!doctype html><title>tests</title>');
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
