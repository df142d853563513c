#include <iomanip>

#include "cli/commands.h"
#include "cli/json_output.h"
#include "ops/op_table.h"

namespace tally::cli {
namespace {

std::string HexCode(Opcode code) {
  std::ostringstream text;
  text << "0x" << std::hex << std::setw(4) << std::setfill('0') << static_cast<int>(code);
  return text.str();
}

Json ToJson(const OpInfo& op) {
  Json attributes = Json::array();
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
          {"results", op.results == kResultsOfFunction ? Json("of the function") : Json(op.results)},
          {"attributes", attributes},
          {"summary", op.summary}};
}

}  // namespace

absl::Status ListOperators(bool json, std::ostream& out) {
  if (json) {
    Json list = Json::array();
    for (const OpInfo& op : AllOps()) list.push_back(ToJson(op));
    PrintJson(list, out);
    return absl::OkStatus();
  }
  for (const OpInfo& op : AllOps()) {
    out << HexCode(op.code) << "  " << std::left << std::setw(20) << op.name << std::setw(13) << op.family
        << std::setw(6) << ProfileName(op.profile) << std::setw(3) << op.since << op.summary << "\n";
  }
  return absl::OkStatus();
}

}  // namespace tally::cli
