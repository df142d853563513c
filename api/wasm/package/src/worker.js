// Tally in a worker: calls are promises, a page stays alive, and a run can be stopped.
import { TallyError } from './errors.js';

const inNode = typeof process === 'object' && process.versions?.node !== undefined && process.type !== 'renderer';

/** A worker of node or of a browser, with the same calls: post, listen, end. */
async function newWorker(source, type) {
  const url = source ?? new URL('./worker_main.js', import.meta.url);
  if (inNode) {
    const { Worker } = await import('node:worker_threads');
    const worker = new Worker(url);
    return {
      post: (message, transfer) => worker.postMessage(message, transfer),
      listen: (onMessage, onError) => worker.on('message', onMessage).on('error', onError),
      end: () => worker.terminate(),
    };
  }
  const worker = new Worker(url, { type });
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    listen: (onMessage, onError) => {
      worker.onmessage = ({ data }) => onMessage(data);
      worker.onerror = (event) => onError(new Error(event.message ?? 'the worker could not be loaded'));
    },
    end: () => worker.terminate(),
  };
}

const errorOf = ({ stage, label, message }) => new TallyError(stage, label, message);

/**
 * Starts Tally in a worker. `source`: the URL of the worker's script, where it is not that of this package; `type`:
 * 'module' or 'classic', what that script is. Other options are those of start().
 */
export async function startWorker({ source, type = 'module', ...options } = {}) {
  const tally = new WorkerTally(await newWorker(source, type));
  await tally.ask('start', [options]);
  return tally;
}

class WorkerTally {
  #worker;
  #asked = new Map();
  #last = 0;
  #ended;

  constructor(worker) {
    this.#worker = worker;
    worker.listen(
      ({ id, result, error }) => {
        const { resolve, reject } = this.#asked.get(id) ?? {};
        this.#asked.delete(id);
        if (error) reject?.(errorOf(error));
        else resolve?.(result);
      },
      (cause) => this.#end(new TallyError('fault', 'api_exception', `the worker failed: ${cause.message}`, { cause })),
    );
  }

  /**
   * Calls `method` of worker_main.js. Buffers in `transfer` are moved, not copied. `signal`: an AbortSignal that ends the
   * worker, and with it every call that it has not answered.
   */
  ask(method, args, { transfer = [], signal } = {}) {
    if (this.#ended) return Promise.reject(this.#ended);
    const stop = () => this.#end(new TallyError('refused', 'cancelled', `stopped: ${signal.reason?.message ?? signal.reason}`));
    if (signal?.aborted) return Promise.reject(new TallyError('refused', 'cancelled', 'stopped before it began'));
    signal?.addEventListener('abort', stop, { once: true });
    const id = ++this.#last;
    const answer = new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject }));
    this.#worker.post({ id, method, args }, transfer);
    return answer.finally(() => signal?.removeEventListener('abort', stop));
  }

  /** Validates a module and makes a plan of it: what is known about both. `options`: {engine, arch, ..limits, signal}. */
  async load(bytes, { signal, transfer = [], ...options } = {}) {
    const facts = await this.ask('load', [bytes, options], { signal, transfer });
    return new WorkerModule(this, facts);
  }

  /** Reads a receipt, verifies it and, with `module` and `inputs`, repeats its run: {receipt, finding, recomputed}. */
  verify(receipt, evidence, { signal } = {}) {
    return this.ask('verify', [receipt, evidence], { signal });
  }

  /** The verdict on a certificate. */
  check(certificate, { signal } = {}) {
    return this.ask('check', [certificate], { signal });
  }

  /** Ends the worker. Calls that are not answered are refused. */
  close() {
    this.#end(new TallyError('refused', 'cancelled', 'the worker has been closed'));
  }

  #end(error) {
    if (this.#ended) return;
    this.#ended = error;
    this.#worker.end();
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
  }
}

class WorkerModule {
  #tally;
  #number;

  constructor(tally, { number, ...facts }) {
    this.#tally = tally;
    this.#number = number;
    Object.assign(this, facts);
  }

  /** Runs the module. `inputs` as Plan.run has them; with `transfer`, their buffers are moved instead of copied. */
  run(inputs, { signal, transfer, ...limits } = {}) {
    return this.#tally.ask('run', [this.#number, inputs, limits], { signal, transfer });
  }

  close() {
    return this.#tally.ask('close', [this.#number]);
  }
}
