// GEMM with 64-bit accumulators (s16s16s64, s32s32s64), over the same packed form (micro_kernel.h).
//
// Products of 16-bit elements are added in 32 bits for a block of K-groups, short enough that what they add
// up to is in [least, least + 2^32), and blocks are added in 64. An accumulator of 32 bits begins at
// -least, so that it never wraps and reads as an unsigned number: a pair of products of -2^15 is 2^31, and
// every pair fits. Products of 32-bit elements are added in 64 bits at once. Accumulators are taken modulo
// 2^64: exact, because the validator has proven that the true sum fits.
#pragma once

#include <cstdint>
#include <span>

#include "base/interval.h"
#include "ops/cpu/gemm/micro_kernel.h"

namespace tally {

// Beside GemmArgs, where the kernel is one of 64-bit accumulators. Its epilogue is kNone or kAnyShift,
// without residual and table.
struct S64Accumulation {
  int64_t k_groups = 1;           // a block's, which may reach over the end of a segment
  int64_t least = 0;              // for what a block adds up to
  const int64_t* init = nullptr;  // [panels * kPanel]: the accumulator init of columns; null: 0
};

// Best first, of either kind of elements.
std::span<const MicroKernel> AllS64Kernels();

// The first kernel that the machine has, of elements of 16 or of 32 bits.
const MicroKernel& SelectS64Kernel(Element element, CpuFlags flags);

// The longest blocks of 16-bit elements: x within `x`, in which what is outside of an image is, times any
// w within `w`, or times what is packed in `weights` ([panels][K-groups of all segments][kPanel][2]).
// `k_groups`: of all segments.
S64Accumulation LongestKBlocks(const Interval& x, const Interval& w, int64_t k_groups);
S64Accumulation LongestKBlocks(const Interval& x, std::span<const std::span<const uint8_t>> groups,
                               int64_t k_groups);

}  // namespace tally
