// Servers of disputes: a referee, and an asserter of one run that was recorded.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "server/dispute/asserter_host.h"
#include "server/referee_options.h"

namespace tally::server {

// Both return after SIGTERM or SIGINT.
absl::Status RunReferee(const RefereeOptions& options);

absl::Status RunAsserter(const AsserterOptions& options, std::shared_ptr<const AssertedRun> run);

}  // namespace tally::server
