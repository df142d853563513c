import type { StartOptions, Verdict } from './judge.js';
import type {
  Digest,
  Elements,
  Finding,
  GivenTensors,
  LoadLimits,
  ModuleFacts,
  PlanFacts,
  PlanOptions,
  ReceiptFields,
  RunLimits,
} from './tally.js';

export interface WorkerOptions extends StartOptions {
  /** The worker's script, where it is not that of this package: a bundle of it, or a blob. */
  source?: string | URL;
  /** The kind of that script: 'module' unless said otherwise. Browsers start no modules from pages that are files. */
  type?: 'module' | 'classic';
}

export interface CallOptions {
  /** Ends the worker, and every call that it has not answered with it: label `cancelled`. */
  signal?: AbortSignal;
  /** Buffers that are moved to the worker, not copied. */
  transfer?: ArrayBuffer[];
}

/** Evidence on a receipt, and what it takes to run it again. */
export interface WorkerEvidence {
  /** A public key in PEM. */
  key?: string;
  nonce?: Digest;
  results?: Digest;
  origin?: string;
  certificate?: Uint8Array;
  expansion?: Digest;
  module?: Uint8Array;
  inputs?: GivenTensors;
  engine?: PlanOptions['engine'];
  arch?: PlanOptions['arch'];
  limits?: RunLimits;
}

/** A module and its plan, in the worker. */
export interface WorkerModule extends ModuleFacts, PlanFacts {
  run(inputs: GivenTensors, options?: RunLimits & CallOptions): Promise<Record<string, Elements>>;
  close(): Promise<void>;
}

/** Tally in a worker. */
export interface WorkerTally {
  load(
    bytes: Uint8Array,
    options?: LoadLimits & CallOptions & Pick<PlanOptions, 'engine' | 'arch'> & { planMemoryLimit?: number | bigint },
  ): Promise<WorkerModule>;
  /** Reads a receipt and verifies it; with a module and inputs, repeats the run and takes its time. */
  verify(
    receipt: string,
    evidence: WorkerEvidence,
    options?: CallOptions,
  ): Promise<{ receipt: ReceiptFields; finding: Finding; recomputed?: Finding; milliseconds?: number }>;
  check(certificate: Uint8Array, options?: CallOptions): Promise<Verdict>;
  /** Ends the worker. Calls that are not answered are refused. */
  close(): void;
}

/** Starts Tally in a worker: of a browser, or of node. */
export function startWorker(options?: WorkerOptions): Promise<WorkerTally>;
