// The asserter of one run on a chain: it claims, answers everybody who disputes the claim, and takes its bond
// back in the end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "server/chain/chain_game.h"
#include "server/dispute/asserter_host.h"

namespace tally::server {

struct AssertedOnChain {
  uint64_t claim = 0;
  bool confirmed = false;  // or else convicted
  std::string why;         // a label, where it is convicted
  int disputes = 0, answers = 0;
};

struct ChainAsserterOptions {
  uint64_t claim = 0;       // that was posted before; 0: it is posted
  uint64_t from_block = 0;  // before that, no event is looked for
};

// Shows each event, in words. Returns when the claim is decided. All that it needs to go on is on
// the chain, so that it can be started again at any time. Errors: those of ChainClient; claim_module, where
// the claim on the chain is not of this run.
absl::StatusOr<AssertedOnChain> AssertOnChain(ChainGame& game, const AssertedRun& run,
                                              const ChainAsserterOptions& options,
                                              const std::function<void(const std::string&)>& show);

}  // namespace tally::server
