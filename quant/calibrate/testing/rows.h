// Samples for networks of one small input.
#pragma once

#include <utility>
#include <vector>

#include "quant/calibrate/sample_source.h"

namespace tally::quant {

// Sample i is rows[i], as a float32 of [1, its length].
inline SampleSource Rows(std::vector<std::vector<float>> rows) {
  return [rows = std::move(rows)](int64_t i) -> absl::StatusOr<std::vector<FloatTensor>> {
    const std::vector<float>& row = rows[static_cast<size_t>(i)];
    return std::vector{FloatTensor{{1, static_cast<int64_t>(row.size())}, row}};
  };
}

}  // namespace tally::quant
