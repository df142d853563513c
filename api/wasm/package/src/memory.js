// The memory of a WebAssembly module as JavaScript sees it: structs by the names of their fields, texts and bytes.

import { TallyError } from './errors.js';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

const READ = {
  i32: (view, at) => view.getInt32(at, true),
  u32: (view, at) => view.getUint32(at, true),
  i64: (view, at) => view.getBigInt64(at, true),
  u64: (view, at) => view.getBigUint64(at, true),
};
const WRITE = {
  i32: (view, at, value) => view.setInt32(at, value, true),
  u32: (view, at, value) => view.setUint32(at, value, true),
  i64: (view, at, value) => view.setBigInt64(at, BigInt(value), true),
  u64: (view, at, value) => view.setBigUint64(at, BigInt(value), true),
};
const SIZE = { i32: 4, u32: 4, i64: 8, u64: 8 };

const noRoom = (length) =>
  new TallyError('fault', 'api_memory', `${length} bytes more than WebAssembly memory may grow to (maximumMemory)`);

/** Memory, and the rooms that a call takes of it. A WebAssembly memory that grows detaches each array made of it before. */
export class Memory {
  /** `exports`: of the module: its memory, malloc and free. */
  constructor(exports) {
    this.exports = exports;
    this.layouts = new Map();
    this.isBroken = false;
  }

  get buffer() {
    return this.exports.memory.buffer;
  }

  get view() {
    if (this.kept?.buffer !== this.buffer) this.kept = new DataView(this.buffer);
    return this.kept;
  }

  bytes(at, length) {
    return new Uint8Array(this.buffer, at, length);
  }

  /** The text at `at`, up to its zero, or to `most` bytes. */
  text(at, most) {
    const bytes = new Uint8Array(this.buffer, at, most);
    const end = bytes.indexOf(0);
    return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
  }

  /** Room for `length` bytes, which the caller frees. */
  allocate(length) {
    const at = this.exports.malloc(Math.max(length, 1)) >>> 0;
    if (at === 0) throw noRoom(length);
    return at;
  }

  /** The same, beginning at a multiple of 64, where engines use elements without a copy. */
  allocateAligned(length) {
    const at = this.exports.tally_allocate_aligned(Math.max(length, 1)) >>> 0;
    if (at === 0) throw noRoom(length);
    return at;
  }

  free(at) {
    this.exports.free(at);
  }

  /** Calls `work` with a room. All memory that it takes there is freed when it returns. */
  during(work) {
    const room = new Room(this);
    try {
      return work(room);
    } finally {
      room.close();
    }
  }

  /** Reads the rows of api/wasm/layouts.h at `at`. */
  readLayouts(at) {
    let layout;
    for (; this.view.getUint32(at, true) !== 0; at += 20) {
      const word = (index) => this.view.getUint32(at + 4 * index, true);
      const name = this.text(word(0), 64);
      if (word(1) === 1) {
        layout = { size: word(2), fields: new Map() };
        this.layouts.set(name, layout);
      } else {
        layout.fields.set(name, { offset: word(2), type: this.text(word(3), 8), count: word(4) });
      }
    }
  }
}

/** Memory that is freed together. */
class Room {
  constructor(memory) {
    this.memory = memory;
    this.taken = [];
  }

  allocate(length) {
    const at = this.memory.allocate(length);
    this.taken.push(at);
    return at;
  }

  copy(bytes) {
    const at = this.allocate(bytes.length);
    this.memory.bytes(at, bytes.length).set(bytes);
    return at;
  }

  allocateAligned(length) {
    const at = this.memory.allocateAligned(length);
    this.taken.push(at);
    return at;
  }

  /** The address of `text` with a zero after it, and its length in bytes. */
  text(text) {
    const bytes = encoder.encode(text + '\0');
    return { at: this.copy(bytes), length: bytes.length - 1 };
  }

  /** A struct whose other fields are 0; `size` is set where it has one. */
  struct(name, fields = {}) {
    const layout = this.memory.layouts.get(name);
    const at = this.allocate(layout.size);
    return new Struct(this.memory, layout, at).clear().assign(fields);
  }

  /** Structs side by side, as an array in C. */
  structs(name, list) {
    const layout = this.memory.layouts.get(name);
    const at = this.allocate(layout.size * list.length);
    list.forEach((fields, i) => new Struct(this.memory, layout, at + i * layout.size).clear().assign(fields));
    return at;
  }

  close() {
    if (this.memory.isBroken) return; // after a trap nothing is called any more
    for (const at of this.taken) this.memory.free(at);
  }
}

class Struct {
  constructor(memory, layout, at) {
    Object.assign(this, { memory, layout, at });
  }

  clear() {
    this.memory.bytes(this.at, this.layout.size).fill(0);
    if (this.layout.fields.get('size')?.offset === 0) this.set('size', this.layout.size);
    return this;
  }

  assign(fields) {
    for (const [name, value] of Object.entries(fields)) this.set(name, value);
    return this;
  }

  set(name, value) {
    const field = this.layout.fields.get(name);
    WRITE[field.type](this.memory.view, this.at + field.offset, value);
  }

  /** A number, a bigint (64 bits), a text, bytes, or an array of them. */
  get(name) {
    const { offset, type, count } = this.layout.fields.get(name);
    const at = this.at + offset;
    if (type === 'char') return this.memory.text(at, count);
    if (type === 'u8') return this.memory.bytes(at, count).slice();
    const element = (i) => READ[type](this.memory.view, at + i * SIZE[type]);
    return count === 1 ? element(0) : Array.from({ length: count }, (_, i) => element(i));
  }
}

/** Checks that `bytes` are bytes. */
export function needBytes(bytes, what) {
  if (bytes instanceof Uint8Array) return;
  throw new TallyError('request', 'api_null', `${what} is a Uint8Array`);
}

export const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** 32 bytes of 64 hexadecimal digits, or the bytes themselves. */
export function digestBytes(digest, name) {
  if (digest instanceof Uint8Array && digest.length === 32) return digest;
  if (typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest)) {
    return Uint8Array.from(digest.match(/../g), (pair) => parseInt(pair, 16));
  }
  throw new TypeError(`${name} is a digest: 64 hexadecimal digits, or 32 bytes`);
}
