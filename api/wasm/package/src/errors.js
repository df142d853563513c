// Tally's refusals, and its own faults.

/**
 * A refusal, or a fault. `label` never changes (docs/spec/errors.md); `stage` says whose fault it is: malformed, invalid,
 * refused, proof, file, request or fault. The message has the values at fault.
 */
export class TallyError extends Error {
  constructor(stage, label, message, options) {
    super(message, options);
    this.name = 'TallyError';
    this.stage = stage;
    this.label = label;
  }
}

/** The error of a call from JavaScript that makes no sense. */
export const badRequest = (label, message) => new TallyError('request', label, message);
