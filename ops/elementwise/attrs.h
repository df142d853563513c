// Attributes of the elementwise family.
#pragma once

#include "ops/attributes.h"
#include "ops/tensor_type.h"

namespace tally {

struct ClipAttrs {
  int64_t a_min = 0;
  int64_t a_max = 0;

  static constexpr auto Fields() {
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple(IntField("a_min", &ClipAttrs::a_min, kElement.lo, kElement.hi),
                      IntField("a_max", &ClipAttrs::a_max, kElement.lo, kElement.hi));
  }
};

}  // namespace tally
