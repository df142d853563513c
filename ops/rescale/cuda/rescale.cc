#include "ops/cuda/prepare_map.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/cuda/kernel_tables.h"
#include "ops/rescale/cuda/rescale_device.h"

namespace tally::cuda {
namespace {

template <int kCount>
Work Lincomb(KernelId kernel, const KernelFacts& facts) {
  const auto attrs = facts.attrs<LincombAttrs>();
  LincombFn<kCount> fn = {.bias = attrs.bias,
                          .zero_out = attrs.zero_out,
                          .lo = attrs.lo,
                          .hi = attrs.hi,
                          .shift = static_cast<int>(attrs.shift),
                          .rounding = attrs.rounding};
  for (int k = 0; k < kCount; ++k) {
    fn.multipliers[k] = attrs.multipliers[k];
    fn.zero_points[k] = attrs.zero_points[k];
  }
  return MapWork(kernel, BroadcastShapeOf<kCount>(facts), fn);
}

// The parameters are one for all, or one for each channel of an axis.
std::optional<Work> PrepareRescale(const KernelFacts& facts) {
  const Shape& y = facts.results[0].shape;
  const auto attrs = facts.attrs<RescaleAttrs>();
  std::array<int64_t, kMaxRank> by_channel = {};
  if (facts.operands[1].shape.num_elements() > 1) {
    by_channel[attrs.axis < 0 ? attrs.axis + y.rank() : attrs.axis] = 1;
  }
  Folded f(y, facts.layout);
  f.AddStrided(StridesOf(y, facts.layout));
  for (int k = 0; k < 3; ++k) f.AddStrided(by_channel);
  const RescaleFn fn = {{.zero_in = static_cast<int32_t>(attrs.zero_in),
                         .rounding = attrs.rounding,
                         .zero_out = static_cast<int32_t>(attrs.zero_out),
                         .lo = attrs.lo,
                         .hi = attrs.hi}};
  return MapWork(KernelId::kRescale, MapShapeOf<4>(facts, f), fn);
}

std::optional<Work> PrepareLincomb(const KernelFacts& facts) {
  switch (facts.operands.size()) {
    case 1: return Lincomb<1>(KernelId::kLincomb1, facts);
    case 2: return Lincomb<2>(KernelId::kLincomb2, facts);
    case 3: return Lincomb<3>(KernelId::kLincomb3, facts);
    default: return Lincomb<4>(KernelId::kLincomb4, facts);
  }
}

std::optional<Work> PrepareMulshift(const KernelFacts& facts) {
  const auto attrs = facts.attrs<MulshiftAttrs>();
  const MulshiftFn fn = {.zero_a = attrs.zero_a,
                         .zero_b = attrs.zero_b,
                         .multiplier = attrs.multiplier,
                         .zero_out = attrs.zero_out,
                         .lo = attrs.lo,
                         .hi = attrs.hi,
                         .shift = static_cast<int>(attrs.shift),
                         .rounding = attrs.rounding};
  return MapWork(KernelId::kMulshift, BroadcastShapeOf<2>(facts), fn);
}

std::optional<Work> PrepareCvmClip(const KernelFacts& facts) {
  return MapWork(KernelId::kCvmClip, BroadcastShapeOf<1>(facts),
                 CvmClipFn{facts.attrs<CvmClipAttrs>().precision});
}

std::optional<Work> PrepareCvmRightShift(const KernelFacts& facts) {
  const auto attrs = facts.attrs<CvmShiftAttrs>();
  return MapWork(KernelId::kCvmRightShift, BroadcastShapeOf<1>(facts),
                 CvmRightShiftFn{attrs.precision, attrs.shift_bit});
}

std::optional<Work> PrepareCvmLeftShift(const KernelFacts& facts) {
  const auto attrs = facts.attrs<CvmShiftAttrs>();
  return MapWork(KernelId::kCvmLeftShift, BroadcastShapeOf<1>(facts),
                 CvmLeftShiftFn{attrs.precision, attrs.shift_bit});
}

constexpr KernelEntry kRescaleKernels[] = {
    {Opcode::kRescale, "rescale", Arch::kSm80, Layouts::kEvery, PrepareRescale},
    {Opcode::kLincomb, "lincomb", Arch::kSm80, Layouts::kEvery, PrepareLincomb},
    {Opcode::kCvmClip, "cvm_clip", Arch::kSm80, Layouts::kEvery, PrepareCvmClip},
    {Opcode::kCvmRightShift, "cvm_right_shift", Arch::kSm80, Layouts::kEvery, PrepareCvmRightShift},
    {Opcode::kCvmLeftShift, "cvm_left_shift", Arch::kSm80, Layouts::kEvery, PrepareCvmLeftShift},
    {Opcode::kMulshift, "mulshift", Arch::kSm80, Layouts::kEvery, PrepareMulshift},
};

}  // namespace

std::vector<KernelTable> AllRescaleKernels() { return {kRescaleKernels}; }

}  // namespace tally::cuda
