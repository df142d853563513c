#include "api/module_proof.h"

#include "base/hash/digest.h"
#include "base/status_macros.h"
#include "proof/receipt/bounds.h"
#include "serializer/module_id.h"
#include "vm/cvm_gas.h"

namespace tally {
namespace {

using Json = nlohmann::ordered_json;

Json TypeJson(const TensorType& type) {
  return {{"shape", std::vector<int64_t>(type.shape.dims().begin(), type.shape.dims().end())},
          {"interval", {type.interval.lo, type.interval.hi}},
          {"storage", StorageName(type.storage())}};
}

Prices TallyPrices(const FunctionFacts& facts) {
  Prices prices = {facts.gas, std::vector<int64_t>(facts.types.size())};
  for (const InstructionFacts& instruction : facts.instructions) {
    prices.values[instruction.first_result] = instruction.gas;
  }
  return prices;
}

// The facts that are proven about one function.
Json FunctionJson(const ModuleProof& proof, size_t number) {
  const ValidModule& module = proof.module;
  const FunctionFacts& facts = module.functions()[number];
  const Prices& prices = proof.prices[number];
  Json values = Json::array();
  for (size_t value = 0; value < facts.types.size(); ++value) {
    values.push_back(TypeJson(facts.types[value]));
    if (module.module().profile == Profile::kCvm) values.back()["precision"] = facts.precisions[value];
  }
  Json instructions = Json::array();
  for (size_t i = 0; i < facts.instructions.size(); ++i) {
    const InstructionFacts& instruction = facts.instructions[i];
    instructions.push_back({{"op", InfoOf(module.module().functions[number].body[i].op).name},
                            {"first_result", instruction.first_result},
                            {"gas", prices.of(instruction)},
                            {"accumulator", {instruction.accumulator.lo, instruction.accumulator.hi}},
                            {"working_memory_bytes", instruction.scratch_bytes}});
  }
  const auto first_instruction = prices.values.begin() + static_cast<std::ptrdiff_t>(facts.params.size());
  return {{"gas", prices.total},
          {"passing_gas", prices.passing()},
          {"param_gas", std::vector<int64_t>(prices.values.begin(), first_instruction)},
          {"arena_bytes", facts.arena_bytes},
          {"largest_live_bytes", facts.largest_live_bytes},
          {"values", values},
          {"instructions", instructions}};
}

}  // namespace

absl::StatusOr<ModuleProof> ProveModule(std::string_view gas_schedule, const ValidModule& module) {
  ModuleProof proof = {ToHex(ModuleId(module.module())),
                       ToHex(BoundsDigest(BoundsOf(module))),
                       std::string(gas_schedule),
                       module,
                       {}};
  if (gas_schedule == "cvm") {
    ASSIGN_OR_RETURN(CvmGas gas, CvmGasOf(module));
    proof.prices.push_back({gas.total, std::move(gas.values)});
  } else {
    for (const FunctionFacts& facts : module.functions()) proof.prices.push_back(TallyPrices(facts));
  }
  return proof;
}

Json ModuleProofJson(const ModuleProof& proof) {
  const ValidModule& module = proof.module;
  Json report = {{"module_id", proof.id},
                 {"bounds", proof.bounds},
                 {"profile", ProfileName(module.module().profile)},
                 {"spec_version", module.module().spec_version},
                 {"constant_bytes", module.constant_bytes()},
                 {"gas_schedule", proof.gas_schedule}};
  report.update(FunctionJson(proof, 0));
  Json functions = Json::array();
  for (size_t f = 1; f < module.functions().size(); ++f) functions.push_back(FunctionJson(proof, f));
  report["functions"] = functions;
  return report;
}

}  // namespace tally
