// The kind of a file, by its bytes.
import { isNpy } from '../../api/wasm/package/src/npy.js';

const MODULE = [0x89, 0x74, 0x61, 0x6c, 0x6c, 0x79]; // \x89tally

/** Files that are larger are not read: no module that runs here has as many bytes. */
export const MOST_BYTES = 2 ** 29;
const MOST_TEXT = 2 ** 20;

/** 'module', 'inputs', 'key', 'receipt' or 'certificate'. What nothing else is may be a certificate: the judge says. */
export function kindOf(bytes) {
  if (MODULE.every((byte, i) => bytes[i] === byte)) return 'module';
  if (isNpy(bytes)) return 'inputs';
  if (bytes.length > MOST_TEXT) return 'certificate';
  const text = new TextDecoder().decode(bytes.subarray(0, 200)).trimStart();
  if (text.startsWith('-----BEGIN PUBLIC KEY')) return 'key';
  if (text.startsWith('{')) return 'receipt';
  return 'certificate';
}

/** The name of an input by that of its file: image.npy is `image`. */
export const inputName = (file) => file.replace(/\.npy$/i, '');
