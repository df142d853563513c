#include "base/wide.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/cpu/kernel_tables.h"
#include "ops/rescale/cpu/output_clamp.h"

namespace tally {
namespace {

struct MulshiftParams {
  MulshiftAttrs attrs;
  OutputClamp output;
  bool narrow;    // the rescaled value fits i32
  bool in_words;  // and so does all that the rescale computes
};

// The most that |(a - zero_a) * (b - zero_b)| is.
Int128 MostProduct(const KernelFacts& facts, const MulshiftAttrs& attrs) {
  const auto magnitude = [](const Interval& x, int64_t zero) {
    const Int128 lo = Int128{x.lo} - zero, hi = Int128{x.hi} - zero;
    return std::max(lo < 0 ? -lo : lo, hi < 0 ? -hi : hi);
  };
  return magnitude(facts.operands[0].interval, attrs.zero_a) *
         magnitude(facts.operands[1].interval, attrs.zero_b);
}

MulshiftParams MulshiftOf(const KernelFacts& facts) {
  const auto attrs = facts.attrs<MulshiftAttrs>();
  const OutputClamp output = OutputClampOf(attrs);
  constexpr Int128 kWord = Int128{1} << 31;
  const Int128 most = MostProduct(facts, attrs);
  const bool narrow = attrs.rounding == Rounding::kHalfUp && WidestStorage<2>(facts) <= Storage::kI32 &&
                      BoundsMeetI32(output) && most < kWord;
  const Int128 multiplier = std::abs(attrs.multiplier);
  const bool in_words = narrow && attrs.shift < 32 && most * multiplier + HalfOf(attrs.shift) < kWord;
  return {attrs, output, narrow, in_words};
}

// A product and a rescale of it, chunk by chunk.
template <Isa isa>
void Mulshift(const MapParams<2, MulshiftParams>& p, const KernelCall& call) noexcept {
  const RescaleLoops& loops = GetRescaleLoops<isa>();
  const auto& [attrs, output, narrow, in_words] = p.own;
  const auto multiplier = static_cast<int32_t>(attrs.multiplier);
  const auto shift = static_cast<int32_t>(attrs.shift);
  const int64_t zero_a = attrs.zero_a, zero_b = attrs.zero_b;
  const OutputClamp clamp = output;
  const bool words_alone = in_words;
  if (narrow) {
    const int64_t half = HalfOf(attrs.shift), factor = attrs.multiplier;
    const Scales scales = {&multiplier, &half, &shift};
    const auto rescale = (shift >= 32 ? loops.half_up_high : loops.half_up)[0];
    MapChunks<isa, 2>(call, p.loops, {Storage::kI32, Storage::kI32}, Storage::kI32,
                      [&](const auto& x, void* y, int64_t n) {
                        auto* product = static_cast<int32_t*>(y);
                        loops.product32(static_cast<const int32_t*>(x[0]), static_cast<const int32_t*>(x[1]),
                                        product, n, zero_a, zero_b);
                        if (!words_alone) return rescale(product, product, n, scales, clamp);
                        const void* const sum[] = {product};
                        loops.sum32(sum, 1, &factor, half, shift, product, n, clamp);
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
