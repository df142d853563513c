#include "vm/engine.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "vm/cpu_flags_of.h"
#include "vm/engines/cpu/cpu_engine.h"
#include "vm/engines/cpu/thread_pool.h"
#include "vm/engines/scalar_engine.h"
#include "vm/gpu_plan.h"
#include "vm/labels.h"

namespace tally {

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

absl::StatusOr<std::unique_ptr<const Plan>> MakePlan(std::string_view engine,
                                                     std::shared_ptr<const ValidModule> module,
                                                     const PlanOptions& options) {
  if (engine == "formal") return MakeFormalPlan(std::move(module));
  if (engine == "reference") return MakeReferencePlan(std::move(module));
  if (engine == "cpu") {
    ASSIGN_OR_RETURN(const CpuFlags flags, CpuFlagsOf(options.arch));
    return MakeCpuPlan(std::move(module),
                       {.flags = flags, .threads = std::clamp(options.threads, 1, ThreadPool::kMaxThreads)});
  }
  if (engine == "cuda") return MakeGpuPlan(std::move(module));
  return MakeError(label::engine_unavailable, absl::StrCat("no engine is called '", ToAbsl(engine), "'"));
}

}  // namespace tally
