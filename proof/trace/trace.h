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
#include "base/hash/digest.h"
#include "proof/trace/trace_entry.h"
#include "vm/plan.h"

namespace tally {

using Trace = std::vector<TraceEntry>;

// Appends an entry for each value that it is called with. `trace` outlives it.
RootObserver RecordInto(Trace& trace);

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
