#include "fuzz/oracles/text.h"

#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "fuzz/oracles/codec.h"
#include "vm/text/assembler.h"
#include "vm/text/printer.h"

namespace tally {
namespace {

absl::Status CheckSame(const std::string& printed, const Module& module) {
  const auto assembled = Assemble(printed);
  if (!assembled.ok()) {
    return absl::InternalError(absl::StrCat("own text is refused: ", assembled.status().ToString()));
  }
  return *assembled == module ? absl::OkStatus() : absl::InternalError("assembling gives another module");
}

}  // namespace

absl::Status CheckAssembling(std::string_view text) {
  const auto module = Assemble(text);
  if (module.ok()) {
    RETURN_IF_ERROR(CheckSame(Print(*module), *module));
    return CheckEncoding(*module);
  }
  if (ErrorStageOf(module.status()) == ErrorStage::text) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("refused with '", ErrorLabel(module.status()), "', no label of the assembler"));
}

absl::Status CheckPrinting(const ValidModule& module) {
  RETURN_IF_ERROR(CheckSame(Print(module.module()), module.module()));
  return CheckSame(Print(module), module.module());
}

}  // namespace tally
