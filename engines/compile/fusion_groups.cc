#include "engines/compile/fusion_groups.h"

#include <algorithm>
#include <limits>

#include "base/wide.h"
#include "engines/compile/layouts.h"
#include "ops/elementwise/attrs.h"
#include "ops/gemm/column_scale.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"

namespace tally {
namespace {

constexpr Interval kI32 = RangeOf(Storage::kI32);

class GroupFinder : private FunctionView {
 public:
  // `taken`: instructions of other fusion groups, ahead of which a fusion group ends.
  GroupFinder(const FunctionView& function, const std::vector<int>& uses, const std::set<size_t>& taken,
              bool is_s64)
      : FunctionView(function), uses_(uses), taken_(taken), is_s64_(is_s64) {}

  FusionGroup Find(size_t sum, int channel_axis) {
    FusionGroup fused = {.gemm = sum, .last = sum};
    channel_axis = TakeView(fused, channel_axis);
    TakeBias(fused, channel_axis);
    if (!TakeRescale(fused, channel_axis)) return fused;
    TakeClamps(fused);
    if (is_s64_) return fused;
    if (!TakeLincomb(fused)) TakeAddition(fused);
    TakeClamps(fused);
    TakeTable(fused);
    return fused;
  }

 private:
  // The only reader of what the fusion group computes so far, or nothing.
  std::optional<size_t> Reader(const FusionGroup& fused) const {
    const ValueId value = result(fused.last);
    if (uses_[value] != 1) return std::nullopt;
    const auto step = static_cast<size_t>(facts().last_steps[value]);
    if (step >= body().size() || taken_.contains(step)) return std::nullopt;
    return step;
  }

  // A dense layer is a convolution between reshapes. Returns the axis of the channels after the reshape.
  int TakeView(FusionGroup& fused, int channel_axis) {
    const auto step = Reader(fused);
    const Shape& from = type(result(fused.last)).shape;
    if (!step || !IsView(instruction(*step).op) || !SameInBothLayouts(from)) return channel_axis;
    const Shape& to = type(result(*step)).shape;
    int64_t before = 1, seen = 1;
    for (int axis = 0; axis < channel_axis; ++axis) before *= from[axis];
    for (int axis = 0; axis < to.rank(); seen *= to[axis++]) {
      if (seen != before || to[axis] != from[channel_axis]) continue;
      fused.last = *step;
      fused.viewed = true;
      return axis;
    }
    return channel_axis;
  }

  // The bias of the last axis, as matmul has it. Sums wrap, so that only the result must fit; 64 bits always
  // do.
  void TakeBias(FusionGroup& fused, int channel_axis) {
    const auto step = Reader(fused);
    if (!step || instruction(*step).op != Opcode::kBroadcastAdd) return;
    const ValueId x = result(fused.last);
    const auto& operands = instruction(*step).operands;
    const ValueId other = operands[0] == x ? operands[1] : operands[0];
    const Shape& y = type(x).shape;
    if (channel_axis != y.rank() - 1 || constant(other) == nullptr) return;
    const Shape& bias = type(other).shape;
    const int64_t columns = y[channel_axis];
    if (bias.num_elements() != columns || bias.rank() == 0 || bias[bias.rank() - 1] != columns) return;
    if (type(result(*step)).shape != y) return;
    if (!is_s64_ && !kI32.Contains(type(result(*step)).interval)) return;
    fused.bias = other;
    fused.last = *step;
  }

  bool TakeRescale(FusionGroup& fused, int channel_axis) {
    const auto step = RescaleBehind(fused, channel_axis, fused.scale);
    const TensorType& x = type(result(fused.last));
    if (!step || !ColumnScalesOf(fused.scale, static_cast<int64_t>(fused.scale.size()), x.interval)) {
      fused.scale.clear();
      return false;
    }
    fused.scaled = true;
    fused.scaled_interval = x.interval;
    fused.last = *step;
    return true;
  }

  // The rescale that reads what the fusion group computes so far; its parameters, one or one for each
  // channel, join `scale`.
  std::optional<size_t> RescaleBehind(const FusionGroup& fused, int channel_axis,
                                      std::vector<RescaleParams>& scale) const {
    const auto step = Reader(fused);
    if (!step || instruction(*step).op != Opcode::kRescale) return std::nullopt;
    const auto& operands = instruction(*step).operands;
    const ValueId x = result(fused.last);
    if (operands[0] != x) return std::nullopt;
    const auto attrs = Unpack<RescaleAttrs>(instruction(*step).attributes);
    const TensorView *m = constant(operands[1]), *b = constant(operands[2]), *s = constant(operands[3]);
    const int64_t channels = m->shape.num_elements();
    const int rank = type(x).shape.rank();
    if (channels > 1 && (attrs.axis < 0 ? attrs.axis + rank : attrs.axis) != channel_axis)
      return std::nullopt;
    if (!kI32.Contains({attrs.lo, attrs.hi})) return std::nullopt;
    for (int64_t n = 0; n < channels; ++n) {
      scale.push_back({.zero_in = static_cast<int32_t>(attrs.zero_in),
                       .multiplier = static_cast<int32_t>(m->at(n)),
                       .bias = b->at(n),
                       .shift = static_cast<int>(s->at(n)),
                       .rounding = attrs.rounding,
                       .zero_out = static_cast<int32_t>(attrs.zero_out),
                       .lo = attrs.lo,
                       .hi = attrs.hi});
    }
    return step;
  }

