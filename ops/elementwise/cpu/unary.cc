#include <bit>

#include "ops/cpu/elementwise_loops.h"
#include "ops/cpu/map_chunks.h"
#include "ops/elementwise/attrs.h"
#include "ops/elementwise/cpu/kernel_tables.h"

namespace tally {
namespace {

template <Isa isa, UnaryLoop loop>
void Unary(const MapParams<1, Storage>& p, const KernelCall& call) noexcept {
  const Storage type = p.own;
  const auto fn = GetElementwiseLoops<isa>().unary[static_cast<int>(loop)][CodeOf(type)];
  MapChunks<isa, 1>(call, p.loops, {type}, type, [&](const auto& x, void* y, int64_t n) { fn(x[0], y, n); });
}

template <KernelName kName, UnaryLoop loop>
constexpr auto KernelsOf(Opcode op) {
  return EveryIsaAndLayout<kName>({.op = op, .in_place = true}, []<Isa isa, Layout>() {
    return kKernel<PrepareMap<1, WidestStorage<1>>, Unary<isa, loop>>;
  });
}

struct ClipRange {
  Storage type;
  int64_t lo, hi;
};

// The bounds of the clip are attributes and may be outside of what x is stored in. Clamping them to the
// storage of x and y changes nothing: every x is in it, and so does every y.
ClipRange ClipRangeOf(const KernelFacts& facts) {
  const auto attrs = facts.attrs<ClipAttrs>();
  const Storage type = WidestStorage<1>(facts);
  const Interval range = RangeOf(type);
  const int64_t lo = std::clamp(attrs.a_min, range.lo, range.hi);
  const int64_t hi = std::clamp(attrs.a_max, range.lo, range.hi);
  return {type, lo, hi};
}

template <Isa isa>
void Clip(const MapParams<1, ClipRange>& p, const KernelCall& call) noexcept {
  const auto& [type, lo, hi] = p.own;
  const auto fn = GetElementwiseLoops<isa>().clip[CodeOf(type)];
  MapChunks<isa, 1>(call, p.loops, {type}, type,
                    [&](const auto& x, void* y, int64_t n) { fn(x[0], y, n, p.own.lo, p.own.hi); });
}

// A function of one i64 that no instruction set has in vectors.
template <Isa isa, typename Fn>
void MapScalars(const MapLoops<1>& loops, const KernelCall& call, Fn fn) {
  MapChunks<isa, 1>(
      call, loops, {Storage::kI64}, Storage::kI64, [&](const auto& operands, void* result, int64_t n) {
        const auto* x = static_cast<const uint8_t*>(operands[0]);
        for (int64_t i = 0; i < n; ++i) {
          StoreElement(Storage::kI64, static_cast<uint8_t*>(result), i, fn(LoadElement(Storage::kI64, x, i)));
        }
      });
}

int64_t BitWidth(int64_t x) { return std::bit_width(static_cast<uint64_t>(x)); }

template <Isa isa>
void Bits(const MapParams<1, NoParams>& p, const KernelCall& call) noexcept {
  MapScalars<isa>(p.loops, call, [](int64_t x) {
    return std::max<int64_t>(1, BitWidth(x < 0 ? int64_t(0 - uint64_t(x)) : x));
  });
}

int64_t BitsOfClz(const KernelFacts& facts) { return facts.attrs<ClzAttrs>().bits; }

template <Isa isa>
void Clz(const MapParams<1, int64_t>& p, const KernelCall& call) noexcept {
  const int64_t bits = p.own;
  MapScalars<isa>(p.loops, call, [bits](int64_t x) { return x < 0 ? 0 : bits - BitWidth(x); });
}

RootRounding RoundingOfRoot(const KernelFacts& facts) { return facts.attrs<SqrtAttrs>().rounding; }

template <Isa isa>
void Root(const MapParams<1, RootRounding>& p, const KernelCall& call) noexcept {
  const bool nearest = p.own == RootRounding::kNearest;
  MapChunks<isa, 1>(call, p.loops, {Storage::kI64}, Storage::kI64, [&](const auto& x, void* y, int64_t n) {
    GetElementwiseLoops<isa>().root(static_cast<const int64_t*>(x[0]), static_cast<int64_t*>(y), n, nearest);
  });
}

constexpr auto kUnaryKernels = JoinKernels(
    KernelsOf<"abs", UnaryLoop::kAbs>(Opcode::kAbs),
    KernelsOf<"negative", UnaryLoop::kNegative>(Opcode::kNegative),
    KernelsOf<"relu", UnaryLoop::kRelu>(Opcode::kRelu),
    EveryIsaAndLayout<"clip">(
        {.op = Opcode::kClip, .in_place = true},
        []<Isa isa, Layout>() { return kKernel<PrepareMap<1, ClipRangeOf>, Clip<isa>>; }),
    EveryIsaAndLayout<"cvm_precision">({.op = Opcode::kCvmPrecision, .in_place = true},
                                       []<Isa isa, Layout>() { return kKernel<PrepareMap<1>, Bits<isa>>; }),
    EveryIsaAndLayout<"clz">({.op = Opcode::kClz, .in_place = true},
                             []<Isa isa, Layout>() { return kKernel<PrepareMap<1, BitsOfClz>, Clz<isa>>; }),
    EveryIsaAndLayout<"sqrt">({.op = Opcode::kSqrt, .in_place = true}, []<Isa isa, Layout>() {
      return kKernel<PrepareMap<1, RoundingOfRoot>, Root<isa>>;
    }));

}  // namespace

KernelTable UnaryKernels() { return kUnaryKernels; }

}  // namespace tally
