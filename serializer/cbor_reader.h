// Reads deterministic CBOR, and nothing else: what this accepts, CborWriter writes back byte for byte.
//
//   CborReader reader(bytes);
//   RETURN_IF_ERROR(reader.ExpectMap(2));
//   RETURN_IF_ERROR(reader.ExpectKey(1));
//   ASSIGN_OR_RETURN(const uint64_t version, reader.ReadUnsigned());
//   RETURN_IF_ERROR(reader.ExpectKey(2));
//   ASSIGN_OR_RETURN(const Digest root, reader.ReadDigest());
//   RETURN_IF_ERROR(reader.ExpectEnd());
//
// One pass, no recursion and no memory of its own: the caller says what comes next, so depth and size are
// those of the object that it reads. Keys are read in the order in which the object's definition lists them,
// which ascends.
//
// Errors of all: unexpected_end; cbor_head (a reserved head, or an indefinite length); cbor_not_shortest;
// cbor_type (another item than the one asked for, another key or another number of pairs).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/byte_reader.h"
#include "base/hash/digest.h"

namespace tally {

class CborReader {
 public:
  // `bytes` must outlive the reader and what it returns.
  explicit CborReader(std::span<const uint8_t> bytes) : reader_(bytes) {}

  absl::StatusOr<uint64_t> ReadUnsigned();
  absl::StatusOr<int64_t> ReadInt();  // also cbor_type: an integer outside int64_t
  absl::StatusOr<std::span<const uint8_t>> ReadBytes();
  absl::StatusOr<Digest> ReadDigest();          // 32 bytes
  absl::StatusOr<std::string_view> ReadText();  // also bad_text_encoding: no UTF-8, or control characters
  absl::StatusOr<uint64_t>
  ReadArray();  // the number of items; also count_limit: more than the bytes that remain
  absl::StatusOr<uint64_t> ReadMap();  // the number of pairs, likewise
  absl::Status ExpectArray(uint64_t size);
  absl::Status ExpectMap(uint64_t size);
  absl::Status ExpectKey(uint64_t key);
  // For an object with keys that it may lack: whether the key that was read is this one.
  static absl::Status CheckKey(uint64_t found, uint64_t key);
  absl::Status ExpectEnd();  // error trailing_bytes

 private:
  struct Head {
    uint8_t type;
    uint64_t argument;
  };
  absl::StatusOr<uint64_t> ReadHead(uint8_t type);
  absl::Status ExpectCount(uint8_t type, uint64_t size);
  absl::StatusOr<Head> ReadAnyHead();

  ByteReader reader_;
};

}  // namespace tally
