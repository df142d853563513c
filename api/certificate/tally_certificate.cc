#include "api/certificate/tally_certificate.h"

#include <algorithm>
#include <string_view>

#include "api/boundary.h"
#include "ops/reference.h"
#include "proof/certificate/check_certificate.h"
#include "proof/labels.h"

namespace tally {
namespace {

using api::CopyText;

absl::Status Check(std::span<const uint8_t> file, tally_verdict* verdict) {
  const absl::StatusOr<Conviction> conviction = CheckCertificate<TrappingInt>(file);
  if (!conviction.ok()) return conviction.status();
  verdict->convicted = conviction->columns ? 0 : 1;
  std::ranges::copy(conviction->claim, verdict->claim);
  if (conviction->trace) std::ranges::copy(*conviction->trace, verdict->trace);
  if (conviction->columns) std::ranges::copy(*conviction->columns, verdict->columns);
  verdict->has_trace = conviction->trace ? 1 : 0;
  verdict->has_columns = conviction->columns ? 1 : 0;
  CopyText(conviction->what, verdict->text);
  if (conviction->columns) CopyText(label::certificate_expansion.name(), verdict->label);
  return absl::OkStatus();
}

}  // namespace
}  // namespace tally

extern "C" int tally_check_certificate(const uint8_t* bytes, size_t size, tally_verdict* verdict) {
  if (bytes == nullptr || verdict == nullptr || verdict->size != sizeof *verdict) return TALLY_BAD_CALL;
  *verdict = tally_verdict{};
  verdict->size = sizeof *verdict;
  const auto check = [&] { return tally::Check({bytes, size}, verdict); };
  const auto refuse = [&](const tally::api::Failure& failure) {
    tally::api::CopyText(failure.label, verdict->label);
    tally::api::CopyText(failure.message, verdict->text);
  };
  if (!tally::api::Guard(check, refuse)) return TALLY_NOT_CONVICTED;
  return verdict->has_columns == 1 ? TALLY_DEPENDS : TALLY_CONVICTED;
}
