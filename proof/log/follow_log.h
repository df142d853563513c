// A log watched over time: that it only grows, and what it has gained.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "proof/log/checkpoint.h"

namespace tally {

// Computes the root of `later` from the tree of `earlier` and the entries after it, which `use` sees in
// order; they count only if the result is OK. `earlier` of no entries reads the whole log. Errors:
// log_history, where the log does not begin with `earlier`; log_form, where its files are not those of
// `later`; those of `use`.
absl::Status FollowLog(
    const std::string& folder, const Checkpoint& earlier, const Checkpoint& later,
    const std::function<absl::Status(uint64_t index, std::span<const uint8_t> entry)>& use);

}  // namespace tally
