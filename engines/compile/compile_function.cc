#include <algorithm>
#include <iterator>
#include <utility>

#include "engines/compile/passes.h"

namespace tally {

Schedule CompileFunction(const FunctionView& function, CompileTarget& target, const PassOptions& options) {
  Schedule schedule;
  const auto after = [&](Pass pass) {
    if (options.after) options.after(pass, function, schedule);
  };
  Fuse(function, target, options, schedule);
  after(Pass::kFuse);
  AssignLayouts(function, target, options, schedule);
  after(Pass::kAssignLayouts);
  SelectSteps(function, target, schedule);
  after(Pass::kSelect);
  AliasBuffers(options, schedule);
  after(Pass::kAlias);
  PlaceBuffers(schedule);
  after(Pass::kPlace);
  TakeSteps(schedule);
  return schedule;
}

void SelectSteps(const FunctionView& function, CompileTarget& target, Schedule& schedule) {
  for (ScheduledOp& op : schedule.ops) {
    if (op.kind == ScheduledOpKind::kView) continue;
    target.Select(schedule, op);
    if (op.group >= 0) op.steps.back()->Note(NotesOf(function, schedule.groups[op.group]));
  }
}

void TakeSteps(Schedule& schedule) {
  std::vector<size_t> steps_before = {0};  // by operation, and at the end
  for (ScheduledOp& op : schedule.ops) {
    std::ranges::move(op.steps, std::back_inserter(schedule.steps));
    steps_before.push_back(schedule.steps.size());
  }
  for (ShownValue& shown : schedule.shown) shown.steps = steps_before[shown.steps];
  for (HeldRef& held : schedule.held) held.steps = steps_before[held.steps];
  schedule.ops.clear();
}

}  // namespace tally
