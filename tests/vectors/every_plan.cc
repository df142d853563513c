#include "tests/vectors/every_plan.h"

#include "absl/strings/str_cat.h"
#include "base/cpu_flags.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/cuda/cuda_engine.h"
#include "engines/engine.h"
#include "engines/scalar/scalar_engine.h"
#include "engines/testing/emulated_device.h"

namespace tally {

absl::Status ForEveryPlan(const std::shared_ptr<const ValidModule>& module,
                          const std::function<absl::Status(const Plan&)>& check) {
  const auto run = [&](absl::string_view name, const Plan& plan) -> absl::Status {
    const absl::Status status = check(plan);
    return status.ok() ? status : absl::InternalError(absl::StrCat("engine ", name, ": ", status.ToString()));
  };
  RETURN_IF_ERROR(run("trapping", *MakeTrappingPlan(module)));
  for (const EngineInfo& info : AllEngines()) {
    if (!info.available) continue;
    ASSIGN_OR_RETURN(const std::unique_ptr<const Plan> plan, MakePlan(info.name, module));
    RETURN_IF_ERROR(run(ToAbsl(info.name), *plan));
  }
  int threads = 1;
  for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
    ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", module, {.threads = threads++, .level = level}));
    RETURN_IF_ERROR(run(absl::StrCat("cpu on ", ToAbsl(level)), *plan));
  }
  for (const cuda::Arch arch : {cuda::Arch::kSm80, cuda::Arch::kSm90a}) {
    const auto device = std::make_shared<cuda::EmulatedDevice>(cuda::EmulatedDeviceOptions{.arch = arch});
    ASSIGN_OR_RETURN(const auto plan, MakeCudaPlan(module, device));
    RETURN_IF_ERROR(run(device->info().name, *plan));
  }
  return absl::OkStatus();
}

}  // namespace tally
