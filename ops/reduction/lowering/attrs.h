// Attributes of the lowerings of the reduction family that are no operators.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rescale.h"
#include "ops/attributes.h"
#include "ops/reduction/attrs.h"
#include "ops/result_fields.h"
#include "ops/tensor_type.h"

namespace tally {

// The attributes of every reduction with one kind.
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

// The attributes of logarithms: the scales m 2^-s and the zero points of both sides.
struct ReduceLogAttrs {
  std::vector<int64_t> axes = {};
  bool keepdims = false;
  std::vector<int64_t> in = {1, 0};
  std::vector<int64_t> out = {1, 0};
  int64_t zero_in = 0;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    return std::tuple_cat(
        std::tuple(ListField("axes", &ReduceLogAttrs::axes, -kMaxRank, kMaxRank - 1, 0, kMaxRank),
                   BoolField("keepdims", &ReduceLogAttrs::keepdims)),
        ScaledFields<ReduceLogAttrs>());
  }
};

}  // namespace tally
