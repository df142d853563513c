// The few encodings that the contracts take: words, byte strings, lists of words, and structs of words.
export const hexOf = (bytes) => Buffer.from(bytes).toString("hex");
export const bytesOf = (hex) => Uint8Array.from(Buffer.from(hex.replace(/^0x/, ""), "hex"));

export const word = (value) => BigInt(value).toString(16).padStart(64, "0");

// Arguments as their types say: bytes as a Uint8Array, lists and structs as arrays, words as anything that
// BigInt takes. A struct has words alone, and takes their places.
export function encode(types, values) {
  const flat = types.flatMap(({ type, components }, i) =>
    type === "tuple" ? components.map((c, k) => [c.type, values[i][k]]) : [[type, values[i]]]);
  let heads = "", tails = "";
  const add = (tail) => {
    heads += word(32 * flat.length + tails.length / 2);
    tails += tail;
  };
  for (const [type, value] of flat) {
    if (type === "bytes") add(word(value.length) + hexOf(value) + "00".repeat((32 - (value.length % 32)) % 32));
    else if (type.endsWith("[]")) add(word(value.length) + value.map(word).join(""));
    else heads += word(value);
  }
  return heads + tails;
}

const entryOf = (contract, type, name) => contract.abi.find((entry) => entry.type === type && (!name || entry.name === name));

// A call of a function, and a creation, of a contract as compile.mjs writes it.
export function callOf(contract, name, ...values) {
  const [, selector] = Object.entries(contract.methods).find(([method]) => method.startsWith(name + "("));
  return bytesOf(selector + encode(entryOf(contract, "function", name).inputs, values));
}

export const creationOf = (contract, ...values) =>
  bytesOf(contract.code + encode(entryOf(contract, "constructor")?.inputs ?? [], values));

export const wordAt = (data, i) => BigInt("0x" + hexOf(data.slice(32 * i, 32 * i + 32)));

// The byte string that is value `i` of what a call returns, or an event has.
export function stringAt(data, i) {
  const at = Number(wordAt(data, i));
  const size = Number(BigInt("0x" + hexOf(data.slice(at, at + 32))));
  return data.slice(at + 32, at + 32 + size);
}

// The label of Refused(bytes32).
export function labelOf(data) {
  if (data.length !== 36) return data.length === 0 ? "no reason" : "0x" + hexOf(data);
  return textOf(data.slice(4));
}

export const textOf = (word) => Buffer.from(word).toString("latin1").replace(/\0+$/, "");
