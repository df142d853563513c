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

Json Report(const ValidModule& module, const std::string& id) {
  Json values = Json::array();
  for (size_t value = 0; value < module.types().size(); ++value) {
    values.push_back(TypeJson(module.types()[value]));
    if (module.module().profile == Profile::kCvm) values.back()["precision"] = module.precisions()[value];
  }
  Json instructions = Json::array();
  for (size_t i = 0; i < module.facts().size(); ++i) {
    const InstructionFacts& facts = module.facts()[i];
    instructions.push_back({{"op", InfoOf(module.entry().body[i].op).name},
                            {"first_result", facts.first_result},
                            {"gas", facts.gas},
                            {"accumulator", {facts.accumulator.lo, facts.accumulator.hi}},
                            {"scratch_bytes", facts.scratch_bytes}});
  }
  return {{"module_id", id},
          {"profile", ProfileName(module.module().profile)},
          {"spec_version", module.module().spec_version},
          {"gas", module.gas()},
          {"arena_bytes", module.arena_bytes()},
          {"largest_live_bytes", module.largest_live_bytes()},
          {"constant_bytes", module.constant_bytes()},
          {"values", values},
          {"instructions", instructions}};
}

void PrintReport(const ValidModule& module, const std::string& id, std::ostream& out) {
  out << "module     " << id << "\nprofile    " << ProfileName(module.module().profile) << "\ngas        "
      << module.gas() << "\narena      " << module.arena_bytes() << " bytes (largest live set "
      << module.largest_live_bytes() << ")\nconstants  " << module.constant_bytes() << " bytes\n\n";
  const auto line = [&](size_t value, std::string_view what, int64_t gas) {
    out << "%" << std::left << std::setw(5) << value << std::setw(20) << what << std::right << std::setw(12)
        << gas << "  " << module.types()[value].ToString() << " "
        << StorageName(module.types()[value].storage()) << "\n";
  };
  out << "value operator                     gas  type\n";
  for (size_t p = 0; p < module.entry().params.size(); ++p) line(p, "param", 0);
  for (size_t i = 0; i < module.facts().size(); ++i) {
    const OpInfo& op = InfoOf(module.entry().body[i].op);
    for (int r = 0; r < op.results; ++r) {
      line(module.facts()[i].first_result + static_cast<size_t>(r), op.name,
           r == 0 ? module.facts()[i].gas : 0);
    }
  }
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
