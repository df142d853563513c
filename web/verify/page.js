// The page: files come in, findings go out. All work is in a worker, which is replaced where it was stopped or has failed.
import { readNpy } from '../../api/wasm/package/src/npy.js';
import { startWorker } from '../../api/wasm/package/src/worker.js';
import { inputName, kindOf, MOST_BYTES } from './files.js';
import { certificateSection, errorSection, h, moduleSection, receiptSection } from './view.js';

const { wasm: packed, worker: script } = window.tallyParts; // put in by build.mjs
const MAXIMUM_MEMORY = 2 ** 30;
const at = (id) => document.getElementById(id);

let workerOf; // a promise
let stopping; // an AbortController, while work is under way
let files = []; // {name, kind, bytes}
let turn = 0; // the how many-th look at the files: only the last one is shown

/** The WebAssembly that the page has in it. */
const wasm = (async () => {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
})();

async function newWorker() {
  const source = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  try {
    return await startWorker({ source, type: 'classic', wasm: await wasm, maximumMemory: MAXIMUM_MEMORY });
  } finally {
    URL.revokeObjectURL(source);
  }
}

/** Calls `work` with a worker. One that has ended, or is not to be trusted any more, is replaced for the next call. */
async function withWorker(work) {
  workerOf ??= newWorker();
  const used = workerOf;
  const worker = await used;
  try {
    return await work(worker);
  } catch (error) {
    if (error.stage === 'fault' || error.label === 'cancelled') {
      worker.close();
      if (workerOf === used) workerOf = undefined;
    }
    throw error;
  }
}

const text = (file) => file && new TextDecoder().decode(file.bytes);
const last = (kind) => files.findLast((file) => file.kind === kind);

/** The inputs by name; the one file of a module that has one input needs no name. */
function inputsFor(module) {
  const tensors = files.filter(({ kind }) => kind === 'inputs').map(({ name, bytes }) => [inputName(name), readNpy(bytes)]);
  if (module.params.length === 1 && tensors.length > 0) return { [module.params[0].name]: tensors.at(-1)[1] };
  const inputs = Object.fromEntries(tensors);
  return module.params.every(({ name }) => inputs[name] !== undefined) ? inputs : undefined;
}

/** The section that `work` makes, or one that says why it failed. */
async function section(title, work) {
  try {
    return await work();
  } catch (error) {
    if (error.label === undefined) throw error;
    return errorSection(title, error);
  }
}

async function lookAt(signal) {
  const options = { signal };
  const sections = [];
  const [receipt, certificate, bytes] = [last('receipt'), last('certificate'), last('module')];
  let module;
  if (bytes) {
    const found = await section('Module', async () => {
      module = await withWorker((tally) => tally.load(bytes.bytes, options));
      return moduleSection(module);
    });
    sections.push(found);
  }
  let said;
  if (receipt) {
    const found = await section('Receipt', async () => {
      const inputs = module && inputsFor(module);
      const evidence = { key: text(last('key')), ...(inputs && { module: bytes.bytes, inputs }) };
      const answer = await withWorker((tally) => tally.verify(text(receipt), evidence, options));
      said = answer.receipt;
      const names = module && !inputs ? module.params.map(({ name }) => `${name}.npy`).join(', ') : undefined;
      return receiptSection(answer, { key: evidence.key, missing: names && `Drop its inputs to repeat the run here: ${names}` });
    });
    sections.unshift(found);
  }
  if (certificate) {
    const found = await section('Certificate', async () =>
      certificateSection(await withWorker((tally) => tally.check(certificate.bytes, options)), said),
    );
    sections.unshift(found);
  }
  return sections;
}

async function refresh() {
  const mine = ++turn;
  if (stopping) {
    stopping.abort(new Error('other files have come'));
    workerOf = undefined; // the signal has ended it
  }
  stopping = undefined;
  at('have').replaceChildren(...files.map(({ name, kind, bytes }) => h('li', {}, `${kind}: ${name} (${bytes.length.toLocaleString('en')} bytes)`)));
  at('clear').hidden = files.length === 0;
  at('findings').replaceChildren();
  if (files.length === 0) return done(mine, [], 'Ready');
  stopping = new AbortController();
  at('findings').setAttribute('aria-busy', 'true');
  at('status').textContent = 'Checking';
  at('stop').hidden = false;
  try {
    const sections = await lookAt(stopping.signal);
    done(mine, sections, `Checked ${files.length} ${files.length === 1 ? 'file' : 'files'}`);
  } catch (error) {
    done(mine, [errorSection('This page', { stage: 'fault', label: error.name, message: error.message })], 'This did not work');
  }
}

function done(mine, sections, status) {
  if (mine !== turn) return;
  at('findings').replaceChildren(...sections);
  at('findings').removeAttribute('aria-busy');
  at('status').textContent = status;
  at('stop').hidden = true;
  stopping = undefined;
}

async function receive(list) {
  const taken = [];
  for (const file of list) {
    if (file.size > MOST_BYTES) {
      at('status').textContent = `${file.name} has ${file.size} bytes: more than ${MOST_BYTES} are not read here`;
      return;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    taken.push({ name: file.name, bytes, kind: kindOf(bytes) });
  }
  // There is one file of each kind, but for inputs, which have names.
  const replaced = ({ kind, name }) => taken.some((file) => file.kind === kind && (kind !== 'inputs' || file.name === name));
  files = [...files.filter((file) => !replaced(file)), ...taken];
  await refresh();
}

at('files').addEventListener('change', ({ target }) => receive([...target.files]));
at('drop').addEventListener('submit', (event) => event.preventDefault());
at('drop').addEventListener('reset', () => {
  files = [];
  refresh();
});
at('stop').addEventListener('click', () => stopping?.abort(new Error('by the button')));
for (const kind of ['dragover', 'dragleave', 'drop']) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    at('drop').classList.toggle('over', kind === 'dragover');
  });
}
document.addEventListener('drop', ({ dataTransfer }) => receive([...dataTransfer.files]));

withWorker(async (tally) => {
  at('version').textContent = await tally.ask('version', []);
  if (files.length === 0) at('status').textContent = 'Ready';
}).catch((error) => {
  at('status').textContent = `This browser cannot start WebAssembly: ${error.message}`;
});
