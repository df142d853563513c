// A served run, each value of which is compared with the references where the engine has it (vm/engines/run_check.h).
#pragma once

#include <span>

#include "base/tensor.h"
#include "vm/engines/cpu/run_hook.h"
#include "vm/engines/held_index.h"
#include "vm/engines/run_check.h"

namespace tally::cpu {

class CheckedRun final : public RunHook {
 public:
  // `module`: as it is compiled; `inputs` as the run has them. Both outlive it.
  CheckedRun(const ValidModule& module, std::span<const TensorView> inputs) : check_(module) {
    check_.EnterEntry(inputs);
  }

  const absl::Status& status() const { return check_.status(); }

  // Compares what the last step wrote, and what the next is to read.
  void After(const Frame& frame, size_t steps) override;

  void Enter(const CallSite&, size_t function, std::span<const Operand<int64_t>> arguments) override {
    check_.Enter(function, arguments);
  }
  void Leave() override { check_.Leave(); }

 private:
  void CompareWritten(const Frame& frame, size_t steps);
  void CompareRead(const Frame& frame, size_t step);

  RunCheck check_;
  HeldIndex<Program> held_;
};

}  // namespace tally::cpu
