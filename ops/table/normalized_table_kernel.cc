#include "ops/normalization/octave.h"
#include "ops/normalization/place.h"
#include "ops/simd/elements.h"
#include "ops/simd/map_chunks.h"
#include "ops/table/attrs.h"
#include "ops/table/kernels.h"

namespace tally {

bool AcceptsNormalizedTable(const KernelFacts& facts) { return OperandsLieIn(facts); }

template <Isa isa, Layout layout>
void NormalizedTableKernel(const KernelCall& call) noexcept {
  const auto attrs = call.attrs<NormalizedTableAttrs>();
  const Elements mantissas(call.operands[1]), exponents(call.operands[2]);
  std::array<int64_t, kOctaveEntries> m;
  std::array<int64_t, kOctaves> e;
  for (int64_t i = 0; i < kOctaveEntries; ++i) m[i] = mantissas[i];
  for (int64_t i = 0; i < call.operands[2].type->shape.num_elements(); ++i) e[i] = exponents[i];
  const auto look_up = [&](const auto& operands, void* result, int64_t n) {
    const auto* x = static_cast<const int64_t*>(operands[0]);
    auto* y = static_cast<int64_t*>(result);
    for (int64_t i = 0; i < n; ++i) {
      const Octave<int64_t> octave(x[i]);
      const int64_t mantissa = octave.Interpolate(m), exponent = e[octave.exponent];
      y[i] = RoundAndPlace<int64_t>(
          attrs.combine == Combine::kProduct ? mantissa * exponent : mantissa + exponent, attrs);
    }
  };
  MapChunks<isa, 1>(call, layout, {Storage::kI64}, Storage::kI64, look_up);
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(NormalizedTableKernel);

}  // namespace tally
