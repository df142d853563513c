#include "base/wide.h"
#include "ops/common/binade.h"
#include "ops/cpu/map_chunks.h"
#include "ops/table/attrs.h"
#include "ops/table/cpu/kernels.h"
#include "ops/table/cpu/table_loops.h"

namespace tally {
namespace {

int64_t HalfOf(int64_t shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }

// The tables in 32 bits, if all that is computed on the way fits the narrow loops.
struct NarrowTables {
  std::array<int32_t, kBinadeEntries> mantissas;
  std::array<int32_t, 32> exponents = {};  // those out of the reach of x are not used
  bool possible = false;

  template <Isa isa>
  static NarrowTables Of(const KernelCall& call, const NormalizedTableAttrs& attrs) {
    constexpr Int128 kLimit = Int128{1} << 31;
    const KernelOperand &x = call.operands[0], &m = call.operands[1], &e = call.operands[2];
    NarrowTables tables;
    if (x.storage > Storage::kI32 || call.results[0].storage > Storage::kI32) return tables;
    Int128 exponent = 0;
    for (int k = FloorLog2Of(x.type->interval.lo); k <= FloorLog2Of(x.type->interval.hi); ++k) {
      const int64_t v = LoadElement(e.storage, e.bytes, k);
      exponent = std::max(exponent, v < 0 ? -Int128{v} : Int128{v});
      tables.exponents[k] = static_cast<int32_t>(v);
    }
    const Interval bounds = m.type->interval;
    const Int128 mantissa = WideInterval(bounds).Magnitude(), step = Int128{bounds.hi} - bounds.lo,
                 zero = attrs.zero_out;
    if (std::max({mantissa, step, exponent}) >= kLimit) return tables;
    const Int128 exact = attrs.combine == Combine::kProduct ? mantissa * exponent : mantissa + exponent;
    const Int128 quotient = (exact + HalfOf(attrs.shift)) >> attrs.shift;
    tables.possible = exact < Int128{1} << 62 && quotient + 1 + (zero < 0 ? -zero : zero) < kLimit;
    GetConvertLoops<isa>().convert[CodeOf(m.storage)][2](m.bytes, tables.mantissas.data(), kBinadeEntries);
    return tables;
  }
};

int32_t ClampedTo32(int64_t v) {
  constexpr Interval kRange = RangeOf(Storage::kI32);
  return static_cast<int32_t>(std::clamp(v, kRange.lo, kRange.hi));
}

}  // namespace

bool AcceptsNormalizedTable(const KernelFacts& facts) { return OperandsLieIn(facts); }

template <Isa isa, Layout layout>
void NormalizedTableKernel(const KernelCall& call) noexcept {
  const auto attrs = call.attrs<NormalizedTableAttrs>();
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand &mantissas = call.operands[1], &exponents = call.operands[2];
  const bool product = attrs.combine == Combine::kProduct;
  if (const NarrowTables tables = NarrowTables::Of<isa>(call, attrs); tables.possible) {
    const NarrowNormalizedArgs args = {.mantissas = tables.mantissas.data(),
                                       .exponents = tables.exponents.data(),
                                       .product = product,
                                       .half = HalfOf(attrs.shift),
                                       .shift = attrs.shift,
                                       .zero_out = static_cast<int32_t>(attrs.zero_out),
                                       .lo = ClampedTo32(attrs.lo),
                                       .hi = ClampedTo32(attrs.hi)};
    return MapChunks<isa, 1>(call, layout, {Storage::kI32}, Storage::kI32,
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
  MapChunks<isa, 1>(call, layout, {Storage::kI64}, Storage::kI64, [&](const auto& x, void* y, int64_t n) {
    GetTableLoops<isa>().normalized(static_cast<const int64_t*>(x[0]), n, args, static_cast<int64_t*>(y));
  });
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(NormalizedTableKernel);

}  // namespace tally
