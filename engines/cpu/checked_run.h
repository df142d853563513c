// A served run, each value of which is compared with the references where the engine has it
// (engines/check/run_check.h).
#pragma once

#include <span>

#include "base/tensor.h"
#include "engines/check/checked_schedule.h"
#include "engines/cpu/program/run_hook.h"

namespace tally::cpu {

class CheckedRun final : public RunHook {
 public:
  // `module`: as it is compiled; `inputs` as the run has them. Both outlive it.
  CheckedRun(const ValidModule& module, std::span<const TensorView> inputs) : check_(module, inputs) {}

  const absl::Status& status() const { return check_.status(); }

  void After(const Frame& frame, size_t steps) override {
    const auto bring = [&](const ValueRef& value) {
      return std::optional(HeldValue{value.layout, value.storage, frame.ConstAt(value.buffer)});
    };
    check_.After(*frame.program, steps, bring).IgnoreError();  // everything is to be had
  }
  void Enter(const CallSite&, size_t function, std::span<const Operand<int64_t>> arguments) override {
    check_.Enter(function, arguments);
  }
  void Leave() override { check_.Leave(); }

 private:
  CheckedSchedule check_;
};

}  // namespace tally::cpu
