#include "vm/engines/fusion.h"

#include <algorithm>
#include <limits>

#include "base/wide.h"
#include "ops/elementwise/attrs.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"
#include "vm/engines/layouts.h"

namespace tally {
namespace {

constexpr Interval kI32 = RangeOf(Storage::kI32);

class ChainFinder : private FunctionView {
 public:
  // `taken`: instructions of other chains, ahead of which a chain ends.
  ChainFinder(const FunctionView& function, const std::vector<int>& uses, const std::set<size_t>& taken,
              bool is_long)
      : FunctionView(function), uses_(uses), taken_(taken), is_long_(is_long) {}

  SumChain Find(size_t sum, int channel_axis) {
    SumChain chain = {.sum = sum, .last = sum};
    channel_axis = TakeView(chain, channel_axis);
    TakeBias(chain, channel_axis);
    if (!TakeRescale(chain, channel_axis)) return chain;
    TakeClamps(chain);
    if (is_long_) return chain;
    if (!TakeLincomb(chain)) TakeAddition(chain);
    TakeClamps(chain);
    TakeTable(chain);
    return chain;
  }

 private:
  // The only reader of what the chain computes so far, or nothing.
  std::optional<size_t> Reader(const SumChain& chain) const {
    const ValueId value = result(chain.last);
    if (uses_[value] != 1) return std::nullopt;
    const auto step = static_cast<size_t>(facts().last_steps[value]);
    if (step >= body().size() || taken_.contains(step)) return std::nullopt;
    return step;
  }

  // A dense layer is a convolution between reshapes. Returns the axis of the channels behind the reshape.
  int TakeView(SumChain& chain, int channel_axis) {
    const auto step = Reader(chain);
    const Shape& from = type(result(chain.last)).shape;
    if (!step || !IsView(instruction(*step).op) || !SameInBothLayouts(from)) return channel_axis;
    const Shape& to = type(result(*step)).shape;
    int64_t before = 1, seen = 1;
    for (int axis = 0; axis < channel_axis; ++axis) before *= from[axis];
    for (int axis = 0; axis < to.rank(); seen *= to[axis++]) {
      if (seen != before || to[axis] != from[channel_axis]) continue;
      chain.last = *step;
      chain.viewed = true;
      return axis;
    }
    return channel_axis;
  }

  // Of the last axis, as matmul has it. Sums wrap, so that only the result must fit; 64 bits always do.
  void TakeBias(SumChain& chain, int channel_axis) {
    const auto step = Reader(chain);
    if (!step || instruction(*step).op != Opcode::kBroadcastAdd) return;
    const ValueId x = result(chain.last);
    const auto& operands = instruction(*step).operands;
    const ValueId other = operands[0] == x ? operands[1] : operands[0];
    const Shape& y = type(x).shape;
    if (channel_axis != y.rank() - 1 || constant(other) == nullptr) return;
    const Shape& bias = type(other).shape;
    const int64_t columns = y[channel_axis];
    if (bias.num_elements() != columns || bias.rank() == 0 || bias[bias.rank() - 1] != columns) return;
    if (type(result(*step)).shape != y) return;
    if (!is_long_ && !kI32.Contains(type(result(*step)).interval)) return;
    chain.bias = other;
    chain.last = *step;
  }

  bool TakeRescale(SumChain& chain, int channel_axis) {
    const auto step = RescaleBehind(chain, channel_axis, chain.scale);
    const TensorType& x = type(result(chain.last));
    if (!step || !PackScale(chain.scale, static_cast<int64_t>(chain.scale.size()), x.interval)) {
      chain.scale.clear();
      return false;
    }
    chain.scaled = true;
    chain.scaled_interval = x.interval;
    chain.last = *step;
    return true;
  }

  // The rescale that reads what the chain computes so far; its parameters, one or one for each channel, join `scale`.
  std::optional<size_t> RescaleBehind(const SumChain& chain, int channel_axis,
                                      std::vector<RescaleParams>& scale) const {
    const auto step = Reader(chain);
    if (!step || instruction(*step).op != Opcode::kRescale) return std::nullopt;
    const auto& operands = instruction(*step).operands;
    const ValueId x = result(chain.last);
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

  bool TakeLincomb(SumChain& chain) {
    const auto step = Reader(chain);
    if (!step || instruction(*step).op != Opcode::kLincomb || instruction(*step).operands.size() != 2)
      return false;
    return TakeResidual(chain, *step, Unpack<LincombAttrs>(instruction(*step).attributes), *step);
  }

  // An addition is a lincomb, and so is an addition that one rescale of all channels reads.
  void TakeAddition(SumChain& chain) {
    const auto step = Reader(chain);
    if (!step ||
        (instruction(*step).op != Opcode::kBroadcastAdd && instruction(*step).op != Opcode::kElemwiseAdd)) {
      return;
    }
    const auto& operands = instruction(*step).operands;
    const TensorType& sum = type(result(*step));
    if (type(operands[0]).shape != sum.shape || type(operands[1]).shape != sum.shape) return;
    LincombAttrs attrs = {
        .multipliers = {1, 1}, .zero_points = {0, 0}, .lo = sum.interval.lo, .hi = sum.interval.hi};
    SumChain added = chain;
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
      if (TakeResidual(chain, *step, attrs, *rescale)) return;
    }
    TakeResidual(chain, *step, attrs, *step);
  }

