#include "api/certificate/tally_certificate.h"

#include <algorithm>
#include <exception>
#include <string_view>

#include "base/error.h"
#include "ops/reference.h"
#include "proof/certificate/check_certificate.h"

namespace tally {
namespace {

template <size_t size>
void CopyText(std::string_view text, char (&to)[size]) {
  const size_t length = std::min(text.size(), size - 1);
  std::copy_n(text.begin(), length, to);
  to[length] = '\0';
}

int Refuse(std::string_view label, std::string_view why, tally_verdict* verdict) {
  CopyText(label, verdict->label);
  CopyText(why, verdict->text);
  return TALLY_NOT_CONVICTED;
}

int Check(std::span<const uint8_t> file, tally_verdict* verdict) {
  const absl::StatusOr<Conviction> conviction = CheckCertificate<TrappingInt>(file);
  if (!conviction.ok()) {
    const absl::string_view message = conviction.status().message();
    return Refuse(ErrorLabel(conviction.status()), {message.data(), message.size()}, verdict);
  }
  verdict->convicted = 1;
  std::ranges::copy(conviction->claim, verdict->claim);
  if (conviction->trace) std::ranges::copy(*conviction->trace, verdict->trace);
  if (conviction->columns) std::ranges::copy(*conviction->columns, verdict->columns);
  verdict->has_trace = conviction->trace ? 1 : 0;
  verdict->has_columns = conviction->columns ? 1 : 0;
  CopyText(conviction->what, verdict->text);
  return TALLY_CONVICTED;
}

}  // namespace
}  // namespace tally

extern "C" int tally_check_certificate(const uint8_t* bytes, size_t size, tally_verdict* verdict) {
  if (bytes == nullptr || verdict == nullptr || verdict->size != sizeof *verdict) return TALLY_BAD_CALL;
  *verdict = tally_verdict{};
  verdict->size = sizeof *verdict;
  try {
    return tally::Check({bytes, size}, verdict);
  } catch (const std::exception& e) {  // too little memory
    return tally::Refuse("out_of_memory", e.what(), verdict);
  }
}
