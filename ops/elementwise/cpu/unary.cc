#include <bit>

#include "ops/cpu/elementwise_loops.h"
#include "ops/cpu/map_chunks.h"
#include "ops/elementwise/attrs.h"
#include "ops/elementwise/cpu/kernels.h"

namespace tally {
namespace {

template <Isa isa, Layout layout, UnaryLoop loop>
void Unary(const KernelCall& call) {
  const Storage type = WidestStorage<1>(call);
  const auto fn = GetElementwiseLoops<isa>().unary[static_cast<int>(loop)][CodeOf(type)];
  MapChunks<isa, 1>(call, layout, {type}, type, [&](const auto& x, void* y, int64_t n) { fn(x[0], y, n); });
}

// A function of one i64 that no instruction set has in vectors.
template <Isa isa, Layout layout, typename Fn>
void MapScalars(const KernelCall& call, Fn fn) {
  MapChunks<isa, 1>(
      call, layout, {Storage::kI64}, Storage::kI64, [&](const auto& operands, void* result, int64_t n) {
        const auto* x = static_cast<const uint8_t*>(operands[0]);
        for (int64_t i = 0; i < n; ++i) {
          StoreElement(Storage::kI64, static_cast<uint8_t*>(result), i, fn(LoadElement(Storage::kI64, x, i)));
        }
      });
}

int64_t BitWidth(int64_t x) { return std::bit_width(static_cast<uint64_t>(x)); }

}  // namespace

#define UNARY_KERNEL(Name, loop)               \
  template <Isa isa, Layout layout>            \
  void Name(const KernelCall& call) noexcept { \
    Unary<isa, layout, UnaryLoop::loop>(call); \
  }                                            \
  TALLY_INSTANTIATE_LAYOUT_KERNEL(Name)

UNARY_KERNEL(AbsKernel, kAbs);
UNARY_KERNEL(NegativeKernel, kNegative);
UNARY_KERNEL(ReluKernel, kRelu);

// The bounds of the clip are attributes and may lie outside of what x is stored in. Clamping them to the storage of x
// and y changes nothing: every x lies in it, and so does every y.
template <Isa isa, Layout layout>
void ClipKernel(const KernelCall& call) noexcept {
  const auto attrs = call.attrs<ClipAttrs>();
  const Storage type = WidestStorage<1>(call);
  const Interval range = RangeOf(type);
  const int64_t lo = std::clamp(attrs.a_min, range.lo, range.hi);
  const int64_t hi = std::clamp(attrs.a_max, range.lo, range.hi);
  const auto fn = GetElementwiseLoops<isa>().clip[CodeOf(type)];
  MapChunks<isa, 1>(call, layout, {type}, type,
                    [&](const auto& x, void* y, int64_t n) { fn(x[0], y, n, lo, hi); });
}
TALLY_INSTANTIATE_LAYOUT_KERNEL(ClipKernel);

template <Isa isa, Layout layout>
void BitsKernel(const KernelCall& call) noexcept {
  MapScalars<isa, layout>(
      call, [](int64_t x) { return std::max<int64_t>(1, BitWidth(x < 0 ? int64_t(0 - uint64_t(x)) : x)); });
}
TALLY_INSTANTIATE_LAYOUT_KERNEL(BitsKernel);

template <Isa isa, Layout layout>
void ClzKernel(const KernelCall& call) noexcept {
  const int64_t bits = call.attrs<ClzAttrs>().bits;
  MapScalars<isa, layout>(call, [bits](int64_t x) { return x < 0 ? 0 : bits - BitWidth(x); });
}
TALLY_INSTANTIATE_LAYOUT_KERNEL(ClzKernel);

template <Isa isa, Layout layout>
void RootKernel(const KernelCall& call) noexcept {
  const bool nearest = call.attrs<SqrtAttrs>().rounding == RootRounding::kNearest;
  MapChunks<isa, 1>(call, layout, {Storage::kI64}, Storage::kI64, [&](const auto& x, void* y, int64_t n) {
    GetElementwiseLoops<isa>().root(static_cast<const int64_t*>(x[0]), static_cast<int64_t*>(y), n, nearest);
  });
}
TALLY_INSTANTIATE_LAYOUT_KERNEL(RootKernel);

}  // namespace tally
