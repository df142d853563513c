// Attributes of the table family.
#pragma once

#include "ops/attributes.h"
#include "ops/tensor_type.h"

namespace tally {

struct CvmLutAttrs {
  int64_t in_dim = 1;  // elements of the table

  static constexpr auto Fields() { return std::tuple(IntField("in_dim", &CvmLutAttrs::in_dim, 1, kMaxDim)); }
};

struct TableAttrs {
  int64_t offset = 0;  // the operand that reads entry 0

  static constexpr auto Fields() {
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple(IntField("offset", &TableAttrs::offset, kElement.lo, kElement.hi));
  }
};

}  // namespace tally
