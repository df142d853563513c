// Weighted sums that 32 bits do not hold, over the same packed form (block.h).
//
// Products of 16-bit elements are added in 32 bits for a block of granules, short enough that what they add up to lies
// in [least, least + 2^32), and blocks are added in 64. A sum in 32 bits begins at -least, so that it never wraps and
// reads as an unsigned number: a pair of products of -2^15 is 2^31, and every pair fits. Products of 32-bit elements are
// added in 64 bits at once. Sums are taken modulo 2^64: exact, because the validator has proven that the true sum fits.
#pragma once

#include <cstdint>
#include <span>

#include "base/interval.h"
#include "ops/linear/packed/block.h"

namespace tally {

// Beside BlockCall, where the kernel is one of long sums. Its epilogue is kNone or kAnyShift, without residual and table.
struct LongSums {
  int64_t granules = 1;           // of a block, which may reach over the end of a run
  int64_t least = 0;              // of what a block adds up to
  const int64_t* init = nullptr;  // [panels * kPanel]: what the sums of columns start with; null: 0
};

// Best first, of either kind of elements.
std::span<const BlockKernel> AllLongKernels();

// The first kernel that the machine has, of elements of 16 or of 32 bits.
const BlockKernel& SelectLongKernel(Element element, CpuFlags flags);

// The longest blocks of 16-bit elements: x within `x`, in which what stands outside of an image is, times any w within
// `w`, or times what is packed in `weights` ([panels][granules of all runs][kPanel][2]). `granules`: of all runs.
LongSums LongestBlocks(const Interval& x, const Interval& w, int64_t granules);
LongSums LongestBlocks(const Interval& x, std::span<const std::span<const uint8_t>> groups, int64_t granules);

}  // namespace tally
