#include "engines/compile/schedule.h"

#include <algorithm>

namespace tally {

BufferId Schedule::NewBuffer(int64_t size_bytes) {
  buffers.push_back({.size_bytes = size_bytes});
  return static_cast<BufferId>(buffers.size()) - 1;
}

BufferId Schedule::NewConstant(std::span<const uint8_t> bytes) {
  const BufferId id = NewBuffer(std::ssize(bytes));
  buffers[id].constant = bytes;
  return id;
}

BufferId Schedule::KeepConstant(AlignedVector<uint8_t> bytes) {
  return NewConstant(constants.emplace_back(std::move(bytes)));  // the heap block stays when the list grows
}

ValueRef Schedule::NewValue(const TensorType& type, Layout layout) {
  return {NewBuffer(type.size_bytes()), type, type.storage(), layout};
}

ValueRef Schedule::View(const ValueRef& value, const TensorType& type, int64_t offset_bytes) {
  const BufferId id = NewBuffer(type.shape.num_elements() * SizeBytes(value.storage));
  const auto [root, offset] = PlaceOf(value.buffer);
  buffers[id].alias_of = root;
  buffers[id].alias_offset = offset + offset_bytes;
  return {id, type, value.storage, value.layout};
}

StepNotes NotesOf(const Schedule& schedule, const ScheduledStep& step) {
  StepNotes notes = step.notes();
  const auto external = [&](BufferId id) { return schedule.buffers[schedule.Root(id)].external; };
  const auto num_params = static_cast<int32_t>(schedule.params.size());
  for (const BufferId id : step.reads()) {
    const bool is_view = schedule.buffers[id].alias_of >= 0;
    notes.Add(StepNote::kReadsConstant, schedule.IsConstant(id));
    notes.Add(StepNote::kReadsView, is_view && !schedule.IsPart(id));
    notes.Add(StepNote::kReadsPart, schedule.IsPart(id));
    notes.Add(StepNote::kReadsInput, external(id) >= 0 && external(id) < num_params);
  }
  for (const BufferId id : step.writes()) {
    const auto is_same = [&](BufferId read) { return schedule.Root(read) == schedule.Root(id); };
    notes.Add(StepNote::kInPlace, std::ranges::any_of(step.reads(), is_same) && !schedule.IsPart(id));
    notes.Add(StepNote::kWritesPart, schedule.IsPart(id));
    notes.Add(StepNote::kWritesResult, external(id) >= num_params);
  }
  return notes;
}

void AppendSteps(size_t number, const Schedule& schedule, std::vector<PlanStep>& steps) {
  for (const auto& step : schedule.steps) {
    int64_t bytes = 0, constants = 0;
    for (const BufferId id : step->reads()) {
      (schedule.IsConstant(id) ? constants : bytes) += schedule.buffers[id].size_bytes;
    }
    for (const BufferId id : step->writes()) bytes += schedule.buffers[id].size_bytes;
    bytes += std::min(constants, bytes);  // a step reads few entries of a large table
    steps.push_back({.kernel = step->name(),
                     .notes = NotesOf(schedule, *step),
                     .function = number,
                     .multiply_adds = step->multiply_adds(),
                     .bytes = bytes});
  }
}

}  // namespace tally
