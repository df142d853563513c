#include "ops/expansion_table.h"

#include <algorithm>
#include <array>

namespace tally {
namespace {

constexpr std::array kExpansions = {
#define TALLY_EXPANSION(Name, summary) ExpansionInfo{Opcode::k##Name, TALLY_FAMILY, summary},
#include "ops/all_expansions.inc"
#undef TALLY_EXPANSION
};

}  // namespace

std::span<const ExpansionInfo> AllExpansions() { return kExpansions; }

const ExpansionInfo* FindExpansion(Opcode op) {
  const auto it = std::ranges::find(kExpansions, op, &ExpansionInfo::op);
  return it != kExpansions.end() ? &*it : nullptr;
}

}  // namespace tally
