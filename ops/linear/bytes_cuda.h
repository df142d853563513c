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

// Values as signed bytes in one plane or two, less `base`.
struct Planes {
  int count = 1;
  int64_t base = 0;

  // A byte of value v.
  int8_t at(int64_t v, int plane) const { return static_cast<int8_t>(ByteOfPlane(v - base, count, plane)); }
};

// For values of this range, if they fit; `may_move`: a base other than 0 is possible.
std::optional<Planes> PlanesFor(const Interval& range, bool may_move);

// Columns are padded with zeros to whole tiles of every size.
int64_t PaddedColumns(int64_t columns);

// Constant weights: for each group, column and plane `chunks` chunks of depth, padded to whole steps.
class PackedBytes {
 public:
  PackedBytes(const Planes& planes, int64_t groups, int64_t columns, int64_t chunks);

  void Set(int64_t group, int64_t column, int64_t depth, int64_t value) {
    int8_t* const row = bytes_.data() + group * group_bytes() + column * column_bytes() + depth;
    for (int p = 0; p < planes_.count; ++p) row[p * steps_ * kStepBytes] = planes_.at(value, p);
  }
  int steps() const { return steps_; }  // of a plane
  int64_t column_bytes() const { return int64_t{planes_.count} * steps_ * kStepBytes; }
  int64_t group_bytes() const { return padded_columns_ * column_bytes(); }
  const std::vector<int8_t>& bytes() const { return bytes_; }

 private:
  Planes planes_;
  int64_t padded_columns_;
  int steps_;
  std::vector<int8_t> bytes_;
};

// The terms of params, whose chunks and steps_of_term are set: products of the planes of x, which are `x_plane_bytes`
// apart, and of w. `zero`: of x outside.
void SetTerms(SumsParams& params, const Planes& x, const Planes& w, int64_t x_plane_bytes, int64_t zero);

// Working memory with the rows of `x`, as a launch behind this one reads them.
Ref AddStage(Work& work, Ref x, StageParams params, int64_t images);

// The launch of a product; false where its grid would exceed what a device has.
bool AddSums(Work& work, const SumsParams& params, const std::vector<Ref>& memory, int64_t groups,
             Tiling tiling);

}  // namespace tally::cuda
