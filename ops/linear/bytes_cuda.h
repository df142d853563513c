// What launches on the matrix unit are made of: operands as signed bytes, and the grid.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/int_math.h"
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

// A plane of a column of weights has whole steps of every kernel.
inline constexpr int64_t kPlaneUnit = kSwizzledRowBytes;
inline int64_t PlaneBytes(int64_t chunks) { return RoundUp(chunks * kChunk, kPlaneUnit); }

// Constant weights: for each group, column and plane `chunks` chunks of depth, padded with zeros.
class PackedBytes {
 public:
  PackedBytes(const Planes& planes, int64_t groups, int64_t columns, int64_t chunks)
      : planes_(planes),
        columns_(columns),
        plane_bytes_(PlaneBytes(chunks)),
        bytes_(groups * group_bytes()) {}

  void Set(int64_t group, int64_t column, int64_t depth, int64_t value) {
    int8_t* const row = bytes_.data() + group * group_bytes() + column * column_bytes() + depth;
    for (int p = 0; p < planes_.count; ++p) row[p * plane_bytes_] = planes_.at(value, p);
  }
  int64_t column_bytes() const { return planes_.count * plane_bytes_; }
  int64_t group_bytes() const { return columns_ * column_bytes(); }
  const std::vector<int8_t>& bytes() const { return bytes_; }

 private:
  Planes planes_;
  int64_t columns_, plane_bytes_;
  std::vector<int8_t> bytes_;
};

// The terms of params, whose taps and chunks are set: products of the planes of x, which are `x_plane_bytes` apart, and of
// w. `zero`: of x outside.
void SetTerms(SumsParams& params, const Planes& x, const Planes& w, int64_t x_plane_bytes, int64_t zero);

// Working memory with the rows of `x`, as a launch behind this one reads them.
Ref AddStage(Work& work, Ref x, StageParams params, int64_t images);

// Products of matrices in signed bytes: x [matrices, rows, depth] by the transposed columns of w [matrices or 1, columns,
// depth]. Rows of x are staged in whole chunks, those of w in whole planes.
struct BytesProduct {
  int64_t matrices, rows, columns, depth;
  bool one_w;  // for all matrices
  Planes x, w;

  int64_t chunks() const { return CeilDiv<int64_t>(depth, kChunk); }
  int64_t column_bytes() const { return w.count * PlaneBytes(chunks()); }
  // One w multiplies the rows of all matrices at once.
  int64_t groups() const { return one_w ? 1 : matrices; }
  int64_t group_rows() const { return one_w ? matrices * rows : rows; }
};

// Without an epilogue and without inits; nothing where positions do not fit.
std::optional<SumsParams> ParamsOf(const BytesProduct& product);

// What the sums of a product start with because of `zero` in every element of x, as SumsMemory::kInit has it.
Ref AddZeroSums(Work& work, const BytesProduct& product, Ref w, int64_t zero);

// The launch of a product whose terms are set; false where its grid would exceed what a device has.
bool AddSums(Work& work, const SumsParams& params, const std::vector<Ref>& memory, int64_t groups,
             const SumsChoice& choice);

}  // namespace tally::cuda
