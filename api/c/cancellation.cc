// Cancellations of runs.
#include <memory>

#include "api/c/call.h"
#include "api/c/objects.h"

using namespace tally;       // NOLINT: the functions are outside any namespace
using namespace tally::api;  // NOLINT
tally_status tally_cancellation_make(tally_cancellation* cancellation, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    RETURN_IF_ERROR(NewHandle(cancellation, "cancellation"));
    Give(std::make_shared<const CancellationObject>(), cancellation);
    return absl::OkStatus();
  });
}

tally_status tally_cancellation_close(tally_cancellation cancellation) {
  return Close<CancellationObject>(cancellation);
}

tally_status tally_cancel(tally_cancellation cancellation, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto found, ObjectOf<CancellationObject>(cancellation));
    found->cancellation.Cancel();
    return absl::OkStatus();
  });
}