  bool TakeLincomb(FusionGroup& fused) {
    const auto step = Reader(fused);
    if (!step || instruction(*step).op != Opcode::kLincomb || instruction(*step).operands.size() != 2)
      return false;
    return TakeResidual(fused, *step, Unpack<LincombAttrs>(instruction(*step).attributes), *step);
  }

  // An addition is a lincomb, and so is an addition that one rescale of all channels reads.
  void TakeAddition(FusionGroup& fused) {
    const auto step = Reader(fused);
    if (!step ||
        (instruction(*step).op != Opcode::kBroadcastAdd && instruction(*step).op != Opcode::kElemwiseAdd)) {
      return;
    }
    const auto& operands = instruction(*step).operands;
    const TensorType& sum = type(result(*step));
    if (type(operands[0]).shape != sum.shape || type(operands[1]).shape != sum.shape) return;
    LincombAttrs attrs = {
        .multipliers = {1, 1}, .zero_points = {0, 0}, .lo = sum.interval.lo, .hi = sum.interval.hi};
    FusionGroup added = fused;
    added.last = *step;
    std::vector<RescaleParams> scale;
    if (const auto rescale = RescaleBehind(added, -1, scale); rescale && scale.size() == 1) {
      const RescaleParams& p = scale[0];
      attrs = {.multipliers = {p.multiplier, p.multiplier},
               .zero_points = {p.zero_in, 0},
               .bias = p.bias,
               .shift = p.shift,
               .rounding = p.rounding,
               .zero_out = p.zero_out,
               .lo = p.lo,
               .hi = p.hi};
      if (TakeResidual(fused, *step, attrs, *rescale)) return;
    }
    TakeResidual(fused, *step, attrs, *step);
  }

  // Adds the other operand of `step` as `attrs` says; `last` is the instruction that then is done.
  bool TakeResidual(FusionGroup& fused, size_t step, const LincombAttrs& attrs, size_t last) {
    const auto& operands = instruction(step).operands;
    if (operands[0] == operands[1]) return false;
    if (attrs.rounding != Rounding::kHalfUp && attrs.rounding != Rounding::kFloor) return false;
    if (!kI32.Contains({attrs.lo, attrs.hi})) return false;
    const size_t mine = operands[0] == result(fused.last) ? 0 : 1, other = 1 - mine;
    const TensorType& residual = type(operands[other]);
    if (constant(operands[other]) != nullptr || residual.storage() > Storage::kI16) return false;
    Int128 addend = Int128{attrs.bias} - Int128{attrs.zero_points[0]} * attrs.multipliers[0] -
                    Int128{attrs.zero_points[1]} * attrs.multipliers[1] +
                    (Int128{attrs.zero_out} << attrs.shift);
    if (attrs.rounding == Rounding::kHalfUp && attrs.shift > 0) addend += Int128{1} << (attrs.shift - 1);
    const auto most = [](const Interval& i, int64_t m) {
      return Int128{std::max(i.hi, -i.lo)} * std::max(m, -m);
    };
    const Int128 terms = most(type(operands[mine]).interval, attrs.multipliers[mine]) +
                         most(residual.interval, attrs.multipliers[other]) + (addend < 0 ? -addend : addend);
    if (terms > std::numeric_limits<int64_t>::max()) return false;
    fused.residual = operands[other];
    fused.residual_scale = {.storage = residual.storage(),
                            .y_multiplier = static_cast<int32_t>(attrs.multipliers[mine]),
                            .r_multiplier = static_cast<int32_t>(attrs.multipliers[other]),
                            .shift = static_cast<int32_t>(attrs.shift),
                            .lo = static_cast<int32_t>(attrs.lo),
                            .hi = static_cast<int32_t>(attrs.hi),
                            .addend = static_cast<int64_t>(addend)};
    SplitResidual(type(operands[mine]).interval, residual.interval, fused.residual_scale);
    fused.last = last;
    return true;
  }

