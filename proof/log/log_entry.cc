#include "proof/log/log_entry.h"

#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "proof/labels.h"
#include "serializer/cbor_reader.h"
#include "serializer/cbor_writer.h"

namespace tally {

constexpr uint64_t kVersion = 1;

std::vector<uint8_t> EncodeLogEntry(const Receipt& receipt) {
  CborWriter writer;
  writer.WriteMap(4);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(kVersion);
  writer.WriteUnsigned(2);
  writer.WriteBytes(EncodeClaim(receipt.claim));
  writer.WriteUnsigned(3);
  writer.WriteBytes(EncodeReceiptCore(receipt.core));
  writer.WriteUnsigned(4);
  writer.WriteBytes(receipt.signature);
  return writer.Take();
}

absl::StatusOr<Receipt> DecodeLogEntry(std::span<const uint8_t> entry) {
  CborReader reader(entry);
  RETURN_IF_ERROR(reader.ExpectMap(4));
  RETURN_IF_ERROR(reader.ExpectKey(1));
  ASSIGN_OR_RETURN(const uint64_t version, reader.ReadUnsigned());
  if (version != kVersion)
    return MakeError(label::proof_version, absl::StrCat("the entry has version ", version));
  RETURN_IF_ERROR(reader.ExpectKey(2));
  ASSIGN_OR_RETURN(const std::span<const uint8_t> claim, reader.ReadBytes());
  RETURN_IF_ERROR(reader.ExpectKey(3));
  ASSIGN_OR_RETURN(const std::span<const uint8_t> core, reader.ReadBytes());
  RETURN_IF_ERROR(reader.ExpectKey(4));
  ASSIGN_OR_RETURN(const std::span<const uint8_t> signature, reader.ReadBytes());
  RETURN_IF_ERROR(reader.ExpectEnd());
  Receipt receipt;
  if (signature.size() != receipt.signature.size())
    return MakeError(label::log_form,
                     absl::StrCat("the entry has a signature of ", signature.size(), " bytes"));
  std::ranges::copy(signature, receipt.signature.begin());
  ASSIGN_OR_RETURN(receipt.claim, DecodeClaim(claim));
  ASSIGN_OR_RETURN(receipt.core, DecodeReceiptCore(core));
  if (receipt.core.claim != ClaimId(receipt.claim))
    return MakeError(label::receipt_claim, "the core of the entry names another claim than it carries");
  return receipt;
}

}  // namespace tally
