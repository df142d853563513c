// Attributes of the reduction family.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/shape.h"
#include "ops/attributes.h"

namespace tally {

// Of sum and max, as CVM has them.
struct CvmReduceAttrs {
  std::vector<int64_t> axis = {};  // in [-rank, rank); empty for all axes
  bool keepdims = false;
  bool exclude = false;  // reduce the axes that are not listed

  static constexpr auto Fields() {
    return std::tuple(ListField("axis", &CvmReduceAttrs::axis, -kMaxRank, kMaxRank - 1, 0, kMaxRank),
                      BoolField("keepdims", &CvmReduceAttrs::keepdims),
                      BoolField("exclude", &CvmReduceAttrs::exclude));
  }
};

enum class ReduceKind { kSum, kMax, kMin };
inline constexpr std::array<std::string_view, 3> kReduceKindNames = {"sum", "max", "min"};

struct ReduceAttrs {
  ReduceKind kind = ReduceKind::kSum;
  std::vector<int64_t> axes = {};  // in [-rank, rank); empty for all axes
  bool keepdims = false;

  static constexpr auto Fields() {
    return std::tuple(EnumField("kind", &ReduceAttrs::kind, kReduceKindNames),
                      ListField("axes", &ReduceAttrs::axes, -kMaxRank, kMaxRank - 1, 0, kMaxRank),
                      BoolField("keepdims", &ReduceAttrs::keepdims));
  }
};

struct ArgmaxAttrs {
  int64_t axis = 0;  // in [-rank, rank)
  bool keepdims = false;

  static constexpr auto Fields() {
    return std::tuple(IntField("axis", &ArgmaxAttrs::axis, -kMaxRank, kMaxRank - 1),
                      BoolField("keepdims", &ArgmaxAttrs::keepdims));
  }
};

}  // namespace tally
