// tally dispute: the game between two runs, to its certificate.
#include "base/error.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/dispute_folders.h"
#include "cli/dispute_report.h"
#include "cli/labels.h"
#include "cli/net/dispute_options.h"
#include "cli/net/run_in_net.h"
#include "proof/dispute/play.h"

namespace tally::cli {
namespace {

absl::Status Dispute(const DisputeOptions& options, std::ostream& out) {
  if (options.folders.honest.empty() || options.folders.claimed.empty())
    return MakeError(label::usage,
                     "a dispute is between --honest and --claimed, --against a server, or on a --chain");
  if (!options.module.empty())
    return MakeError(label::usage, "--module goes with --against or --chain: the folders have a module");
  ASSIGN_OR_RETURN(const DisputeParties parties, LoadParties(options.folders));
  ASSIGN_OR_RETURN(const PlayedDispute played,
                   PlayDispute(*parties.claimed, parties.honest, parties.accused));
  if (!played.end) return PartiesAgree();
  return ReportDispute(played, "", options.output, options.json, out);
}

}  // namespace

void AddDisputeCommand(CommandLine& line) {
  auto& options = line.Keep<DisputeOptions>();
  line.Calls(*AddDisputeOptions(line, options), [&line, &options] {
    return options.over_network() ? RunInNet(line.arguments()) : Dispute(options, line.out());
  });
}

}  // namespace tally::cli
