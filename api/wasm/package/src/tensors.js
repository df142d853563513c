// Tensors between JavaScript and the memory of a module.
import { badRequest } from './errors.js';

/** By storage of tally.h. */
const ARRAYS = [Int8Array, Int16Array, Int32Array, BigInt64Array];
export const STORAGES = ['i8', 'i16', 'i32', 'i64'];

/** `given`, with elements that C reads: of what JavaScript has besides, copies that are wider. */
function withSignedElements(elements, name) {
  if (ARRAYS.some((kind) => elements instanceof kind)) return elements;
  if (elements instanceof Uint8Array || elements instanceof Uint8ClampedArray) return Int16Array.from(elements);
  if (elements instanceof Uint16Array) return Int32Array.from(elements);
  if (elements instanceof Uint32Array || elements instanceof BigUint64Array || Array.isArray(elements)) {
    try {
      const wide = BigInt64Array.from(elements, BigInt);
      if (wide.every((element, i) => element === BigInt(elements[i]))) return wide;
    } catch (cause) {
      throw badRequest('api_tensor', `'${name}' has an element that is no integer: ${cause.message}`);
    }
    throw badRequest('api_tensor', `'${name}' has an element that is no integer of 64 bits`);
  }
  throw badRequest('api_tensor', `'${name}' is no typed array of integers, and no list of integers`);
}

/** The fields of a tally_tensor that has `given`: an array, or {data, shape}. Without a shape it has that of the value. */
export function tensorFields(room, given, name) {
  const { data, shape } = ArrayBuffer.isView(given) || Array.isArray(given) ? { data: given } : (given ?? {});
  const elements = withSignedElements(data, name);
  const at = room.allocateAligned(elements.byteLength);
  room.memory.bytes(at, elements.byteLength).set(new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength));
  return { data: at, bytes: elements.byteLength, storage: storageOf(elements), ...shapeFields(room, shape) };
}

const storageOf = (elements) => ARRAYS.findIndex((kind) => elements instanceof kind);

function shapeFields(room, shape) {
  if (shape === undefined) return {};
  const dims = BigInt64Array.from(shape, BigInt);
  return { rank: dims.length, shape: room.copy(new Uint8Array(dims.buffer)) };
}

/** A typed array of `bytes` bytes at `at`, valid until the memory grows. */
export function viewOf(memory, storage, at, bytes) {
  const kind = ARRAYS[storage];
  return new kind(memory.buffer, at, bytes / kind.BYTES_PER_ELEMENT);
}