  // Adds the other operand of `step` as `attrs` says; `last` is the instruction that then is done.
  bool TakeResidual(SumChain& chain, size_t step, const LincombAttrs& attrs, size_t last) {
    const auto& operands = instruction(step).operands;
    if (operands[0] == operands[1]) return false;
    if (attrs.rounding != Rounding::kHalfUp && attrs.rounding != Rounding::kFloor) return false;
    if (!kI32.Contains({attrs.lo, attrs.hi})) return false;
    const size_t mine = operands[0] == result(chain.last) ? 0 : 1, other = 1 - mine;
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
    chain.residual = operands[other];
    chain.residual_scale = {.storage = residual.storage(),
                            .y_multiplier = static_cast<int32_t>(attrs.multipliers[mine]),
                            .r_multiplier = static_cast<int32_t>(attrs.multipliers[other]),
                            .shift = static_cast<int32_t>(attrs.shift),
                            .lo = static_cast<int32_t>(attrs.lo),
                            .hi = static_cast<int32_t>(attrs.hi),
                            .addend = static_cast<int64_t>(addend)};
    SplitResidual(type(operands[mine]).interval, residual.interval, chain.residual_scale);
    chain.last = last;
    return true;
  }

  // A clamp of a clamped value is a clamp.
  void TakeClamps(SumChain& chain) {
    for (;;) {
      const auto step = Reader(chain);
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
      if (chain.residual) {
        both(chain.residual_scale.lo, chain.residual_scale.hi);
      } else {
        for (RescaleParams& params : chain.scale) both(params.lo, params.hi);
      }
      chain.last = *step;
    }
  }

  void TakeTable(SumChain& chain) {
    const auto step = Reader(chain);
    if (!step || instruction(*step).op != Opcode::kTable) return;
    const auto& operands = instruction(*step).operands;
    const ValueId x = result(chain.last);
    const TensorView* table = constant(operands[1]);
    if (operands[0] != x || table == nullptr) return;
    if (type(x).storage() != Storage::kI8 || type(result(*step)).storage() != Storage::kI8) return;
    const int64_t offset = Unpack<TableAttrs>(instruction(*step).attributes).offset;
    const int64_t last = table->shape.num_elements() - 1;
    for (int64_t y = -128; y < 128; ++y) {
      // Indices outside the interval of x are never read; the entry there need not fit.
      const bool reached = type(x).interval.Contains(Interval{y, y});
      const int64_t entry = reached ? table->at(std::clamp<int64_t>(y - offset, 0, last)) : 0;
      chain.table.push_back(static_cast<int8_t>(entry));
    }
    chain.last = *step;
  }

  const std::vector<int>& uses_;
  const std::set<size_t>& taken_;
  const bool is_long_;
};

}  // namespace

SumChains FindChains(const FunctionView& function, bool fuses,
                     const std::function<std::optional<SumForm>(size_t step)>& sum_at) {
  const std::vector<int> uses = CountUses(function);
  SumChains chains;
  for (size_t step = 0; step < function.body().size(); ++step) {
    const auto sum = sum_at(step);
    if (!sum) continue;
    SumChain chain = {.sum = step, .last = step};
    if (fuses) chain = ChainFinder(function, uses, chains.inside, sum->is_long).Find(step, sum->channel_axis);
    for (size_t s = step; s != chain.last; s = function.facts().last_steps[function.result(s)]) {
      chains.inside.insert(s);
    }
    chains.inside.insert(chain.last);
    chains.by_last.emplace(chain.last, chain);
  }
  return chains;
}

StepNotes NotesOf(const FunctionView& function, const SumChain& chain) {
  StepNotes notes;
  notes.Add(StepNote::kReshape, chain.viewed);
  notes.Add(StepNote::kBias, chain.bias.has_value());
  notes.Add(StepNote::kRescale, chain.scaled && chain.scale.size() == 1);
  notes.Add(StepNote::kRescaleByChannel, chain.scale.size() > 1);
  notes.Add(StepNote::kTable, !chain.table.empty());
  notes.Add(StepNote::kPool, chain.pool.has_value());
  notes.Add(StepNote::kJoin, chain.joined.has_value());
  bool scaled = false, added = false;
  for (size_t step = chain.sum; step != chain.last;) {
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

std::vector<int> CountUses(const FunctionView& function) {
  std::vector<int> uses(function.facts().types.size());
  for (const Instruction& instruction : function.body()) {
    for (const ValueId id : instruction.operands) ++uses[id];
  }
  for (const ValueId id : function.module().module().functions[function.function()].results) ++uses[id];
  return uses;
}

}  // namespace tally
