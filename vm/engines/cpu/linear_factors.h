// What the factors of a weighted sum become before a block kernel reads them, and which kernel that is.
#pragma once

#include <algorithm>
#include <optional>

#include "ops/linear/packed/block.h"
#include "ops/linear/packed/convolution_call.h"
#include "vm/engines/cpu/program_builder.h"

namespace tally::cpu {

// Elements of 8, 16 or 32 bits, less `base`.
struct Elements {
  Storage storage = Storage::kI8;
  int64_t base = 0;
};

struct Factors {
  Elements x, w;
  bool is_long = false;       // sums of 64 bits: 32 do not hold them, or the elements have 32 bits
  Interval x_range, w_range;  // of x before `base` is taken away; of a matrix w less its zero point

  Factors(const Elements& of_x, const Elements& of_w, const Interval& accumulator) : x(of_x), w(of_w) {
    is_long = !RangeOf(Storage::kI32).Contains(accumulator) || storage() == Storage::kI32;
  }
  // Of the elements that a kernel reads.
  Storage storage() const { return std::max({x.storage, w.storage, is_long ? Storage::kI16 : Storage::kI8}); }
  bool wide() const { return storage() > Storage::kI8; }
};

// Instruction `step`, a convolution or a transposed one.
ConvolutionCall ConvolutionOf(const ProgramBuilder& builder, size_t step);

struct MatrixProduct {
  int64_t matrices = 1;  // b's; each has `rows` rows of a
  int64_t rows = 1;
  int64_t depth = 1;
  int64_t columns = 1;
};

// Nothing where no block kernel goes along the operands.
std::optional<MatrixProduct> ProductOf(const ProgramBuilder& builder, const Instruction& instruction);

// Of a convolution or of a product; nothing where no block kernel takes it.
std::optional<Factors> ConvolutionFactors(const ProgramBuilder& builder, size_t step);
std::optional<Factors> MatmulFactors(const ProgramBuilder& builder, size_t step);

// `rows`: of the result.
const BlockKernel& KernelFor(const ProgramBuilder& builder, const Factors& factors, int64_t rows);

// Whether `kernel` reads a copy of x instead of x.
bool IsStaged(const ProgramBuilder& builder, const ValueRef& x, const BlockKernel& kernel,
              const Elements& elements);

inline Interval Less(const Interval& range, int64_t zero) { return {range.lo - zero, range.hi - zero}; }

}  // namespace tally::cpu
