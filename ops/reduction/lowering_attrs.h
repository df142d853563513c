// Attributes of the lowerings of the reduction family that are no operators.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rescale.h"
#include "ops/attributes.h"
#include "ops/reduction/attrs.h"

namespace tally {

// Of every reduction with one kind.
struct ReduceAxesAttrs {
  std::vector<int64_t> axes = {};  // in [-rank, rank); empty for all axes
  bool keepdims = false;

  static constexpr auto Fields() {
    return std::tuple(ListField("axes", &ReduceAxesAttrs::axes, -kMaxRank, kMaxRank - 1, 0, kMaxRank),
                      BoolField("keepdims", &ReduceAxesAttrs::keepdims));
  }
};

struct ReduceMeanAttrs {
  std::vector<int64_t> axes = {};
  bool keepdims = false;
  Rounding rounding = Rounding::kHalfAway;

  static constexpr auto Fields() {
    return std::tuple(ListField("axes", &ReduceMeanAttrs::axes, -kMaxRank, kMaxRank - 1, 0, kMaxRank),
                      BoolField("keepdims", &ReduceMeanAttrs::keepdims),
                      EnumField("rounding", &ReduceMeanAttrs::rounding, kRoundingNames));
  }
};

}  // namespace tally
