// tally dump: from the binary form to the text form.
#include "base/io/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/summary.h"
#include "serializer/load_module.h"
#include "vm/text/printer.h"
#include "vm/validator.h"

namespace tally::cli {
namespace {

struct DumpOptions {
  std::string module;
  std::string output;  // standard output when empty
  bool no_constants = false;
  bool json = false;
};

absl::Status DumpModule(const DumpOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const Module module, LoadModule(options.module));
  // A module that decodes can be read even when it is not valid; only the comments are missing then.
  const auto valid = Validate(module);
  const PrintOptions print = {.long_constants = !options.no_constants};
  std::string text = valid.ok() ? Print(*valid, print) : Print(module, print);
  if (!valid.ok()) {
    const absl::string_view message = valid.status().message();
    text += "; not valid: " + Printable({message.data(), message.size()}) + "\n";
  }
  if (options.output.empty()) {
    options.json ? PrintJson({{"valid", valid.ok()}, {"text", text}}, out) : void(out << text);
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(WriteFileAtomically(options.output, AsBytes(text)));
  if (!options.json) return absl::OkStatus();  // people see the text or nothing
  Summary summary;
  summary.Add("valid", "valid", valid.ok());
  summary.Wrote(options.output, text.size());
  summary.Print(/*json=*/true, out);
  return absl::OkStatus();
}

}  // namespace

void AddDumpCommand(CommandLine& line) {
  auto& options = line.Keep<DumpOptions>();
  auto* dump = line.app.add_subcommand("dump", "print a module as text, with inferred types");
  line.ReadsModule(*dump, options.module);
  line.Writes(dump->add_option("-o,--output", options.output, "text file (default: standard output)"));
  dump->add_flag("--no-constants", options.no_constants,
                 "leave out the elements of long constants; the text then cannot be assembled");
  line.ForMachines(*dump, options.json);
  line.Calls(*dump, options, DumpModule);
}

}  // namespace tally::cli
