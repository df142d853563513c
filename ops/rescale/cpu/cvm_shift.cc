#include "ops/cpu/elementwise_loops.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/cpu/kernel_tables.h"
#include "ops/rescale/cpu/output_clamp.h"

namespace tally {
namespace {

// The greatest value of a CVM precision.
int64_t AlphaOf(int64_t precision) { return (int64_t{1} << (precision - 1)) - 1; }

struct ClipParams {
  Storage type;
  int64_t lowest, alpha;
};

ClipParams ClipOf(const KernelFacts& facts) {
  const int64_t alpha = AlphaOf(facts.attrs<CvmClipAttrs>().precision);
  const Storage type = WidestStorage<1>(facts);
  // -alpha of a storage's range is one above its lowest value, which is a value of a wider precision.
  const int64_t lowest = std::max(-alpha, RangeOf(type).lo);
  return {type, lowest, std::min(alpha, RangeOf(type).hi)};
}

template <Isa isa>
void Clip(const MapParams<1, ClipParams>& p, const KernelCall& call) noexcept {
  const Storage type = p.own.type;
  const int64_t lowest = p.own.lowest, alpha = p.own.alpha;
  const auto clip = GetElementwiseLoops<isa>().clip[CodeOf(type)];
  MapChunks<isa, 1>(call, p.loops, {type}, type,
                    [&](const auto& x, void* y, int64_t n) { clip(x[0], y, n, lowest, alpha); });
}

struct ShiftParams {
  int64_t alpha;
  int64_t bits;
  bool narrow;
};

ShiftParams ShiftOf(const KernelFacts& facts) {
  const auto attrs = facts.attrs<CvmShiftAttrs>();
  return {AlphaOf(attrs.precision), attrs.shift_bit, WidestStorage<1>(facts) <= Storage::kI32};
}

template <Isa isa>
void RightShift(const MapParams<1, ShiftParams>& p, const KernelCall& call) noexcept {
  const RescaleLoops& loops = GetRescaleLoops<isa>();
  const int64_t alpha = p.own.alpha;
  const OutputClamp output = {-alpha, alpha, 0};
  const int32_t one = 1;
  const auto shift = static_cast<int32_t>(p.own.bits);
  const bool narrow = p.own.narrow;
  const int64_t bias = narrow ? HalfOf(shift) : 0;
  const Scales scales = {&one, &bias, &shift};
  const Storage type = narrow ? Storage::kI32 : Storage::kI64;
  MapChunks<isa, 1>(call, p.loops, {type}, type, [&](const auto& x, void* y, int64_t n) {
    if (narrow) {
      loops.half_up[0](static_cast<const int32_t*>(x[0]), static_cast<int32_t*>(y), n, scales, output);
    } else {
      loops.wide[static_cast<int>(Rounding::kHalfUp)][0](static_cast<const int64_t*>(x[0]),
                                                         static_cast<int64_t*>(y), n, 0, scales, output);
    }
  });
}

// Saturating first, as the definition does, keeps the product inside 64 bits.
template <Isa isa>
void LeftShift(const MapParams<1, ShiftParams>& p, const KernelCall& call) noexcept {
  const ElementwiseLoops& loops = GetElementwiseLoops<isa>();
  const int64_t alpha = p.own.alpha;
  ChunkBuffer shifts;
  const int64_t most = std::min(kChunk, call.results[0].type->shape.num_elements());
  GetConvertLoops<isa>().fill[CodeOf(Storage::kI64)](shifts.bytes, most, p.own.bits);
  MapChunks<isa, 1>(call, p.loops, {Storage::kI64}, Storage::kI64, [&](const auto& x, void* y, int64_t n) {
    auto* value = static_cast<int64_t*>(y);
    loops.clip[CodeOf(Storage::kI64)](x[0], y, n, -alpha, alpha);
    loops.shift_left(value, reinterpret_cast<const int64_t*>(shifts.bytes), value, n);
    loops.clip[CodeOf(Storage::kI64)](y, y, n, -alpha, alpha);
  });
}

constexpr auto kCvmClipAndShiftKernels =
    JoinKernels(EveryIsaAndLayout<"cvm_clip">(
                    {.op = Opcode::kCvmClip, .in_place = true},
                    []<Isa isa, Layout>() { return kKernel<PrepareMap<1, ClipOf>, Clip<isa>>; }),
                EveryIsaAndLayout<"cvm_right_shift">(
                    {.op = Opcode::kCvmRightShift, .in_place = true},
                    []<Isa isa, Layout>() { return kKernel<PrepareMap<1, ShiftOf>, RightShift<isa>>; }),
                EveryIsaAndLayout<"cvm_left_shift">(
                    {.op = Opcode::kCvmLeftShift, .in_place = true},
                    []<Isa isa, Layout>() { return kKernel<PrepareMap<1, ShiftOf>, LeftShift<isa>>; }));

}  // namespace

KernelTable CvmClipAndShiftKernels() { return kCvmClipAndShiftKernels; }

}  // namespace tally
