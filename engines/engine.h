// Plan and execute: the two stages after validation.
//
//   auto valid = std::make_shared<const ValidModule>(std::move(module));
//   ASSIGN_OR_RETURN(const std::unique_ptr<const Plan> plan, MakePlan("reference", valid));
//   ASSIGN_OR_RETURN(const Outcome outcome, plan->Execute({image.view()}, {}));
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "vm/plan.h"
#include "vm/valid_module.h"

namespace tally {

struct EngineInfo {
  std::string_view name;
  bool available;
  std::string_view summary;  // or why it is not available
};

// Every engine of the specification, whether this build and this machine have it or not.
std::span<const EngineInfo> AllEngines();

struct PlanOptions {
  // The most threads of a run; the scalar engines use one. Plans of the cpu engine share one pool, as large
  // as the largest of these numbers, and runs that are in flight together share its threads. Results are the
  // same for any number.
  int threads = 1;
  // The instruction sets that kernels of the cpu engine may use: a level of CapCpuFlags (base/cpu_flags.h).
  // Empty: what the environment variable TALLY_ARCH says, or else everything that this machine has. Results
  // are the same for any.
  std::string_view level = {};
};

// Errors: engine_unavailable (unknown, or not in this build or on this machine); arch_unknown; for the cuda
// engine also device_memory, when the device cannot hold the plan, and device_failed. The first plan of a
// process for each set of instructions, and for a device, runs the known answers (engines/known_answers.h)
// before: error self_test.
absl::StatusOr<std::unique_ptr<const Plan>> MakePlan(std::string_view engine,
                                                     std::shared_ptr<const ValidModule> module,
                                                     const PlanOptions& options = {});

}  // namespace tally
