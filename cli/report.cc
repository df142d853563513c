#include "cli/report.h"

#include <exception>
#include <new>
#include <string>

#include "base/error.h"
#include "base/printable.h"
#include "cli/json_output.h"
#include "cli/labels.h"

namespace tally::cli {
namespace {

constexpr int kRefused = 1;
constexpr int kUsage = 2;

}  // namespace

absl::Status WithoutExceptions(const std::function<absl::Status()>& command) {
  try {
    return command();
  } catch (const std::bad_alloc&) {
    return MakeError(label::out_of_memory, "this machine has too little memory for the request");
  } catch (const std::exception& exception) {
    return MakeError(label::internal, exception.what());
  }
}

int Report(const absl::Status& status, bool json, std::ostream& out, std::ostream& err) {
  if (status.ok()) return 0;
  std::string label = ErrorLabel(status);
  if (label.empty()) label = "internal";
  const std::string message = Printable({status.message().data(), status.message().size()});
  err << "error[" + label + "]: " + message + "\n" << std::flush;
  if (json) {
    PrintJson({{"error", {{"label", label}, {"message", message}}}}, out);
    out.flush();
  }
  return label == "usage" ? kUsage : kRefused;
}

}  // namespace tally::cli
