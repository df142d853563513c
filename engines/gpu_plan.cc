#include "engines/gpu_plan.h"

#include <utility>

#include "base/status_macros.h"
#include "engines/cuda/cuda_engine.h"
#include "engines/cuda/driver_device.h"

namespace tally {

absl::StatusOr<std::string> GpuName() {
  ASSIGN_OR_RETURN(const std::shared_ptr<cuda::Device> device, cuda::DriverDevice());
  return device->info().name;
}

absl::StatusOr<std::unique_ptr<const Plan>> MakeGpuPlan(std::shared_ptr<const ValidModule> module) {
  ASSIGN_OR_RETURN(const std::shared_ptr<cuda::Device> device, cuda::DriverDevice());
  return MakeCudaPlan(std::move(module), device);
}

}  // namespace tally
