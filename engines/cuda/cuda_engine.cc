#include "engines/cuda/cuda_engine.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "engines/compile/lower_operators.h"
#include "engines/cuda/checked_run.h"
#include "engines/cuda/executable.h"
#include "engines/cuda/observation.h"

namespace tally {
namespace {

class CudaPlan final : public Plan {
 public:
  CudaPlan(std::shared_ptr<const ValidModule> module, std::shared_ptr<cuda::Device> device)
      : Plan(module),
        device_(std::move(device)),
        lowered_(LowerForKernels(std::move(module))),
        options_{.published = this->module(), .arch = device_->info().arch},
        served_(lowered_.module, device_, options_) {}

  absl::Status Start() const { return served_.Start(); }

  int64_t memory_bytes() const override { return served_.memory_bytes(); }
  int64_t observed_memory_bytes() const override { return Observed(values_).memory_bytes(); }
  int64_t hashed_memory_bytes() const override { return Observed(roots_).memory_bytes(); }
  int64_t kept_bytes() const override { return served_.kept_bytes(); }

  absl::Status lowering() const override { return lowered_.status; }
  std::vector<PlanStep> steps() const override { return served_.steps(); }
  std::vector<std::string> views() const override { return served_.entry().views; }

 protected:
  absl::Status Run(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                   const ExecuteOptions& options) const override {
    if (!options.observer && !options.check)
      return served_.Run(inputs, results, nullptr, options.cancellation);
    if (!options.observer) {
      cuda::CheckedRun check(served_.compiled(), inputs);
      RETURN_IF_ERROR(served_.Run(inputs, results, &check, options.cancellation));
      return check.status();
    }
    const cuda::ShowFn show = [&](std::span<const CallSite> path, ValueId id, const TensorType& type,
                                  std::span<const uint8_t> bytes) {
      options.observer(path, id, {type.storage(), type.shape, bytes});
    };
    cuda::Observation observation(show);
    return Observed(values_).Run(inputs, results, &observation, options.cancellation);
  }

  absl::Status RunHashed(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                         const ExecuteOptions& options) const override {
    const cuda::ShowFn show = [&](std::span<const CallSite> path, ValueId id, const TensorType& type,
                                  std::span<const uint8_t> bytes) {
      Digest root;
      std::ranges::copy(bytes, root.begin());
      options.root_observer(path, id, type.storage(), type.shape, root);
    };
    cuda::Observation observation(show);
    return Observed(roots_).Run(inputs, results, &observation, options.cancellation);
  }

 private:
  // Programs that show something. Most plans are never observed.
  struct Observing {
    ShowAs show_as;
    std::once_flag once;
    std::vector<ObservedFunction> functions;
    std::unique_ptr<const cuda::Executable> executable;
  };
  const cuda::Executable& Observed(Observing& observing) const {
    std::call_once(observing.once, [&] {
      const CommittedValues committed(module());
      const bool all = observing.show_as != ShowAs::kRoots;
      observing.functions = ObservedFunctions(module(), lowered_.places, all ? nullptr : &committed);
      cuda::CompileOptions options = options_;
      options.observed = &observing.functions;
      options.show_as = observing.show_as;
      observing.executable = std::make_unique<const cuda::Executable>(lowered_.module, device_, options);
    });
    return *observing.executable;
  }

  std::shared_ptr<cuda::Device> device_;
  ModuleForKernels lowered_;
  cuda::CompileOptions options_;
  cuda::Executable served_;
  mutable Observing values_{.show_as = ShowAs::kOwnTypes}, roots_{.show_as = ShowAs::kRoots};
};

}  // namespace

absl::StatusOr<std::unique_ptr<const Plan>> MakeCudaPlan(std::shared_ptr<const ValidModule> module,
                                                         std::shared_ptr<cuda::Device> device) {
  auto plan = std::make_unique<CudaPlan>(std::move(module), std::move(device));
  RETURN_IF_ERROR(plan->Start());
  return plan;
}

}  // namespace tally
