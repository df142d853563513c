// The formats in which a micro-kernel reads the operands of a GEMM, and which kernel that is.
#pragma once

#include <algorithm>
#include <optional>

#include "engines/cpu/program/step_builder.h"
#include "ops/cpu/gemm/micro_kernel.h"
#include "ops/gemm/convolution_call.h"

namespace tally::cpu {

// Elements of 8, 16 or 32 bits, less `base`.
struct OperandFormat {
  Storage storage = Storage::kI8;
  int64_t base = 0;
};

struct OperandFormats {
  OperandFormat x, w;
  bool is_s64 = false;        // accumulators of 64 bits: 32 do not hold them, or the elements have 32 bits
  Interval x_range, w_range;  // for x before `base` is taken away; for a matrix w less its zero point

  OperandFormats(const OperandFormat& of_x, const OperandFormat& of_w, const Interval& accumulator)
      : x(of_x), w(of_w) {
    is_s64 = !RangeOf(Storage::kI32).Contains(accumulator) || storage() == Storage::kI32;
  }
  // The storage of the elements that a kernel reads.
  Storage storage() const { return std::max({x.storage, w.storage, is_s64 ? Storage::kI16 : Storage::kI8}); }
  bool wide() const { return storage() > Storage::kI8; }
};

// Instruction `step`, a convolution or a transposed one.
ConvolutionCall ConvolutionOf(const FunctionView& function, size_t step);

struct MatrixProduct {
  int64_t matrices = 1;  // b's; each has `rows` rows of a
  int64_t rows = 1;
  int64_t depth = 1;
  int64_t columns = 1;
};

// Nothing where no micro-kernel goes along the operands.
std::optional<MatrixProduct> ProductOf(const FunctionView& function, const Instruction& instruction);

// The formats of a convolution or of a product; nothing where no micro-kernel takes it.
std::optional<OperandFormats> ConvolutionFormats(const FunctionView& function, size_t step);
std::optional<OperandFormats> MatmulFormats(const FunctionView& function, size_t step);

// `rows`: of the result.
const MicroKernel& KernelFor(const OperandFormats& formats, int64_t rows, CpuFlags flags);

// Whether `kernel` cannot read x where it is: its elements are others, but for the bias of kBiasedS8.
bool NeedsPacking(const Schedule& schedule, const ValueRef& x, const MicroKernel& kernel,
                  const OperandFormat& elements);

inline Interval MinusOffset(const Interval& range, int64_t zero) {
  return {range.lo - zero, range.hi - zero};
}

}  // namespace tally::cpu
