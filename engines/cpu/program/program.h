// Programs of the cpu engine: schedules whose steps run on threads of this processor.
#pragma once

#include <cstdint>
#include <span>

#include "engines/compile/schedule.h"
#include "vm/cancellation.h"

namespace tally::cpu {

// A function of the module.
using Program = Schedule;

class RunHook;

// One run of one program.
struct Frame {
  const Program* program;
  uint8_t* arena;
  // The caller's memory for parameters and then results; null where they are in the arena, as they all do in
  // functions that others call. Steps only read parameters.
  uint8_t* const* external = nullptr;
  RunHook* hook = nullptr;                     // null in a run that nobody looks into
  const Cancellation* cancellation = nullptr;  // null in a run that nobody can cancel

  uint8_t* At(BufferId id) const;
  const uint8_t* ConstAt(BufferId id) const;
};

// Immutable, and run by many threads at once.
class Step : public ScheduledStep {
 public:
  // Computes part `part` of parts().
  virtual void Run(const Frame& frame, int part) const noexcept = 0;

  // The weights that the step reads, and those of the next step that has any: a kernel may fetch them ahead.
  virtual std::span<const uint8_t> weights() const { return {}; }
  virtual void SetNextWeights(std::span<const uint8_t>) {}

  // Bytes of weights and tables that the step has made for itself.
  virtual int64_t kept_bytes() const { return 0; }

 protected:
  using ScheduledStep::ScheduledStep;
};

inline Step& StepAt(const Program& program, size_t s) { return static_cast<Step&>(*program.steps[s]); }

inline uint8_t* Frame::At(BufferId id) const {
  const auto [root, offset] = program->PlaceOf(id);
  const Buffer& buffer = program->buffers[root];
  if (external != nullptr && buffer.external >= 0 && external[buffer.external] != nullptr) {
    return external[buffer.external] + offset;
  }
  return arena + buffer.offset + offset;
}
inline const uint8_t* Frame::ConstAt(BufferId id) const {
  const auto [root, offset] = program->PlaceOf(id);
  const Buffer& buffer = program->buffers[root];
  return buffer.is_constant() ? buffer.constant.data() + offset : At(id);
}

// Says which buffers may be in the caller's memory: parameters and results that nothing reads after and
// that are no part of something larger.
void BindExternals(Program& program);

// Tells every step what weights follow.
void LinkWeights(Program& program);

}  // namespace tally::cpu
