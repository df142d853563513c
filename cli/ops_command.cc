#include <iomanip>
#include <sstream>

#include "cli/commands.h"
#include "ops/op_table.h"
#include "ops/op_table_json.h"

namespace tally::cli {
namespace {

std::string HexCode(Opcode code) {
  std::ostringstream text;
  text << "0x" << std::hex << std::setw(4) << std::setfill('0') << static_cast<int>(code);
  return text.str();
}

}  // namespace

absl::Status ListOperators(bool json, std::ostream& out) {
  if (json) {
    out << OpTableJson();
    return absl::OkStatus();
  }
  for (const OpInfo& op : AllOps()) {
    out << HexCode(op.code) << "  " << std::left << std::setw(20) << op.name << std::setw(13) << op.family
        << std::setw(6) << ProfileName(op.profile) << std::setw(3) << op.since << op.summary << "\n";
  }
  return absl::OkStatus();
}

}  // namespace tally::cli
