// The options of `tally dispute` and `tally referee`.
#pragma once

#include <cstdint>
#include <string>

#include "cli/command_line.h"
#include "cli/dispute_folders.h"
#include "cli/input_options.h"
#include "server/referee_options.h"

namespace tally::cli {

struct DisputeOptions {
  // Between two folders.
  DisputeFolders folders;
  std::string output;  // file of the certificate; empty: none

  // Against another program.
  std::string against, receipt, module, key, id, token, authority;
  SampleOptions inputs;
  int64_t timeout = 600;  // seconds for each answer

  // A folder that answers.
  std::string serve;
  server::AsserterOptions asserter;

  bool json = false;

  bool over_network() const { return !against.empty() || !serve.empty(); }
};

CLI::App* AddDisputeOptions(CommandLine& line, DisputeOptions& options);
CLI::App* AddRefereeOptions(CommandLine& line, server::RefereeOptions& options);

}  // namespace tally::cli
