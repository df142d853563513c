#include "ops/cpu/gemm/depthwise.h"

#include <array>

#include "ops/cpu/gemm/depthwise_layouts.h"
#include "ops/cpu/gemm/kernels.h"

namespace tally {
namespace {

constexpr std::array kDepthwiseKernels = {
#define TALLY_DEPTHWISE_KERNEL(name, Function, flags, element, layout) \
  DepthwiseKernel{name, flags, Element::element, &layout, Function},
#include "ops/cpu/gemm/depthwise_kernels.inc"
#undef TALLY_DEPTHWISE_KERNEL
};

// Taps of one axis, in the order in which windows read them.
int64_t PlaceOfTap(int64_t i, int64_t kernel, int64_t stride, int64_t dilation, int64_t pad) {
  return i / kernel * stride + i % kernel * dilation - pad;
}

}  // namespace

DepthwiseShape WithoutUnread(const DepthwiseShape& s) {
  DepthwiseShape packed = s;
  if (s.out_lines * s.kernel_lines < s.lines) {
    packed.lines = s.out_lines * s.kernel_lines;
    packed.stride_lines = s.kernel_lines;
    packed.dilation_lines = 1;
    packed.pad_lines = 0;
  }
  if (s.out_columns * s.kernel_columns < s.columns) {
    packed.columns = s.out_columns * s.kernel_columns;
    packed.stride_columns = s.kernel_columns;
    packed.dilation_columns = 1;
    packed.pad_columns = 0;
  }
  return packed;
}

int64_t PackedLineFrom(const DepthwiseShape& s, const DepthwiseShape& packed, int64_t i) {
  if (packed.lines == s.lines) return i;
  return PlaceOfTap(i, s.kernel_lines, s.stride_lines, s.dilation_lines, s.pad_lines);
}

int64_t PackedColumnFrom(const DepthwiseShape& s, const DepthwiseShape& packed, int64_t i) {
  if (packed.columns == s.columns) return i;
  return PlaceOfTap(i, s.kernel_columns, s.stride_columns, s.dilation_columns, s.pad_columns);
}

std::span<const DepthwiseKernel> AllDepthwiseKernels() { return kDepthwiseKernels; }

const DepthwiseKernel& SelectDepthwiseKernel(bool wide, CpuFlags flags) {
  return SelectRow(kDepthwiseKernels, flags,
                   [&](const DepthwiseKernel& kernel) { return !wide || kernel.element == Element::kS16; });
}

bool IsDepthwise(const ConvolutionShape& s) {
  return s.groups == s.channels && s.out_channels == s.channels && s.channels > 1 && s.kernel[0] == 1 &&
         s.stride[0] == 1 && s.size[0] == 1 && s.out[0] == 1 && s.pad_begin[0] == 0 &&
         s.kernel[2] <= DepthwiseShape::kMaxKernelColumns &&
         s.input_dilation == std::array<int64_t, 3>{1, 1, 1};
}

DepthwiseShape DepthwiseOf(const ConvolutionShape& s) {
  return {.batch = s.batch,
          .channels = s.channels,
          .lines = s.size[1],
          .columns = s.size[2],
          .out_lines = s.out[1],
          .out_columns = s.out[2],
          .kernel_lines = s.kernel[1],
          .kernel_columns = s.kernel[2],
          .stride_lines = s.stride[1],
          .stride_columns = s.stride[2],
          .dilation_lines = s.dilation[1],
          .dilation_columns = s.dilation[2],
          .pad_lines = s.pad_begin[1],
          .pad_columns = s.pad_begin[2]};
}

}  // namespace tally
