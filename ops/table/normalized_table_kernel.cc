#include "ops/normalization/octave_shape.h"
#include "ops/simd/elements.h"
#include "ops/simd/map_chunks.h"
#include "ops/table/attrs.h"
#include "ops/table/kernels.h"
#include "ops/table/table_loops.h"

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
  const NormalizedArgs args = {.mantissas = m.data(),
                               .exponents = e.data(),
                               .product = attrs.combine == Combine::kProduct,
                               .half = attrs.shift == 0 ? 0 : int64_t{1} << (attrs.shift - 1),
                               .shift = attrs.shift,
                               .zero_out = attrs.zero_out,
                               .lo = attrs.lo,
                               .hi = attrs.hi};
  const auto look_up = [&](const auto& x, void* y, int64_t n) {
    GetTableLoops<isa>().normalized(static_cast<const int64_t*>(x[0]), n, args, static_cast<int64_t*>(y));
  };
  MapChunks<isa, 1>(call, layout, {Storage::kI64}, Storage::kI64, look_up);
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(NormalizedTableKernel);

}  // namespace tally
