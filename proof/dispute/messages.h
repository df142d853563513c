// The messages between the parties to a dispute (docs/spec/dispute.md).
//
// The asserter opens with its claim and the head of its trace. Then the challenger asks, and the asserter
// answers with the roots of parts of a tree that it has committed to, or with a leaf, until the challenger
// has what a certificate opens (proof/certificate/certificate.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "base/hash/merkle_openings.h"
#include "proof/receipt/claim.h"

namespace tally {

// An answer has the parts so many levels below the one that is asked about: at most 16.
inline constexpr int kLevelsOfAnswer = 4;

// No leaf of an honest run is larger: not one of a value (kTensorLeafBytes), not an entry of a trace, of 63
// calls at most.
inline constexpr size_t kMostLeafOfAnswer = 1024;

struct DisputeOpening {
  Claim claim;
  std::vector<Digest> inputs, results;  // the io-maps
  uint64_t entries = 0;                 // the trace has
  Digest trace_root = {};

  Digest trace() const;  // its TraceDigest

  friend bool operator==(const DisputeOpening&, const DisputeOpening&) = default;
};

enum class Subject : uint8_t {
  kTrace = 0,   // parts of the tree of the trace; for one entry: it, and what its digest is of
  kResult = 1,  // number `part.first` of the results: what its digest is of
  kValue = 2,   // parts of the tree of the entry or result that was asked for last; for one leaf: its bytes
  kExpansion = 3,  // element `part.first` of that entry: the number of its columns, and their root; 0 and no
                   // root where it has no expansion
  kColumns = 4,    // parts of the tree of the columns; for one column: its digest, and what that is of
  kColumn = 5,     // parts of the tree of the column that was asked for last; for one leaf: its bytes
};

std::string_view NameOf(Subject subject);  // "trace", "result", ...

struct Query {
  Subject subject = Subject::kTrace;
  TreePart part;  // where it has several leaves, its parts are asked for

  friend bool operator==(const Query&, const Query&) = default;
};

struct Answer {
  std::vector<Digest> roots;    // those of parts below, or the one of the columns
  uint64_t columns = 0;         // how many an expansion has
  std::vector<uint8_t> leaf;    // an encoded entry, the bytes of a leaf, or the digest of a column
  std::vector<uint8_t> header;  // serializer/tensor_digest.h

  friend bool operator==(const Answer&, const Answer&) = default;
};

// CBOR, as docs/spec/dispute.md lists it. Errors of all three decoders: those of CborReader and DecodeClaim;
// proof_version; dispute_message (no such subject).
std::vector<uint8_t> EncodeDisputeOpening(const DisputeOpening& opening);
std::vector<uint8_t> EncodeQuery(const Query& query);
std::vector<uint8_t> EncodeAnswer(const Answer& answer);
absl::StatusOr<DisputeOpening> DecodeDisputeOpening(std::span<const uint8_t> bytes);
absl::StatusOr<Query> DecodeQuery(std::span<const uint8_t> bytes);
absl::StatusOr<Answer> DecodeAnswer(std::span<const uint8_t> bytes);

}  // namespace tally
