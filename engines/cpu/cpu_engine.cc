#include "engines/cpu/cpu_engine.h"

#include <mutex>
#include <utility>
#include <vector>

#include "base/hash/tensor_leaves.h"
#include "base/status_macros.h"
#include "engines/compile/lower_operators.h"
#include "engines/compile/observed_functions.h"
#include "engines/cpu/checked_run.h"
#include "engines/cpu/executable.h"
#include "engines/cpu/observation.h"
#include "engines/cpu/program/thread_pool.h"

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
                 .takes_small_layers = options.takes_small_layers},
        pool_(ThreadPool::Shared(options.threads)),
        served_(lowered_->module, options_) {}

  int64_t memory_bytes() const override { return served_.entry().arena_bytes; }
  int64_t kept_bytes() const override { return served_.kept_bytes(); }
  int64_t observed_memory_bytes() const override { return Observed(values_).entry().arena_bytes; }
  int64_t hashed_memory_bytes() const override { return Observed(roots_).entry().arena_bytes; }

  absl::Status lowering() const override { return lowered_->status; }
  std::vector<PlanStep> steps() const override { return served_.steps(); }
  std::vector<std::string> views() const override { return served_.entry().views; }

 protected:
  absl::Status Run(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                   const ExecuteOptions& options) const override {
    if (options.observer) {
      const cpu::ShowFn show = [&](std::span<const CallSite> path, ValueId id, const TensorType& type, Layout,
                                   std::span<const uint8_t> bytes, ThreadPool::Caller&) {
        options.observer(path, id, {type.storage(), type.shape, bytes});
      };
      cpu::Observation observation(show);
      return Observed(values_).Run(inputs, results, *pool_, &observation, options.cancellation);
    }
    if (options.check) {
      cpu::CheckedRun check(served_.compiled(), inputs);
      RETURN_IF_ERROR(served_.Run(inputs, results, *pool_, &check, options.cancellation));
      return check.status();
    }
    if (options.step_observer) {
      cpu::StepObservation observation(served_.entry(), options.step_observer);
      return served_.Run(inputs, results, *pool_, &observation, options.cancellation);
    }
    return served_.Run(inputs, results, *pool_, nullptr, options.cancellation);
  }

  // Hashed where they are: the layout of most is the one that they are committed to in.
  absl::Status RunHashed(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                         const ExecuteOptions& options) const override {
    const cpu::ShowFn show = [&](std::span<const CallSite> path, ValueId id, const TensorType& type,
                                 Layout layout, std::span<const uint8_t> bytes, ThreadPool::Caller& caller) {
      const TensorView in_order = {type.storage(), PhysicalShape(type.shape, layout), bytes};
      const RunParts run = [&](int parts, const std::function<void(int)>& part) { caller.Run(parts, part); };
      options.root_observer(path, id, type.storage(), type.shape,
                            TensorRootInParts(in_order, options_.threads, run));
    };
    cpu::Observation observation(show);
    return Observed(roots_).Run(inputs, results, *pool_, &observation, options.cancellation);
  }

 private:
  // Programs that show something. Most plans are never observed.
  struct Observing {
    ShowAs show_as;
    std::once_flag once;
    std::vector<ObservedFunction> functions;
    std::unique_ptr<const cpu::Executable> executable;
  };
  const cpu::Executable& Observed(Observing& observing) const {
    std::call_once(observing.once, [&] {
      const CommittedValues committed(module());
      const bool all = observing.show_as == ShowAs::kHeld;
      observing.functions = ObservedFunctions(module(), lowered_->places, all ? nullptr : &committed);
      cpu::CompileOptions options = options_;
      options.observed = &observing.functions;
      options.show_as = observing.show_as;
      observing.executable = std::make_unique<const cpu::Executable>(lowered_->module, options);
    });
    return *observing.executable;
  }

  std::shared_ptr<const ModuleForKernels> lowered_;
  cpu::CompileOptions options_;
  std::shared_ptr<ThreadPool> pool_;
  cpu::Executable served_;
  mutable Observing values_{.show_as = ShowAs::kHeld}, roots_{.show_as = ShowAs::kCommitted};
};

}  // namespace

std::unique_ptr<const Plan> MakeCpuPlan(std::shared_ptr<const ValidModule> module,
                                        std::shared_ptr<const ModuleForKernels> lowered,
                                        const CpuPlanOptions& options) {
  return std::make_unique<CpuPlan>(std::move(module), std::move(lowered), options);
}

}  // namespace tally
