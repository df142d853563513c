#include "engines/engine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/program/thread_pool.h"
#include "engines/cpu_flags_of.h"
#include "engines/gpu_plan.h"
#include "engines/known_answers.h"
#include "engines/scalar/scalar_engine.h"
#include "vm/labels.h"

namespace tally {

// Elements are little-endian in files and in memory alike, so that files are mapped and used in place. What
// judges a run (proof/certificate) reads them element by element, on any machine.
static_assert(std::endian::native == std::endian::little, "engines need byte swaps on big-endian hosts");

std::span<const EngineInfo> AllEngines() {
  static const absl::StatusOr<std::string> gpu = GpuName();
  static const std::string cuda =
      gpu.ok() ? "for serving: kernels for " + *gpu : std::string(gpu.status().message());
  static const std::array engines = {
      EngineInfo{"formal", true, "the definition: scalar, over arbitrary-precision integers"},
      EngineInfo{"reference", true, "the oracle: the same source over int64"},
      EngineInfo{"cpu", true, "for serving: kernels for this processor"},
      EngineInfo{"cuda", gpu.ok(), cuda},
  };
  return engines;
}

namespace {

// Checks each engine, as it is used, once: machines do not heal.
class KnownAnswerChecks {
 public:
  absl::Status Passed(const std::string& machine, const PlanMaker& make) {
    const std::scoped_lock lock(mutex_);
    const auto found = outcomes_.find(machine);
    if (found != outcomes_.end()) return found->second;
    const absl::Status outcome = CheckKnownAnswers(machine, make);
    if (outcome.ok() || HasLabel(outcome, label::self_test)) outcomes_.emplace(machine, outcome);
    return outcome;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, absl::Status> outcomes_;  // by engine and machine
};

KnownAnswerChecks& TheKnownAnswerChecks() {
  static KnownAnswerChecks checks;
  return checks;
}

absl::StatusOr<std::unique_ptr<const Plan>> MakeCheckedCpuPlan(std::shared_ptr<const ValidModule> module,
                                                               const CpuPlanOptions& options) {
  const PlanMaker make = [&](std::shared_ptr<const ValidModule> of) {
    return MakeCpuPlan(std::move(of), {.flags = options.flags});
  };
  RETURN_IF_ERROR(
      TheKnownAnswerChecks().Passed(absl::StrCat("engine cpu with ", CpuFlagsToString(options.flags)), make));
  return MakeCpuPlan(std::move(module), options);
}

// A device that fails for want of memory or a context may succeed later: only a wrong value is for ever.
absl::StatusOr<std::unique_ptr<const Plan>> MakeCheckedGpuPlan(std::shared_ptr<const ValidModule> module) {
  const auto gpu = GpuName();
  RETURN_IF_ERROR(gpu.status());
  RETURN_IF_ERROR(TheKnownAnswerChecks().Passed("engine cuda on " + *gpu, MakeGpuPlan));
  return MakeGpuPlan(std::move(module));
}

}  // namespace

absl::StatusOr<std::unique_ptr<const Plan>> MakePlan(std::string_view engine,
                                                     std::shared_ptr<const ValidModule> module,
                                                     const PlanOptions& options) {
  if (engine == "formal") return MakeFormalPlan(std::move(module));
  if (engine == "reference") return MakeReferencePlan(std::move(module));
  if (engine == "cpu") {
    ASSIGN_OR_RETURN(const CpuFlags flags, CpuFlagsOf(options.level));
    return MakeCheckedCpuPlan(
        std::move(module),
        {.flags = flags, .threads = std::clamp(options.threads, 1, ThreadPool::kMaxThreads)});
  }
  if (engine == "cuda") return MakeCheckedGpuPlan(std::move(module));
  return MakeError(label::engine_unavailable, absl::StrCat("no engine is called '", ToAbsl(engine), "'"));
}

}  // namespace tally
