#include <iomanip>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "ops/op_table.h"

namespace tally::cli {
namespace {

std::string HexCode(Opcode code) {
  std::ostringstream text;
  text << "0x" << std::hex << std::setw(4) << std::setfill('0') << static_cast<int>(code);
  return text.str();
}

nlohmann::ordered_json ToJson(const OpInfo& op) {
  nlohmann::ordered_json attributes = nlohmann::ordered_json::array();
  for (const AttrSpec& spec : op.attributes) {
    attributes.push_back({{"name", spec.name}, {"lo", spec.lo}, {"hi", spec.hi}});
  }
  return {{"code", static_cast<int>(op.code)},
          {"name", op.name},
          {"family", op.family},
          {"profile", ProfileName(op.profile)},
          {"since", op.since},
          {"status", op.status == OpStatus::kDraft ? "draft" : "permanent"},
          {"min_operands", op.min_operands},
          {"max_operands", op.max_operands},
          {"results", op.results == kResultsOfFunction ? nlohmann::ordered_json("of the function")
                                                       : nlohmann::ordered_json(op.results)},
          {"attributes", attributes},
          {"summary", op.summary}};
}

}  // namespace

absl::Status ListOperators(bool json, std::ostream& out) {
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const OpInfo& op : AllOps()) list.push_back(ToJson(op));
    out << list.dump(2) << "\n";
    return absl::OkStatus();
  }
  for (const OpInfo& op : AllOps()) {
    out << HexCode(op.code) << "  " << std::left << std::setw(20) << op.name << std::setw(13) << op.family
        << std::setw(6) << ProfileName(op.profile) << std::setw(3) << op.since << op.summary << "\n";
  }
  return absl::OkStatus();
}

}  // namespace tally::cli
