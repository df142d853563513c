// The list of refusals that are not an operator's own constraint.
#pragma once

#include <span>
#include <string_view>

namespace tally {

enum class ErrorStage { malformed, invalid, refused };

struct ErrorInfo {
  ErrorStage stage;
  std::string_view label;
  std::string_view summary;
};

std::span<const ErrorInfo> AllErrors();

// Null when `label` is an operator's constraint, a tool's error, or unknown.
const ErrorInfo* FindError(std::string_view label);

std::string_view ErrorStageName(ErrorStage stage);

}  // namespace tally
