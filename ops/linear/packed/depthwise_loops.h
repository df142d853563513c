// A depthwise convolution in plain loops over 16 channels, which every compiler makes vectors of.
#pragma once

#include "ops/linear/packed/depthwise.h"
#include "ops/linear/packed/epilogue.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

void DepthwiseLoops(const DepthwiseCall& c) {
  const DepthwiseShape& s = *c.shape;
  const int64_t granules = s.granules(Element::kS16);
  const auto* x = reinterpret_cast<const int16_t*>(c.x);
  const BlockCall store = {.epilogue = c.epilogue, .y = c.y, .residual = c.residual, .columns = s.channels};
  for (int64_t i = c.begin; i < c.end; ++i) {
    const int64_t oh = i % s.out_lines, block = i / s.out_lines % s.blocks, n = i / s.out_lines / s.blocks;
    for (int64_t ow = 0; ow < s.out_columns; ++ow) {
      uint32_t sums[kPanel];  // only the first 16 are stored
      for (int64_t k = 0; k < kGroup; ++k) sums[k] = static_cast<uint32_t>(c.init[block * kGroup + k]);
      for (int64_t h = 0; h < s.kernel_lines; ++h) {
        const int64_t line = oh * s.stride_lines + h * s.dilation_lines;
        const int16_t* pixel =
            x + (((n * s.blocks + block) * s.lines + line) * s.columns + ow * s.stride_columns) * kGroup;
        const auto* w = reinterpret_cast<const int16_t*>(c.weights) +
                        (block * s.kernel_lines + h) * granules * kGroup * 2;
        for (int64_t t = 0; t < s.kernel_columns; ++t) {
          for (int64_t k = 0; k < kGroup; ++k) {
            sums[k] += static_cast<uint32_t>(pixel[t * kGroup + k] * w[(t / 2 * kGroup + k) * 2 + t % 2]);
          }
        }
      }
      StoreColumns(store, ((n * s.out_lines + oh) * s.out_columns + ow) * s.channels, block * kGroup, kGroup,
                   reinterpret_cast<const int32_t*>(sums));
    }
  }
}

}  // namespace
}  // namespace tally
