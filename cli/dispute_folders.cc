#include "cli/dispute_folders.h"

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/run_folder.h"
#include "proof/labels.h"

namespace tally::cli {

void AddDisputeFolders(CommandLine& line, CLI::App& command, DisputeFolders& folders, bool required) {
  line.Reads(command.add_option("--honest", folders.honest, "folder of a correct run (tally trace --record)"))
      ->required(required);
  line.Reads(command.add_option("--claimed", folders.claimed, "folder of the run in doubt"))
      ->required(required);
}

absl::StatusOr<DisputeParties> LoadParties(const DisputeFolders& folders) {
  DisputeParties parties;
  ASSIGN_OR_RETURN(parties.module, ReadModuleOfFolder(folders.honest));
  parties.claimed = std::make_unique<const ClaimedModule>(*parties.module);
  ASSIGN_OR_RETURN(parties.honest, ReadRunFolder(folders.honest));
  ASSIGN_OR_RETURN(parties.accused, ReadRunFolder(folders.claimed));
  if (parties.honest.claim.module != parties.claimed->id) {
    return MakeError(label::run_folder,
                     absl::StrCat("'", folders.honest, "': its module is not the one of its claim"));
  }
  return parties;
}

absl::Status PartiesAgree() {
  return MakeError(label::dispute_agree, "the two runs have one claim and one trace");
}

void AddConviction(const Conviction& conviction, bool convicted, Summary& summary) {
  summary.Add("convicted", "convicted", convicted);
  summary.Add("because", "because", conviction.what);
  summary.Add("claim", "claim_id", ToHex(conviction.claim));
  if (conviction.trace) summary.Add("trace", "trace", ToHex(*conviction.trace));
  if (conviction.columns) summary.Add("expansion", "expansion", ToHex(*conviction.columns));
}

}  // namespace tally::cli
