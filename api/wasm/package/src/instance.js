// A WebAssembly module of this package, started: its memory, and calls whose refusals are exceptions.
import { TallyError } from './errors.js';
import { Memory } from './memory.js';

const PAGE = 65536;

/** The bytes of a file of this package, in node and in browsers. */
async function bytesOf(name) {
  const url = new URL(`../wasm/${name}.wasm`, import.meta.url);
  if (url.protocol !== 'file:') {
    const response = await fetch(url);
    if (!response.ok) throw new TallyError('file', 'file_open', `${url}: HTTP status ${response.status}`);
    return response.arrayBuffer();
  }
  const { readFile } = await import('node:fs/promises');
  return readFile(url);
}

/** The imports of `compiled`: a clock, a place for the last words of a program that gives up, and no files. */
function importsOf(compiled, memory) {
  const view = () => new DataView(memory.buffer);
  let words = '';
  const wasi = {
    clock_time_get: (clock, precision, at) => {
      view().setBigUint64(at, BigInt(Math.round((clock === 0 ? Date.now() : performance.now()) * 1e6)), true);
      return 0;
    },
    fd_write: (descriptor, vectors, count, written) => {
      let length = 0;
      for (let i = 0; i < count; ++i) {
        const [at, size] = [0, 4].map((offset) => view().getUint32(vectors + 8 * i + offset, true));
        words = (words + String.fromCharCode(...new Uint8Array(memory.buffer, at, Math.min(size, 1024)))).slice(-1024);
        length += size;
      }
      view().setUint32(written, length, true);
      return 0;
    },
    proc_exit: (code) => {
      throw new TallyError('fault', 'api_exception', `the program ended with ${code}: ${words}`);
    },
  };
  const env = { memory, emscripten_notify_memory_growth: () => {} };
  const imports = { env, wasi_snapshot_preview1: wasi };
  // Calls of the system say that there is no such call (ENOSYS), in the numbers of each convention.
  for (const { module, name } of WebAssembly.Module.imports(compiled)) {
    imports[module][name] ??= module === 'env' ? () => -52 : () => 52;
  }
  return imports;
}

/**
 * Starts `name`, a module of this package.
 * `wasm`: its bytes, or a compiled WebAssembly.Module; else the file of the package.
 * `maximumMemory`: the most bytes that its memory may grow to: 2 GiB unless said otherwise, 4 GiB at most.
 */
export async function startInstance(name, { wasm, maximumMemory = 2 ** 31 } = {}) {
  if (!(maximumMemory >= INITIAL && maximumMemory <= 2 ** 32)) {
    throw new TallyError('request', 'api_option', `maximumMemory is ${maximumMemory}: from ${INITIAL} to ${2 ** 32} bytes`);
  }
  const memory = new WebAssembly.Memory({ initial: INITIAL / PAGE, maximum: Math.floor(maximumMemory / PAGE) });
  const source = wasm ?? (await bytesOf(name));
  const compiled = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  const { exports } = await WebAssembly.instantiate(compiled, importsOf(compiled, memory));
  exports._initialize();
  return new Instance({ ...exports, memory });
}

// The modules are linked with as much: stack, tables and a little heap.
const INITIAL = 2 ** 24;

export class Instance {
  constructor(exports) {
    this.exports = exports;
    this.memory = new Memory(exports);
    for (const name of ['tally_layouts', 'tally_judge_layouts']) {
      if (exports[name]) this.memory.readLayouts(exports[name]());
    }
  }

  /**
   * Calls a function of tally.h, whose last argument, the error, is added. After a trap the memory may be in any state,
   * and each further call is refused.
   */
  call(name, ...args) {
    return this.memory.during((room) => {
      const error = room.struct('tally_error');
      if (this.trapping(() => this.exports[name](...args, error.at)) === 0) return;
      throw new TallyError(error.get('stage'), error.get('label'), error.get('message'));
    });
  }

  trapping(work) {
    if (this.broken) throw new TallyError('fault', 'api_exception', `an earlier call failed: ${this.broken.message}`);
    try {
      return work();
    } catch (cause) {
      this.broken = cause;
      this.memory.isBroken = true;
      throw cause instanceof TallyError ? cause : new TallyError('fault', 'api_exception', String(cause), { cause });
    }
  }
}
