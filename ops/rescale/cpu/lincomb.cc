#include <variant>

#include "base/wide.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/cpu/kernel_tables.h"
#include "ops/rescale/cpu/output_clamp.h"

namespace tally {
namespace {

constexpr size_t kMostOperands = 4;

struct LincombParams {
  std::variant<MapLoops<1>, MapLoops<2>, MapLoops<3>, MapLoops<4>> loops;
  std::array<int64_t, kMostOperands> multipliers;
  int64_t bias, shift;
  Rounding rounding;
  OutputClamp output;
  bool narrow;  // half up, of 32 bits; the bias holds half a unit
  bool in_32;   // so are all sums
};

Int128 Magnitude(const Interval& interval, int64_t zero) {
  const Int128 lo = Int128{interval.lo} - zero, hi = Int128{interval.hi} - zero;
  return std::max(lo < 0 ? -lo : lo, hi < 0 ? -hi : hi);
}

template <size_t kOperands>
LincombParams ParamsOfOperands(const KernelFacts& facts) {
  const auto attrs = facts.attrs<LincombAttrs>();
  LincombParams p = {.loops = MapLoops<kOperands>(facts),
                     .multipliers = {},
                     .bias = attrs.bias,
                     .shift = attrs.shift,
                     .rounding = attrs.rounding,
                     .output = OutputClampOf(attrs)};
  // Zero points become part of the bias. It wraps where it must, and the sum, which is proven to fit, wraps
  // back.
  Int128 magnitude = Magnitude({attrs.bias, attrs.bias}, 0) + HalfOf(attrs.shift);
  for (size_t k = 0; k < kOperands; ++k) {
    p.multipliers[k] = attrs.multipliers[k];
    p.bias = WrapMulAdd(-attrs.zero_points[k], attrs.multipliers[k], p.bias);
    const Int128 m = attrs.multipliers[k];
    magnitude += Magnitude(facts.operands[k].interval, attrs.zero_points[k]) * (m < 0 ? -m : m);
  }
  p.narrow = attrs.rounding == Rounding::kHalfUp && WidestStorage<kOperands>(facts) <= Storage::kI32 &&
             BoundsMeetI32(p.output);
  if (p.narrow) p.bias = WrapMulAdd(1, HalfOf(attrs.shift), p.bias);  // other loops add it themselves
  p.in_32 = p.narrow && magnitude < (Int128{1} << 31) && attrs.shift < 32;
  return p;
}

std::optional<Prepared<LincombParams>> PrepareLincomb(const KernelFacts& facts) {
  if (!OperandsLieIn(facts)) return std::nullopt;
  switch (facts.operands.size()) {
    case 1: return Prepared<LincombParams>{ParamsOfOperands<1>(facts)};
    case 2: return Prepared<LincombParams>{ParamsOfOperands<2>(facts)};
    case 3: return Prepared<LincombParams>{ParamsOfOperands<3>(facts)};
    default: return Prepared<LincombParams>{ParamsOfOperands<kMostOperands>(facts)};
  }
}

template <Isa isa, size_t kOperands>
void RunOn(const MapLoops<kOperands>& map, const LincombParams& p, const KernelCall& call) {
  const RescaleLoops& loops = GetRescaleLoops<isa>();
  const Storage type = p.narrow ? Storage::kI32 : Storage::kI64;
  const auto sum = p.in_32 ? loops.sum32 : loops.sum64;
  std::array<Storage, kOperands> types;
  types.fill(type);
  MapChunks<isa, kOperands>(call, map, types, type, [&](const auto& x, void* y, int64_t n) {
    constexpr int kCount = static_cast<int>(kOperands);
    if (p.narrow) {
      sum(x.data(), kCount, p.multipliers.data(), p.bias, p.shift, static_cast<int32_t*>(y), n, p.output);
    } else {
      loops.sum_wide[static_cast<int>(p.rounding)](x.data(), kCount, p.multipliers.data(), p.bias, p.shift,
                                                   static_cast<int64_t*>(y), n, p.output);
    }
  });
}

template <Isa isa>
void Lincomb(const LincombParams& p, const KernelCall& call) noexcept {
  std::visit([&](const auto& loops) { RunOn<isa>(loops, p, call); }, p.loops);
}

constexpr auto kLincombKernels =
    EveryIsaAndLayout<"lincomb">({.op = Opcode::kLincomb, .in_place = true},
                                 []<Isa isa, Layout>() { return kKernel<PrepareLincomb, Lincomb<isa>>; });

}  // namespace

KernelTable LincombKernels() { return kLincombKernels; }

}  // namespace tally
