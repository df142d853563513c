// A depthwise convolution in plain loops over 16 channels, which every compiler makes vectors of.
#pragma once

#include <algorithm>

#include "ops/cpu/gemm/depthwise.h"
#include "ops/cpu/gemm/epilogue.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

void DepthwiseLoops(const DepthwiseCall& c) {
  const DepthwiseShape& s = *c.shape;
  const auto* x = reinterpret_cast<const int16_t*>(c.x);
  const GemmArgs store = {.epilogue = c.epilogue, .y = c.y, .residual = c.residual, .columns = s.channels};
  int16_t outside[kVectorColumns];
  std::fill_n(outside, kVectorColumns, static_cast<int16_t>(c.zero));
  for (int64_t i = c.line_begin; i < c.line_end; ++i) {
    const int64_t n = i / s.out_lines, oh = i % s.out_lines;
    for (int64_t ow = 0; ow < s.out_columns; ++ow) {
      for (int64_t first = c.first_channel(); first < c.end_channel(); first += kVectorColumns) {
        const int64_t count = std::min<int64_t>(kVectorColumns, s.channels - first);
        const auto* w = reinterpret_cast<const int16_t*>(c.weights) + first * s.taps();
        uint32_t acc[kVectorColumns];
        for (int64_t k = 0; k < kVectorColumns; ++k) acc[k] = static_cast<uint32_t>(c.init[first + k]);
        for (int64_t h = 0; h < s.kernel_lines; ++h) {
          const int64_t line = oh * s.stride_lines + h * s.dilation_lines - s.pad_lines;
          for (int64_t kw = 0; kw < s.kernel_columns; ++kw, w += kVectorColumns) {
            const int64_t column = ow * s.stride_columns + kw * s.dilation_columns - s.pad_columns;
            const bool inside = line >= 0 && line < s.lines && column >= 0 && column < s.columns;
            const int16_t* pixel =
                inside ? x + ((n * s.lines + line) * s.columns + column) * s.channels + first : outside;
            const auto add = [&](int64_t channels) __attribute__((always_inline)) {
              for (int64_t k = 0; k < channels; ++k) acc[k] += static_cast<uint32_t>(pixel[k] * w[k]);
            };
            if (count == kVectorColumns) {
              add(kVectorColumns);
            } else {
              add(count);
            }
          }
        }
        StoreColumns(store, ((n * s.out_lines + oh) * s.out_columns + ow) * s.channels, first, count,
                     reinterpret_cast<const int32_t*>(acc));
      }
    }
  }
}

}  // namespace
}  // namespace tally
