// Everything that the validator proves of a module, for people and for machines.
//
//   ASSIGN_OR_RETURN(const ModuleProof proof, ProveModule("tally", module));
//   PrintJson(ModuleProofJson(proof), std::cout);  // `tally validate --json`
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/valid_module.h"

namespace tally {

// Gas of one function by the schedule that was asked for.
struct Prices {
  int64_t total = 0;
  std::vector<int64_t> values;  // by value id; of an instruction at its first result

  int64_t of(const InstructionFacts& instruction) const { return values[instruction.first_result]; }
  // For the function itself and for the values that enter and leave it.
  int64_t passing() const { return std::accumulate(values.begin(), values.end(), total, std::minus<>()); }
};

// `module` is the caller's.
struct ModuleProof {
  std::string id;
  std::string bounds;  // their digest
  std::string gas_schedule;
  const ValidModule& module;
  std::vector<Prices> prices;  // by number of the function
};

// `gas_schedule`: "tally", or "cvm": what cvm-runtime charges for a module of profile cvm. Errors: those of
// CvmGasOf.
absl::StatusOr<ModuleProof> ProveModule(std::string_view gas_schedule, const ValidModule& module);

// As docs/schemas/validate.json has it. The entry's facts are the module's; those of the other functions, if
// there are any, follow in a list.
nlohmann::ordered_json ModuleProofJson(const ModuleProof& proof);

}  // namespace tally
