#include "base/division.h"

#include "ops/cpu/elementwise_loops.h"
#include "ops/cpu/map_chunks.h"
#include "ops/elementwise/attrs.h"
#include "ops/elementwise/cpu/kernel_tables.h"

namespace tally {
namespace {

// A function of two i64 that no instruction set has in vectors.
template <Isa isa, typename Fn>
void MapPairs(const MapLoops<2>& loops, const KernelCall& call, Fn fn) {
  MapChunks<isa, 2>(call, loops, {Storage::kI64, Storage::kI64}, Storage::kI64,
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

template <typename Attrs>
Rounding RoundingOf(const KernelFacts& facts) {
  return facts.attrs<Attrs>().rounding;
}

template <Isa isa>
void Div(const MapParams<2, NoParams>& p, const KernelCall& call) noexcept {
  MapPairs<isa>(p.loops, call, [](int64_t a, int64_t b) { return b == 0 ? 0 : a / b; });
}

template <Isa isa>
void Divide(const MapParams<2, Rounding>& p, const KernelCall& call) noexcept {
  const Rounding rounding = p.own;
  MapPairs<isa>(p.loops, call,
                [rounding](int64_t a, int64_t b) { return b == 0 ? 0 : RoundDiv<int64_t>(rounding, a, b); });
}

Rounding QuotientOf(const KernelFacts& facts) { return facts.attrs<ModuloAttrs>().quotient(); }

template <Isa isa>
void Modulo(const MapParams<2, Rounding>& p, const KernelCall& call) noexcept {
  const Rounding quotient = p.own;
  MapPairs<isa>(p.loops, call, [quotient](int64_t a, int64_t b) {
    return b == 0 ? 0 : a - b * RoundDiv<int64_t>(quotient, a, b);
  });
}

template <Isa isa>
void Power(const MapParams<2, NoParams>& p, const KernelCall& call) noexcept {
  MapPairs<isa>(p.loops, call, Raise);
}

template <Isa isa, typename Fn>
void MapShifts(const MapLoops<2>& loops, const KernelCall& call, Fn fn) {
  MapChunks<isa, 2>(
      call, loops, {Storage::kI64, Storage::kI64}, Storage::kI64, [&](const auto& x, void* y, int64_t n) {
        fn(static_cast<const int64_t*>(x[0]), static_cast<const int64_t*>(x[1]), static_cast<int64_t*>(y), n);
      });
}

template <Isa isa>
void ShiftLeft(const MapParams<2, NoParams>& p, const KernelCall& call) noexcept {
  MapShifts<isa>(p.loops, call, GetElementwiseLoops<isa>().shift_left);
}

template <Isa isa>
void ShiftRight(const MapParams<2, Rounding>& p, const KernelCall& call) noexcept {
  const auto rounding = static_cast<int>(p.own);
  MapShifts<isa>(p.loops, call, GetElementwiseLoops<isa>().shift_right[rounding]);
}

constexpr auto kDivisionKernels = JoinKernels(
    EveryIsaAndLayout<"broadcast_div">({.op = Opcode::kBroadcastDiv, .in_place = true},
                                       []<Isa isa, Layout>() { return kKernel<PrepareMap<2>, Div<isa>>; }),
    EveryIsaAndLayout<"divide">(
        {.op = Opcode::kDivide, .in_place = true},
        []<Isa isa, Layout>() { return kKernel<PrepareMap<2, RoundingOf<DivideAttrs>>, Divide<isa>>; }),
    EveryIsaAndLayout<"modulo">(
        {.op = Opcode::kModulo, .in_place = true},
        []<Isa isa, Layout>() { return kKernel<PrepareMap<2, QuotientOf>, Modulo<isa>>; }),
    EveryIsaAndLayout<"power">({.op = Opcode::kPower, .in_place = true},
                               []<Isa isa, Layout>() { return kKernel<PrepareMap<2>, Power<isa>>; }),
    EveryIsaAndLayout<"shift_left">({.op = Opcode::kShiftLeft, .in_place = true},
                                    []<Isa isa, Layout>() { return kKernel<PrepareMap<2>, ShiftLeft<isa>>; }),
    EveryIsaAndLayout<"shift_right">({.op = Opcode::kShiftRight, .in_place = true}, []<Isa isa, Layout>() {
      return kKernel<PrepareMap<2, RoundingOf<ShiftRightAttrs>>, ShiftRight<isa>>;
    }));

}  // namespace

KernelTable DivisionKernels() { return kDivisionKernels; }

}  // namespace tally
