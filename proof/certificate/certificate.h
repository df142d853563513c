// A certificate of fraud: one file that shows that no honest run makes a claim with its trace
// (docs/spec/certificate.md).
//
//   const std::vector<uint8_t> file = EncodeCertificate(certificate);
//   const absl::StatusOr<Conviction> convicted = CheckCertificate<TrappingInt>(file);  // check_certificate.h
//
// It names what is wrong, and opens what that is judged by: the leaves of one element and of all that it is
// made of. Whoever signed the claim and the trace is convicted by it; nobody has to be asked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "proof/receipt/claim.h"
#include "proof/trace/trace_entry.h"

namespace tally {

// A file is no larger, whatever it holds. Those of the networks in docs/results/proof.md are below 64 KiB.
inline constexpr uint64_t kMaxCertificateBytes = uint64_t{1} << 20;

// Limits of a judgement, so that it ends soon: elements that it reads, and entries of recipes that it
// computes, each once. An element that asks for more is judged by its expansion.
inline constexpr int64_t kMostReads = int64_t{1} << 18;
inline constexpr int64_t kMostRecipeEntries = 512;

enum class Charge : uint8_t {
  kClaim = 0,    // the claim has other gas, or other numbers of inputs or results, than its module
  kOrder = 1,    // an entry is not the one that follows those before it; or an expansion has other columns
  kType = 2,     // a value has another storage or shape than its type
  kElement = 3,  // an element is not what its instruction computes; or an input is outside its interval
};

enum class ValueKind : uint8_t {
  kInput = 0,     // by its number among the inputs of the claim
  kResult = 1,    // by its number among the results of the claim
  kEntry = 2,     // a value of the run, by the number of its entry in the trace
  kColumn = 3,    // by its number in the expansion
  kConstant = 4,  // by its number in the module
};

struct ValueName {
  ValueKind kind = ValueKind::kInput;
  uint64_t index = 0;

  friend auto operator<=>(const ValueName&, const ValueName&) = default;
};

// Some leaves of a tree of digests; the number of all leaves and the root are the tree's.
template <typename Leaf>
struct TreeOpening {
  uint64_t count = 0;
  Digest root = {};
  std::vector<std::pair<uint64_t, Leaf>> opened;  // ascending
  std::vector<Digest> siblings;                   // base/hash/merkle_openings.h

  friend bool operator==(const TreeOpening&, const TreeOpening&) = default;
};

// Leaves of a value; how many it has follows from its type.
struct ValueOpening {
  ValueName name;
  TreeOpening<std::vector<uint8_t>> leaves;

  friend bool operator==(const ValueOpening&, const ValueOpening&) = default;
};

// The expansion that the accused has made of element `element` of entry `entry` (docs/spec/expansion.md): its
// tree is over the digests of the columns.
struct ColumnsOpening {
  uint64_t entry = 0, element = 0;
  TreeOpening<Digest> columns;

  friend bool operator==(const ColumnsOpening&, const ColumnsOpening&) = default;
};

struct Certificate {
  Claim claim;
  std::vector<Digest> inputs, results;  // the io-maps
  std::vector<uint8_t> program;         // serializer/program.h
  std::vector<uint8_t> bounds;          // proof/receipt/bounds.h

  Charge charge = Charge::kClaim;
  ValueName accused;            // none for kClaim
  uint64_t element = 0;         // for kElement
  std::vector<uint8_t> header;  // for kType: what the digest of the accused is of

  std::optional<TreeOpening<TraceEntry>> trace;
  std::optional<ColumnsOpening> columns;
  std::vector<ValueOpening> values;                                // ascending by name
  std::vector<std::pair<uint64_t, std::vector<uint8_t>>> recipes;  // entries of constants given by recipes

  friend bool operator==(const Certificate&, const Certificate&) = default;
};

// CBOR, as docs/spec/certificate.md lists it.
std::vector<uint8_t> EncodeCertificate(const Certificate& certificate);

// Errors: those of CborReader, DecodeClaim and ReadTraceEntry; proof_version (the first field is not 1);
// certificate_form (a charge or a kind that does not exist); certificate_size.
absl::StatusOr<Certificate> DecodeCertificate(std::span<const uint8_t> bytes);

// SHA256(17 || CBOR {1: 1, 2: trace, 3: entry, 4: element, 5: number of columns, 6: root}): what the accused
// answers for, once it is sent.
Digest ColumnsDigest(const Digest& trace, const ColumnsOpening& columns);

}  // namespace tally
