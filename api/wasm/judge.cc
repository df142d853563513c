#include "api/wasm/judge.h"

#include <algorithm>

#include "api/boundary.h"
#include "api/certificate/tally_certificate.h"
#include "api/wasm/layouts.h"
#include "base/status_macros.h"
#include "proof/certificate/check_certificate.h"

namespace tally {
namespace {

constexpr wasm::LayoutRow kLayouts[] = {
    TALLY_STRUCT(tally_verdict),
    TALLY_FIELD(tally_verdict, size),
    TALLY_FIELD(tally_verdict, convicted),
    TALLY_FIELD(tally_verdict, has_trace),
    TALLY_FIELD(tally_verdict, has_columns),
    TALLY_FIELD(tally_verdict, claim),
    TALLY_FIELD(tally_verdict, trace),
    TALLY_FIELD(tally_verdict, columns),
    TALLY_FIELD(tally_verdict, label),
    TALLY_FIELD(tally_verdict, text),
    TALLY_STRUCT(tally_wrong_element),
    TALLY_FIELD(tally_wrong_element, rank),
    TALLY_FIELD(tally_wrong_element, storage),
    TALLY_FIELD(tally_wrong_element, shape),
    TALLY_FIELD(tally_wrong_element, element),
    TALLY_FIELD(tally_wrong_element, claimed),
    TALLY_FIELD(tally_wrong_element, right),
    TALLY_FIELD(tally_wrong_element, value),
    TALLY_LAST_ROW,
};

absl::Status Describe(std::span<const uint8_t> file, tally_wrong_element& to, int32_t& is_there) {
  ASSIGN_OR_RETURN(const Conviction conviction, CheckCertificate<TrappingInt>(file));
  if (!conviction.wrong) return absl::OkStatus();
  const WrongElement& wrong = *conviction.wrong;
  to = {.rank = wrong.shape.rank(),
        .storage = static_cast<int32_t>(wrong.storage),
        .element = wrong.element,
        .claimed = wrong.claimed};
  std::ranges::copy(wrong.shape.dims(), to.shape);
  api::CopyText(wrong.right, to.right);
  api::CopyText(wrong.value, to.value);
  is_there = 1;
  return absl::OkStatus();
}

}  // namespace
}  // namespace tally

extern "C" const tally::wasm::LayoutRow* tally_judge_layouts() { return tally::kLayouts; }

extern "C" int32_t tally_certificate_element(const uint8_t* bytes, size_t size, tally_wrong_element* wrong) {
  int32_t is_there = 0;
  tally::api::Guard(
      [&] {
        return tally::Describe({bytes, size}, *wrong, is_there);
      },
      [](const tally::api::Failure&) {});
  return is_there;
}
