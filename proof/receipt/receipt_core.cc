#include "proof/receipt/receipt_core.h"

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

}  // namespace

std::vector<uint8_t> EncodeReceiptCore(const ReceiptCore& core) {
  CborWriter writer;
  writer.WriteMap(core.nonce ? 5 : 4);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(kVersion);
  writer.WriteUnsigned(2);
  writer.WriteBytes(core.claim);
  if (core.nonce) {
    writer.WriteUnsigned(3);
    writer.WriteBytes(*core.nonce);
  }
  writer.WriteUnsigned(4);
  writer.WriteUnsigned(core.issued_at);
  writer.WriteUnsigned(5);
  writer.WriteBytes(core.key);
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
  RETURN_IF_ERROR(reader.ExpectKey(2));
  ASSIGN_OR_RETURN(core.claim, reader.ReadDigest());
  if (fields != 4) {
    if (fields != 5) return MakeError(label::cbor_type, absl::StrCat("a core of ", fields, " fields"));
    RETURN_IF_ERROR(reader.ExpectKey(3));
    ASSIGN_OR_RETURN(core.nonce, reader.ReadDigest());
  }
  RETURN_IF_ERROR(reader.ExpectKey(4));
  ASSIGN_OR_RETURN(core.issued_at, reader.ReadUnsigned());
  RETURN_IF_ERROR(reader.ExpectKey(5));
  ASSIGN_OR_RETURN(core.key, reader.ReadDigest());
  RETURN_IF_ERROR(reader.ExpectEnd());
  return core;
}

Digest ReceiptId(const ReceiptCore& core) {
  return HashInDomain(HashDomain::kReceipt, EncodeReceiptCore(core));
}

}  // namespace tally
