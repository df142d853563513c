// compare.mjs PACKAGE NODE_MODULES TALLY FOLDER [--rounds N] [--turn-ms N] [--json FILE]: the modules of
// FOLDER in WebAssembly, beside this machine's own code and ONNX Runtime's WebAssembly, in turns of one
// run. One thread each; ms, the median of all runs.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [packageFolder, modules, tool, folder, ...options] = process.argv.slice(2);
const option = (name, otherwise) => (options.includes(name) ? options[options.indexOf(name) + 1] : otherwise);
const rounds = Number(option('--rounds', 5));
const turn = Number(option('--turn-ms', 500));

const { start } = await import(pathToFileURL(path.resolve(packageFolder, 'src/tally.js')));
const tally = await start();
const ort = createRequire(path.resolve(modules, 'x.js'))('onnxruntime-web');
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'error';
const scratch = mkdtempSync(path.join(tmpdir(), 'tally-bench-'));

let state = 1;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

/** Random integers within a parameter's interval. */
function drawn({ shape, storage, lowest, highest }) {
  const kinds = { i8: Int8Array, i16: Int16Array, i32: Int32Array };
  const [lo, hi] = [Number(lowest), Number(highest)];
  const count = shape.reduce((product, dim) => product * dim, 1);
  return Object.assign(new kinds[storage](count).map(() => lo + Math.floor(random() * (hi - lo + 1))), { shape });
}

function npy(data) {
  const type = { Int8Array: '|i1', Int16Array: '<i2', Int32Array: '<i4' }[data.constructor.name];
  const shape = `(${data.shape.join(', ')},)`;
  const header = `{'descr': '${type}', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117) + '\n';
  const bytes = Buffer.from(data.buffer);
  return Buffer.concat([Buffer.from([0x93]), Buffer.from('NUMPY\x01\x00\x76\x00', 'latin1'), Buffer.from(header), bytes]);
}

/** Times of runs during a turn. */
async function timed(run) {
  const times = [];
  for (const end = performance.now() + turn; performance.now() < end || times.length < 3; ) {
    const begin = performance.now();
    await run();
    times.push(performance.now() - begin);
  }
  return times;
}

/** The tool's own time of runs, capped at `level`; without one, all that the machine has. */
function native(file, inputs, level) {
  const given = Object.entries(inputs).flatMap(([name, data]) => {
    const at = path.join(scratch, `${name}.npy`);
    writeFileSync(at, npy(data));
    return ['--input', `${name}=${at}`];
  });
  const cap = level ? ['--level', level] : [];
  let repeat = 10;
  return async () => {
    const out = execFileSync(tool, ['run', file, ...given, ...cap, '-o', path.join(scratch, 'out'), '--repeat', repeat, '--json'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { milliseconds } = JSON.parse(out);
    repeat = Math.max(3, Math.min(10000, Math.round(turn / milliseconds)));
    return [milliseconds];
  };
}

function webAssembly(module, inputs, arch) {
  const buffers = module.plan({ arch }).buffers();
  for (const [name, data] of Object.entries(inputs)) buffers.inputs[name].set(data);
  return () => timed(() => buffers.run());
}

async function onnxRuntime(file, module) {
  if (!existsSync(file)) return undefined;
  const session = await ort.InferenceSession.create(readFileSync(file), { executionProviders: ['wasm'] });
  const [name] = session.inputNames;
  const { type, shape } = session.inputMetadata?.[0] ?? {};
  const dims = (shape ?? module.params[0].shape).map(Number);
  const count = dims.reduce((product, dim) => product * dim, 1);
  const data = type === 'float32' ? new Float32Array(count).map(random) : new Uint8Array(count).map(() => random() * 256);
  const feeds = { [name]: new ort.Tensor(type ?? 'uint8', data, dims) };
  return () => timed(() => session.run(feeds));
}

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
const COLUMNS = ['native', 'native portable', 'simd128', 'portable', 'onnxruntime int8', 'onnxruntime float'];
const rows = [];
for (const name of readdirSync(folder).filter((file) => file.endsWith('.tally')).map((file) => path.basename(file, '.tally'))) {
  const file = path.join(folder, `${name}.tally`);
  const module = tally.load(readFileSync(file));
  const inputs = Object.fromEntries(module.params.map((param) => [param.name, drawn(param)]));
  const turns = {
    native: native(file, inputs),
    'native portable': native(file, inputs, 'portable'),
    simd128: webAssembly(module, inputs, 'simd128'),
    portable: webAssembly(module, inputs, 'portable'),
    'onnxruntime int8': await onnxRuntime(path.join(folder, `${name}.int8.onnx`), module),
    'onnxruntime float': await onnxRuntime(path.join(folder, `${name}.float.onnx`), module),
  };
  const times = Object.fromEntries(COLUMNS.map((column) => [column, []]));
  for (let round = 0; round <= rounds; ++round) {
    for (const column of COLUMNS.filter((column) => turns[column])) {
      const taken = await turns[column]();
      if (round > 0) times[column].push(...taken); // the first round is for compilers to warm up in
    }
  }
  const row = { name, ...Object.fromEntries(COLUMNS.map((column) => [column, median(times[column])])) };
  rows.push(row);
  console.error(`${name}: ${JSON.stringify(row)}`);
}
rmSync(scratch, { recursive: true });

const cell = (ms) => (ms === undefined ? '' : ms < 1 ? ms.toFixed(3) : ms.toFixed(2));
console.log(`| network | ${COLUMNS.join(' | ')} | simd128 / native portable |`);
console.log(`| --- |${' --- |'.repeat(COLUMNS.length + 1)}`);
for (const row of rows) {
  const ratio = (row.simd128 / row['native portable']).toFixed(2);
  console.log(`| ${row.name} | ${COLUMNS.map((column) => cell(row[column])).join(' | ')} | ${ratio} |`);
}
const json = option('--json');
if (json) writeFileSync(json, JSON.stringify({ node: process.version, onnxruntime: ort.env.versions, rounds, rows }, null, 1));
