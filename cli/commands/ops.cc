// tally ops: the operator table.
#include <algorithm>
#include <iomanip>
#include <sstream>

#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "ops/op_table.h"
#include "ops/op_table_json.h"

namespace tally::cli {
namespace {

struct ListOperatorsOptions {
  bool json = false;
};

std::string HexCode(Opcode code) {
  std::ostringstream text;
  text << "0x" << std::hex << std::setw(4) << std::setfill('0') << static_cast<int>(code);
  return text.str();
}

absl::Status ListOperators(const ListOperatorsOptions& options, std::ostream& out) {
  if (options.json) {
    out << OpTableJson();
    return absl::OkStatus();
  }
  size_t name = 0, family = 0;  // the longest of each
  for (const OpInfo& op : AllOps()) {
    name = std::max(name, op.name.size());
    family = std::max(family, op.family.size());
  }
  const auto column = [](size_t longest) { return std::setw(static_cast<int>(longest) + 2); };
  for (const OpInfo& op : AllOps()) {
    out << HexCode(op.code) << "  " << std::left << column(name) << op.name << column(family) << op.family
        << std::setw(6) << ProfileName(op.profile) << std::setw(3) << op.since << op.summary << "\n";
  }
  return absl::OkStatus();
}

}  // namespace

void AddOpsCommand(CommandLine& line) {
  auto& options = line.Keep<ListOperatorsOptions>();
  auto* ops = line.app.add_subcommand("ops", "list the operators");
  line.ForMachines(*ops, options.json);
  line.Calls(*ops, options, ListOperators);
}

}  // namespace tally::cli
