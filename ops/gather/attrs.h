// Attributes of the gather family.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/attributes.h"

namespace tally {

struct TakeAttrs {
  std::vector<int64_t> axis;  // none: indices go into the flattened data

  static constexpr auto Fields() { return std::tuple(ListField("axis", &TakeAttrs::axis, -8, 7, 0, 1)); }
};

}  // namespace tally
