// asm and dump: between the binary and the text form.
#include "base/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/summary.h"
#include "serializer/encode.h"
#include "serializer/load_module.h"
#include "vm/text/assembler.h"
#include "vm/text/printer.h"
#include "vm/validator.h"

namespace tally::cli {

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

}  // namespace tally::cli
