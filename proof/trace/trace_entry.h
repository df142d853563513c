// An entry of a trace: one value that a run has computed (docs/spec/trace.md#entries).
//
//   const Digest digest = TraceDigestOf(entries, root);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "serializer/cbor_reader.h"
#include "serializer/cbor_writer.h"
#include "vm/call_path.h"
#include "vm/module.h"

namespace tally {

// The version of the objects of a trace.
inline constexpr uint64_t kTraceVersion = 1;

struct TraceEntry {
  std::vector<CallSite> path;  // to the body that computed it
  ValueId id = 0;              // in the function of that body
  Digest value = {};           // its ValueDigest (serializer/tensor_digest.h)

  friend bool operator==(const TraceEntry&, const TraceEntry&) = default;
};

// CBOR [[[step, invocation], ...], id, value]: a leaf of the tree of RFC 6962 over the entries.
std::vector<uint8_t> EncodeTraceEntry(const TraceEntry& entry);

// Errors: those of ReadTraceEntry.
absl::StatusOr<TraceEntry> DecodeTraceEntry(std::span<const uint8_t> bytes);

// The same as a part of other objects. Errors: those of CborReader; trace_entry (a step, an invocation or an
// id that no run has).
void WriteTraceEntry(CborWriter& writer, const TraceEntry& entry);
absl::StatusOr<TraceEntry> ReadTraceEntry(CborReader& reader);

// SHA256(16 || CBOR {1: 1, 2: number of entries, 3: root of the tree})
Digest TraceDigestOf(uint64_t entries, const Digest& root);

}  // namespace tally
