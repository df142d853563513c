#include "ops/linear/packed/depthwise.h"

#include <algorithm>
#include <array>

#include "base/int_math.h"
#include "ops/linear/packed/kernels.h"

namespace tally {
namespace {

constexpr std::array kKernels = {
#define TALLY_DEPTHWISE_KERNEL(name, Function, flags, element) \
  DepthwiseKernel{name, flags, Element::element, Function},
#include "ops/linear/packed/depthwise_kernels.inc"
#undef TALLY_DEPTHWISE_KERNEL
};

}  // namespace

const DepthwiseKernel& SelectDepthwiseKernel(bool wide, CpuFlags flags) {
  return SelectRow(kKernels, wide, flags);
}

bool IsDepthwise(const ConvolutionShape& s) {
  return s.groups == s.channels && s.out_channels == s.channels && s.channels > 1 && s.kernel[0] == 1 &&
         s.stride[0] == 1 && s.size[0] == 1 && s.pad_begin[0] == 0 && s.dilation[2] == 1 &&
         s.stretch == std::array<int64_t, 3>{1, 1, 1};
}

DepthwiseShape DepthwiseOf(const ConvolutionShape& s) {
  return {.batch = s.batch,
          .channels = s.channels,
          .blocks = CeilDiv<int64_t>(s.channels, kGroup),
          .lines = s.padded_size(1),
          .columns = s.padded_size(2),
          .out_lines = s.out[1],
          .out_columns = s.out[2],
          .kernel_lines = s.kernel[1],
          .kernel_columns = s.kernel[2],
          .stride_lines = s.stride[1],
          .stride_columns = s.stride[2],
          .dilation_lines = s.dilation[1]};
}

void StageDepthwise(const DepthwiseStageCall& call) noexcept {
  const DepthwiseShape& s = *call.shape;
  const ConvolutionShape& source = *call.source;
  const int64_t element = SizeBytes(call.element), size = SizeBytes(call.storage), pixel = kGroup * element;
  for (int64_t i = call.begin; i < call.end; ++i) {
    const int64_t n = i / s.lines, line = i % s.lines, row = line - source.pad_begin[1];
    const bool inside = row >= 0 && row < source.size[1];
    const int64_t left = inside ? std::min(s.columns, source.pad_begin[2]) : s.columns;
    const int64_t right = std::clamp(source.size[2] + source.pad_begin[2], left, s.columns);
    for (int64_t block = 0; block < s.blocks; ++block) {
      uint8_t* to =
          call.staged + (n * s.blocks + block) * s.block_bytes(call.element) + line * s.columns * pixel;
      const int64_t count = std::min<int64_t>(kGroup, s.channels - block * kGroup);
      FillElements(call.element, call.zero - call.base, left * kGroup, to);
      FillElements(call.element, call.zero - call.base, (s.columns - right) * kGroup, to + right * pixel);
      if (right <= left) continue;
      const uint8_t* x =
          call.x + (((n * source.size[1] + row) * source.size[2] + left - source.pad_begin[2]) * s.channels +
                    block * kGroup) *
                       size;
      StagePixels(x, call.storage, s.channels, call.base, right - left, count, call.element,
                  to + left * pixel);
    }
  }
}

}  // namespace tally
