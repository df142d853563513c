#include "base/error.h"

#include "absl/strings/cord.h"
#include "base/strings.h"

namespace tally {
namespace {

constexpr char kLabelPayload[] = "tally/label";
constexpr char kStagePayload[] = "tally/stage";

}  // namespace

absl::Status MakeError(Label label, std::string_view message) {
  absl::Status status(label.code(), ToAbsl(message));
  status.SetPayload(kLabelPayload, absl::Cord(ToAbsl(label.name())));
  status.SetPayload(kStagePayload, absl::Cord(ToAbsl(ErrorStageName(label.stage()))));
  return status;
}

absl::Status WithMessage(const absl::Status& status, std::string_view message) {
  absl::Status other(status.code(), ToAbsl(message));
  status.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& payload) { other.SetPayload(type, payload); });
  return other;
}

std::string ErrorLabel(const absl::Status& status) {
  const auto payload = status.GetPayload(kLabelPayload);
  return payload.has_value() ? std::string(*payload) : std::string();
}

std::optional<ErrorStage> ErrorStageOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kStagePayload);
  if (!payload.has_value()) return std::nullopt;
  using enum ErrorStage;  // in the order of the enumeration, fault at its end
  for (int i = 0; i < static_cast<int>(fault); ++i) {
    const auto stage = static_cast<ErrorStage>(i);
    if (*payload == ToAbsl(ErrorStageName(stage))) return stage;
  }
  return fault;
}

bool HasLabel(const absl::Status& status, Label label) { return ErrorLabel(status) == label.name(); }

}  // namespace tally
