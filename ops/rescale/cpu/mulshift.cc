#include "base/wide.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/cpu/kernels.h"
#include "ops/rescale/cpu/output_clamp.h"

namespace tally {
namespace {

struct MulshiftParams {
  MulshiftAttrs attrs;
  OutputClamp output;
  bool narrow;
};

// Whether (a - zero_a) * (b - zero_b) fits i32.
bool ProductFitsI32(const KernelFacts& facts, const MulshiftAttrs& attrs) {
  const auto magnitude = [](const Interval& x, int64_t zero) {
    const Int128 lo = Int128{x.lo} - zero, hi = Int128{x.hi} - zero;
    return std::max(lo < 0 ? -lo : lo, hi < 0 ? -hi : hi);
  };
  return magnitude(facts.operands[0].interval, attrs.zero_a) *
             magnitude(facts.operands[1].interval, attrs.zero_b) <
         (Int128{1} << 31);
}

MulshiftParams MulshiftOf(const KernelFacts& facts) {
  const auto attrs = facts.attrs<MulshiftAttrs>();
  const OutputClamp output = OutputClampOf(attrs);
  const bool narrow = attrs.rounding == Rounding::kHalfUp && WidestStorage<2>(facts) <= Storage::kI32 &&
                      BoundsMeetI32(output) && ProductFitsI32(facts, attrs);
  return {attrs, output, narrow};
}

// A product and a rescale of it, chunk by chunk.
template <Isa isa>
void Mulshift(const MapParams<2, MulshiftParams>& p, const KernelCall& call) noexcept {
  const RescaleLoops& loops = GetRescaleLoops<isa>();
  const auto& [attrs, output, narrow] = p.own;
  const auto multiplier = static_cast<int32_t>(attrs.multiplier);
  const auto shift = static_cast<int32_t>(attrs.shift);
  const int64_t zero_a = attrs.zero_a, zero_b = attrs.zero_b;
  const OutputClamp clamp = output;
  if (narrow) {
    const int64_t half = HalfOf(attrs.shift);
    const Scales scales = {&multiplier, &half, &shift};
    const auto rescale = (shift >= 32 ? loops.half_up_high : loops.half_up)[0];
    MapChunks<isa, 2>(call, p.loops, {Storage::kI32, Storage::kI32}, Storage::kI32,
                      [&](const auto& x, void* y, int64_t n) {
                        auto* product = static_cast<int32_t*>(y);
                        loops.product32(static_cast<const int32_t*>(x[0]), static_cast<const int32_t*>(x[1]),
                                        product, n, zero_a, zero_b);
                        rescale(product, product, n, scales, clamp);
                      });
    return;
  }
  const int64_t none = 0;
  const Scales scales = {&multiplier, &none, &shift};
  const auto rescale = loops.wide[static_cast<int>(attrs.rounding)][0];
  MapChunks<isa, 2>(call, p.loops, {Storage::kI64, Storage::kI64}, Storage::kI64,
                    [&](const auto& x, void* y, int64_t n) {
                      auto* product = static_cast<int64_t*>(y);
                      loops.product64(static_cast<const int64_t*>(x[0]), static_cast<const int64_t*>(x[1]),
                                      product, n, zero_a, zero_b);
                      rescale(product, product, n, 0, scales, clamp);
                    });
}

constexpr auto kMulshiftKernels = EveryIsaAndLayout<"mulshift">(
    {.op = Opcode::kMulshift, .in_place = true},
    []<Isa isa, Layout>() { return kKernel<PrepareMap<2, MulshiftOf>, Mulshift<isa>>; });

}  // namespace

KernelTable MulshiftKernels() { return kMulshiftKernels; }

}  // namespace tally
