#include "vm/plan.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/hash/tensor_leaves.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "vm/committed_values.h"
#include "vm/labels.h"

namespace tally {
namespace {

absl::Status CheckInputs(const ValidModule& module, std::span<const TensorView> inputs) {
  const auto& params = module.entry().params;
  if (inputs.size() != params.size()) {
    return MakeError(label::input_count,
                     absl::StrCat(inputs.size(), " inputs for ", params.size(), " parameters"));
  }
  for (size_t i = 0; i < params.size(); ++i) {
    const std::string& name = module.module().metadata.params[i].name;
    if (inputs[i].shape != params[i].shape) {
      return MakeError(label::input_shape,
                       absl::StrCat("input ", name, " has shape ", inputs[i].shape.ToString(), ", not ",
                                    params[i].shape.ToString()));
    }
    if (params[i].interval.Contains(RangeOf(inputs[i].storage))) continue;
    if (const Interval bounds = inputs[i].Bounds(); !params[i].interval.Contains(bounds)) {
      return MakeError(label::input_interval, absl::StrCat("input ", name, " spans ", bounds.ToString(),
                                                           ", outside ", params[i].interval.ToString()));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckResults(const ValidModule& module, std::span<const std::span<uint8_t>> results) {
  const std::vector<ValueId>& ids = module.entry().results;
  if (results.size() != ids.size()) {
    return MakeError(label::result_count,
                     absl::StrCat("memory for ", results.size(), " of ", ids.size(), " results"));
  }
  for (size_t r = 0; r < ids.size(); ++r) {
    const int64_t size = module.types()[ids[r]].size_bytes();
    if (static_cast<int64_t>(results[r].size()) != size) {
      return MakeError(label::result_size,
                       absl::StrCat("result ", ToAbsl(module.module().metadata.results[r].name), " has ",
                                    size, " bytes, its memory ", results[r].size()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> Plan::kernels() const {
  std::vector<std::string> names;
  for (PlanStep& step : steps()) {
    if (step.function == 0) names.push_back(std::move(step.kernel));
  }
  return names;
}

absl::Status CheckLimits(const ValidModule& module, const ExecuteOptions& limits) {
  if (module.gas() > limits.gas_limit) {
    return MakeError(label::gas_limit,
                     absl::StrCat("gas ", module.gas(), " exceeds the limit ", limits.gas_limit));
  }
  // The figure that validation has published, not what this engine allocates: nodes must refuse the same
  // modules.
  if (module.arena_bytes() > limits.memory_limit_bytes) {
    return MakeError(label::memory_limit,
                     absl::StrCat("an arena of ", module.arena_bytes(), " bytes exceeds the limit ",
                                  limits.memory_limit_bytes));
  }
  return absl::OkStatus();
}

absl::Status CheckRun(const ValidModule& module, std::span<const TensorView> inputs,
                      const ExecuteOptions& options) {
  RETURN_IF_ERROR(CheckLimits(module, options));
  return CheckInputs(module, inputs);
}

absl::StatusOr<Outcome> Plan::Execute(std::span<const TensorView> inputs,
                                      const ExecuteOptions& options) const {
  RETURN_IF_ERROR(CheckRun(module(), inputs, options));
  Outcome outcome{.gas_used = module().gas()};
  std::vector<std::span<uint8_t>> memory;
  for (const ValueId id : module().entry().results) {
    const TensorType& type = module().types()[id];
    memory.push_back(outcome.results.emplace_back(type.shape, type.storage()).mutable_bytes());
  }
  RETURN_IF_ERROR(RunChecked(inputs, memory, options));
  return outcome;
}

absl::Status Plan::ExecuteInto(std::span<const TensorView> inputs,
                               std::span<const std::span<uint8_t>> results,
                               const ExecuteOptions& options) const {
  RETURN_IF_ERROR(CheckRun(module(), inputs, options));
  RETURN_IF_ERROR(CheckResults(module(), results));
  return RunChecked(inputs, results, options);
}

absl::Status Plan::RunChecked(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                              const ExecuteOptions& options) const {
  if (options.root_observer) return RunHashed(inputs, results, options);
  static const char* const check = std::getenv("TALLY_CHECK");
  if (options.check || check == nullptr || std::string_view(check) != "1")
    return Run(inputs, results, options);
  ExecuteOptions checked = options;
  checked.check = true;
  return Run(inputs, results, checked);
}

absl::Status Plan::RunHashed(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                             const ExecuteOptions& options) const {
  const CommittedValues committed(module());
  const ExecuteOptions shown = {.observer =
                                    [&](std::span<const CallSite> path, ValueId id, const TensorView& value) {
                                      if (!committed.contains(FunctionAt(module().module(), path), id))
                                        return;
                                      options.root_observer(path, id, value.storage, value.shape,
                                                            ValueRoot(value));
                                    },
                                .cancellation = options.cancellation};
  return Run(inputs, results, shown);
}

}  // namespace tally
