// All that a challenger can send against an honest claim of a tiny module.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "proof/dispute/messages.h"
#include "tests/disputes/party_runs.h"

namespace tally {

using Files = std::set<std::vector<uint8_t>>;

// Certificates: all charges against all parts of the honest run, those of its liars, and each of them with
// what the honest claim has in its place.
Files AllCertificates(const HonestRun& honest);

// Every subject with numbers that are near the sizes of the run's trees, and far from them.
std::vector<Query> AllQueries(const HonestRun& honest);

}  // namespace tally
