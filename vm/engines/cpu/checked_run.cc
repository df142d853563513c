#include "vm/engines/cpu/checked_run.h"

#include <algorithm>

namespace tally::cpu {
namespace {

HeldValue HeldAt(const Frame& frame, const ValueRef& value) {
  return {value.layout, value.storage, frame.ConstAt(value.buffer)};
}

// Whether the step has to do with the bytes of the buffer, so that they are there when it ends: a view that nothing reads may be of
// bytes that are long gone.
bool Touches(const Program& program, const Step& step, BufferId buffer) {
  const BufferId root = program.Root(buffer);
  const auto has_root = [&](BufferId id) { return program.Root(id) == root; };
  return std::ranges::any_of(step.reads(), has_root) || std::ranges::any_of(step.writes(), has_root);
}

}  // namespace

void CheckedRun::After(const Frame& frame, size_t steps) {
  CompareWritten(frame, steps);
  const Program& program = *frame.program;
  if (steps < program.steps.size()) return CompareRead(frame, steps);
  for (size_t r = 0; r < program.results.size(); ++r) {
    check_.CompareResult(r, HeldAt(frame, program.results[r]));
  }
}

void CheckedRun::CompareWritten(const Frame& frame, size_t steps) {
  const Program& program = *frame.program;
  const Step* const last = steps == 0 ? nullptr : program.steps[steps - 1].get();
  for (auto held = std::ranges::lower_bound(program.held, steps, {}, &HeldRef::steps);
       held != program.held.end() && held->steps == steps; ++held) {
    if (last == nullptr) {
      check_.Compare(held->id, HeldAt(frame, held->value), {0, "the first", "finds"});
    } else if (Touches(program, *last, held->value.buffer)) {
      check_.Compare(held->id, HeldAt(frame, held->value), {steps - 1, last->name(), "wrote"});
    }
  }
}

void CheckedRun::CompareRead(const Frame& frame, size_t step) {
  const Program& program = *frame.program;
  for (const BufferId buffer : program.steps[step]->reads()) {
    const HeldRef* const held = held_.Find(program, buffer);
    if (held == nullptr || program.buffers[program.Root(buffer)].constant != nullptr) continue;
    if (held->steps > step) continue;
    check_.Compare(held->id, HeldAt(frame, held->value), {step, program.steps[step]->name(), "is to read"});
  }
}

}  // namespace tally::cpu
