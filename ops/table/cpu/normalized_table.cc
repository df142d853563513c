#include "base/wide.h"
#include "ops/common/binade.h"
#include "ops/cpu/map_chunks.h"
#include "ops/table/attrs.h"
#include "ops/table/cpu/kernel_tables.h"
#include "ops/table/cpu/table_loops.h"

namespace tally {
namespace {

int64_t HalfOf(int64_t shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }

int32_t ClampedTo32(int64_t v) {
  constexpr Interval kRange = RangeOf(Storage::kI32);
  return static_cast<int32_t>(std::clamp(v, kRange.lo, kRange.hi));
}

struct NormalizedTableParams {
  NormalizedTableAttrs attrs;
  std::array<int32_t, 32> exponents = {};  // those out of the reach of x are not used
  bool narrow = false;                     // all that is computed on the way fits the loops of 32 bits
};

NormalizedTableParams ParamsOfTable(const KernelFacts& facts) {
  constexpr Int128 kLimit = Int128{1} << 31;
  NormalizedTableParams p = {.attrs = facts.attrs<NormalizedTableAttrs>()};
  const auto& [combine, shift, zero_out, lo, hi] = p.attrs;
  if (facts.storages[0] > Storage::kI32 || facts.results[0].storage() > Storage::kI32) return p;
  const Interval &x = facts.operands[0].interval, &bounds = facts.operands[1].interval;
  Int128 exponent = 0;
  for (int k = FloorLog2Of(x.lo); k <= FloorLog2Of(x.hi); ++k) {
    const int64_t v = facts.constants[2]->at(k);
    exponent = std::max(exponent, v < 0 ? -Int128{v} : Int128{v});
    p.exponents[k] = static_cast<int32_t>(v);
  }
  const Int128 mantissa = WideInterval(bounds).Magnitude(), step = Int128{bounds.hi} - bounds.lo,
               zero = zero_out;
  if (std::max({mantissa, step, exponent}) >= kLimit) return p;
  const Int128 exact = combine == Combine::kProduct ? mantissa * exponent : mantissa + exponent;
  const Int128 quotient = (exact + HalfOf(shift)) >> shift;
  p.narrow = exact < Int128{1} << 62 && quotient + 1 + (zero < 0 ? -zero : zero) < kLimit;
  return p;
}

template <Isa isa>
void NormalizedTable(const MapParams<1, NormalizedTableParams>& p, const KernelCall& call) noexcept {
  const NormalizedTableAttrs& attrs = p.own.attrs;
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand &mantissas = call.operands[1], &exponents = call.operands[2];
  const bool product = attrs.combine == Combine::kProduct;
  if (p.own.narrow) {
    std::array<int32_t, kBinadeEntries> m;
    convert.convert[CodeOf(mantissas.storage)][2](mantissas.bytes, m.data(), kBinadeEntries);
    const NarrowNormalizedArgs args = {.mantissas = m.data(),
                                       .exponents = p.own.exponents.data(),
                                       .product = product,
                                       .half = HalfOf(attrs.shift),
                                       .shift = attrs.shift,
                                       .zero_out = static_cast<int32_t>(attrs.zero_out),
                                       .lo = ClampedTo32(attrs.lo),
                                       .hi = ClampedTo32(attrs.hi)};
    return MapChunks<isa, 1>(call, p.loops, {Storage::kI32}, Storage::kI32,
                             [&](const auto& x, void* y, int64_t n) {
                               GetTableLoops<isa>().narrow_normalized(static_cast<const int32_t*>(x[0]), n,
                                                                      args, static_cast<int32_t*>(y));
                             });
  }
  std::array<int64_t, kBinadeEntries> m;
  std::array<int64_t, kBinades> e;
  convert.convert[CodeOf(mantissas.storage)][3](mantissas.bytes, m.data(), kBinadeEntries);
  convert.convert[CodeOf(exponents.storage)][3](exponents.bytes, e.data(),
                                                exponents.type->shape.num_elements());
  const NormalizedArgs args = {.mantissas = m.data(),
                               .exponents = e.data(),
                               .product = product,
                               .half = HalfOf(attrs.shift),
                               .shift = attrs.shift,
                               .zero_out = attrs.zero_out,
                               .lo = attrs.lo,
                               .hi = attrs.hi};
  MapChunks<isa, 1>(call, p.loops, {Storage::kI64}, Storage::kI64, [&](const auto& x, void* y, int64_t n) {
    GetTableLoops<isa>().normalized(static_cast<const int64_t*>(x[0]), n, args, static_cast<int64_t*>(y));
  });
}

constexpr auto kNormalizedTableKernels = EveryIsaAndLayout<"normalized_table">(
    {.op = Opcode::kNormalizedTable, .in_place = true},
    []<Isa isa, Layout>() { return kKernel<PrepareMap<1, ParamsOfTable>, NormalizedTable<isa>>; });

}  // namespace

KernelTable NormalizedTableKernels() { return kNormalizedTableKernels; }

}  // namespace tally
