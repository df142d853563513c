#include "base/wide.h"
#include "ops/cpu/kernel_attrs.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/cpu/kernels.h"
#include "ops/rescale/cpu/output_clamp.h"

namespace tally {
namespace {

Int128 Magnitude(const Interval& interval, int64_t zero) {
  const Int128 lo = Int128{interval.lo} - zero, hi = Int128{interval.hi} - zero;
  return std::max(lo < 0 ? -lo : lo, hi < 0 ? -hi : hi);
}

template <Isa isa, Layout layout, size_t kOperands>
void Lincomb(const KernelCall& call) {
  const RescaleLoops& loops = GetRescaleLoops<isa>();
  const auto multipliers = AttrList<LincombAttrs>(call, &LincombAttrs::multipliers);
  const auto zero_points = AttrList<LincombAttrs>(call, &LincombAttrs::zero_points);
  const int64_t shift = AttrOf<LincombAttrs>(call, &LincombAttrs::shift);
  const int64_t given_bias = AttrOf<LincombAttrs>(call, &LincombAttrs::bias);
  const Rounding rounding = AttrOf<LincombAttrs>(call, &LincombAttrs::rounding);
  const int64_t zero_out = AttrOf<LincombAttrs>(call, &LincombAttrs::zero_out);
  const OutputClamp output = {AttrOf<LincombAttrs>(call, &LincombAttrs::lo) - zero_out,
                              AttrOf<LincombAttrs>(call, &LincombAttrs::hi) - zero_out, zero_out};
  // Zero points become part of the bias. It wraps where it must, and the sum, which is proven to fit, wraps back.
  int64_t bias = given_bias;
  Int128 magnitude = Magnitude({given_bias, given_bias}, 0) + HalfOf(shift);
  for (size_t k = 0; k < kOperands; ++k) {
    bias = WrapMulAdd(-zero_points[k], multipliers[k], bias);
    const Int128 m = multipliers[k];
    magnitude += Magnitude(call.operands[k].type->interval, zero_points[k]) * (m < 0 ? -m : m);
  }
  const bool half_up = rounding == Rounding::kHalfUp;
  if (half_up) bias = WrapMulAdd(1, HalfOf(shift), bias);
  const bool narrow = half_up && WidestStorage<kOperands>(call) <= Storage::kI32 && BoundsMeetI32(output);
  const Storage type = narrow ? Storage::kI32 : Storage::kI64;
  const auto sum = narrow && magnitude < (Int128{1} << 31) && shift < 32 ? loops.sum32 : loops.sum64;
  std::array<Storage, kOperands> types;
  types.fill(type);
  MapChunks<isa, kOperands>(call, layout, types, type, [&](const auto& x, void* y, int64_t n) {
    constexpr int kCount = static_cast<int>(kOperands);
    if (narrow) {
      sum(x.data(), kCount, multipliers.data(), bias, shift, static_cast<int32_t*>(y), n, output);
    } else {
      // The wide loops add half a unit themselves.
      const int64_t exact_bias = half_up ? WrapMulAdd(-1, HalfOf(shift), bias) : bias;
      loops.sum_wide[static_cast<int>(rounding)](x.data(), kCount, multipliers.data(), exact_bias, shift,
                                                 static_cast<int64_t*>(y), n, output);
    }
  });
}

}  // namespace

bool AcceptsSameShapes(const KernelFacts& facts) { return OperandsLieIn(facts); }
bool AcceptsBroadcast(const KernelFacts& facts) { return OperandsLieIn(facts); }

template <Isa isa, Layout layout>
void LincombKernel(const KernelCall& call) noexcept {
  switch (call.operands.size()) {
    case 1: return Lincomb<isa, layout, 1>(call);
    case 2: return Lincomb<isa, layout, 2>(call);
    case 3: return Lincomb<isa, layout, 3>(call);
    default: return Lincomb<isa, layout, 4>(call);
  }
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(LincombKernel);

}  // namespace tally
