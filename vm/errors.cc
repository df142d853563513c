#include "vm/errors.h"

#include <algorithm>
#include <array>

namespace tally {
namespace {

constexpr std::array kErrors = {
#define TALLY_ERROR(stage, label, summary) ErrorInfo{ErrorStage::stage, #label, summary},
#include "vm/errors.inc"
#undef TALLY_ERROR
};

}  // namespace

std::span<const ErrorInfo> AllErrors() { return kErrors; }

const ErrorInfo* FindError(std::string_view label) {
  const auto it =
      std::find_if(kErrors.begin(), kErrors.end(), [&](const ErrorInfo& e) { return e.label == label; });
  return it != kErrors.end() ? &*it : nullptr;
}

std::string_view ErrorStageName(ErrorStage stage) {
  switch (stage) {
    case ErrorStage::malformed: return "malformed";
    case ErrorStage::invalid: return "invalid";
    case ErrorStage::refused: break;
  }
  return "refused";
}

}  // namespace tally
