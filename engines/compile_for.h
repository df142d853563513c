// The schedule that an engine compiles a module to, pass by pass: for people who ask why a network is slow,
// and for tests of the passes.
//
//   RETURN_IF_ERROR(CompileFor("cpu", module, {}, [](Pass pass, const FunctionView& function, const Schedule& schedule) {
//     std::cout << PrintSchedule(function, schedule);
//   }));
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "engines/compile/lower_operators.h"
#include "engines/compile/passes.h"
#include "engines/engine.h"

namespace tally {

// The architectures of GPUs for which the cuda engine has kernels; the least is what is taken when none is
// named.
inline constexpr std::string_view kCudaArchs = "sm_80, sm_90a";

// Calls `after` after each pass of each function, from the last function to the entry. `engine`: cpu, or
// cuda, for which no GPU is needed; `options.level` is then one of kCudaArchs. Returns the module of which
// the functions are: its operators are those that have kernels, or `status` says why not. Errors:
// engine_unavailable, also of engines that compile nothing; arch_unknown.
absl::StatusOr<ModuleForKernels> CompileFor(std::string_view engine,
                                            std::shared_ptr<const ValidModule> module,
                                            const PlanOptions& options, const PassObserver& after);

}  // namespace tally
