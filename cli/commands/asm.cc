// tally asm: from the text form to the binary form.
#include "base/io/file.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/summary.h"
#include "serializer/encode.h"
#include "vm/text/assembler.h"

namespace tally::cli {
namespace {

struct AssembleOptions {
  std::string input;
  std::string output;
  bool json = false;
};

absl::Status AssembleFile(const AssembleOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(options.input));
  ASSIGN_OR_RETURN(const Module module, Assemble(AsText(text)));
  const std::vector<uint8_t> bytes = Encode(module);
  RETURN_IF_ERROR(WriteFileAtomically(options.output, bytes));
  Summary summary;
  summary.Wrote(options.output, bytes.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddAsmCommand(CommandLine& line) {
  auto& options = line.Keep<AssembleOptions>();
  auto* assemble = line.app.add_subcommand("asm", "assemble the text form of a module");
  line.Reads(assemble->add_option("text", options.input, "text file (.tallytxt)"))->required();
  line.Writes(assemble->add_option("-o,--output", options.output, "module file"))->required();
  line.ForMachines(*assemble, options.json);
  line.Calls(*assemble, options, AssembleFile);
}

}  // namespace tally::cli
