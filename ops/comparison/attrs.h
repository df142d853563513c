// Attributes of the comparison family.
#pragma once

#include "ops/attributes.h"

namespace tally {

// The numeric values are part of the module encoding.
enum class Comparison : uint8_t {
  kEqual = 0,
  kNotEqual = 1,
  kLess = 2,
  kLessEqual = 3,
  kGreater = 4,
  kGreaterEqual = 5,
};

inline constexpr std::array<std::string_view, 6> kComparisonNames = {
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"};

struct CompareAttrs {
  Comparison kind = Comparison::kEqual;

  static constexpr auto Fields() {
    return std::tuple(EnumField("kind", &CompareAttrs::kind, kComparisonNames));
  }
};

}  // namespace tally
