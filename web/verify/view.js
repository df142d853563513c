// Findings as elements of the page. Texts of files are put in as texts, never as markup.
import { pictureOf } from './picture.js';

/** An element of the page. Attributes that are undefined are left out. */
export function h(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) if (value !== undefined) node.setAttribute(key, value);
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

const code = (text) => h('code', {}, String(text));

/** Terms with what there is of them. */
function facts(...pairs) {
  const shown = pairs.filter(([, value]) => value !== undefined);
  return h('dl', {}, ...shown.flatMap(([term, value]) => [h('dt', {}, term), h('dd', {}, value)]));
}

const section = (id, title, ...children) => h('section', { 'aria-labelledby': id }, h('h2', { id }, title), ...children);

/** A word of a verdict, with a sign for those who do not see colours, and its reason. */
function verdict(holds, word, reason, sign = holds ? '✓' : '✗') {
  const mark = h('span', { class: `word ${holds ? 'good' : 'bad'}` }, h('span', { 'aria-hidden': 'true' }, `${sign} `), word);
  return h('p', {}, mark, reason ? `: ${reason}` : '');
}

const reasonOf = ({ label, message }) => (label ? `${message} (${label})` : message);

const digits = (number) => number.toLocaleString('en');

export function receiptSection({ receipt, finding, recomputed, milliseconds }, { key, missing }) {
  const signed = key === undefined ? h('p', {}, 'Drop the public key of who signed it to see whether the signature is good.') : undefined;
  const repeated =
    recomputed === undefined
      ? h('p', {}, missing ?? 'Drop its module and its inputs to repeat the run here.')
      : verdict(recomputed.holds, recomputed.word, reasonOf(recomputed) || `the run was repeated here in ${milliseconds.toFixed(1)} ms`);
  return section(
    'receipt',
    'Receipt',
    verdict(finding.holds, finding.word, reasonOf(finding) || 'signed with the key at hand'),
    signed,
    repeated,
    facts(
      ['signed by', code(receipt.key)],
      ['issued', receipt.issuedAt.toISOString().replace('T', ' ').replace('.000Z', ' UTC')],
      ['claim', code(receipt.claim)],
      ['module', code(receipt.module)],
      ['inputs', code(receipt.inputs)],
      ['results', receipt.results && code(receipt.results)],
      ['gas', digits(receipt.gas)],
      ['status', receipt.status],
      ['trace', receipt.trace && code(receipt.trace)],
      ['nonce', receipt.nonce && code(receipt.nonce)],
      ['origin', receipt.origin && code(receipt.origin)],
    ),
  );
}

export function certificateSection(judged, receipt) {
  const { convicted, expansion, label, text, claim, trace, wrong } = judged;
  const word = convicted ? 'CONVICTED' : expansion ? 'DEPENDS' : 'NOT CONVICTED';
  // It is bad news for somebody, whatever it is.
  const children = [verdict(false, word, label && !expansion ? `${text} (${label})` : text, convicted || expansion ? '!' : '✗')];
  if (wrong) {
    const { drawing, words, plane } = pictureOf(wrong);
    children.push(drawing, h('p', {}, words, `. Drawn is the plane ${plane}.`));
  }
  if (convicted || expansion) {
    if (receipt !== undefined) children.push(h('p', {}, aboutReceipt(judged, receipt)));
    children.push(
      facts(
        ['claim', code(claim)],
        ['trace', trace ? code(trace) : 'any'],
        ['expansion', expansion && code(expansion)],
      ),
    );
  }
  return section('certificate', 'Certificate', ...children);
}

function aboutReceipt({ claim, trace }, receipt) {
  if (claim !== receipt.claim) return 'It is about another claim than that of the receipt.';
  if (trace !== undefined && trace !== receipt.trace) return 'It is about the claim of the receipt, with another trace.';
  return 'It is about the claim of the receipt: whoever signed that is convicted.';
}

const valueText = ({ name, shape, storage, lowest, highest }) =>
  `${name}: ${storage} [${shape.join(', ')}] in [${lowest}, ${highest}]`;

export function moduleSection(module) {
  return section(
    'module',
    'Module',
    h('p', {}, 'It is valid: no run of it can overflow.'),
    facts(
      ['id', code(module.id)],
      ['inputs', h('span', {}, module.params.map(valueText).join('; '))],
      ['results', h('span', {}, module.results.map(valueText).join('; '))],
      ['gas', digits(module.gas)],
      ['instructions', digits(module.instructions)],
      ['weights', `${digits(module.constantBytes)} bytes`],
    ),
  );
}

export const errorSection = (title, { stage, label, message }) =>
  section('error', title, verdict(false, stage === 'fault' ? 'FAILED' : 'REFUSED', `${message} (${label})`));
