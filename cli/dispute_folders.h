// The two runs of a dispute, each in a folder (cli/run_folder.h): the one that somebody checks with, and the
// one in doubt.
//
//   AddDisputeFolders(line, *certify, options.folders);
//   ASSIGN_OR_RETURN(const DisputeParties parties, LoadParties(options.folders));
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/command_line.h"
#include "cli/summary.h"
#include "proof/certificate/check_certificate.h"
#include "proof/certificate/recorded_run.h"
#include "proof/receipt/claim_run.h"
#include "vm/valid_module.h"

namespace tally::cli {

struct DisputeFolders {
  std::string honest, claimed;
};

// Registers --honest and --claimed.
void AddDisputeFolders(CommandLine& line, CLI::App& command, DisputeFolders& folders, bool required = true);

// Both parties, with all that they have.
struct DisputeParties {
  std::shared_ptr<const ValidModule> module;
  std::unique_ptr<const ClaimedModule> claimed;
  RecordedRun honest, accused;
};
// Errors: run_folder, those of ReadRunFolder.
absl::StatusOr<DisputeParties> LoadParties(const DisputeFolders& folders);

// Error dispute_agree: there is nothing to convict.
absl::Status PartiesAgree();

// Names what the convicted has signed or sent.
void AddConviction(const Conviction& conviction, bool convicted, Summary& summary);

}  // namespace tally::cli
