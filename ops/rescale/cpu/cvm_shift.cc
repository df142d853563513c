#include "ops/cpu/elementwise_loops.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/cpu/kernels.h"
#include "ops/rescale/cpu/output_clamp.h"

namespace tally {
namespace {

// The greatest value of a CVM precision.
int64_t AlphaOf(int64_t precision) { return (int64_t{1} << (precision - 1)) - 1; }

}  // namespace

template <Isa isa, Layout layout>
void CvmClipKernel(const KernelCall& call) noexcept {
  const Storage type = WidestStorage<1>(call);
  const int64_t alpha = std::min(AlphaOf(call.attrs<CvmClipAttrs>().precision), RangeOf(type).hi);
  // -alpha of a storage's range is one above its lowest value, which is a value of a wider precision.
  const int64_t lowest = std::max(-AlphaOf(call.attrs<CvmClipAttrs>().precision), RangeOf(type).lo);
  const auto clip = GetElementwiseLoops<isa>().clip[CodeOf(type)];
  MapChunks<isa, 1>(call, layout, {type}, type,
                    [&](const auto& x, void* y, int64_t n) { clip(x[0], y, n, lowest, alpha); });
}

template <Isa isa, Layout layout>
void CvmRightShiftKernel(const KernelCall& call) noexcept {
  const RescaleLoops& loops = GetRescaleLoops<isa>();
  const auto attrs = call.attrs<CvmShiftAttrs>();
  const int64_t alpha = AlphaOf(attrs.precision);
  const OutputClamp output = {-alpha, alpha, 0};
  const int32_t one = 1;
  const auto shift = static_cast<int32_t>(attrs.shift_bit);
  const bool narrow = WidestStorage<1>(call) <= Storage::kI32;
  const int64_t bias = narrow ? HalfOf(shift) : 0;
  const Scales scales = {&one, &bias, &shift};
  const Storage type = narrow ? Storage::kI32 : Storage::kI64;
  MapChunks<isa, 1>(call, layout, {type}, type, [&](const auto& x, void* y, int64_t n) {
    if (narrow) {
      loops.half_up[0](static_cast<const int32_t*>(x[0]), static_cast<int32_t*>(y), n, scales, output);
    } else {
      loops.wide[static_cast<int>(Rounding::kHalfUp)][0](static_cast<const int64_t*>(x[0]),
                                                         static_cast<int64_t*>(y), n, 0, scales, output);
    }
  });
}

// Saturating first, as the definition does, keeps the product inside 64 bits.
template <Isa isa, Layout layout>
void CvmLeftShiftKernel(const KernelCall& call) noexcept {
  const ElementwiseLoops& loops = GetElementwiseLoops<isa>();
  const auto attrs = call.attrs<CvmShiftAttrs>();
  const int64_t alpha = AlphaOf(attrs.precision);
  ChunkBuffer shifts;
  const int64_t most = std::min(kChunk, call.results[0].type->shape.num_elements());
  GetConvertLoops<isa>().fill[CodeOf(Storage::kI64)](shifts.bytes, most, attrs.shift_bit);
  MapChunks<isa, 1>(call, layout, {Storage::kI64}, Storage::kI64, [&](const auto& x, void* y, int64_t n) {
    auto* value = static_cast<int64_t*>(y);
    loops.clip[CodeOf(Storage::kI64)](x[0], y, n, -alpha, alpha);
    loops.shift_left(value, reinterpret_cast<const int64_t*>(shifts.bytes), value, n);
    loops.clip[CodeOf(Storage::kI64)](y, y, n, -alpha, alpha);
  });
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(CvmClipKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(CvmRightShiftKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(CvmLeftShiftKernel);

}  // namespace tally
