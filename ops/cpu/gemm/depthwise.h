// Depthwise convolutions: every channel has a kernel of its own, so there is nothing to share between
// channels and everything to share between pixels.
//
//   y[n, c, pixel] = epilogue(init[c] + sum over taps (h, w): x[n, c, pixel * stride + tap * dilation - pad] * w[c, tap])
//
// x and y are channels last. A kernel computes channels in an order of its own, in slots: it has a list of
// the channel of each slot, and its weights, accumulator inits and scales are by slot.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/aligned_vector.h"
#include "base/cpu_flags.h"
#include "base/int_math.h"
#include "base/tensor.h"
#include "ops/cpu/gemm/gemm_plan.h"
#include "ops/cpu/gemm/micro_kernel.h"

namespace tally {

struct DepthwiseShape {
  static constexpr int64_t kMaxKernelColumns = 64;

  int64_t batch = 1, channels = 1;
  int64_t lines = 1, columns = 1;  // x's
  int64_t out_lines = 1, out_columns = 1;
  int64_t kernel_lines = 1, kernel_columns = 1;
  int64_t stride_lines = 1, stride_columns = 1;
  int64_t dilation_lines = 1, dilation_columns = 1;
  int64_t pad_lines = 0, pad_columns = 0;  // in front of x; negative where that many are cut off

  int64_t taps() const { return kernel_lines * kernel_columns; }

  static constexpr int64_t kBlock = 64;  // channels, of which threads take whole blocks
  int64_t blocks() const { return CeilDiv(channels, kBlock); }
  int64_t all_lines() const { return batch * out_lines; }
};

// Whether `shape` is a depthwise convolution in two spatial axes, which the kernels compute.
bool IsDepthwise(const ConvolutionShape& shape);
DepthwiseShape DepthwiseOf(const ConvolutionShape& shape);

// The same convolution over an image of what its windows read alone, one window beside the next along each
// axis where that is shorter, padding included: large strides pass most of x by.
DepthwiseShape WithoutUnread(const DepthwiseShape& shape);

// Where in x a line or a column of that image comes from; outside of x where it is padding.
int64_t PackedLineFrom(const DepthwiseShape& shape, const DepthwiseShape& packed, int64_t i);
int64_t PackedColumnFrom(const DepthwiseShape& shape, const DepthwiseShape& packed, int64_t i);

struct DepthwiseCall {
  const DepthwiseShape* shape = nullptr;
  // [N, lines, columns, C] of bytes, or of 16 bits where the kernel's element is that.
  const uint8_t* x = nullptr;
  int64_t zero = 0;                    // the element that is outside of x
  const uint8_t* weights = nullptr;    // as DepthwiseLayout::pack has them
  const int32_t* init = nullptr;       // by slot
  const Epilogue* epilogue = nullptr;  // its groups are by slot
  uint8_t* y = nullptr;                // [N, out_lines, out_columns, C]
  const uint8_t* residual = nullptr;
  uint8_t* scratch = nullptr;  // this thread's

  // This thread's part: of the lines of y in all images, and of the blocks of channels.
  int64_t line_begin = 0, line_end = 0;
  int64_t block_begin = 0, block_end = 0;

  int64_t first_channel() const { return block_begin * DepthwiseShape::kBlock; }
  int64_t end_channel() const { return std::min(block_end * DepthwiseShape::kBlock, shape->channels); }
};

using DepthwiseFn = void (*)(const DepthwiseCall&) noexcept;

// The data that a plan prepares for a kernel.
struct DepthwiseLayout {
  // The channel of each slot, or -1; a multiple of kVectorColumns.
  std::vector<int64_t> (*slots)(const DepthwiseShape&);
  // Weights [C][taps] as the kernel reads them.
  AlignedVector<uint8_t> (*pack)(const DepthwiseShape&, std::span<const int16_t> weights);
  int64_t (*scratch_bytes)(const DepthwiseShape&);  // per thread
};

struct DepthwiseKernel {
  std::string_view name;
  CpuFlags flags;
  Element element;
  const DepthwiseLayout* layout;
  DepthwiseFn run;
};

// Best first.
std::span<const DepthwiseKernel> AllDepthwiseKernels();

// The first kernel that the machine has and that takes bytes, or 16-bit elements if `wide`.
const DepthwiseKernel& SelectDepthwiseKernel(bool wide, CpuFlags flags);

// `values` by channel, or one for all, as they are by slot; `none` where a slot has no channel.
template <typename T>
std::vector<T> BySlot(std::span<const int64_t> slots, std::span<const T> values, const T& none) {
  std::vector<T> by_slot;
  for (const int64_t c : slots) by_slot.push_back(c < 0 ? none : values[values.size() == 1 ? 0 : c]);
  return by_slot;
}

}  // namespace tally
