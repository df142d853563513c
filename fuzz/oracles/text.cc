#include "fuzz/oracles/text.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "fuzz/oracles/codec.h"
#include "vm/text/assembler.h"
#include "vm/text/printer.h"
#include "vm/text/text_errors.h"

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
  const std::string label = ErrorLabel(module.status());
  if (std::ranges::any_of(kTextErrors, [&](const TextErrorInfo& info) { return info.label == label; })) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat("refused with '", label, "', no label of the assembler"));
}

absl::Status CheckPrinting(const ValidModule& module) {
  RETURN_IF_ERROR(CheckSame(Print(module.module()), module.module()));
  return CheckSame(Print(module), module.module());
}

}  // namespace tally
