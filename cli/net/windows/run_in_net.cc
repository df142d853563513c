#include "cli/net/run_in_net.h"

#include "base/error.h"
#include "cli/labels.h"

namespace tally::cli {

absl::Status RunInNet(const std::vector<std::string>&) {
  return MakeError(label::usage, "servers run on Linux: this command is not for Windows");
}

}  // namespace tally::cli
