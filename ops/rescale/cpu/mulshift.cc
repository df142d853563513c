#include "base/wide.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/cpu/kernels.h"
#include "ops/rescale/cpu/output_clamp.h"

namespace tally {
namespace {

// Whether (a - zero_a) * (b - zero_b) fits i32.
bool ProductFitsI32(const KernelCall& call, const MulshiftAttrs& attrs) {
  const auto magnitude = [](const Interval& x, int64_t zero) {
    const Int128 lo = Int128{x.lo} - zero, hi = Int128{x.hi} - zero;
    return std::max(lo < 0 ? -lo : lo, hi < 0 ? -hi : hi);
  };
  return magnitude(call.operands[0].type->interval, attrs.zero_a) *
             magnitude(call.operands[1].type->interval, attrs.zero_b) <
         (Int128{1} << 31);
}

}  // namespace

// A product and a rescale of it, chunk by chunk.
template <Isa isa, Layout layout>
void MulshiftKernel(const KernelCall& call) noexcept {
  const RescaleLoops& loops = GetRescaleLoops<isa>();
  const auto attrs = call.attrs<MulshiftAttrs>();
  const OutputClamp output = OutputClampOf(attrs);
  const auto multiplier = static_cast<int32_t>(attrs.multiplier);
  const auto shift = static_cast<int32_t>(attrs.shift);
  if (attrs.rounding == Rounding::kHalfUp && WidestStorage<2>(call) <= Storage::kI32 &&
      BoundsMeetI32(output) && ProductFitsI32(call, attrs)) {
    const int64_t half = HalfOf(attrs.shift);
    const Scales scales = {&multiplier, &half, &shift};
    const auto rescale = (shift >= 32 ? loops.half_up_high : loops.half_up)[0];
    MapChunks<isa, 2>(call, layout, {Storage::kI32, Storage::kI32}, Storage::kI32,
                      [&](const auto& x, void* y, int64_t n) {
                        auto* product = static_cast<int32_t*>(y);
                        loops.product32(static_cast<const int32_t*>(x[0]), static_cast<const int32_t*>(x[1]),
                                        product, n, attrs.zero_a, attrs.zero_b);
                        rescale(product, product, n, scales, output);
                      });
    return;
  }
  const int64_t none = 0;
  const Scales scales = {&multiplier, &none, &shift};
  MapChunks<isa, 2>(call, layout, {Storage::kI64, Storage::kI64}, Storage::kI64,
                    [&](const auto& x, void* y, int64_t n) {
                      auto* product = static_cast<int64_t*>(y);
                      loops.product64(static_cast<const int64_t*>(x[0]), static_cast<const int64_t*>(x[1]),
                                      product, n, attrs.zero_a, attrs.zero_b);
                      loops.wide[static_cast<int>(attrs.rounding)][0](product, product, n, 0, scales, output);
                    });
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(MulshiftKernel);

}  // namespace tally
