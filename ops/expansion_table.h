// The table of expansions: one row per operator of which an element may read much, gathered from
// ops/<family>/expansion/expansions.inc.
#pragma once

#include <span>
#include <string_view>

#include "ops/op_table.h"

namespace tally {

struct ExpansionInfo {
  Opcode op;
  std::string_view family;
  std::string_view summary;
};

// All rows of ops/*/expansion/expansions.inc, family by family.
std::span<const ExpansionInfo> AllExpansions();

// Null when there is no such row.
const ExpansionInfo* FindExpansion(Opcode op);

}  // namespace tally
