// Hooks that follow a run step by step: an observer, or a check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "engines/cpu/program/program.h"
#include "engines/cpu/program/thread_pool.h"
#include "ops/reference.h"
#include "vm/call_path.h"

namespace tally::cpu {

class RunHook {
 public:
  virtual ~RunHook() = default;

  // Before anything else: `caller` is the run's, on whose threads a hook may work between its steps.
  virtual void Begin(ThreadPool::Caller& caller) { static_cast<void>(caller); }

  // `steps` steps of the frame's program have run.
  virtual void After(const Frame& frame, size_t steps) = 0;

  // Around the body that an instruction runs: function `function` of the compiled module, called with
  // `arguments`.
  virtual void Enter(const CallSite& site, size_t function, std::span<const Operand<int64_t>> arguments) = 0;
  virtual void Leave() = 0;
};

// Says when steps of `entry` have run; those of the functions that it runs are parts of a step.
class StepObservation final : public RunHook {
 public:
  StepObservation(const Program& entry, const std::function<void(size_t)>& observer)
      : entry_(entry), observer_(observer) {}

  void After(const Frame& frame, size_t steps) override {
    if (frame.program == &entry_) observer_(steps);
  }
  void Enter(const CallSite&, size_t, std::span<const Operand<int64_t>>) override {}
  void Leave() override {}

 private:
  const Program& entry_;
  const std::function<void(size_t)>& observer_;
};

}  // namespace tally::cpu
