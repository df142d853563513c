#include "tests/vectors/suite_case.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "base/error.h"
#include "base/hash/digest.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/scalar/scalar_engine.h"
#include "serializer/decode.h"
#include "serializer/module_id.h"
#include "serializer/tensor_digest.h"
#include "vm/validator.h"

namespace tally {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kShownElements = 64;

Json DimsOf(const Shape& shape) { return std::vector<int64_t>(shape.dims().begin(), shape.dims().end()); }

std::vector<int64_t> ValuesOf(const TensorView& tensor) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < tensor.shape.num_elements(); ++i) values.push_back(tensor.at(i));
  return values;
}

Json FunctionJson(const ValidModule& module, const FunctionFacts& facts) {
  Json values = Json::array(), instructions = Json::array();
  for (size_t v = 0; v < facts.types.size(); ++v) {
    const TensorType& type = facts.types[v];
    values.push_back({{"shape", DimsOf(type.shape)},
                      {"interval", {type.interval.lo, type.interval.hi}},
                      {"storage", StorageName(type.storage())}});
    if (module.module().profile == Profile::kCvm) values.back()["precision"] = facts.precisions[v];
  }
  for (const InstructionFacts& instruction : facts.instructions) {
    instructions.push_back({{"accumulator", {instruction.accumulator.lo, instruction.accumulator.hi}},
                            {"working_memory_bytes", instruction.scratch_bytes}});
  }
  return {{"arena_bytes", facts.arena_bytes},
          {"largest_live_bytes", facts.largest_live_bytes},
          {"values", values},
          {"instructions", instructions}};
}

Json ProofJson(const ValidModule& module) {
  Json functions = Json::array();
  for (const FunctionFacts& facts : module.functions()) functions.push_back(FunctionJson(module, facts));
  return {{"id", ToHex(ModuleId(module.module()))}, {"functions", functions}};
}

Json GasJson(const ValidModule& module) {
  Json functions = Json::array();
  for (const FunctionFacts& facts : module.functions()) {
    Json instructions = Json::array();
    for (const InstructionFacts& instruction : facts.instructions) instructions.push_back(instruction.gas);
    functions.push_back({facts.gas, instructions});
  }
  return functions;
}

// Refused runs are those of the reference engine, whose memory is the arena.
absl::StatusOr<Json> RunJson(const std::shared_ptr<const ValidModule>& module, const SuiteRun& run) {
  Json json = {{"inputs", Json::array()}};
  std::vector<TensorView> inputs;
  for (const Tensor& input : run.inputs) {
    inputs.push_back(input.view());
    json["inputs"].push_back({{"shape", DimsOf(input.shape())}, {"values", ValuesOf(input.view())}});
  }
  ExecuteOptions options;
  if (run.gas_limit) json["gas_limit"] = options.gas_limit = *run.gas_limit;
  if (run.memory_limit) json["memory_limit"] = options.memory_limit_bytes = *run.memory_limit;
  const auto plan = run.error.empty() ? MakeFormalPlan(module) : MakeReferencePlan(module);
  const auto outcome = plan->Execute(inputs, options);
  if (ErrorLabel(outcome.status()) != run.error) return outcome.status();
  if (!outcome.ok()) {
    json["error"] = run.error;
    return json;
  }
  json["results"] = Json::array();
  for (const Tensor& result : outcome->results) {
    const TensorView view = result.view();
    json["results"].push_back({{"shape", DimsOf(view.shape)},
                               {"storage", StorageName(view.storage)},
                               {"digest", ToHex(ValueDigest(view))}});
    if (view.shape.num_elements() <= kShownElements) json["results"].back()["values"] = ValuesOf(view);
  }
  return json;
}

absl::StatusOr<ValidModule> Judge(const std::vector<uint8_t>& bytes) {
  ASSIGN_OR_RETURN(Module module, Decode(bytes));
  return Validate(std::move(module));
}

}  // namespace

absl::StatusOr<SuiteLine> LineOf(const SuiteCase& test) {
  const std::string bytes(test.module.begin(), test.module.end());
  Json json = {{"name", test.name}, {"module", absl::Base64Escape(bytes)}};
  auto judged = Judge(test.module);
  const std::string label = ErrorLabel(judged.status());
  if (test.error && label != *test.error) {
    return absl::InternalError(
        absl::StrCat(test.name, " gives '", label, "' instead of '", *test.error, "'"));
  }
  if (!judged.ok()) {
    json["error"] = label;
    return SuiteLine{json.dump(), ""};
  }
  const auto module = std::make_shared<const ValidModule>(*std::move(judged));
  json["proof"] = ProofJson(*module);
  for (const SuiteRun& run : test.runs) {
    auto outcome = RunJson(module, run);
    if (!outcome.ok()) {
      return absl::InternalError(absl::StrCat(test.name, ": a run that should give '", run.error, "' gives ",
                                              outcome.status().ToString()));
    }
    json["runs"].push_back(*std::move(outcome));
  }
  return SuiteLine{json.dump(), GasJson(*module).dump()};
}

}  // namespace tally
