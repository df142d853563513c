// Tally in this thread: modules, runs, receipts and certificates.
import { startInstance } from './instance.js';
import { Judge } from './judge.js';
import { Module, digestBy } from './module.js';
import { PublicKey, Receipt } from './receipts.js';
import { tensorFields } from './tensors.js';

export { TallyError } from './errors.js';
export { readNpy } from './npy.js';

/** Starts the engines. */
export async function start(options) {
  return new Tally(await startInstance('tally', options));
}

/** Starts what verifies receipts without running anything: half of the size. Its modules make no plans. */
export async function startVerifier(options) {
  return new Tally(await startInstance('receipts', options));
}

class Tally {
  #instance;

  constructor(instance) {
    this.#instance = instance;
    this.judge = new Judge(instance);
    this.version = instance.memory.text(instance.exports.tally_version(), 64);
    this.specVersion = instance.exports.tally_spec_version();
  }

  /** Validates a module. `bytes`: a Uint8Array of the file; `limits`: {gasLimit, memoryLimit, maxBytes}. */
  load(bytes, limits) {
    return Module.load(this.#instance, bytes, limits);
  }

  /** Reads a receipt. */
  receipt(text) {
    return Receipt.parse(this.#instance, text);
  }

  /** Reads a public key in PEM. */
  publicKey(pem) {
    return PublicKey.parse(this.#instance, pem);
  }

  /** The digest of a value of a run, {data, shape}, which `tally run` prints. It binds the type of the array. */
  digest(tensor) {
    const { memory } = this.#instance;
    return memory.during((room) => {
      const at = room.structs('tally_tensor', [tensorFields(room, tensor, 'tensor')]);
      return digestBy(this.#instance, 'tally_tensor_digest', at);
    });
  }

  /** Bytes of WebAssembly memory in use and free, which never become less. */
  get memoryBytes() {
    return this.#instance.memory.buffer.byteLength;
  }
}
