#include "vm/engines/cpu/program.h"

#include <algorithm>

#include "vm/engines/arena_layout.h"

namespace tally::cpu {
void PlaceBuffers(Program& program) {
  const auto last_step = static_cast<int32_t>(program.steps.size());
  ArenaLayout layout(program.buffers.size());
  const auto use = [&](BufferId id, int32_t step) { layout.Use(program.Root(id), step); };
  // Parameters arrive ahead of step 0 and results leave behind the last one.
  for (const ValueRef& param : program.params) use(param.buffer, 0);
  for (int32_t s = 0; s < last_step; ++s) {
    for (const BufferId id : program.steps[s]->reads()) use(id, s + 1);
    for (const BufferId id : program.steps[s]->writes()) use(id, s + 1);
  }
  for (const ValueRef& result : program.results) use(result.buffer, last_step + 1);
  for (const ShownValue& shown : program.shown) use(shown.value.buffer, static_cast<int32_t>(shown.steps));

  for (size_t id = 0; id < program.buffers.size(); ++id) {
    const Buffer& buffer = program.buffers[id];
    if (buffer.alias_of >= 0 || buffer.constant != nullptr || !layout.IsUsed(id)) continue;
    // What a step reads behind the end counts for nothing, but other parts must not write there meanwhile.
    layout.Add(id, buffer.size_bytes + buffer.overread_bytes);
  }
  for (const auto& [id, offset] : layout.Place(program.arena_bytes)) program.buffers[id].offset = offset;
}

void BindExternals(Program& program) {
  const auto bind = [&](const ValueRef& value, size_t external) {
    Buffer& buffer = program.buffers[program.Root(value.buffer)];
    if (buffer.constant != nullptr || buffer.external >= 0 || buffer.overread_bytes > 0) return;
    if (program.buffers[value.buffer].size_bytes != buffer.size_bytes) return;
    buffer.external = static_cast<int32_t>(external);
  };
  for (size_t i = 0; i < program.params.size(); ++i) bind(program.params[i], i);
  for (size_t r = 0; r < program.results.size(); ++r) bind(program.results[r], program.params.size() + r);
}

StepNotes NotesOf(const Program& program, const Step& step) {
  StepNotes notes = step.notes();
  const auto is_part = [&](BufferId id) {
    return program.buffers[program.Root(id)].size_bytes != program.buffers[id].size_bytes;
  };
  const auto external = [&](BufferId id) { return program.buffers[program.Root(id)].external; };
  const auto num_params = static_cast<int32_t>(program.params.size());
  for (const BufferId id : step.reads()) {
    const bool is_view = program.buffers[id].alias_of >= 0;
    notes.Add(StepNote::kReadsConstant, program.buffers[program.Root(id)].constant != nullptr);
    notes.Add(StepNote::kReadsView, is_view && !is_part(id));
    notes.Add(StepNote::kReadsPart, is_part(id));
    notes.Add(StepNote::kReadsInput, external(id) >= 0 && external(id) < num_params);
  }
  for (const BufferId id : step.writes()) {
    const auto is_same = [&](BufferId read) { return program.Root(read) == program.Root(id); };
    notes.Add(StepNote::kInPlace, std::ranges::any_of(step.reads(), is_same) && !is_part(id));
    notes.Add(StepNote::kWritesPart, is_part(id));
    notes.Add(StepNote::kWritesResult, external(id) >= num_params);
  }
  return notes;
}

void LinkWeights(Program& program) {
  std::span<const uint8_t> next;
  for (size_t s = program.steps.size(); s-- > 0;) {
    program.steps[s]->SetNextWeights(next);
    if (!program.steps[s]->weights().empty()) next = program.steps[s]->weights();
  }
}

}  // namespace tally::cpu
