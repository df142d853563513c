#include "vm/engines/cuda/checked_run.h"

#include <algorithm>

#include "base/status_macros.h"

namespace tally::cuda {
namespace {

// A constant that no step reads is not on the device, and one that is was never computed.
bool IsConstant(const Program& program, BufferId buffer) {
  return !program.buffers[program.Root(buffer)].host.empty();
}

// Whether the step has to do with the bytes of the buffer, so that they are there when it ends: a view that nothing reads may be
// of bytes that are long gone.
bool Touches(const Program& program, const Step& step, BufferId buffer) {
  const BufferId root = program.Root(buffer);
  return std::ranges::any_of(step.uses(), [&](BufferId id) { return program.Root(id) == root; });
}

}  // namespace

absl::StatusOr<HeldValue> CheckedRun::Bring(const Frame& frame, const Value& value) {
  bytes_.resize(static_cast<size_t>(value.size_bytes()));
  RETURN_IF_ERROR(frame.stream->CopyOut(bytes_, frame.At(value.buffer)));
  RETURN_IF_ERROR(frame.stream->Wait());
  return HeldValue{value.layout, value.storage, bytes_.data()};
}

absl::Status CheckedRun::After(const Frame& frame, size_t steps) {
  RETURN_IF_ERROR(CompareWritten(frame, steps));
  const Program& program = *frame.program;
  if (steps < program.steps.size()) return CompareUsed(frame, steps);
  for (size_t r = 0; r < program.results.size(); ++r) {
    ASSIGN_OR_RETURN(const HeldValue held, Bring(frame, program.results[r]));
    check_.CompareResult(r, held);
  }
  return absl::OkStatus();
}

absl::Status CheckedRun::CompareWritten(const Frame& frame, size_t steps) {
  const Program& program = *frame.program;
  const Step* const last = steps == 0 ? nullptr : program.steps[steps - 1].get();
  for (auto entry = std::ranges::lower_bound(program.held, steps, {}, &HeldRef::steps);
       entry != program.held.end() && entry->steps == steps; ++entry) {
    const BufferId buffer = entry->value.buffer;
    if (IsConstant(program, buffer) || (last != nullptr && !Touches(program, *last, buffer))) continue;
    ASSIGN_OR_RETURN(const HeldValue held, Bring(frame, entry->value));
    check_.Compare(
        entry->id, held,
        last == nullptr ? CheckPoint{0, "the first", "finds"} : CheckPoint{steps - 1, last->name(), "wrote"});
  }
  return absl::OkStatus();
}

absl::Status CheckedRun::CompareUsed(const Frame& frame, size_t step) {
  const Program& program = *frame.program;
  for (const BufferId buffer : program.steps[step]->uses()) {
    const HeldRef* const entry = held_.Find(program, buffer);
    if (entry == nullptr || IsConstant(program, buffer)) continue;
    if (entry->steps > step) continue;  // the step is to write it
    ASSIGN_OR_RETURN(const HeldValue held, Bring(frame, entry->value));
    check_.Compare(entry->id, held, {step, program.steps[step]->name(), "is to read"});
  }
  return absl::OkStatus();
}

}  // namespace tally::cuda
