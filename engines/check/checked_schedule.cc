#include "engines/check/checked_schedule.h"

#include <algorithm>

#include "base/status_macros.h"

namespace tally {
namespace {

// Whether the step has to do with the bytes of the buffer, so that they are there when it ends: a view that
// nothing reads may be of bytes that are long gone.
bool Touches(const Schedule& schedule, const ScheduledStep& step, BufferId buffer) {
  const BufferId root = schedule.Root(buffer);
  const auto has_root = [&](BufferId id) { return schedule.Root(id) == root; };
  return std::ranges::any_of(step.reads(), has_root) || std::ranges::any_of(step.writes(), has_root);
}

}  // namespace

absl::Status CheckedSchedule::After(const Schedule& schedule, size_t steps, const Bring& bring) {
  RETURN_IF_ERROR(CompareWritten(schedule, steps, bring));
  if (steps < schedule.steps.size()) return CompareRead(schedule, steps, bring);
  for (size_t r = 0; r < schedule.results.size(); ++r) {
    ASSIGN_OR_RETURN(const auto held, bring(schedule.results[r]));
    if (held) check_.CompareResult(r, *held);
  }
  return absl::OkStatus();
}

absl::Status CheckedSchedule::CompareWritten(const Schedule& schedule, size_t steps, const Bring& bring) {
  const ScheduledStep* const last = steps == 0 ? nullptr : schedule.steps[steps - 1].get();
  for (auto entry = std::ranges::lower_bound(schedule.held, steps, {}, &HeldRef::steps);
       entry != schedule.held.end() && entry->steps == steps; ++entry) {
    if (last != nullptr && !Touches(schedule, *last, entry->value.buffer)) continue;
    ASSIGN_OR_RETURN(const auto held, bring(entry->value));
    if (!held) continue;
    check_.Compare(
        entry->id, *held,
        last == nullptr ? CheckPoint{0, "the first", "finds"} : CheckPoint{steps - 1, last->name(), "wrote"});
  }
  return absl::OkStatus();
}

absl::Status CheckedSchedule::CompareRead(const Schedule& schedule, size_t step, const Bring& bring) {
  for (const BufferId buffer : schedule.steps[step]->reads()) {
    const HeldRef* const entry = HeldIn(schedule, buffer);
    if (entry == nullptr || entry->steps > step) continue;
    ASSIGN_OR_RETURN(const auto held, bring(entry->value));
    if (held) check_.Compare(entry->id, *held, {step, schedule.steps[step]->name(), "is to read"});
  }
  return absl::OkStatus();
}

// Indexed when a run first asks: most plans are never checked.
const HeldRef* CheckedSchedule::HeldIn(const Schedule& schedule, BufferId buffer) {
  const auto [index, is_new] = held_.try_emplace(&schedule);
  if (is_new) {
    for (const HeldRef& held : schedule.held) index->second[held.value.buffer] = &held;
  }
  const auto found = index->second.find(buffer);
  return found == index->second.end() ? nullptr : found->second;
}

}  // namespace tally
