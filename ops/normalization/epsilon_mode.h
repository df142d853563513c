// How epsilon joins the variance V: V + epsilon and max(V, epsilon) under the root, sqrt(V) + epsilon after
// it.
#pragma once

#include <array>
#include <string_view>

namespace tally {

enum class EpsilonMode { kAdded, kMaximum, kOutside };
inline constexpr std::array<std::string_view, 3> kEpsilonModeNames = {"added", "maximum", "outside"};

}  // namespace tally
