// Objects of proofs from anywhere: each decoder refuses with a label of stage malformed, or what it read
// encodes to the same bytes. The first byte says which object the others are.
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/strings.h"
#include "fuzz/targets/check.h"
#include "proof/certificate/certificate.h"
#include "proof/io_map/io_map.h"
#include "proof/receipt/receipt.h"

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

absl::Status CheckObject(int kind, std::span<const uint8_t> bytes) {
  switch (kind) {
    case 0: return CheckDecoded(DecodeIoMap(bytes), bytes, [](const auto& o) { return EncodeIoMap(o); });
    case 1: return CheckDecoded(DecodeCertificate(bytes), bytes, EncodeCertificate);
    case 2: return CheckDecoded(DecodeClaim(bytes), bytes, EncodeClaim);
    case 3: return CheckDecoded(DecodeReceiptCore(bytes), bytes, EncodeReceiptCore);
    default: break;
  }
  const auto to_bytes = [](const Receipt& receipt) {
    const std::string text = ToJson(receipt);
    return std::vector<uint8_t>(text.begin(), text.end());
  };
  return CheckDecoded(ReceiptFromJson(AsText(bytes)), bytes, to_bytes);
}

}  // namespace
}  // namespace tally

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  tally::Check(tally::CheckObject(data[0] % 5, {data + 1, size - 1}));
  return 0;
}
