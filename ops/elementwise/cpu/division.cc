#include "base/division.h"

#include "ops/cpu/elementwise_loops.h"
#include "ops/cpu/map_chunks.h"
#include "ops/elementwise/attrs.h"
#include "ops/elementwise/cpu/kernels.h"

namespace tally {
namespace {

// A function of two i64 that no instruction set has in vectors.
template <Isa isa, Layout layout, typename Fn>
void MapPairs(const KernelCall& call, Fn fn) {
  MapChunks<isa, 2>(call, layout, {Storage::kI64, Storage::kI64}, Storage::kI64,
                    [&](const auto& operands, void* result, int64_t n) {
                      const auto* a = static_cast<const uint8_t*>(operands[0]);
                      const auto* b = static_cast<const uint8_t*>(operands[1]);
                      for (int64_t i = 0; i < n; ++i) {
                        StoreElement(Storage::kI64, static_cast<uint8_t*>(result), i,
                                     fn(LoadElement(Storage::kI64, a, i), LoadElement(Storage::kI64, b, i)));
                      }
                    });
}

int64_t Raise(int64_t a, int64_t b) {
  uint64_t y = 1;
  for (int64_t i = b; i > 0; --i) y *= static_cast<uint64_t>(a);
  return static_cast<int64_t>(y);
}

}  // namespace

template <Isa isa, Layout layout>
void DivKernel(const KernelCall& call) noexcept {
  MapPairs<isa, layout>(call, [](int64_t a, int64_t b) { return b == 0 ? 0 : a / b; });
}
TALLY_INSTANTIATE_LAYOUT_KERNEL(DivKernel);

template <Isa isa, Layout layout>
void DivideKernel(const KernelCall& call) noexcept {
  const Rounding rounding = call.attrs<DivideAttrs>().rounding;
  MapPairs<isa, layout>(
      call, [rounding](int64_t a, int64_t b) { return b == 0 ? 0 : RoundDiv<int64_t>(rounding, a, b); });
}
TALLY_INSTANTIATE_LAYOUT_KERNEL(DivideKernel);

template <Isa isa, Layout layout>
void ModuloKernel(const KernelCall& call) noexcept {
  const Rounding quotient = call.attrs<ModuloAttrs>().quotient();
  MapPairs<isa, layout>(call, [quotient](int64_t a, int64_t b) {
    return b == 0 ? 0 : a - b * RoundDiv<int64_t>(quotient, a, b);
  });
}
TALLY_INSTANTIATE_LAYOUT_KERNEL(ModuloKernel);

template <Isa isa, Layout layout>
void PowerKernel(const KernelCall& call) noexcept {
  MapPairs<isa, layout>(call, Raise);
}
TALLY_INSTANTIATE_LAYOUT_KERNEL(PowerKernel);

template <Isa isa, Layout layout>
void ShiftLeftKernel(const KernelCall& call) noexcept {
  const auto fn = GetElementwiseLoops<isa>().shift_left;
  MapChunks<isa, 2>(
      call, layout, {Storage::kI64, Storage::kI64}, Storage::kI64, [&](const auto& x, void* y, int64_t n) {
        fn(static_cast<const int64_t*>(x[0]), static_cast<const int64_t*>(x[1]), static_cast<int64_t*>(y), n);
      });
}
TALLY_INSTANTIATE_LAYOUT_KERNEL(ShiftLeftKernel);

template <Isa isa, Layout layout>
void ShiftRightKernel(const KernelCall& call) noexcept {
  const auto rounding = static_cast<int>(call.attrs<ShiftRightAttrs>().rounding);
  const auto fn = GetElementwiseLoops<isa>().shift_right[rounding];
  MapChunks<isa, 2>(
      call, layout, {Storage::kI64, Storage::kI64}, Storage::kI64, [&](const auto& x, void* y, int64_t n) {
        fn(static_cast<const int64_t*>(x[0]), static_cast<const int64_t*>(x[1]), static_cast<int64_t*>(y), n);
      });
}
TALLY_INSTANTIATE_LAYOUT_KERNEL(ShiftRightKernel);

}  // namespace tally
