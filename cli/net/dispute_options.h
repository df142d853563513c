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
  std::string against, receipt, key, id, token, authority;
  std::string module;
  SampleOptions inputs;
  int64_t timeout = 600;  // seconds for each answer

  // On a chain: against a claim, or for the folder that answers.
  struct Chain {
    std::string url, contract, account;
    uint64_t claim = 0, dispute = 0;  // 0: a new one
    uint64_t from_block = 0;
  } chain;

  // A folder that answers.
  std::string serve;
  server::AsserterOptions asserter;

  bool json = false;

  bool over_network() const { return !against.empty() || !serve.empty() || !chain.url.empty(); }
};

CLI::App* AddDisputeOptions(CommandLine& line, DisputeOptions& options);
CLI::App* AddRefereeOptions(CommandLine& line, server::RefereeOptions& options);

}  // namespace tally::cli
