#include "vm/engine.h"

#include <array>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "vm/engines/scalar_engine.h"

namespace tally {
namespace {

absl::Status CheckInputs(const ValidModule& module, std::span<const TensorView> inputs) {
  const auto& params = module.entry().params;
  if (inputs.size() != params.size()) {
    return MakeError("input_count",
                     absl::StrCat(inputs.size(), " inputs for ", params.size(), " parameters"));
  }
  for (size_t i = 0; i < params.size(); ++i) {
    const std::string& name = module.module().metadata.params[i].name;
    if (inputs[i].shape != params[i].shape) {
      return MakeError("input_shape", absl::StrCat("input ", name, " has shape ", inputs[i].shape.ToString(),
                                                   ", not ", params[i].shape.ToString()));
    }
    if (const Interval bounds = inputs[i].Bounds(); !params[i].interval.Contains(bounds)) {
      return MakeError("input_interval", absl::StrCat("input ", name, " spans ", bounds.ToString(),
                                                      ", outside ", params[i].interval.ToString()));
    }
  }
  return absl::OkStatus();
}

constexpr std::array kEngines = {
    EngineInfo{"formal", true, "the definition: scalar, over arbitrary-precision integers"},
    EngineInfo{"reference", true, "the oracle: the same source over int64"},
    EngineInfo{"cpu", false, "not in this build"},
    EngineInfo{"cuda", false, "not in this build"},
};

}  // namespace

std::span<const EngineInfo> AllEngines() { return kEngines; }

absl::StatusOr<Outcome> Plan::Execute(std::span<const TensorView> inputs,
                                      const ExecuteOptions& options) const {
  if (module().gas() > options.gas_limit) {
    return MakeError("gas_limit",
                     absl::StrCat("gas ", module().gas(), " exceeds the limit ", options.gas_limit));
  }
  if (memory_bytes() > options.memory_limit_bytes) {
    return MakeError("memory_limit", absl::StrCat("a run needs ", memory_bytes(), " bytes, the limit is ",
                                                  options.memory_limit_bytes));
  }
  RETURN_IF_ERROR(CheckInputs(module(), inputs));
  return Outcome{Run(inputs, options), module().gas()};
}

absl::StatusOr<std::unique_ptr<const Plan>> MakePlan(
    std::string_view engine, std::shared_ptr<const ValidModule> module,
    const PlanOptions& /*options: no engine here is threaded*/) {
  if (engine == "formal") return MakeFormalPlan(std::move(module));
  if (engine == "reference") return MakeReferencePlan(std::move(module));
  for (const EngineInfo& info : kEngines) {
    if (info.name == engine) {
      return MakeError("engine_unavailable",
                       absl::StrCat("engine ", ToAbsl(engine), ": ", ToAbsl(info.summary)));
    }
  }
  return MakeError("engine_unavailable", absl::StrCat("no engine is called '", ToAbsl(engine), "'"));
}

}  // namespace tally
