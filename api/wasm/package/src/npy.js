// Files of NumPy, as `tally run` takes and writes them: dense integers in row-major order.
import { badRequest } from './errors.js';

const KINDS = {
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
  i8: BigInt64Array,
  u8: BigUint64Array,
};
const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]; // \x93NUMPY

export const isNpy = (bytes) => MAGIC.every((byte, i) => bytes[i] === byte);

/** {data, shape} of the bytes of an .npy file. */
export function readNpy(bytes) {
  const refuse = (what) => {
    throw badRequest('api_tensor', `not an .npy file of integers: ${what}`);
  };
  if (bytes.length < 12 || !isNpy(bytes)) refuse('it does not begin as one');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isFirst = bytes[6] === 1;
  const begin = isFirst ? 10 : 12;
  const end = begin + (isFirst ? view.getUint16(8, true) : view.getUint32(8, true));
  const header = new TextDecoder('latin1').decode(bytes.subarray(begin, end));
  const field = (name, pattern) => header.match(new RegExp(`'${name}'\\s*:\\s*${pattern}`))?.[1];
  const type = field('descr', "'[<|]([iu][1248])'") ?? refuse(`its type is none of integers: ${header.trim()}`);
  if (field('fortran_order', '(True|False)') !== 'False') refuse('its order is not row-major');
  const dims = field('shape', '\\(([\\d,\\s]*)\\)') ?? refuse('it has no shape');
  const shape = dims.split(',').filter((dim) => dim.trim() !== '').map(Number);
  const kind = KINDS[type];
  const count = shape.reduce((product, dim) => product * dim, 1);
  if (bytes.length - end !== count * kind.BYTES_PER_ELEMENT) {
    refuse(`${shape.join(' x ')} elements of ${kind.BYTES_PER_ELEMENT} bytes are not ${bytes.length - end} bytes`);
  }
  const elements = Uint8Array.prototype.slice.call(bytes, end); // a Buffer's own slice copies nothing
  return { data: new kind(elements.buffer), shape };
}
