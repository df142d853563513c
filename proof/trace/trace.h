// The trace of a run: a commitment to every value that instructions computed, in order, through all functions
// that ran (docs/spec/trace.md). It is the same on every engine, and is computed when somebody asks for it.
//
//   Trace trace;
//   ASSIGN_OR_RETURN(const Outcome outcome, plan->Execute(inputs, {.root_observer = RecordInto(trace)}));
//   const Digest digest = TraceDigest(trace);
//
// Values that are folded into their readers (vm/committed_values.h) have no entry: the reader's value binds
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/digest.h"
#include "vm/call_path.h"
#include "vm/plan.h"

namespace tally {

struct TraceEntry {
  std::vector<CallSite> path;  // to the body that computed it
  ValueId id = 0;              // in the function of that body
  Digest value = {};           // its ValueDigest (serializer/tensor_digest.h)

  friend bool operator==(const TraceEntry&, const TraceEntry&) = default;
};

using Trace = std::vector<TraceEntry>;

// Appends an entry for each value that it is called with. `trace` outlives it.
RootObserver RecordInto(Trace& trace);

// CBOR [[[step, invocation], ...], id, value]: a leaf of the tree of RFC 6962 over the entries.
std::vector<uint8_t> EncodeTraceEntry(const TraceEntry& entry);

// SHA256(16 || CBOR {1: 1, 2: number of entries, 3: root of the tree})
Digest TraceDigest(const Trace& trace);

// A file: CBOR {1: 1, 2: claim, 3: [entry, ...]}, with the id of the claim that the run makes.
struct TraceFile {
  Digest claim = {};
  Trace trace;

  friend bool operator==(const TraceFile&, const TraceFile&) = default;
};
std::vector<uint8_t> EncodeTraceFile(const TraceFile& file);

// Errors: those of CborReader; proof_version (the first field is not 1), trace_entry (a step, an invocation
// or an id that no run has).
absl::StatusOr<TraceFile> DecodeTraceFile(std::span<const uint8_t> bytes);

}  // namespace tally
