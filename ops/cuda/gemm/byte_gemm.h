// The parts of launches on the matrix unit: operands as signed bytes, and the grid.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/int_math.h"
#include "base/interval.h"
#include "ops/cuda/gemm/gemm.h"
#include "ops/cuda/gemm/gemm_device.h"
#include "ops/cuda/launch.h"

namespace tally::cuda {

// Values as signed bytes in one limb or two, less `base`.
struct Limbs {
  int count = 1;
  int64_t base = 0;

  // A byte of value v.
  int8_t at(int64_t v, int limb) const { return static_cast<int8_t>(LimbOf(v - base, count, limb)); }
};

// For values of this range, if they fit; `may_move`: a base other than 0 is possible.
std::optional<Limbs> LimbsFor(const Interval& range, bool may_move);

// A limb of a column of weights has whole steps of every kernel.
inline constexpr int64_t kLimbUnit = kSwizzledRowBytes;
inline int64_t LimbBytes(int64_t chunks) { return RoundUp(chunks * kChunk, kLimbUnit); }

// Constant weights: for each group, column and limb `chunks` chunks of depth, padded with zeros.
class PackedBytes {
 public:
  PackedBytes(const Limbs& limbs, int64_t groups, int64_t columns, int64_t chunks)
      : limbs_(limbs), columns_(columns), limb_bytes_(LimbBytes(chunks)), bytes_(groups * group_bytes()) {}

  void Set(int64_t group, int64_t column, int64_t depth, int64_t value) {
    int8_t* const row = bytes_.data() + group * group_bytes() + column * column_bytes() + depth;
    for (int p = 0; p < limbs_.count; ++p) row[p * limb_bytes_] = limbs_.at(value, p);
  }
  int64_t column_bytes() const { return limbs_.count * limb_bytes_; }
  int64_t group_bytes() const { return columns_ * column_bytes(); }
  const std::vector<int8_t>& bytes() const { return bytes_; }

 private:
  Limbs limbs_;
  int64_t columns_, limb_bytes_;
  std::vector<int8_t> bytes_;
};

// The terms of params, whose taps and chunks are set: products of the limbs of x, which are `x_limb_bytes`
// apart, and of w. `zero`: of x outside.
void SetTerms(GemmParams& params, const Limbs& x, const Limbs& w, int64_t x_limb_bytes, int64_t zero);

// Working memory with the rows of `x`, as a launch after this one reads them.
Ref AddPackActivation(Work& work, Ref x, PackActivationParams params, int64_t images);

// Products of matrices in signed bytes: x [matrices, rows, depth] by the transposed columns of w [matrices or
// 1, columns, depth]. Rows of x are packed in whole chunks, those of w in whole limbs.
struct ByteGemm {
  int64_t matrices, rows, columns, depth;
  bool one_w;  // for all matrices
  Limbs x, w;

  int64_t chunks() const { return CeilDiv<int64_t>(depth, kChunk); }
  int64_t column_bytes() const { return w.count * LimbBytes(chunks()); }
  // One w multiplies the rows of all matrices at once.
  int64_t groups() const { return one_w ? 1 : matrices; }
  int64_t group_rows() const { return one_w ? matrices * rows : rows; }
};

// Without an epilogue and without inits; nothing where positions do not fit.
std::optional<GemmParams> GemmParamsOf(const ByteGemm& product);

// The accumulator init of a product for `zero` in every element of x, as GemmMemory::kInit has it.
Ref AddZeroPointInit(Work& work, const ByteGemm& product, Ref w, int64_t zero);

// The launch of a product whose terms are set; false where its grid would exceed what a device has.
bool AddGemm(Work& work, const GemmParams& params, const std::vector<Ref>& memory, int64_t groups,
             const GemmChoice& choice);

}  // namespace tally::cuda
