// Blocks of the results of a convolution: y [N, OC, spatial..], row-major.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/int_math.h"
#include "ops/linear/cpu/gemm_block.h"

namespace tally {

// Pixels of all images, one image after the other, and channels of one group.
struct PixelBlock {
  int64_t pixel, pixels;      // at most kBlockColumns
  int64_t channel, channels;  // y's; at most kBlockRows
  int64_t group;
};

// Computes this part's blocks. `terms.Begin(block)` says of which block the terms are (see AccumulateBlock);
// `finish(sums, count)` makes results of sums.
template <Isa isa, typename Terms, typename Finish>
void GemmOverPixels(const KernelCall& call, int64_t groups, int64_t depth, const KernelOperand* bias,
                    bool narrow, Terms& terms, Finish finish) {
  const GemmBuffers at(call.scratch);
  const KernelResult& y = call.results[0];
  const Shape& shape = y.type->shape;
  const int64_t channels = shape[1], of_group = channels / groups, of_image = shape.stride(1);
  const int64_t pixels = shape[0] * of_image;
  const int64_t strips = CeilDiv(of_group, kBlockRows), blocks = CeilDiv(pixels, kBlockColumns);
  const Share share = call.ShareOf(groups * strips * blocks);
  for (int64_t item = share.begin; item < share.end; ++item) {
    const int64_t strip = item / blocks % strips * kBlockRows, group = item / blocks / strips;
    PixelBlock b = {
        .pixel = item % blocks * kBlockColumns, .channel = group * of_group + strip, .group = group};
    b.pixels = std::min(kBlockColumns, pixels - b.pixel);
    b.channels = std::min(kBlockRows, of_group - strip);
    for (int64_t i = 0; i < b.channels; ++i) {
      const int64_t start = bias == nullptr ? 0 : LoadElement(bias->storage, bias->bytes, b.channel + i);
      std::fill_n(at.sums + i * kBlockColumns, kBlockColumns, start);
    }
    terms.Begin(b);
    AccumulateBlock<isa>(at, terms, b.channels, b.pixels, depth, narrow);
    for (int64_t i = 0; i < b.channels; ++i) {
      int64_t* sums = at.sums + i * kBlockColumns;
      finish(sums, b.pixels);
      for (int64_t p = b.pixel; p < b.pixel + b.pixels;) {  // for one image at a time
        const int64_t n = p / of_image, count = std::min(b.pixel + b.pixels, (n + 1) * of_image) - p;
        const int64_t place = (n * channels + b.channel + i) * of_image + p % of_image;
        GetConvertLoops<isa>().convert[CodeOf(Storage::kI64)][CodeOf(y.storage)](
            sums, y.bytes + place * SizeBytes(y.storage), count);
        sums += count;
        p += count;
      }
    }
  }
}

}  // namespace tally
