// The few encodings that the contracts take: bytes, and arrays of addresses.
export const hexOf = (bytes) => Buffer.from(bytes).toString("hex");
export const bytesOf = (hex) => Uint8Array.from(Buffer.from(hex.replace(/^0x/, ""), "hex"));

export const word = (value) => BigInt(value).toString(16).padStart(64, "0");

// A call with byte strings.
export function withBytes(selector, ...strings) {
  let heads = "", tails = "";
  for (const bytes of strings) {
    heads += word(32 * strings.length + tails.length / 2);
    tails += word(bytes.length) + hexOf(bytes) + "00".repeat((32 - (bytes.length % 32)) % 32);
  }
  return bytesOf(selector + heads + tails);
}

export const withAddresses = (code, addresses) =>
  bytesOf(code + word(32) + word(addresses.length) + addresses.map(word).join(""));

// The label of Refused(bytes32).
export function labelOf(data) {
  if (data.length !== 36) return data.length === 0 ? "no reason" : "0x" + hexOf(data);
  return Buffer.from(data.slice(4)).toString("latin1").replace(/\0+$/, "");
}
