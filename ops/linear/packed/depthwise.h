// Depthwise convolutions: every channel has a kernel of its own, so there is nothing to share between channels and
// everything to share between pixels.
//
//   y[n, c, pixel] = epilogue(init[c] + sum over taps (d, h, w): x[n, c, pixel * stride + tap] * w[c, tap])
//
// x is staged in blocks of 16 channels, [N][blocks][lines][columns][16], padded all around, so that the four taps of
// a granule are 64 bytes in a row.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/aligned_vector.h"
#include "base/cpu_flags.h"
#include "base/tensor.h"
#include "ops/linear/packed/block.h"
#include "ops/linear/packed/rows.h"
#include "ops/linear/packed/stage.h"

namespace tally {

struct DepthwiseShape {
  int64_t batch = 1, channels = 1, blocks = 1;
  int64_t lines = 1, columns = 1;  // of the staged image
  int64_t out_lines = 1, out_columns = 1;
  int64_t kernel_lines = 1, kernel_columns = 1;
  int64_t stride_lines = 1, stride_columns = 1, dilation_lines = 1;

  // Weights of one block and line of the kernel: [granules][16][taps of a granule].
  int64_t granules(Element element) const {
    const int64_t taps = kGranule / SizeBytes(element);
    return (kernel_columns + taps - 1) / taps;
  }
  int64_t block_bytes(Element element) const { return lines * columns * kGroup * SizeBytes(element); }
  int64_t staged_bytes(Element element) const { return batch * blocks * block_bytes(element); }
  // Bytes behind the end that a granule may read.
  static constexpr int64_t kOverread = 64 * kGranule;
};

// Whether `shape` is a depthwise convolution in two spatial axes that the kernels compute.
bool IsDepthwise(const ConvolutionShape& shape);
DepthwiseShape DepthwiseOf(const ConvolutionShape& shape);

struct DepthwiseCall {
  const DepthwiseShape* shape = nullptr;
  const uint8_t* x = nullptr;        // staged
  const uint8_t* weights = nullptr;  // [blocks][kernel lines][granules][16][kGranule bytes]
  const int32_t* init = nullptr;     // [blocks * 16]
  const Epilogue* epilogue = nullptr;
  uint8_t* y = nullptr;  // [N, lines, columns, C]
  const uint8_t* residual = nullptr;
  int64_t begin = 0, end = 0;  // of batch * blocks * out_lines lines: this thread's
};

using DepthwiseFn = void (*)(const DepthwiseCall&) noexcept;

struct DepthwiseKernel {
  std::string_view name;
  CpuFlags flags;
  Element element;
  DepthwiseFn run;
};

// As SelectBlockKernel.
const DepthwiseKernel& SelectDepthwiseKernel(bool wide, CpuFlags flags);

struct DepthwiseStageCall {
  const ConvolutionShape* source = nullptr;
  const DepthwiseShape* shape = nullptr;
  Element element = Element::kS16;
  const uint8_t* x = nullptr;  // [N, lines, columns, C]
  Storage storage = Storage::kI8;
  int64_t base = 0;  // as in StageCall
  int64_t zero = 0;
  uint8_t* staged = nullptr;
  int64_t begin = 0, end = 0;  // of batch * lines lines
};
void StageDepthwise(const DepthwiseStageCall& call) noexcept;

struct PackedDepthwise {
  AlignedVector<uint8_t> weights;
  AlignedVector<int32_t> init;
};

// Weight (c, tap) is at(c, tap); zero_x and bias as in PackWeights.
template <typename At, typename Bias>
PackedDepthwise PackDepthwise(const DepthwiseShape& s, Element element, int64_t zero_x, At at, Bias bias) {
  const int64_t size = SizeBytes(element), taps = kGranule / size, granules = s.granules(element);
  const int64_t zero = zero_x + (element == Element::kBiasedS8 ? 128 : 0);
  PackedDepthwise packed;
  packed.weights.assign(s.blocks * s.kernel_lines * granules * kGroup * kGranule, 0);
  packed.init.assign(s.blocks * kGroup, 0);
  for (int64_t c = 0; c < s.channels; ++c) {
    uint64_t sum = 0;
    for (int64_t h = 0; h < s.kernel_lines; ++h) {
      for (int64_t w = 0; w < s.kernel_columns; ++w) {
        const int64_t value = at(c, h * s.kernel_columns + w);
        const int64_t granule =
            ((c / kGroup * s.kernel_lines + h) * granules + w / taps) * kGroup + c % kGroup;
        StoreElement(size == 1 ? Storage::kI8 : Storage::kI16,
                     packed.weights.data() + granule * kGranule + w % taps * size, 0, value);
        sum += static_cast<uint64_t>(value);
      }
    }
    packed.init[c] = static_cast<int32_t>(static_cast<uint64_t>(bias(c)) - static_cast<uint64_t>(zero) * sum);
  }
  return packed;
}

}  // namespace tally
