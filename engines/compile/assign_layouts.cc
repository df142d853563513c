#include <algorithm>
#include <utility>

#include "base/hash/digest.h"
#include "base/hash/tensor_leaves.h"
#include "engines/compile/passes.h"
#include "engines/compile/value_forms.h"
#include "engines/compile/views.h"

namespace tally {
namespace {

class LayoutAssigner {
 public:
  LayoutAssigner(const FunctionView& function, CompileTarget& target, const PassOptions& options,
                 Schedule& schedule)
      : target_(target),
        options_(options),
        observed_(options.observed),
        schedule_(schedule),
        fused_(std::exchange(schedule.ops, {})),
        values_(function, target, schedule) {}

  void Run() {
    ShowBelow(static_cast<ValueId>(values_.facts().params.size()));
    for (ScheduledOp& op : fused_) {
      const size_t step = op.instruction;
      observed_.Enter(values_.instruction(step));
      if (op.kind == ScheduledOpKind::kFusionGroup) {
        AssignGroup(std::move(op));
      } else if (!AddView(values_, step, options_.parts_are_views)) {
        AssignInstruction(std::move(op));
      }
      const InstructionFacts& facts = values_.facts().instructions[step];
      ShowBelow(facts.first_result + static_cast<ValueId>(facts.num_results));
    }
    for (const ValueId id : values_.module().module().functions[values_.function()].results) {
      schedule_.results.push_back(values_.Get(id, Layout::kRowMajor));
    }
  }

 private:
  // Values with lower ids than `end` are there, and constants: a lowering may end in one, whose id may be
  // any. Shows those whose turn it is.
  void ShowBelow(ValueId end) {
    const auto is_there = [&](ValueId id) { return id < end || values_.constant(id) != nullptr; };
    observed_.ShowWhatIsThere(is_there, [&](const ObservedFunction::Value& shown) {
      const bool committed = options_.show_as == ShowAs::kCommitted || options_.show_as == ShowAs::kRoots;
      const Layout layout = committed ? CommittedLayout(shown.type.shape) : Layout::kRowMajor;
      const bool own_type = options_.show_as == ShowAs::kOwnTypes || options_.show_as == ShowAs::kRoots;
      ValueRef value = values_.Shown(shown.place, layout);
      if (own_type && value.storage != shown.type.storage()) {
        const ValueRef held = value;
        value = schedule_.NewValue(shown.type, layout);
        AddForObserver(ScheduledOpKind::kStore, shown.place, held, value);
      }
      if (options_.show_as == ShowAs::kRoots) {
        const ValueRef held = value;
        value = schedule_.NewValue(kRootType, Layout::kRowMajor);
        AddForObserver(ScheduledOpKind::kRoot, shown.place, held, value);
      }
      schedule_.shown.push_back({schedule_.ops.size(), shown.id, shown.type, value});
    });
  }

  void AddForObserver(ScheduledOpKind kind, ValueId id, const ValueRef& x, const ValueRef& y) {
    values_.Add({.kind = kind, .reads = {id}, .operands = {x}, .results = {y}});
  }

  // A product of matrices reads and writes rows. A convolution writes channels last, and reads what the
  // target asks for.
  void AssignGroup(ScheduledOp op) {
    const FusionGroup& group = schedule_.groups[op.group];
    const Instruction& gemm = values_.instruction(group.gemm);
    const bool product = gemm.op == Opcode::kMatmul;
    const ValueId x = gemm.operands[0];
    op.layout = product ? Layout::kRowMajor
                        : target_.LayoutOfX(group, values_.Has(x, Layout::kRowMajor),
                                            values_.Has(x, Layout::kChannelsLast));
    op.operands.push_back(values_.Get(x, op.layout));
    for (size_t i = 1; i < gemm.operands.size(); ++i) {
      op.operands.push_back(values_.Get(gemm.operands[i], Layout::kRowMajor));
    }
    const Layout y_layout = product || group.viewed ? Layout::kRowMajor : Layout::kChannelsLast;
    if (group.residual) op.operands.push_back(values_.Get(*group.residual, y_layout));
    const ValueId y = op.writes[0];
    op.results = {group.concat ? RowsOfConcat(group, y) : schedule_.NewValue(values_.type(y), y_layout)};
    const ValueRef result = op.results[0];
    values_.Add(std::move(op));
    if (!group.concat) values_.Set(y, result);
  }

  // Where the part of a concatenation begins that the fusion group computes.
  ValueRef RowsOfConcat(const FusionGroup& group, ValueId y) {
    if (!values_.Has(*group.concat, Layout::kChannelsLast)) {
      values_.Reserve(*group.concat, schedule_.NewValue(values_.type(*group.concat), Layout::kChannelsLast));
    }
    const ValueRef whole = values_.Get(*group.concat, Layout::kChannelsLast);
    return schedule_.View(whole, values_.type(y), group.concat_channel * SizeBytes(whole.storage));
  }

  // Channels last where an operand is in no other layout and the target can; else row-major.
  void AssignInstruction(ScheduledOp op) {
    op.position = observed_.position();
    if (std::ranges::any_of(op.reads, [&](ValueId id) { return values_.IsChannelsLast(id); })) {
      ScheduledOp probe = {.instruction = op.instruction, .layout = Layout::kChannelsLast};
      for (const ValueId id : op.reads) {
        ValueRef& x = probe.operands.emplace_back(values_.Any(id));
        x.layout = LayoutIn(Layout::kChannelsLast, id);
      }
      for (const ValueId id : op.writes) probe.results.push_back(Unplaced(id, Layout::kChannelsLast));
      if (target_.RunsChannelsLast(schedule_, probe)) op.layout = Layout::kChannelsLast;
    }
    for (const ValueId id : op.reads) op.operands.push_back(values_.Get(id, LayoutIn(op.layout, id)));
    for (const ValueId id : op.writes) {
      ValueRef& y = op.results.emplace_back(Unplaced(id, op.layout));
      y.buffer = schedule_.NewBuffer(y.size_bytes());
    }
    const std::vector<ValueId> writes = op.writes;
    const std::vector<ValueRef> results = op.results;
    values_.Add(std::move(op));
    for (size_t r = 0; r < results.size(); ++r) values_.Set(writes[r], results[r]);
  }

  // The layout of a value of an operation that runs in `layout`.
  Layout LayoutIn(Layout layout, ValueId id) const {
    return HasChannels(values_.type(id).shape) ? layout : Layout::kRowMajor;
  }
  ValueRef Unplaced(ValueId id, Layout layout) const {
    const TensorType& type = values_.type(id);
    return {-1, type, type.storage(), LayoutIn(layout, id)};
  }

  inline static const TensorType kRootType = {*Shape::Create({static_cast<int64_t>(sizeof(Digest))}),
                                              RangeOf(Storage::kI8)};

  CompileTarget& target_;
  const PassOptions& options_;
  ObservedCursor observed_;
  Schedule& schedule_;
  std::vector<ScheduledOp> fused_;
  ValueForms values_;
};

}  // namespace

void AssignLayouts(const FunctionView& function, CompileTarget& target, const PassOptions& options,
                   Schedule& schedule) {
  LayoutAssigner(function, target, options, schedule).Run();
}

}  // namespace tally
