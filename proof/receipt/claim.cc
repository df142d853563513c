#include "proof/receipt/claim.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "serializer/cbor_reader.h"
#include "serializer/cbor_writer.h"
#include "serializer/hash_domain.h"
#include "serializer/labels.h"
#include "vm/labels.h"

namespace tally {
namespace {

constexpr uint64_t kVersion = 1;
constexpr std::array kLimits = {label::gas_limit.name(), label::memory_limit.name()};
constexpr std::array kInputs = {label::input_count.name(), label::input_shape.name(),
                                label::input_interval.name()};

absl::Status StatusError(std::string_view what) { return MakeError(label::claim_status, what); }

void WriteDigest(CborWriter& writer, uint64_t key, const Digest& digest) {
  writer.WriteUnsigned(key);
  writer.WriteBytes(digest);
}

absl::StatusOr<Digest> ReadDigest(CborReader& reader, uint64_t key) {
  RETURN_IF_ERROR(reader.ExpectKey(key));
  return reader.ReadDigest();
}

}  // namespace

bool IsLimitStatus(std::string_view status) { return std::ranges::count(kLimits, status) > 0; }

bool IsClaimStatus(std::string_view status) {
  return status == kRan || IsLimitStatus(status) || std::ranges::count(kInputs, status) > 0;
}

std::vector<uint8_t> EncodeClaim(const Claim& claim) {
  CborWriter writer;
  writer.WriteMap(6 + (claim.results ? 1 : 0) + (claim.limit ? 1 : 0));
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(kVersion);
  WriteDigest(writer, 2, claim.module);
  WriteDigest(writer, 3, claim.inputs);
  if (claim.results) WriteDigest(writer, 4, *claim.results);
  WriteDigest(writer, 5, claim.bounds);
  writer.WriteUnsigned(6);
  writer.WriteUnsigned(claim.gas);
  writer.WriteUnsigned(7);
  writer.WriteText(claim.status);
  if (claim.limit) {
    writer.WriteUnsigned(8);
    writer.WriteUnsigned(*claim.limit);
  }
  return writer.Take();
}

// A claim that ran has results and no limit, so as many fields as one that exceeded a limit: the key after
// the inputs distinguishes them, and the status has to agree.
absl::StatusOr<Claim> DecodeClaim(std::span<const uint8_t> bytes) {
  CborReader reader(bytes);
  Claim claim;
  ASSIGN_OR_RETURN(const uint64_t fields, reader.ReadMap());
  RETURN_IF_ERROR(reader.ExpectKey(1));
  ASSIGN_OR_RETURN(const uint64_t version, reader.ReadUnsigned());
  if (version != kVersion)
    return MakeError(label::proof_version, absl::StrCat("a claim of version ", version));
  ASSIGN_OR_RETURN(claim.module, ReadDigest(reader, 2));
  ASSIGN_OR_RETURN(claim.inputs, ReadDigest(reader, 3));
  ASSIGN_OR_RETURN(uint64_t key, reader.ReadUnsigned());
  if (key == 4) {
    ASSIGN_OR_RETURN(claim.results, reader.ReadDigest());
    ASSIGN_OR_RETURN(key, reader.ReadUnsigned());
  }
  RETURN_IF_ERROR(CborReader::CheckKey(key, 5));
  ASSIGN_OR_RETURN(claim.bounds, reader.ReadDigest());
  RETURN_IF_ERROR(reader.ExpectKey(6));
  ASSIGN_OR_RETURN(claim.gas, reader.ReadUnsigned());
  RETURN_IF_ERROR(reader.ExpectKey(7));
  ASSIGN_OR_RETURN(claim.status, reader.ReadText());
  if (!IsClaimStatus(claim.status)) return StatusError("no run ends with the status of the claim");
  if (claim.results.has_value() != (claim.status == kRan))
    return StatusError("runs that ran have results, and others none");
  if (claim.status != kRan && claim.gas != 0) return StatusError("a run that was refused is not charged");
  if (IsLimitStatus(claim.status)) {
    RETURN_IF_ERROR(reader.ExpectKey(8));
    ASSIGN_OR_RETURN(claim.limit, reader.ReadUnsigned());
  }
  if (fields != 6u + claim.results.has_value() + claim.limit.has_value())
    return MakeError(label::cbor_type, absl::StrCat("a claim of ", fields, " fields"));
  RETURN_IF_ERROR(reader.ExpectEnd());
  return claim;
}

Digest ClaimId(const Claim& claim) { return HashInDomain(HashDomain::kClaim, EncodeClaim(claim)); }

}  // namespace tally
