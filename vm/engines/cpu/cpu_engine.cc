#include "vm/engines/cpu/cpu_engine.h"

#include <mutex>
#include <utility>
#include <vector>

#include "vm/compile/lower_operators.h"
#include "vm/compile/observed_functions.h"
#include "vm/engines/cpu/checked_run.h"
#include "vm/engines/cpu/executable.h"
#include "vm/engines/cpu/observation.h"
#include "vm/engines/cpu/thread_pool.h"

namespace tally {
namespace {

class CpuPlan final : public Plan {
 public:
  CpuPlan(std::shared_ptr<const ValidModule> module, std::shared_ptr<const ModuleForKernels> lowered,
          const CpuPlanOptions& options)
      : Plan(std::move(module)),
        lowered_(std::move(lowered)),
        options_{.published = this->module(),
                 .flags = options.flags,
                 .threads = options.threads,
                 .least_pooled_bytes = options.least_pooled_bytes},
        pool_(ThreadPool::Shared(options.threads)),
        served_(lowered_->module, options_) {}

  int64_t memory_bytes() const override { return served_.entry().arena_bytes; }
  int64_t kept_bytes() const override { return served_.kept_bytes(); }
  int64_t observed_memory_bytes() const override { return Observed().entry().arena_bytes; }

  absl::Status lowering() const override { return lowered_->status; }
  std::vector<PlanStep> steps() const override { return served_.steps(); }
  std::vector<std::string> views() const override { return served_.entry().views; }

 protected:
  absl::Status Run(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                   const ExecuteOptions& options) const override {
    if (options.observer) {
      cpu::Observation observation(options.observer);
      Observed().Run(inputs, results, *pool_, &observation);
      return absl::OkStatus();
    }
    if (options.check) {
      cpu::CheckedRun check(served_.compiled(), inputs);
      served_.Run(inputs, results, *pool_, &check);
      return check.status();
    }
    served_.Run(inputs, results, *pool_, nullptr);
    return absl::OkStatus();
  }

 private:
  // Most plans are never observed.
  const cpu::Executable& Observed() const {
    std::call_once(once_, [this] {
      observed_functions_ = ObservedFunctions(module(), lowered_->places);
      cpu::CompileOptions options = options_;
      options.observed = &observed_functions_;
      observed_ = std::make_unique<const cpu::Executable>(lowered_->module, options);
    });
    return *observed_;
  }

  std::shared_ptr<const ModuleForKernels> lowered_;
  cpu::CompileOptions options_;
  std::shared_ptr<ThreadPool> pool_;
  cpu::Executable served_;
  mutable std::once_flag once_;
  mutable std::vector<ObservedFunction> observed_functions_;
  mutable std::unique_ptr<const cpu::Executable> observed_;
};

}  // namespace

std::unique_ptr<const Plan> MakeCpuPlan(std::shared_ptr<const ValidModule> module,
                                        std::shared_ptr<const ModuleForKernels> lowered,
                                        const CpuPlanOptions& options) {
  return std::make_unique<CpuPlan>(std::move(module), std::move(lowered), options);
}

}  // namespace tally
