// The ranges of logits and probabilities.
#pragma once

#include <cstdint>

namespace tally {

inline constexpr int64_t kProbabilityBits = 15;
inline constexpr int64_t kLargestLogit = (1 << 15) - 1;
// Below every logit by more than a table of exponentials is long.
inline constexpr int32_t kUnseen = -(1 << 17);

}  // namespace tally
