#include "base/error.h"

#include "absl/strings/cord.h"

namespace tally {
namespace {
constexpr char kLabelPayload[] = "tally/label";
}  // namespace

absl::Status MakeError(std::string_view label, std::string_view message) {
  absl::Status status = absl::InvalidArgumentError(absl::string_view(message.data(), message.size()));
  status.SetPayload(kLabelPayload, absl::Cord(absl::string_view(label.data(), label.size())));
  return status;
}

std::string ErrorLabel(const absl::Status& status) {
  const auto payload = status.GetPayload(kLabelPayload);
  return payload.has_value() ? std::string(*payload) : std::string();
}

}  // namespace tally
