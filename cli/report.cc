#include "cli/report.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/printable.h"
#include "cli/json_output.h"
#include "cli/labels.h"
#include "proof/labels.h"

namespace tally::cli {
namespace {

constexpr int kRefused = 1;
constexpr int kUsage = 2;
constexpr int kDepends = 3;  // on something that is not at hand

absl::Status OutOfMemory() {
  return MakeError(label::out_of_memory, "this machine has too little memory for the request");
}

constexpr char kReport[] = "tally.report";

}  // namespace

absl::Status WithReport(absl::Status status, const Json& report) {
  status.SetPayload(kReport, absl::Cord(report.dump(-1, ' ', true, Json::error_handler_t::replace)));
  return status;
}

absl::Status WithoutExceptions(const std::function<absl::Status()>& command) {
  try {
    return command();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::length_error&) {  // a container would not fit the addresses of the process
    return OutOfMemory();
  } catch (const std::system_error& error) {  // the system has no room for a thread, among others
    const bool is_shortage = error.code() == std::errc::resource_unavailable_try_again ||
                             error.code() == std::errc::not_enough_memory;
    return is_shortage ? OutOfMemory() : MakeError(label::internal, error.what());
  } catch (const std::exception& exception) {
    return MakeError(label::internal, exception.what());
  } catch (...) {
    return MakeError(label::internal, "an exception of an unknown kind");
  }
}

int Report(const absl::Status& status, bool json, std::ostream& out, std::ostream& err) {
  if (status.ok()) return 0;
  std::string label = ErrorLabel(status);
  if (label.empty()) label = label::internal.name();
  const std::string_view stage = ErrorStageName(ErrorStageOf(status).value_or(ErrorStage::fault));
  const std::string message = Printable({status.message().data(), status.message().size()});
  err << "error[" + label + "]: " + message + "\n" << std::flush;
  if (json) {
    Json document = {{"error", {{"label", label}, {"stage", stage}, {"message", message}}}};
    if (const auto found = status.GetPayload(kReport)) document.update(Json::parse(std::string(*found)));
    PrintJson(document, out);
    out.flush();
  }
  if (HasLabel(status, label::certificate_expansion)) return kDepends;
  return HasLabel(status, label::usage) ? kUsage : kRefused;
}

}  // namespace tally::cli
