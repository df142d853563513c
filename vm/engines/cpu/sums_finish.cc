#include "vm/engines/cpu/sums_finish.h"

#include <algorithm>

#include "base/int_math.h"
#include "ops/linear/packed/long_sums.h"

namespace tally::cpu {

std::vector<int64_t> FirstSumsOf(const ProgramBuilder& builder, const SumChain& chain, int64_t columns) {
  const Instruction& sum = builder.instruction(chain.sum);
  const bool has_own = sum.op != Opcode::kMatmul && sum.operands.size() > 2;
  return FirstSums(columns, {has_own ? builder.constant(sum.operands[2]) : nullptr,
                             chain.bias ? builder.constant(*chain.bias) : nullptr});
}

EpilogueSpec EpilogueOf(const SumChain& chain, int64_t columns, Storage storage, int64_t depth,
                        const Factors& factors, std::span<PackedWeights> weights) {
  EpilogueSpec spec;
  Epilogue& e = spec.epilogue;
  e.storage = storage;
  spec.table = chain.table;
  if (!chain.scaled) return spec;
  e.lo = static_cast<int32_t>(chain.scale[0].lo);
  e.hi = static_cast<int32_t>(chain.scale[0].hi);
  if (chain.residual) {
    e.has_residual = true;
    e.residual = chain.residual_scale;
  }
  // The proven interval may be narrower than the clamp, and the storage with it: kernels clamp in the storage.
  const Interval range = RangeOf(storage);
  int32_t& lo = chain.residual ? e.residual.lo : e.lo;
  int32_t& hi = chain.residual ? e.residual.hi : e.hi;
  lo = static_cast<int32_t>(std::clamp<int64_t>(lo, range.lo, range.hi));
  hi = static_cast<int32_t>(std::clamp<int64_t>(hi, range.lo, range.hi));
  const Interval sums = chain.scaled_interval;
  const size_t groups = std::max<size_t>(1, weights.size());
  const auto pack = [&](const Interval& bounds, bool fold) -> std::vector<PackedScale> {
    std::vector<PackedScale> scales;
    for (size_t g = 0; g < groups; ++g) {
      std::span<const RescaleParams> params = chain.scale;
      if (params.size() > 1) params = params.subspan(g * columns, columns);
      auto scale =
          PackScale(params, columns, bounds, fold ? weights[g].long_init : std::span<const int64_t>());
      if (!scale) return {};
      scales.push_back(*std::move(scale));
    }
    return scales;
  };
  std::vector<PackedScale> scales;
  if (!factors.wide() && !weights.empty() && RangeOf(Storage::kI32).Contains(RawSums(depth)))
    scales = pack(RawSums(depth), true);
  if (!scales.empty()) {
    for (PackedWeights& w : weights) w.init.clear();
  } else {
    scales = pack(sums, false);
  }
  // All channels share the form of the shift, whatever group they are in.
  const bool any = factors.is_long || std::ranges::any_of(scales, [](const auto& s) {
                     return s.scale == Epilogue::Scale::kAnyShift;
                   });
  e.scale = any ? Epilogue::Scale::kAnyShift : Epilogue::Scale::kHighWord;
  for (PackedScale& scale : scales) {
    if (any) UseAnyShift(scale);
    spec.groups.insert(spec.groups.end(), scale.groups.begin(), scale.groups.end());
  }
  return spec;
}

void AddLongSums(const Factors& factors, const BlockKernel& kernel, std::span<const int64_t> first,
                 SumsSpec& spec) {
  if (!factors.is_long) return;
  LongSums& sums = spec.long_sums.emplace();
  const Interval x = Less(factors.x_range, factors.x.base);
  const int64_t granules = static_cast<int64_t>(spec.rows.runs.size()) * spec.rows.granules_per_run;
  const bool in_blocks = kernel.element == Element::kS16;
  if (spec.weights.empty()) {
    if (in_blocks) sums = LongestBlocks(x, factors.w_range, granules);
    std::ranges::copy(first, spec.long_init.emplace_back(RoundUp(spec.columns, int64_t{kPanel})).begin());
    return;
  }
  std::vector<std::span<const uint8_t>> groups;
  for (const PackedWeights& group : spec.weights) groups.emplace_back(group.bytes);
  if (in_blocks) sums = LongestBlocks(x, groups, granules);
  for (PackedWeights& group : spec.weights) spec.long_init.push_back(std::move(group.long_init));
}

void ReuseResidual(ProgramBuilder& builder, const SumChain& chain, const ValueRef& x, SumsSpec& spec) {
  const ValueRef others[] = {x};
  const auto y = builder.Reuse(spec.residual, spec.y, chain.last, others);
  if (y) spec.y = *y;
}

}  // namespace tally::cpu
