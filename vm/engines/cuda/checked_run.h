// A served run, each value of which is compared with the references where the device has it (vm/engines/run_check.h).
#pragma once

#include <span>

#include "base/aligned_vector.h"
#include "base/tensor.h"
#include "vm/engines/cuda/run_hook.h"
#include "vm/engines/held_index.h"
#include "vm/engines/run_check.h"

namespace tally::cuda {

class CheckedRun final : public RunHook {
 public:
  // `module`: as it is compiled; `inputs` as the run has them. Both outlive it.
  CheckedRun(const ValidModule& module, std::span<const TensorView> inputs) : check_(module) {
    check_.EnterEntry(inputs);
  }

  const absl::Status& status() const { return check_.status(); }

  // Compares what the last step wrote, and what the next has to do with.
  absl::Status After(const Frame& frame, size_t steps) override;

  void Enter(const CallSite&, size_t function, std::span<const Operand<int64_t>> arguments) override {
    check_.Enter(function, arguments);
  }
  void Leave() override { check_.Leave(); }

 private:
  absl::Status CompareWritten(const Frame& frame, size_t steps);
  absl::Status CompareUsed(const Frame& frame, size_t step);
  // The value on the host, until the next is brought.
  absl::StatusOr<HeldValue> Bring(const Frame& frame, const Value& value);

  RunCheck check_;
  HeldIndex<Program> held_;
  AlignedVector<uint8_t> bytes_;
};

}  // namespace tally::cuda
