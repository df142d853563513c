#include "fuzz/oracles/execution.h"

#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/cpu_flags.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "vm/engine.h"
#include "vm/engines/scalar_engine.h"

namespace tally {
namespace {

struct Run {
  std::string engine;
  using Address = std::pair<std::vector<CallSite>, ValueId>;
  std::map<Address, Tensor> values;  // of each instruction that ran
  Outcome outcome;
};

absl::StatusOr<Run> RunOn(std::string engine, const Plan& plan, std::span<const TensorView> inputs) {
  Run run = {.engine = std::move(engine)};
  ExecuteOptions options;
  options.observer = [&](std::span<const CallSite> path, ValueId id, const TensorView& value) {
    run.values.insert_or_assign({{path.begin(), path.end()}, id}, Tensor::Copy(value, value.storage));
  };
  try {
    ASSIGN_OR_RETURN(run.outcome, plan.Execute(inputs, options));
  } catch (const std::exception& trap) {
    return absl::InternalError(absl::StrCat("engine ", run.engine, " traps: ", trap.what()));
  }
  return run;
}

absl::Status CheckType(const TensorView& value, const TensorType& type, const std::string& what) {
  if (value.shape != type.shape || value.storage != type.storage()) {
    return absl::InternalError(absl::StrCat(what, " has another shape or storage than ", type.ToString()));
  }
  if (const Interval bounds = value.Bounds(); !type.interval.Contains(bounds)) {
    return absl::InternalError(absl::StrCat(what, " spans ", bounds.ToString(), ", type ", type.ToString()));
  }
  return absl::OkStatus();
}

// |v| <= 2^(p-1) - 1 at published precision p.
absl::Status CheckPrecision(const Interval& bounds, int precision, const std::string& what) {
  if (precision < 1 || bounds.Magnitude() > (uint64_t{1} << (precision - 1)) - 1) {
    return absl::InternalError(
        absl::StrCat(what, " spans ", bounds.ToString(), ", published precision ", precision));
  }
  return absl::OkStatus();
}

absl::Status CheckRun(const Run& run, const ValidModule& module) {
  for (const auto& [address, value] : run.values) {
    const auto& [path, id] = address;
    const size_t function = FunctionAt(module.module(), path);
    const FunctionFacts& facts = module.functions()[function];
    const std::string what = absl::StrCat("engine ", run.engine, ": value %", id, " of function ", function);
    RETURN_IF_ERROR(CheckType(value.view(), facts.types[id], what));
    if (module.module().profile != Profile::kCvm) continue;
    RETURN_IF_ERROR(CheckPrecision(value.view().Bounds(), facts.precisions[id], what));
  }
  const auto& results = module.entry().results;
  if (run.outcome.results.size() != results.size()) {
    return absl::InternalError(absl::StrCat("engine ", run.engine, " gives another number of results"));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    RETURN_IF_ERROR(CheckType(run.outcome.results[i].view(), module.types()[results[i]],
                              absl::StrCat("engine ", run.engine, ": result ", i)));
  }
  if (run.outcome.gas_used != module.gas()) {
    return absl::InternalError(absl::StrCat("engine ", run.engine, " reports gas ", run.outcome.gas_used));
  }
  return absl::OkStatus();
}

absl::Status CheckSame(const Run& a, const Run& b) {
  const auto differ = [&](const std::string& what) {
    return absl::InternalError(absl::StrCat("engines ", a.engine, " and ", b.engine, " differ at ", what));
  };
  if (a.values.size() != b.values.size()) return differ("the number of values");
  for (auto at = a.values.begin(), other = b.values.begin(); at != a.values.end(); ++at, ++other) {
    if (at->first != other->first || !SameValues(at->second.view(), other->second.view())) {
      return differ(absl::StrCat("value %", at->first.second, ", ", at->first.first.size(), " calls deep"));
    }
  }
  for (size_t i = 0; i < a.outcome.results.size(); ++i) {
    if (!SameValues(a.outcome.results[i].view(), b.outcome.results[i].view())) {
      return differ(absl::StrCat("result ", i));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckGas(const ValidModule& module) {
  for (const FunctionFacts& facts : module.functions()) {
    int64_t sum = 0;
    for (const InstructionFacts& instruction : facts.instructions) sum += instruction.gas;
    if (sum != facts.gas)
      return absl::InternalError(absl::StrCat("gas ", facts.gas, " is not the sum ", sum));
  }
  return absl::OkStatus();
}

// What serving runs: nothing observed, so that steps may be fused, on every level of instructions.
absl::Status CheckCpu(const Run& expected, const std::shared_ptr<const ValidModule>& module,
                      std::span<const TensorView> inputs) {
  int threads = 1;
  for (const std::string_view arch : CpuLevelsOf(DetectCpuFlags())) {
    ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", module, {.threads = threads, .arch = arch}));
    Run run = {.engine = absl::StrCat("cpu (", ToAbsl(arch), ", ", threads, " threads)")};
    run.values = expected.values;
    ASSIGN_OR_RETURN(run.outcome, plan->Execute(inputs, {}));
    RETURN_IF_ERROR(CheckRun(run, *module));
    RETURN_IF_ERROR(CheckSame(expected, run));
    threads = threads % 3 + 1;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckExecution(const std::shared_ptr<const ValidModule>& module,
                            std::span<const TensorView> inputs) {
  RETURN_IF_ERROR(CheckGas(*module));
  ASSIGN_OR_RETURN(const Run trapping, RunOn("trapping", *MakeTrappingPlan(module), inputs));
  RETURN_IF_ERROR(CheckRun(trapping, *module));
  for (const EngineInfo& info : AllEngines()) {
    if (!info.available) continue;
    ASSIGN_OR_RETURN(const std::unique_ptr<const Plan> plan, MakePlan(info.name, module));
    ASSIGN_OR_RETURN(const Run run, RunOn(std::string(info.name), *plan, inputs));
    RETURN_IF_ERROR(CheckRun(run, *module));
    RETURN_IF_ERROR(CheckSame(trapping, run));
  }
  return CheckCpu(trapping, module, inputs);
}

}  // namespace tally
