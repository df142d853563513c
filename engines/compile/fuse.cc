#include <map>

#include "engines/compile/passes.h"
#include "ops/layout/attrs.h"

namespace tally {
namespace {

class Fuser : private FunctionView {
 public:
  Fuser(const FunctionView& function, CompileTarget& target, const PassOptions& options)
      : FunctionView(function),
        target_(target),
        fuses_(target.Fuses()),
        parts_are_views_(options.parts_are_views),
        uses_(CountUses(function, options.observed)),
        found_(FindFusionGroups(function, uses_, fuses_, [&](size_t step) { return target.GemmAt(step); })) {}

  void Run(Schedule& schedule) {
    if (fuses_) FuseAcrossGroups();
    for (size_t step = 0; step < body().size(); ++step) {
      if (constant(result(step)) != nullptr) continue;
      if (const auto group = found_.by_last.find(step); group != found_.by_last.end()) {
        AddGroup(step, group->second, schedule);
      } else if (!found_.inside.contains(step)) {
        AddInstruction(step, schedule);
      }
    }
  }

 private:
  // Groups pool what they compute, or write it into what it becomes a part of.
  void FuseAcrossGroups() {
    for (auto& [last, group] : found_.by_last) {
      group_of_.emplace(result(last), &group);
      if (!target_.WritesIntoConcat(group)) continue;
      group.pool = target_.PoolBehind(group, uses_);
      if (group.pool) found_.inside.insert(*group.pool);
    }
    if (!parts_are_views_) return;
    for (size_t step = 0; step < body().size(); ++step) EliminateConcat(step);
  }

  // Where `step` concatenates the channels of images that fusion groups compute for it alone, they write into
  // its result.
  void EliminateConcat(size_t step) {
    const ValueId y = result(step);
    const Shape& shape = type(y).shape;
    if (instruction(step).op != Opcode::kConcatenate || !HasChannels(shape)) return;
    const int64_t axis = Unpack<ConcatenateAttrs>(instruction(step).attributes).axis;
    if (axis != 1 && axis != 1 - shape.rank()) return;
    std::vector<FusionGroup*> parts;
    for (const ValueId id : instruction(step).operands) {
      const auto group = group_of_.find(id);
      if (group == group_of_.end() || uses_[id] != 1 || !target_.WritesIntoConcat(*group->second)) return;
      if (type(id).storage() != type(y).storage()) return;
      parts.push_back(group->second);
    }
    int64_t channel = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      parts[i]->concat = y;
      parts[i]->concat_channel = channel;
      channel += type(instruction(step).operands[i]).shape[1];
    }
  }

  void AddGroup(size_t last, FusionGroup& group, Schedule& schedule) const {
    ScheduledOp op = {.kind = ScheduledOpKind::kFusionGroup,
                      .instruction = last,
                      .group = static_cast<int32_t>(schedule.groups.size()),
                      .reads = instruction(group.gemm).operands,
                      .writes = {result(group.pool.value_or(last))}};
    if (group.residual) op.reads.push_back(*group.residual);
    schedule.groups.push_back(std::move(group));
    schedule.ops.push_back(std::move(op));
  }

  void AddInstruction(size_t step, Schedule& schedule) const {
    ScheduledOp op = {.instruction = step, .reads = instruction(step).operands};
    for (int r = 0; r < facts().instructions[step].num_results; ++r) {
      op.writes.push_back(result(step) + static_cast<ValueId>(r));
    }
    schedule.ops.push_back(std::move(op));
  }

  CompileTarget& target_;
  const bool fuses_, parts_are_views_;
  const std::vector<int> uses_;
  FusionGroups found_;
  std::map<ValueId, FusionGroup*> group_of_;  // by their results
};

}  // namespace

void Fuse(const FunctionView& function, CompileTarget& target, const PassOptions& options,
          Schedule& schedule) {
  Fuser(function, target, options).Run(schedule);
}

}  // namespace tally
