#include "vm/cancellation.h"

#include "base/error.h"
#include "vm/labels.h"

namespace tally {

absl::Status NotCancelled(const Cancellation* cancellation) {
  if (!IsCancelled(cancellation)) return absl::OkStatus();
  return MakeError(label::cancelled, "the caller has cancelled the run");
}

}  // namespace tally
