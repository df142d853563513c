// Objects of proofs from anywhere: each decoder refuses with a label of stage malformed, or what it read
// encodes to the same bytes. The first byte says which object the others are.
#include <string>
#include <vector>

#include "base/error.h"
#include "base/io/file.h"
#include "base/strings.h"
#include "fuzz/targets/check.h"
#include "proof/certificate/certificate.h"
#include "proof/dispute/messages.h"
#include "proof/receipt/bounds.h"
#include "proof/receipt/io_map.h"
#include "proof/receipt/origin.h"
#include "proof/receipt/receipt.h"
#include "proof/trace/trace.h"
#include "serializer/program.h"

namespace tally {
namespace {

template <typename Object, typename Encode>
absl::Status CheckDecoded(const absl::StatusOr<Object>& object, std::span<const uint8_t> bytes,
                          const Encode& encode) {
  if (!object.ok()) {
    if (ErrorStageOf(object.status()) == ErrorStage::malformed) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("another refusal: ", object.status().ToString()));
  }
  const auto again = encode(*object);
  if (std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) return absl::OkStatus();
  return absl::InternalError("what was read encodes to other bytes");
}

template <typename Object>
std::vector<uint8_t> BytesOf(const Object& object) {
  const std::string text = ToJson(object);
  return {text.begin(), text.end()};
}

absl::Status CheckObject(int kind, std::span<const uint8_t> bytes) {
  switch (kind) {
    case 0: return CheckDecoded(DecodeIoMap(bytes), bytes, [](const auto& o) { return EncodeIoMap(o); });
    case 1: return CheckDecoded(DecodeBounds(bytes), bytes, EncodeBounds);
    case 2: return CheckDecoded(DecodeClaim(bytes), bytes, EncodeClaim);
    case 3: return CheckDecoded(DecodeReceiptCore(bytes), bytes, EncodeReceiptCore);
    case 5: return CheckDecoded(DecodeTraceFile(bytes), bytes, EncodeTraceFile);
    case 6: return CheckDecoded(OriginFromJson(AsText(bytes)), bytes, BytesOf<Origin>);
    case 7:
      return CheckDecoded(DecodeProgram(bytes), bytes,
                          [](const Program& p) { return EncodeProgram(p.module, p.constants, p.metadata); });
    case 8: return CheckDecoded(DecodeCertificate(bytes), bytes, EncodeCertificate);
    case 9: return CheckDecoded(DecodeDisputeOpening(bytes), bytes, EncodeDisputeOpening);
    case 10: return CheckDecoded(DecodeQuery(bytes), bytes, EncodeQuery);
    case 11: return CheckDecoded(DecodeAnswer(bytes), bytes, EncodeAnswer);
    default: break;
  }
  return CheckDecoded(ReceiptFromJson(AsText(bytes)), bytes, BytesOf<Receipt>);
}

}  // namespace
}  // namespace tally

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  tally::Check(tally::CheckObject(data[0] % 12, {data + 1, size - 1}));
  return 0;
}