  // A clamp of a clamped value is a clamp.
  void TakeClamps(FusionGroup& fused) {
    for (;;) {
      const auto step = Reader(fused);
      if (!step) return;
      Interval clamp;
      if (instruction(*step).op == Opcode::kRelu) {
        clamp = {0, kI32.hi};
      } else if (instruction(*step).op == Opcode::kClip) {
        const auto attrs = Unpack<ClipAttrs>(instruction(*step).attributes);
        clamp = {attrs.a_min, attrs.a_max};
      } else {
        return;
      }
      const auto both = [&](auto& lo, auto& hi) {
        using T = std::remove_reference_t<decltype(lo)>;
        const int64_t old_lo = lo, old_hi = hi;
        lo = static_cast<T>(std::clamp(old_lo, clamp.lo, clamp.hi));
        hi = static_cast<T>(std::clamp(old_hi, clamp.lo, clamp.hi));
      };
      if (!kI32.Contains(type(result(*step)).interval)) return;
      if (fused.residual) {
        both(fused.residual_scale.lo, fused.residual_scale.hi);
      } else {
        for (RescaleParams& params : fused.scale) both(params.lo, params.hi);
      }
      fused.last = *step;
    }
  }

  void TakeTable(FusionGroup& fused) {
    const auto step = Reader(fused);
    if (!step || instruction(*step).op != Opcode::kTable) return;
    const auto& operands = instruction(*step).operands;
    const ValueId x = result(fused.last);
    const TensorView* table = constant(operands[1]);
    if (operands[0] != x || table == nullptr) return;
    if (type(x).storage() != Storage::kI8 || type(result(*step)).storage() != Storage::kI8) return;
    const int64_t offset = Unpack<TableAttrs>(instruction(*step).attributes).offset;
    const int64_t last = table->shape.num_elements() - 1;
    for (int64_t y = -128; y < 128; ++y) {
      // Indices outside the interval of x are never read; the entry there need not fit.
      const bool reached = type(x).interval.Contains(Interval{y, y});
      const int64_t entry = reached ? table->at(std::clamp<int64_t>(y - offset, 0, last)) : 0;
      fused.table.push_back(static_cast<int8_t>(entry));
    }
    fused.last = *step;
  }

  const std::vector<int>& uses_;
  const std::set<size_t>& taken_;
  const bool is_s64_;
};

}  // namespace

FusionGroups FindFusionGroups(const FunctionView& function, const std::vector<int>& uses, bool fuses,
                              const std::function<std::optional<GemmForm>(size_t step)>& gemm_at) {
  FusionGroups fusions;
  for (size_t step = 0; step < function.body().size(); ++step) {
    const auto sum = gemm_at(step);
    if (!sum) continue;
    FusionGroup fused = {.gemm = step, .last = step};
    if (fuses) fused = GroupFinder(function, uses, fusions.inside, sum->is_s64).Find(step, sum->channel_axis);
    for (size_t s = step; s != fused.last; s = function.facts().last_steps[function.result(s)]) {
      fusions.inside.insert(s);
    }
    fusions.inside.insert(fused.last);
    fusions.by_last.emplace(fused.last, fused);
  }
  return fusions;
}

StepNotes NotesOf(const FunctionView& function, const FusionGroup& fused) {
  StepNotes notes;
  notes.Add(StepNote::kReshape, fused.viewed);
  notes.Add(StepNote::kBias, fused.bias.has_value());
  notes.Add(StepNote::kRescale, fused.scaled && fused.scale.size() == 1);
  notes.Add(StepNote::kRescaleByChannel, fused.scale.size() > 1);
  notes.Add(StepNote::kTable, !fused.table.empty());
  notes.Add(StepNote::kPool, fused.pool.has_value());
  notes.Add(StepNote::kConcat, fused.concat.has_value());
  bool scaled = false, added = false;
  for (size_t step = fused.gemm; step != fused.last;) {
    step = static_cast<size_t>(function.facts().last_steps[function.result(step)]);
    switch (function.instruction(step).op) {
      case Opcode::kRescale:
        notes.Add(StepNote::kAddAndRescale, added);
        scaled = true;
        break;
      case Opcode::kLincomb: notes.Add(StepNote::kLincomb); break;
      case Opcode::kBroadcastAdd:
      case Opcode::kElemwiseAdd: added = scaled; break;
      case Opcode::kRelu:
      case Opcode::kClip:
        notes.Add(added || notes.Has(StepNote::kLincomb) ? StepNote::kClipResidual : StepNote::kClip);
        break;
      default: break;
    }
  }
  notes.Add(StepNote::kAdd, added && !notes.Has(StepNote::kAddAndRescale));
  return notes;
}

std::vector<int> CountUses(const FunctionView& function, const ObservedFunction* observed) {
  std::vector<int> uses(function.facts().types.size());
  for (const Instruction& instruction : function.body()) {
    for (const ValueId id : instruction.operands) ++uses[id];
  }
  for (const ValueId id : function.module().module().functions[function.function()].results) ++uses[id];
  if (observed != nullptr) {
    // Twice: what is shown has no only reader, also where nothing else reads it.
    for (const ObservedFunction::Value& shown : observed->values) uses[shown.place] += 2;
  }
  return uses;
}

}  // namespace tally
