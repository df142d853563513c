// The programs of a module, and the memory of their runs.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "engines/cpu/compile_module.h"
#include "engines/cpu/program/program.h"
#include "engines/cpu/program/thread_pool.h"
#include "vm/plan.h"

namespace tally::cpu {

class Executable {
 public:
  // Everything that `options` names must outlive this.
  Executable(std::shared_ptr<const ValidModule> module, const CompileOptions& options);

  const Program& entry() const { return programs_[0]; }
  std::vector<PlanStep> steps() const;
  int64_t kept_bytes() const;

  const ValidModule& compiled() const { return *module_; }

  // As Plan::Run. `hook`: null, or what looks into the run; an observation, if the programs were compiled to
  // be observed. Error cancelled.
  absl::Status Run(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                   ThreadPool& pool, RunHook* hook, const Cancellation* cancellation) const;

 private:
  struct Free {
    size_t size;
    void operator()(uint8_t* bytes) const { FreeAligned(bytes, size); }
  };
  using Bytes = std::unique_ptr<uint8_t, Free>;
  class Arena;

  bool IsExternal(const ValueRef& value, size_t index) const {
    return entry().buffers[entry().Root(value.buffer)].external == static_cast<int32_t>(index);
  }

  std::shared_ptr<const ValidModule> module_;
  const ValidModule& published_;  // as callers know it: lowering may find narrower types for the same results
  std::vector<Program> programs_;
  mutable std::mutex mutex_;
  mutable std::vector<Bytes> free_;
};

}  // namespace tally::cpu
