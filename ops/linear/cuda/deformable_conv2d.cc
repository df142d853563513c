#include <algorithm>

#include "base/int_math.h"
#include "base/wide.h"
#include "ops/common/folded.h"
#include "ops/cuda/launch.h"
#include "ops/kernel.h"
#include "ops/linear/attrs.h"
#include "ops/linear/cuda/deformable_conv2d_device.h"
#include "ops/linear/cuda/kernel_tables.h"

namespace tally::cuda {
namespace {

// Whether every tap, with its mask, and every weight has 32 bits.
bool IsNarrow(const KernelFacts& facts, int64_t one) {
  const Int128 unit = Int128{one} * one;
  WideInterval tap = WideInterval(facts.operands[0].interval).Hull({0, 0}) * WideInterval(unit, unit);
  if (facts.operands.size() == 4) tap = tap.Hull(tap * WideInterval(facts.operands[3].interval));
  return tap.Magnitude() <= INT32_MAX && WideInterval(facts.operands[1].interval).Magnitude() <= INT32_MAX;
}

std::optional<Work> PrepareDeformableConv2d(const KernelFacts& facts) {
  const auto attrs = facts.attrs<DeformableConv2dAttrs>();
  const Shape &x = facts.operands[0].shape, &w = facts.operands[1].shape, &y = facts.results[0].shape;
  const bool has_mask = facts.operands.size() == 4;
  const int mask = has_mask ? 3 : 2;
  using Tile = DeformableTile;
  DeformableParams params = {.pixels = y[0] * y[2] * y[3],
                             .out = {y[2], y[3]},
                             .size = {x[2], x[3]},
                             .kernel = {w[2], w[3]},
                             .padding = {attrs.padding[0], attrs.padding[1]},
                             .stride = {attrs.stride[0], attrs.stride[1]},
                             .dilation = {attrs.dilation[0], attrs.dilation[1]},
                             .depth = w.stride(0),
                             .group_channels = w[1],
                             .group_outs = w[0] / attrs.groups,
                             .offset_group_channels = x[1] / attrs.offset_groups,
                             .one = int64_t{1} << attrs.offset_fraction,
                             .zero_samples = attrs.border == DeformableBorder::kZeroSamples,
                             .has_mask = has_mask,
                             .shift = static_cast<int>(attrs.shift),
                             .x = facts.storages[0],
                             .w = facts.storages[1],
                             .offset = facts.storages[2],
                             .mask = facts.storages[mask],
                             .y = facts.results[0].storage()};
  params.pixel_tiles = CeilDiv<int64_t>(params.pixels, Tile::kPixels);
  params.out_tiles = CeilDiv<int64_t>(params.group_outs, Tile::kOuts);
  const auto set = [&](const Shape& shape, int64_t(&strides)[4]) {
    std::copy_n(StridesOf(shape, facts.layout).begin(), 4, strides);
  };
  set(x, params.x_strides);
  set(w, params.w_strides);
  set(facts.operands[2].shape, params.offset_strides);
  set(facts.operands[mask].shape, params.mask_strides);
  set(y, params.y_strides);
  const int64_t blocks = params.pixel_tiles * params.out_tiles * attrs.groups;
  if (blocks > INT32_MAX) return std::nullopt;  // more than a grid has
  const bool narrow = IsNarrow(facts, params.one);
  Work work;
  work.Add(narrow ? KernelId::kDeformableConv2d32 : KernelId::kDeformableConv2d64,
           {{static_cast<int>(blocks)}, Tile::kThreads, Tile::SharedBytes(narrow ? 4 : 8)}, params,
           {OperandAt(0), OperandAt(1), OperandAt(2), OperandAt(mask), ResultAt(0)});
  return work;
}

constexpr KernelEntry kDeformableConv2dKernels[] = {
    {Opcode::kDeformableConv2d, "deformable_conv2d", Arch::kSm80, Layouts::kEvery, PrepareDeformableConv2d},
};

}  // namespace

KernelTable DeformableConv2dKernels() { return kDeformableConv2dKernels; }

}  // namespace tally::cuda
