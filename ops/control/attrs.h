// Attributes of the control family.
#pragma once

#include <limits>

#include "ops/attributes.h"

namespace tally {

struct ConstantAttrs {
  int64_t index = 0;  // into the module's constants

  static constexpr auto Fields() {
    return std::tuple(IntField("index", &ConstantAttrs::index, 0, std::numeric_limits<int32_t>::max()));
  }
};

}  // namespace tally
