// Attributes of the detection family.
#pragma once

#include <cstdint>
#include <limits>

#include "ops/attributes.h"

namespace tally {

struct GetValidCountsAttrs {
  int64_t score_threshold = 0;  // a row is valid when its score is greater

  static constexpr auto Fields() {
    using Limit = std::numeric_limits<int32_t>;
    return std::tuple(
        IntField("score_threshold", &GetValidCountsAttrs::score_threshold, Limit::min(), Limit::max()));
  }
};

struct NonMaxSuppressionAttrs {
  int64_t iou_threshold = 50;  // percent; an overlap of at least this much suppresses, above 100 nothing does
  int64_t max_output_size = -1;  // rows to emit in each batch; negative for all
  bool force_suppress = false;   // rows of different ids suppress each other too
  int64_t top_k = -1;            // best rows of each batch to consider; negative for all

  static constexpr auto Fields() {
    using Limit = std::numeric_limits<int32_t>;
    return std::tuple(
        IntField("iou_threshold", &NonMaxSuppressionAttrs::iou_threshold, 1, Limit::max()),
        IntField("max_output_size", &NonMaxSuppressionAttrs::max_output_size, Limit::min(), Limit::max()),
        BoolField("force_suppress", &NonMaxSuppressionAttrs::force_suppress),
        IntField("top_k", &NonMaxSuppressionAttrs::top_k, Limit::min(), Limit::max()));
  }
};

}  // namespace tally
