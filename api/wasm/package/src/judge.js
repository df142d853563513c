// The judge of certificates: whether one file shows that nobody honest has made a claim.
import { startInstance } from './instance.js';
import { hexOf, needBytes } from './memory.js';
import { STORAGES } from './tensors.js';

/** Starts the judge alone, the smallest module of this package. Options: `wasm`, `maximumMemory` (start). */
export async function startJudge(options) {
  return new Judge(await startInstance('judge', options));
}

export class Judge {
  #instance;

  constructor(instance) {
    this.#instance = instance;
  }

  /** Judges the bytes of a certificate, which may be anything. What it shows is in the verdict; nothing is thrown. */
  check(certificate) {
    const { memory } = this.#instance;
    needBytes(certificate, 'a certificate');
    return memory.during((room) => {
      const at = room.copy(certificate);
      const verdict = room.struct('tally_verdict');
      const judge = () => this.#instance.exports.tally_check_certificate(at, certificate.length, verdict.at);
      this.#instance.trapping(judge);
      const convicted = verdict.get('convicted') === 1;
      const digest = (name) => hexOf(verdict.get(name));
      return {
        convicted,
        claim: digest('claim'),
        trace: verdict.get('has_trace') === 1 ? digest('trace') : undefined,
        expansion: verdict.get('has_columns') === 1 ? digest('columns') : undefined,
        label: verdict.get('label'),
        text: verdict.get('text'),
        wrong: convicted ? this.#wrongElement(room, at, certificate.length) : undefined,
      };
    });
  }

  #wrongElement(room, at, length) {
    const wrong = room.struct('tally_wrong_element');
    const judge = () => this.#instance.exports.tally_certificate_element(at, length, wrong.at);
    if (this.#instance.trapping(judge) === 0) return undefined;
    return {
      value: wrong.get('value'),
      shape: wrong.get('shape').slice(0, wrong.get('rank')).map(Number),
      storage: STORAGES[wrong.get('storage')],
      element: Number(wrong.get('element')),
      claimed: wrong.get('claimed'),
      right: wrong.get('right'),
    };
  }
}
