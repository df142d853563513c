// The list of the assembler's refusals.
#pragma once

#include <string_view>

namespace tally {

struct TextErrorInfo {
  std::string_view label;
  std::string_view summary;
};

inline constexpr TextErrorInfo kTextErrors[] = {
#define TALLY_TEXT_ERROR(label, summary) {#label, summary},
#include "vm/text/text_errors.inc"
#undef TALLY_TEXT_ERROR
};

}  // namespace tally
