// Receipts, who signed them, and what they are worth.
import { Handle, digestBy, limitFields, made, tensorsOf } from './module.js';
import { digestBytes, hexOf } from './memory.js';

/** Whose receipts are trusted: an Ed25519 key. */
export class PublicKey extends Handle {
  /** From SubjectPublicKeyInfo in PEM. */
  static parse(instance, pem) {
    return instance.memory.during((room) => {
      const { at, length } = room.text(pem);
      return new PublicKey(instance, 'public_key', made(instance, room, 'tally_public_key_from_pem', at, length));
    });
  }

  /** The digest that receipts name the key by. */
  get id() {
    return digestBy(this.instance, 'tally_public_key_id', this.handle);
  }
}

// TALLY_COMPARED_...
const COMPARED = ['module', 'inputs', 'results', 'trace', 'certificate'];

const findingOf = (struct) => ({
  holds: struct.get('holds') === 1,
  word: struct.get('word'),
  label: struct.get('label'),
  message: struct.get('message'),
  compared: COMPARED.filter((_, bit) => (struct.get('compared') >> bit) & 1),
});

/** A claim that a module gives these results for these inputs, signed by who ran it. */
export class Receipt extends Handle {
  /** Reads the text of a receipt. Its signature is not looked at. */
  static parse(instance, text) {
    return instance.memory.during((room) => {
      const { at, length } = room.text(text);
      return new Receipt(instance, made(instance, room, 'tally_receipt_parse', at, length));
    });
  }

  constructor(instance, handle) {
    super(instance, 'receipt', handle);
    instance.memory.during((room) => {
      const info = room.struct('tally_receipt_info');
      instance.call('tally_receipt_get_info', handle, info.at);
      for (const name of ['claim', 'module', 'inputs', 'key']) this[name] = hexOf(info.get(name));
      for (const name of ['results', 'nonce', 'trace', 'origin']) {
        this[name] = info.get(`has_${name}`) === 1 ? hexOf(info.get(name)) : undefined;
      }
      this.gas = info.get('gas');
      this.issuedAt = new Date(Number(info.get('issued_at')) * 1000);
      this.status = info.get('status');
    });
  }

  /**
   * Whether the receipt is what it says. `evidence`: what there is of {key, nonce, results, origin, certificate, expansion}.
   * A finding that does not hold is no error.
   */
  verify({ key, nonce, results, origin, certificate, expansion } = {}) {
    const { instance } = this;
    return instance.memory.during((room) => {
      const evidence = room.struct('tally_evidence', { key: key?.handle ?? 0n });
      for (const [name, digest] of Object.entries({ nonce, results, expansion })) {
        if (digest !== undefined) evidence.set(name, room.copy(digestBytes(digest, name)));
      }
      if (origin !== undefined) {
        const { at, length } = room.text(origin);
        evidence.assign({ origin: at, origin_size: length });
      }
      if (certificate !== undefined) {
        evidence.assign({ certificate: room.copy(certificate), certificate_size: certificate.length });
      }
      const finding = room.struct('tally_finding');
      instance.call('tally_receipt_verify', this.handle, evidence.at, finding.at);
      return findingOf(finding);
    });
  }

  /** Whether the run gives what the receipt claims: runs `plan` again on `inputs`, unless it is decided without. */
  recompute(plan, inputs, limits) {
    const { instance } = this;
    return instance.memory.during((room) => {
      const { at, count } = tensorsOf(room, plan.module.params, inputs);
      const options = room.struct('tally_run_options', limitFields(limits));
      const finding = room.struct('tally_finding');
      instance.call('tally_receipt_recompute', this.handle, plan.handle, at, count, options.at, finding.at);
      return findingOf(finding);
    });
  }
}
