#include "proof/receipt/receipt_core.h"

#include <chrono>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "serializer/cbor_reader.h"
#include "serializer/cbor_writer.h"
#include "serializer/hash_domain.h"
#include "serializer/labels.h"

namespace tally {
namespace {

constexpr uint64_t kVersion = 1;
constexpr uint64_t kFields = 4;  // that each core has

void WriteDigest(CborWriter& writer, uint64_t key, const Digest& digest) {
  writer.WriteUnsigned(key);
  writer.WriteBytes(digest);
}

}  // namespace

uint64_t SecondsSince1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

std::vector<uint8_t> EncodeReceiptCore(const ReceiptCore& core) {
  CborWriter writer;
  writer.WriteMap(kFields + (core.nonce ? 1 : 0) + (core.trace ? 1 : 0) + (core.origin ? 1 : 0));
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(kVersion);
  WriteDigest(writer, 2, core.claim);
  if (core.nonce) WriteDigest(writer, 3, *core.nonce);
  writer.WriteUnsigned(4);
  writer.WriteUnsigned(core.issued_at);
  WriteDigest(writer, 5, core.key);
  if (core.trace) WriteDigest(writer, 6, *core.trace);
  if (core.origin) WriteDigest(writer, 7, *core.origin);
  return writer.Take();
}

absl::StatusOr<ReceiptCore> DecodeReceiptCore(std::span<const uint8_t> bytes) {
  CborReader reader(bytes);
  ReceiptCore core;
  ASSIGN_OR_RETURN(const uint64_t fields, reader.ReadMap());
  RETURN_IF_ERROR(reader.ExpectKey(1));
  ASSIGN_OR_RETURN(const uint64_t version, reader.ReadUnsigned());
  if (version != kVersion)
    return MakeError(label::proof_version, absl::StrCat("a receipt of version ", version));
  if (fields < kFields || fields > kFields + 3)
    return MakeError(label::cbor_type, absl::StrCat("a core of ", fields, " fields"));
  uint64_t optional = fields - kFields;
  RETURN_IF_ERROR(reader.ExpectKey(2));
  ASSIGN_OR_RETURN(core.claim, reader.ReadDigest());
  ASSIGN_OR_RETURN(uint64_t key, reader.ReadUnsigned());
  if (key == 3 && optional > 0) {
    ASSIGN_OR_RETURN(core.nonce, reader.ReadDigest());
    ASSIGN_OR_RETURN(key, reader.ReadUnsigned());
    --optional;
  }
  RETURN_IF_ERROR(CborReader::CheckKey(key, 4));
  ASSIGN_OR_RETURN(core.issued_at, reader.ReadUnsigned());
  RETURN_IF_ERROR(reader.ExpectKey(5));
  ASSIGN_OR_RETURN(core.key, reader.ReadDigest());
  for (uint64_t least = 6; optional > 0; --optional, least = key + 1) {
    ASSIGN_OR_RETURN(key, reader.ReadUnsigned());
    if (key < least || key > 7) return MakeError(label::cbor_type, absl::StrCat("field ", key, " in a core"));
    ASSIGN_OR_RETURN((key == 6 ? core.trace : core.origin), reader.ReadDigest());
  }
  RETURN_IF_ERROR(reader.ExpectEnd());
  return core;
}

Digest ReceiptId(const ReceiptCore& core) {
  return HashInDomain(HashDomain::kReceipt, EncodeReceiptCore(core));
}

}  // namespace tally
