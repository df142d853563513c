// Programs of the cuda engine: schedules whose steps give work to a stream of the device.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engines/compile/schedule.h"
#include "engines/cuda/constants.h"
#include "engines/cuda/device.h"
#include "vm/cancellation.h"

namespace tally::cuda {

struct Program;
class RunHook;

// One run of one program.
struct Frame {
  const Program* program;
  Stream* stream;
  uint8_t* arena;
  uint8_t* constants;
  RunHook* hook = nullptr;                     // null in a run that nobody looks into
  const Cancellation* cancellation = nullptr;  // null in a run that nobody can cancel

  uint8_t* At(BufferId id) const;
};

// Immutable, and run by many threads at once.
class Step : public ScheduledStep {
 public:
  // Gives the stream the work.
  virtual absl::Status Run(const Frame& frame) const = 0;

  // Whether Run waits for the stream, because the host has a part in the work.
  virtual bool waits() const { return false; }

  // Host memory that a run of the step needs.
  virtual int64_t host_bytes() const { return 0; }

 protected:
  Step(std::string name, std::vector<BufferId> reads, std::vector<BufferId> writes)
      : ScheduledStep(std::move(name), 1, std::move(reads), std::move(writes)) {}
};

// A function of the module.
struct Program : Schedule {
  std::vector<int64_t> constant_offsets;  // by buffer: where its bytes are in the block of constants, or -1
  int64_t host_bytes = 0;                 // the most that a step needs

  Program() = default;
  // Adds the constants that steps read, or results are, to those of the plan.
  Program(Schedule schedule, Constants& constants);

  const Step& step(size_t s) const;
};

inline const Step& Program::step(size_t s) const { return static_cast<const Step&>(*steps[s]); }

inline uint8_t* Frame::At(BufferId id) const {
  const auto [root, offset] = program->PlaceOf(id);
  const int64_t constant = program->constant_offsets[root];
  return (constant >= 0 ? constants + constant : arena + program->buffers[root].offset) + offset;
}

// Gives the stream the work of all steps, with the hook of the frame after each. Error cancelled.
absl::Status RunSteps(const Frame& frame);

}  // namespace tally::cuda
