#include <iomanip>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "serializer/module_id.h"

namespace tally::cli {
namespace {

using Json = nlohmann::ordered_json;

Json TypeJson(const TensorType& type) {
  return {{"shape", std::vector<int64_t>(type.shape.dims().begin(), type.shape.dims().end())},
          {"interval", {type.interval.lo, type.interval.hi}},
          {"storage", StorageName(type.storage())}};
}

// What is proven about one function.
Json FunctionJson(const ValidModule& module, size_t number) {
  const FunctionFacts& facts = module.functions()[number];
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
                            {"gas", instruction.gas},
                            {"accumulator", {instruction.accumulator.lo, instruction.accumulator.hi}},
                            {"scratch_bytes", instruction.scratch_bytes}});
  }
  return {{"gas", facts.gas},
          {"arena_bytes", facts.arena_bytes},
          {"largest_live_bytes", facts.largest_live_bytes},
          {"values", values},
          {"instructions", instructions}};
}

// The entry's facts are the module's; those of the other functions, if there are any, follow in a list.
Json Report(const ValidModule& module, const std::string& id) {
  Json report = {{"module_id", id},
                 {"profile", ProfileName(module.module().profile)},
                 {"spec_version", module.module().spec_version},
                 {"constant_bytes", module.constant_bytes()}};
  report.update(FunctionJson(module, 0));
  Json functions = Json::array();
  for (size_t f = 1; f < module.functions().size(); ++f) functions.push_back(FunctionJson(module, f));
  report["functions"] = functions;
  return report;
}

void PrintFunction(const ValidModule& module, size_t number, std::ostream& out) {
  const Function& function = module.module().functions[number];
  const FunctionFacts& facts = module.functions()[number];
  if (number > 0) {
    out << "\nfunction " << number << ", gas " << facts.gas << ", arena " << facts.arena_bytes << " bytes\n";
  }
  const auto line = [&](size_t value, std::string_view what, int64_t gas) {
    out << "%" << std::left << std::setw(5) << value << std::setw(20) << what << std::right << std::setw(12)
        << gas << "  " << facts.types[value].ToString() << " " << StorageName(facts.types[value].storage())
        << "\n";
  };
  for (size_t p = 0; p < function.params.size(); ++p) line(p, "param", 0);
  for (size_t i = 0; i < facts.instructions.size(); ++i) {
    const InstructionFacts& instruction = facts.instructions[i];
    for (int r = 0; r < instruction.num_results; ++r) {
      line(instruction.first_result + static_cast<size_t>(r), InfoOf(function.body[i].op).name,
           r == 0 ? instruction.gas : 0);
    }
  }
}

void PrintReport(const ValidModule& module, const std::string& id, std::ostream& out) {
  out << "module     " << id << "\nprofile    " << ProfileName(module.module().profile) << "\ngas        "
      << module.gas() << "\narena      " << module.arena_bytes() << " bytes (largest live set "
      << module.largest_live_bytes() << ")\nconstants  " << module.constant_bytes() << " bytes\n\n";
  out << "value operator                     gas  type\n";
  for (size_t f = 0; f < module.functions().size(); ++f) PrintFunction(module, f, out);
}

}  // namespace

absl::Status ValidateModule(const ValidateOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const auto module, LoadValidModule(options.module));
  const std::string id = ToHex(ModuleId(module->module()));
  if (options.json) {
    out << Report(*module, id).dump(2) << "\n";
  } else {
    PrintReport(*module, id, out);
  }
  return absl::OkStatus();
}

}  // namespace tally::cli
