// tally validate: everything that the validator proves.
#include <functional>
#include <iomanip>
#include <numeric>

#include "base/hash/digest.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/json_output.h"
#include "cli/load.h"
#include "proof/receipt/bounds.h"
#include "serializer/module_id.h"
#include "vm/cvm_gas.h"

namespace tally::cli {
namespace {

struct ValidateOptions {
  std::string module;
  std::string gas_schedule = "tally";  // or "cvm": what cvm-runtime charges
  bool json = false;
};

Json TypeJson(const TensorType& type) {
  return {{"shape", std::vector<int64_t>(type.shape.dims().begin(), type.shape.dims().end())},
          {"interval", {type.interval.lo, type.interval.hi}},
          {"storage", StorageName(type.storage())}};
}

// Gas of one function by the schedule that was asked for.
struct Prices {
  int64_t total = 0;
  std::vector<int64_t> values;  // by value id; of an instruction at its first result

  int64_t of(const InstructionFacts& instruction) const { return values[instruction.first_result]; }
  // For the function itself and for the values that enter and leave it.
  int64_t passing() const { return std::accumulate(values.begin(), values.end(), total, std::minus<>()); }
};

Prices TallyPrices(const FunctionFacts& facts) {
  Prices prices = {facts.gas, std::vector<int64_t>(facts.types.size())};
  for (const InstructionFacts& instruction : facts.instructions) {
    prices.values[instruction.first_result] = instruction.gas;
  }
  return prices;
}

// The parts of the report.
struct Proof {
  std::string id;
  std::string bounds;  // their digest
  std::string gas_schedule;
  const ValidModule& module;
  std::vector<Prices> prices;  // by number of the function
};

absl::StatusOr<Proof> Prove(const std::string& gas_schedule, const ValidModule& module) {
  Proof proof = {
      ToHex(ModuleId(module.module())), ToHex(BoundsDigest(BoundsOf(module))), gas_schedule, module, {}};
  if (gas_schedule == "cvm") {
    ASSIGN_OR_RETURN(CvmGas gas, CvmGasOf(module));
    proof.prices.push_back({gas.total, std::move(gas.values)});
  } else {
    for (const FunctionFacts& facts : module.functions()) proof.prices.push_back(TallyPrices(facts));
  }
  return proof;
}

// The facts that are proven about one function.
Json FunctionJson(const Proof& proof, size_t number) {
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

// The entry's facts are the module's; those of the other functions, if there are any, follow in a list.
Json Report(const Proof& proof) {
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

void PrintFunction(const Proof& proof, size_t number, std::ostream& out) {
  const Function& function = proof.module.module().functions[number];
  const FunctionFacts& facts = proof.module.functions()[number];
  const Prices& prices = proof.prices[number];
  if (number > 0) {
    out << "\nfunction " << number << ", gas " << prices.total << ", arena " << facts.arena_bytes
        << " bytes\n";
  }
  const auto line = [&](size_t value, std::string_view what, int64_t gas) {
    out << "%" << std::left << std::setw(5) << value << std::setw(20) << what << std::right << std::setw(12)
        << gas << "  " << facts.types[value].ToString() << " " << StorageName(facts.types[value].storage())
        << "\n";
  };
  if (prices.passing() > 0)
    out << std::setw(26) << std::left << "passing" << std::setw(12) << std::right << prices.passing() << "\n";
  for (size_t p = 0; p < function.params.size(); ++p) line(p, "param", prices.values[p]);
  for (size_t i = 0; i < facts.instructions.size(); ++i) {
    const InstructionFacts& instruction = facts.instructions[i];
    for (int r = 0; r < instruction.num_results; ++r) {
      line(instruction.first_result + static_cast<size_t>(r), InfoOf(function.body[i].op).name,
           r == 0 ? prices.of(instruction) : 0);
    }
  }
}

void PrintReport(const Proof& proof, std::ostream& out) {
  const ValidModule& module = proof.module;
  out << "module     " << proof.id << "\nbounds     " << proof.bounds << "\nprofile    "
      << ProfileName(module.module().profile) << "\ngas        " << proof.prices[0].total << " (schedule "
      << proof.gas_schedule << ")\narena      " << module.arena_bytes() << " bytes (largest live set "
      << module.largest_live_bytes() << ")\nconstants  " << module.constant_bytes() << " bytes\n\n";
  out << "value operator                     gas  type\n";
  for (size_t f = 0; f < module.functions().size(); ++f) PrintFunction(proof, f, out);
}

absl::Status ValidateModule(const ValidateOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  ASSIGN_OR_RETURN(const Proof proof, Prove(options.gas_schedule, *module));
  if (options.json) {
    PrintJson(Report(proof), out);
  } else {
    PrintReport(proof, out);
  }
  return absl::OkStatus();
}

}  // namespace

void AddValidateCommand(CommandLine& line) {
  auto& options = line.Keep<ValidateOptions>();
  auto* validate =
      line.app.add_subcommand("validate", "prove a module valid, and print its id, types, gas and memory");
  line.ReadsModule(*validate, options.module);
  validate
      ->add_option("--gas-schedule", options.gas_schedule,
                   "tally (default), or cvm: the price that cvm-runtime charges for a module of profile cvm")
      ->check(CLI::IsMember({"tally", "cvm"}));
  line.ForMachines(*validate, options.json);
  line.Calls(*validate, options, ValidateModule);
}

}  // namespace tally::cli
