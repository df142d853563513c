#include "engines/compile_for.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/cpu/compile_module.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/program/thread_pool.h"
#include "engines/cpu_flags_of.h"
#include "engines/cuda/compile_module.h"
#include "vm/labels.h"

namespace tally {
namespace {

absl::StatusOr<cuda::Arch> CudaArchOf(std::string_view name) {
  if (name.empty() || name == "sm_80") return cuda::Arch::kSm80;
  if (name == "sm_90a") return cuda::Arch::kSm90a;
  return MakeError(label::arch_unknown, absl::StrCat("no architecture of GPUs is called '", ToAbsl(name),
                                                     "'; there are ", ToAbsl(kCudaArchs)));
}

}  // namespace

absl::StatusOr<ModuleForKernels> CompileFor(std::string_view engine,
                                            std::shared_ptr<const ValidModule> module,
                                            const PlanOptions& options, const PassObserver& after) {
  ModuleForKernels lowered = LowerForKernels(module);
  if (engine == "cpu") {
    ASSIGN_OR_RETURN(const CpuFlags flags, CpuFlagsOf(options.level));
    std::vector<Schedule> programs;
    cpu::Compile(*lowered.module,
                 {.published = *module,
                  .flags = flags,
                  .threads = std::clamp(options.threads, 1, ThreadPool::kMaxThreads),
                  .after = after},
                 programs);
    return lowered;
  }
  if (engine == "cuda") {
    ASSIGN_OR_RETURN(const cuda::Arch arch, CudaArchOf(options.level));
    std::vector<cuda::Program> programs;
    cuda::Constants constants;
    cuda::Compile(*lowered.module, {.published = *module, .arch = arch, .after = after}, programs, constants);
    return lowered;
  }
  return MakeError(label::engine_unavailable, absl::StrCat("no engine that compiles modules is called '",
                                                           ToAbsl(engine), "'; those are cpu and cuda"));
}

}  // namespace tally
