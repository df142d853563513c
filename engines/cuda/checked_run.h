// A served run, each value of which is compared with the references where the device has it
// (engines/check/run_check.h).
#pragma once

#include <span>

#include "base/aligned_vector.h"
#include "base/tensor.h"
#include "engines/check/checked_schedule.h"
#include "engines/cuda/run_hook.h"

namespace tally::cuda {

class CheckedRun final : public RunHook {
 public:
  // `module`: as it is compiled; `inputs` as the run has them. Both outlive it.
  CheckedRun(const ValidModule& module, std::span<const TensorView> inputs) : check_(module, inputs) {}

  const absl::Status& status() const { return check_.status(); }

  absl::Status After(const Frame& frame, size_t steps) override;
  void Enter(const CallSite&, size_t function, std::span<const Operand<int64_t>> arguments) override {
    check_.Enter(function, arguments);
  }
  void Leave() override { check_.Leave(); }

 private:
  CheckedSchedule check_;
  AlignedVector<uint8_t> bytes_;  // for the value that was brought last
};

}  // namespace tally::cuda
