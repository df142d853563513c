// A convolution and the max_pool that alone reads it, band by band: some lines of the image are computed into
// memory that the second-level cache holds, and pooled from there. The image itself is never in memory.
#pragma once

#include <memory>
#include <vector>

#include "base/int_math.h"
#include "engines/compile/operator_call.h"
#include "engines/cpu/gemm/gemm.h"
#include "ops/pooling/attrs.h"

namespace tally::cpu {

// Some lines of y, and the lines of the image that they are pooled from.
struct PoolBand {
  Share tiles;            // for the sums: what the band before has not left
  int64_t first = 0;      // the byte of the image at which the lines begin
  int64_t kept = 0;       // bytes from there on that the band before has left,
  int64_t kept_from = 0;  // so far after its own first
  PreparedKernel pool;    // for these lines, as if they were an image
  TensorType image, y;
  int64_t y_offset = 0;  // bytes
};

struct PooledConvolutionSpec {
  GemmSpec gemm;                             // one group's; its y says what the image is, and has no buffer
  PoolAttrs pool;                            // two axes
  const KernelEntry* pool_kernel = nullptr;  // max_pool's, channels last
  ValueRef y;
  std::vector<std::vector<PoolBand>> parts;  // PlanBands
  int64_t ahead = 0;       // bytes ahead of a band that are written: pixels of a tile on lines before
  int64_t band_bytes = 0;  // for the longest band
  int64_t pool_scratch_bytes = 0;
  BufferId memory = -1;  // for all threads: memory_bytes() for each

  int64_t memory_bytes() const { return ahead + band_bytes + pool_scratch_bytes; }
};

// max_pool of an image in channels-last.
OperatorCall PoolCall(const PoolAttrs& pool, const TensorType& image, const TensorType& y);

// The bytes of `ahead` and `band_bytes` together, for an image of `type` [N, C, H, W], at most.
Int128 MostBandBytes(const PoolAttrs& pool, const TensorType& image);

// Fills in `parts`, and `ahead`, `band_bytes` and `pool_scratch_bytes`, multiples of kBufferAlignment.
void PlanBands(PooledConvolutionSpec& spec, int parts);
std::unique_ptr<Step> MakePooledConvolutionStep(PooledConvolutionSpec spec);

}  // namespace tally::cpu
