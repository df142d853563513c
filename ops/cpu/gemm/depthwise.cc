#include "ops/cpu/gemm/depthwise.h"

#include <array>

#include "ops/cpu/gemm/depthwise_layouts.h"
#include "ops/cpu/gemm/kernels.h"

namespace tally {
namespace {

constexpr std::array kKernels = {
#define TALLY_DEPTHWISE_KERNEL(name, Function, flags, element, layout) \
  DepthwiseKernel{name, flags, Element::element, &layout, Function},
#include "ops/cpu/gemm/depthwise_kernels.inc"
#undef TALLY_DEPTHWISE_KERNEL
};

}  // namespace

std::span<const DepthwiseKernel> AllDepthwiseKernels() { return kKernels; }

const DepthwiseKernel& SelectDepthwiseKernel(bool wide, CpuFlags flags) {
  return SelectRow(kKernels, flags,
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
