// Attributes of the table family.
#pragma once

#include <array>
#include <string_view>

#include "base/rescale.h"
#include "ops/attributes.h"
#include "ops/result_fields.h"
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

// How the function of the mantissa and that of the exponent meet: powers multiply, logarithms add.
enum class Combine { kProduct, kSum };
inline constexpr std::array<std::string_view, 2> kCombineNames = {"product", "sum"};

struct NormalizedTableAttrs {
  Combine combine = Combine::kProduct;
  int64_t shift = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    return std::tuple_cat(std::tuple(EnumField("combine", &NormalizedTableAttrs::combine, kCombineNames),
                                     IntField("shift", &NormalizedTableAttrs::shift, 0, kMaxRescaleShift)),
                          ResultFields<NormalizedTableAttrs>());
  }
};

}  // namespace tally
