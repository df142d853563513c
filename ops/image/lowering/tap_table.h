// Which pixels of an axis make each pixel of a resized one, and with which weights: integers from exact
// rationals.
//
//   const TapTable t = *MakeTapTable(attrs, {.in = 3, .out = 6, .scale = {2, 1}});
//   // y[o] = sum over k of t.weight[o * t.taps + k] * x[t.index[o * t.taps + k]], over 2^WeightBits(attrs)
//
// Every row sums to exactly 2^WeightBits: each weight is rounded down, and the units that are then missing go
// to the largest remainders, the lowest pixel first among equals. So a constant image keeps its value, and no
// weight is off by a unit or more. Only a point that tf_crop_and_resize puts outside has a row of zeros.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ops/image/lowering/attrs.h"

namespace tally {

struct ResizedAxis {
  int64_t in = 1;
  int64_t out = 1;
  std::array<int64_t, 2> scale = {1, 1};   // numerator and denominator of out / in
  std::array<int64_t, 2> region = {0, 0};  // tf_crop_and_resize: start and end, over region_unit
};

struct TapTable {
  int64_t taps = 1;
  int64_t whole = 1;            // the sum of a row's weights, but for rows that read nothing
  bool reads_nothing = false;   // some row does: its weights are 0
  std::vector<int64_t> index;   // [out, taps]
  std::vector<int64_t> weight;  // [out, taps]
};

// Mode nearest has one tap of weight 1. Error lowering_operands when a row has no weight to normalize, when
// the rows would have more than 2^20 taps, and when exact weights have no common denominator up to 2^40.
absl::StatusOr<TapTable> MakeTapTable(const ResizeAttrs& attrs, const ResizedAxis& axis);

}  // namespace tally
