import type { Judge, StartOptions } from './judge.js';
export { TallyError } from './judge.js';
export type { Judge, StartOptions, Verdict } from './judge.js';

/** How elements are stored: signed integers of 8, 16, 32 or 64 bits. */
export type Storage = 'i8' | 'i16' | 'i32' | 'i64';

/** Elements of a result: an array of its storage. */
export type Elements = Int8Array | Int16Array | Int32Array | BigInt64Array;

/** Elements that are given: any integers, dense and row-major. */
export type GivenElements =
  | Elements
  | Uint8Array
  | Uint8ClampedArray
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | readonly (number | bigint)[];

/** A tensor that is given. Without a shape it has that of the parameter or the result. */
export type GivenTensor = GivenElements | { data: GivenElements; shape?: readonly number[] };

/** Tensors by name, or in the module's order. */
export type GivenTensors = Record<string, GivenTensor> | readonly GivenTensor[];

/** 64 hexadecimal digits, or 32 bytes. */
export type Digest = string | Uint8Array;

/** A parameter or a result. */
export interface Value {
  readonly name: string;
  readonly shape: number[];
  readonly storage: Storage;
  /** The least element: a parameter refuses others. */
  readonly lowest: bigint;
  /** The largest element. */
  readonly highest: bigint;
  /** Size of the dense tensor. */
  readonly bytes: number;
  /** Where integers are reals on a grid: a real is (integer - zeroPoint) * scale. */
  readonly grid?: { scale: number; zeroPoint: bigint };
}

/** Limits of a run, compared before the first step. */
export interface RunLimits {
  /** The module's gas above it: `gas_limit`. */
  gasLimit?: number | bigint;
  /** The module's arena in bytes above it: `memory_limit`. */
  memoryLimit?: number | bigint;
}

export interface LoadLimits extends RunLimits {
  /** Most bytes of the file; more: `file_size`. */
  maxBytes?: number | bigint;
}

export interface PlanOptions {
  /** "cpu" unless said otherwise; "reference" and "formal" are slow. Results are the same on every engine. */
  engine?: 'cpu' | 'reference' | 'formal';
  /** The most instructions that engine cpu takes: "simd128" unless said otherwise. */
  arch?: 'portable' | 'simd128';
  /** Bytes that the plan keeps and a run takes besides; more: `api_plan_memory`. */
  memoryLimit?: number | bigint;
}

/** A tensor of the bytes of an .npy file of integers, in row-major order. */
export function readNpy(bytes: Uint8Array): { data: GivenElements; shape: number[] };

/** An object in WebAssembly memory, until it is closed, or nobody has it any more. */
interface Closable {
  close(): void;
}

/** Facts about a module that has been validated. */
export interface ModuleFacts {
  readonly id: string;
  readonly params: readonly Value[];
  readonly results: readonly Value[];
  /** Price of a run, the same for every input. */
  readonly gas: bigint;
  readonly arenaBytes: bigint;
  readonly constantBytes: bigint;
  readonly instructions: number;
  readonly profile: string;
}

/** A module that has been validated: no run of it can overflow. */
export interface Module extends ModuleFacts, Closable {
  readonly specVersion: number;
  /** The report of `tally validate --json`. JSON.parse rounds integers of it beyond 2^53. */
  factsJson(): string;
  plan(options?: PlanOptions): Plan;
  /** The digests of inputs and of results, as claims have them. */
  inputsDigest(inputs: GivenTensors): string;
  resultsDigest(results: GivenTensors): string;
}

/** Facts about a module that was compiled for an engine. */
export interface PlanFacts {
  readonly engine: string;
  readonly keptBytes: bigint;
  readonly memoryBytes: bigint;
  readonly steps: number;
}

/** A module compiled for an engine. */
export interface Plan extends PlanFacts, Closable {
  readonly module: Module;
  /** Runs it: the results by name. Inputs and results are copied. */
  run(inputs: GivenTensors, limits?: RunLimits): Record<string, Elements>;
  /** Memory for inputs and results that runs use in place. */
  buffers(): Buffers;
}

/**
 * Inputs and results in WebAssembly memory, without copies. Take `inputs` and `results` anew after calls that make memory
 * grow: arrays that were taken before are empty then.
 */
export interface Buffers extends Closable {
  readonly inputs: Record<string, Elements>;
  readonly results: Record<string, Elements>;
  run(limits?: RunLimits): void;
}

/** A word and its reason (docs/spec/receipt.md). */
export interface Finding {
  /** VERIFIED or REPRODUCED. */
  readonly holds: boolean;
  readonly word: 'VERIFIED' | 'REFUTED' | 'UNVERIFIABLE' | 'REPRODUCED' | 'DIVERGED' | 'CANNOT_RECOMPUTE';
  /** "" where it holds, else why not. */
  readonly label: string;
  readonly message: string;
  /** The parts that were looked at and are as the receipt says. */
  readonly compared: ('module' | 'inputs' | 'results' | 'trace' | 'certificate')[];
}

/** Evidence at hand. All of it is compared. */
export interface Evidence {
  /** Whose receipts are trusted. Without it nothing is verified. */
  key?: PublicKey;
  nonce?: Digest;
  /** The digest of the results at hand (Module.resultsDigest). */
  results?: Digest;
  /** The text of the module's origin. */
  origin?: string;
  /** A file that is said to convict the receipt. */
  certificate?: Uint8Array;
  expansion?: Digest;
}

/** The fields of a receipt. Digests are 64 hexadecimal digits; those that it lacks are undefined. */
export interface ReceiptFields {
  readonly claim: string;
  readonly module: string;
  readonly inputs: string;
  readonly results?: string;
  readonly key: string;
  readonly nonce?: string;
  readonly trace?: string;
  readonly origin?: string;
  readonly gas: bigint;
  readonly issuedAt: Date;
  /** "ok", or the label of the refusal. */
  readonly status: string;
}

/** A claim that a module gives these results for these inputs, signed by who ran it. */
export interface Receipt extends ReceiptFields, Closable {
  /** Whether it is what it says. A finding that does not hold is no error. */
  verify(evidence?: Evidence): Finding;
  /** Whether the run gives what it claims: runs the plan again, unless it is decided without. */
  recompute(plan: Plan, inputs: GivenTensors, limits?: RunLimits): Finding;
}

/** Whose receipts are trusted: an Ed25519 key. */
export interface PublicKey extends Closable {
  readonly id: string;
}

/** Tally in this thread. Calls that are refused throw a TallyError. */
export interface Tally {
  readonly judge: Judge;
  readonly version: string;
  readonly specVersion: number;
  /** Bytes of WebAssembly memory, in use and free, which never become less. */
  readonly memoryBytes: number;
  /** Validates a module. */
  load(bytes: Uint8Array, limits?: LoadLimits): Module;
  /** Reads a receipt. Its signature is not looked at. */
  receipt(text: string): Receipt;
  /** Reads a public key in PEM. */
  publicKey(pem: string): PublicKey;
  /** The digest of a value of a run, which `tally run` prints. It binds the shape and the type of the array. */
  digest(tensor: { data: Elements; shape: readonly number[] }): string;
}

/** Starts the engines. */
export function start(options?: StartOptions): Promise<Tally>;

/** Starts what verifies receipts without running anything: half of the size. Its modules make no plans. */
export function startVerifier(options?: StartOptions): Promise<Tally>;
