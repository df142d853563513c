#include <array>

#include "base/rescale.h"
#include "ops/cpu/elements.h"
#include "ops/linear/attrs.h"
#include "ops/linear/cpu/gemm_over_pixels.h"
#include "ops/linear/cpu/kernel_tables.h"
#include "ops/linear/deformable_tap.h"

namespace tally {
namespace {

using Attrs = DeformableConv2dAttrs;

// Taps are sampled one at a time, once for all channels of y that a block has.
template <Isa isa>
class DeformableTerms {
 public:
  DeformableTerms(const Attrs& attrs, const KernelCall& call)
      : x_(call.operands[0]),
        offset_(call.operands[2]),
        mask_(call.operands[call.operands.size() - 1]),
        has_mask_(call.operands.size() == 4),
        w_(call.operands[1]),
        x_shape_(call.operands[0].type->shape),
        w_shape_(w_.type->shape),
        y_shape_(call.results[0].type->shape),
        padding_(attrs.padding),
        stride_(attrs.stride),
        dilation_(attrs.dilation),
        one_(int64_t{1} << attrs.offset_fraction),
        offset_group_(x_shape_[1] / attrs.offset_groups),
        offset_channels_(call.operands[2].type->shape[1]),
        zero_samples_(attrs.border == DeformableBorder::kZeroSamples) {}

  void Begin(const PixelBlock& block) {
    block_ = block;
    const int64_t of_image = y_shape_.stride(1);
    for (int64_t i = 0; i < block.pixels; ++i) {
      const int64_t n = (block.pixel + i) / of_image, pixel = (block.pixel + i) % of_image;
      places_[i] = {.image = n,
                    .pixel = pixel,
                    .row = pixel / y_shape_[3] * stride_[0] - padding_[0],
                    .column = pixel % y_shape_[3] * stride_[1] - padding_[1]};
    }
  }

  void Columns(int64_t begin, int64_t end, int64_t* to) const {
    const int64_t of_image = y_shape_.stride(1), of_plane = x_shape_.stride(1);
    const int64_t KH = w_shape_[2], KW = w_shape_[3];
    int64_t channel = block_.group * w_shape_[1] + begin / (KH * KW), ki = begin / KW % KH, kj = begin % KW;
    for (int64_t k = begin; k < end; ++k, to += kBlockColumns) {
      const int64_t tap = (channel / offset_group_ * KH + ki) * KW + kj;
      for (int64_t i = 0; i < block_.pixels; ++i) {
        const auto& [n, pixel, row, column] = places_[i];
        const int64_t shift = (n * offset_channels_ + 2 * tap) * of_image + pixel;
        const int64_t h = row + ki * dilation_[0], l = column + kj * dilation_[1];
        const int64_t plane = (n * x_shape_[1] + channel) * of_plane;
        to[i] = DeformableTap<int64_t>(h * one_ + offset_[shift], l * one_ + offset_[shift + of_image], one_,
                                       zero_samples_, x_shape_[2], x_shape_[3],
                                       [&](int64_t a, int64_t b) { return x_[plane + a * x_shape_[3] + b]; });
        if (has_mask_) to[i] *= mask_[(n * offset_channels_ / 2 + tap) * of_image + pixel];
      }
      if (++kj < KW) continue;
      kj = 0;
      if (++ki < KH) continue;
      ki = 0;
      ++channel;
    }
  }

  void Factors(int64_t row, int64_t begin, int64_t end, int64_t* to) const {
    const int64_t depth = w_shape_.stride(0);
    GatherLess<isa>(w_, (block_.channel + row) * depth + begin, 1, 0, end - begin, to, 1);
  }

 private:
  // A position of y, and where its first tap is before offsets move it.
  struct Place {
    int64_t image, pixel, row, column;
  };

  const Elements x_, offset_, mask_;
  const bool has_mask_;
  const KernelOperand& w_;
  const Shape &x_shape_, &w_shape_, &y_shape_;
  const std::span<const int64_t> padding_, stride_, dilation_;
  const int64_t one_, offset_group_, offset_channels_;
  const bool zero_samples_;
  PixelBlock block_ = {};
  std::array<Place, kBlockColumns> places_;
};

std::optional<Prepared<Attrs>> PrepareDeformableConv2d(const KernelFacts& facts) {
  return Prepared<Attrs>{facts.attrs<Attrs>(), GemmBuffers(nullptr).scratch.bytes()};
}

template <Isa isa>
void DeformableConv2d(const Attrs& attrs, const KernelCall& call) noexcept {
  DeformableTerms<isa> terms(attrs, call);
  const auto shift = static_cast<int>(attrs.shift);
  const int64_t depth = call.operands[1].type->shape.stride(0);
  GemmOverPixels<isa>(call, attrs.groups, depth, nullptr, false, terms, [&](int64_t* sums, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      sums[i] = RoundShift<int64_t>(Rounding::kHalfUp, sums[i], shift, false);
    }
  });
}

constexpr auto kDeformableConv2dKernels = EveryIsa<"deformable_conv2d">(
    {.op = Opcode::kDeformableConv2d},
    []<Isa isa>() { return kKernel<PrepareDeformableConv2d, DeformableConv2d<isa>>; });

}  // namespace

KernelTable DeformableConv2dKernels() { return kDeformableConv2dKernels; }

}  // namespace tally
