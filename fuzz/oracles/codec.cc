#include "fuzz/oracles/codec.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "serializer/decode.h"
#include "serializer/encode.h"

namespace tally {

absl::Status CheckDecoding(std::span<const uint8_t> bytes) {
  const auto module = Decode(std::vector<uint8_t>(bytes.begin(), bytes.end()));
  if (!module.ok()) {
    if (ErrorStageOf(module.status()) == ErrorStage::malformed) return absl::OkStatus();
    return absl::InternalError(
        absl::StrCat("refused with '", ErrorLabel(module.status()), "', no label of stage malformed"));
  }
  if (std::ranges::equal(Encode(*module), bytes)) return absl::OkStatus();
  return absl::InternalError("accepted bytes that the encoder does not write");
}

absl::Status CheckEncoding(const Module& module) {
  const auto decoded = Decode(Encode(module));
  if (!decoded.ok()) {
    return absl::InternalError(absl::StrCat("own bytes are refused: ", decoded.status().ToString()));
  }
  return *decoded == module ? absl::OkStatus() : absl::InternalError("decoding gives another module");
}

}  // namespace tally
