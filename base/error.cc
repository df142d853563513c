#include "base/error.h"

#include "absl/strings/cord.h"
#include "base/strings.h"

namespace tally {
namespace {
constexpr char kLabelPayload[] = "tally/label";
}  // namespace

absl::Status MakeError(std::string_view label, std::string_view message) {
  absl::Status status = absl::InvalidArgumentError(ToAbsl(message));
  status.SetPayload(kLabelPayload, absl::Cord(ToAbsl(label)));
  return status;
}

std::string ErrorLabel(const absl::Status& status) {
  const auto payload = status.GetPayload(kLabelPayload);
  return payload.has_value() ? std::string(*payload) : std::string();
}

}  // namespace tally
