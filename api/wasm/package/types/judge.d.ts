/** How the WebAssembly of this package is started. */
export interface StartOptions {
  /** Its bytes, or a compiled module; else the file of the package. */
  wasm?: BufferSource | WebAssembly.Module;
  /** The most bytes that its memory may grow to: 2 GiB unless said otherwise, from 16 MiB to 4 GiB. */
  maximumMemory?: number;
}

/** A refusal of Tally's, or a fault of its own. */
export class TallyError extends Error {
  /** Whose fault it is: malformed, invalid, refused, proof, file, request or fault. */
  readonly stage: string;
  /** The identity of the refusal, which never changes (docs/spec/errors.md). */
  readonly label: string;
  constructor(stage: string, label: string, message: string, options?: ErrorOptions);
}

/** The findings of the judge. Digests are 64 hexadecimal digits. */
export interface Verdict {
  /** Whoever signed this claim with this trace is convicted. False also where it depends on an expansion. */
  readonly convicted: boolean;
  /** The id of the claim: compare it and the trace with what somebody has signed. */
  readonly claim: string;
  /** The digest of the trace; undefined where the claim is wrong with any. */
  readonly trace?: string;
  /** Where it depends on an expansion: its digest, to compare with the one that was sent in a dispute. */
  readonly expansion?: string;
  /** "" or a label; certificate_expansion where it depends on an expansion. */
  readonly label: string;
  /** The fault in words, for people. */
  readonly text: string;
  /** The element that convicts, where the certificate charges one. */
  readonly wrong?: WrongElement;
}

/** An element of a tensor that is not what it has to be. */
export interface WrongElement {
  /** Whose it is, in words. */
  readonly value: string;
  readonly shape: number[];
  readonly storage: 'i8' | 'i16' | 'i32' | 'i64';
  /** Its row-major number. */
  readonly element: number;
  readonly claimed: bigint;
  /** The integer that it is, or the interval that it should be in. */
  readonly right: string;
}

/** The judge of certificates. It needs no module, no weights, no engine and no input, and ends for any bytes. */
export class Judge {
  private constructor();
  check(certificate: Uint8Array): Verdict;
}

/** Starts the judge alone, the smallest WebAssembly of this package. */
export function startJudge(options?: StartOptions): Promise<Judge>;
