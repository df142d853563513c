// The requantization of an accumulator column as one product, one sum and one shift of 64 bits.
//
//   y = (accumulator * multiplier + addend) >> shift
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/interval.h"
#include "base/rescale.h"
#include "base/wide.h"

namespace tally {

struct ColumnScale {
  int64_t multiplier = 0;
  Int128 addend = 0;
  int shift = 0;
  Int128 most = 0;  // |accumulator * multiplier| + |addend|, at most
};

// The scale of each of `columns` columns whose accumulators are within `acc`, or nothing if one is not of
// this form: rounding must be floor or half_up, and `most` must fit 64 bits. `params`: one for each column,
// or one for all. `init`: empty, or what the accumulator of each column still lacks, exactly.
std::optional<std::vector<ColumnScale>> ColumnScalesOf(std::span<const RescaleParams> params, int64_t columns,
                                                       const Interval& acc,
                                                       std::span<const int64_t> init = {});

}  // namespace tally
