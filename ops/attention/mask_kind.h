// The meaning of operand 4: absent, which positions are seen, or a term of the logits.
#pragma once

#include <array>
#include <string_view>

namespace tally {

enum class MaskKind { kNone, kBoolean, kAdditive };
inline constexpr std::array<std::string_view, 3> kMaskKindNames = {"none", "boolean", "additive"};

}  // namespace tally
