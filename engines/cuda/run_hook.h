// Hooks that follow a run step by step: an observer, or a check.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "engines/cuda/program.h"
#include "ops/reference.h"
#include "vm/call_path.h"

namespace tally::cuda {

class RunHook {
 public:
  virtual ~RunHook() = default;

  // The stream has the work of `steps` steps of the frame's program. Errors: those of the device.
  virtual absl::Status After(const Frame& frame, size_t steps) = 0;

  // Around the body that an instruction runs: function `function` of the compiled module, called with
  // `arguments`.
  virtual void Enter(const CallSite& site, size_t function, std::span<const Operand<int64_t>> arguments) = 0;
  virtual void Leave() = 0;
};

}  // namespace tally::cuda
