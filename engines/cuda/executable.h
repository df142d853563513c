// The programs of a module on a device, and the stream contexts on which they run.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/tensor.h"
#include "engines/cuda/compile_module.h"
#include "engines/cuda/stream_context_pool.h"
#include "vm/plan.h"

namespace tally::cuda {

class Executable {
 public:
  // Everything that `options` names must outlive this.
  Executable(std::shared_ptr<const ValidModule> module, std::shared_ptr<Device> device,
             const CompileOptions& options);
  Executable(const Executable&) = delete;  // the programs name each other
  Executable& operator=(const Executable&) = delete;

  const Program& entry() const { return programs_[0]; }
  std::vector<PlanStep> steps() const;
  // The memory of a run, on the device and on the host, beyond constants.
  int64_t memory_bytes() const;
  // Constants on the device.
  int64_t kept_bytes() const { return constants_.size_bytes(); }

  // Everything that the first run needs is on the device from now on. Errors: device_memory; device_failed.
  absl::Status Start() const;

  const ValidModule& compiled() const { return *module_; }

  // As Plan::Run. `hook`: null, or what looks into the run; an observation, if the programs were compiled to
  // be observed.
  absl::Status Run(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                   RunHook* hook, const Cancellation* cancellation) const;

 private:
  std::shared_ptr<const ValidModule> module_;
  const ValidModule& published_;  // as callers know it: lowering may find narrower types for the same results
  std::shared_ptr<Device> device_;
  Constants constants_;
  std::vector<Program> programs_;
  std::unique_ptr<StreamContextPool> contexts_;
};

}  // namespace tally::cuda
