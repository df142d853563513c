#include "engines/cpu/gemm/gemm_epilogue.h"

#include <algorithm>

#include "base/int_math.h"
#include "ops/cpu/gemm/s64_accumulation.h"

namespace tally::cpu {

std::vector<int64_t> AccumulatorInitOf(const FunctionView& function, const FusionGroup& fused,
                                       int64_t columns) {
  const Instruction& sum = function.instruction(fused.gemm);
  const bool has_own = sum.op != Opcode::kMatmul && sum.operands.size() > 2;
  return AccumulatorInit(columns, {has_own ? function.constant(sum.operands[2]) : nullptr,
                                   fused.bias ? function.constant(*fused.bias) : nullptr});
}

EpilogueSpec EpilogueOf(const FusionGroup& fused, int64_t columns, Storage storage, int64_t depth,
                        const OperandFormats& formats, std::span<PackedWeights> weights) {
  EpilogueSpec spec;
  Epilogue& e = spec.epilogue;
  e.storage = storage;
  spec.table = fused.table;
  if (!fused.scaled) return spec;
  e.lo = static_cast<int32_t>(fused.scale[0].lo);
  e.hi = static_cast<int32_t>(fused.scale[0].hi);
  if (fused.residual) {
    e.has_residual = true;
    e.residual = fused.residual_scale;
  }
  // The proven interval may be narrower than the clamp, and the storage with it: kernels clamp in the
  // storage.
  const Interval range = RangeOf(storage);
  int32_t& lo = fused.residual ? e.residual.lo : e.lo;
  int32_t& hi = fused.residual ? e.residual.hi : e.hi;
  lo = static_cast<int32_t>(std::clamp<int64_t>(lo, range.lo, range.hi));
  hi = static_cast<int32_t>(std::clamp<int64_t>(hi, range.lo, range.hi));
  const Interval accumulators = fused.scaled_interval;
  const size_t groups = std::max<size_t>(1, weights.size());
  const auto pack = [&](const Interval& bounds, bool fold) -> std::vector<PackedScale> {
    std::vector<PackedScale> scales;
    for (size_t g = 0; g < groups; ++g) {
      std::span<const RescaleParams> params = fused.scale;
      if (params.size() > 1) params = params.subspan(g * columns, columns);
      auto scale =
          PackScale(params, columns, bounds, fold ? weights[g].init_s64 : std::span<const int64_t>());
      if (!scale) return {};
      scales.push_back(*std::move(scale));
    }
    return scales;
  };
  // All groups share a form.
  const auto share_form = [](const std::vector<PackedScale>& scales) {
    return std::ranges::adjacent_find(scales, std::ranges::not_equal_to(), &PackedScale::scale) ==
           scales.end();
  };
  // The short form takes the init that accumulators start with.
  std::vector<PackedScale> scales = pack(accumulators, false);
  const bool is_short = scales[0].scale == Epilogue::Scale::kShort && share_form(scales) && !formats.is_s64;
  if (!is_short && !formats.wide() && !weights.empty() &&
      RangeOf(Storage::kI32).Contains(RawAccumulators(depth))) {
    if (auto folded = pack(RawAccumulators(depth), true); !folded.empty()) {
      scales = std::move(folded);
      for (PackedWeights& w : weights) w.init.clear();
    }
  }
  const bool any = formats.is_s64 || !share_form(scales);
  for (PackedScale& scale : scales) {
    if (any) UseAnyShift(scale);
    spec.groups.insert(spec.groups.end(), scale.groups.begin(), scale.groups.end());
  }
  e.scale = scales[0].scale;
  return spec;
}

void AddS64Accumulation(const OperandFormats& formats, const MicroKernel& kernel,
                        std::span<const int64_t> first, GemmSpec& spec) {
  if (!formats.is_s64) return;
  S64Accumulation& s64 = spec.s64.emplace();
  const Interval x = MinusOffset(formats.x_range, formats.x.base);
  const int64_t k_groups = static_cast<int64_t>(spec.rows.segments.size()) * spec.rows.k_groups_per_segment;
  const bool in_blocks = kernel.element == Element::kS16;
  if (spec.weights.empty()) {
    if (in_blocks) s64 = LongestKBlocks(x, formats.w_range, k_groups);
    std::ranges::copy(first, spec.init_s64.emplace_back(RoundUp(spec.columns, int64_t{kPanel})).begin());
    return;
  }
  std::vector<std::span<const uint8_t>> groups;
  for (const PackedWeights& group : spec.weights) groups.emplace_back(group.bytes);
  if (in_blocks) s64 = LongestKBlocks(x, groups, k_groups);
  for (PackedWeights& group : spec.weights) spec.init_s64.push_back(std::move(group.init_s64));
}

ValueRef ResidualOf(StepBuilder& builder) {
  const auto& operands = builder.op().operands;
  builder.WritesOver(static_cast<int>(operands.size()) - 1);
  return operands.back();
}

}  // namespace tally::cpu
