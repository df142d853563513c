// tally validate: everything that the validator proves.
#include <iomanip>

#include "api/module_proof.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/json_output.h"
#include "cli/load.h"

namespace tally::cli {
namespace {

struct ValidateOptions {
  std::string module;
  std::string gas_schedule = "tally";  // or "cvm": what cvm-runtime charges
  bool json = false;
};

void PrintFunction(const ModuleProof& proof, size_t number, std::ostream& out) {
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

void PrintReport(const ModuleProof& proof, std::ostream& out) {
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
  ASSIGN_OR_RETURN(const ModuleProof proof, ProveModule(options.gas_schedule, *module));
  if (options.json) {
    PrintJson(ModuleProofJson(proof), out);
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
