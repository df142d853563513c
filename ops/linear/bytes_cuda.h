// What launches on the matrix unit are made of: operands as signed bytes, and the grid.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/interval.h"
#include "ops/cuda/launch.h"
#include "ops/linear/sums_cuda.h"
#include "ops/linear/sums_device.h"

namespace tally::cuda {

// What is to be taken from values of this range so that they fit signed bytes: 0 where they do.
std::optional<int64_t> BaseOfBytes(const Interval& range);
inline bool BaseIsZero(const std::optional<int64_t>& base) { return base.has_value() && *base == 0; }

// Columns are padded with zeros to whole tiles of every size.
int64_t PaddedColumns(int64_t columns);

// Constant weights: for each group and column `chunks` chunks of depth, padded to whole steps.
class PackedBytes {
 public:
  PackedBytes(int64_t groups, int64_t columns, int64_t chunks);

  int8_t& at(int64_t group, int64_t column, int64_t depth) {
    return bytes_[group * group_bytes() + column * column_bytes() + depth];
  }
  int steps() const { return steps_; }
  int64_t column_bytes() const { return int64_t{steps_} * kStepBytes; }
  int64_t group_bytes() const { return padded_columns_ * column_bytes(); }
  const std::vector<int8_t>& bytes() const { return bytes_; }

 private:
  int64_t padded_columns_;
  int steps_;
  std::vector<int8_t> bytes_;
};

// Working memory with the rows of `x`, as a launch behind this one reads them.
Ref AddStage(Work& work, Ref x, StageParams params, int64_t images);

// The launch of a product; false where its grid would exceed what a device has.
bool AddSums(Work& work, const SumsParams& params, const std::vector<Ref>& memory, int64_t groups,
             Tiling tiling);

}  // namespace tally::cuda
