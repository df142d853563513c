// The tables of all families as one list: both engines select a kernel from such a list.
#pragma once

#include <algorithm>
#include <vector>

#include "ops/kernel.h"

namespace tally {

// The entries of the tables that tables_of[i]() has for each i, those of one operator together in their
// order.
template <typename Table, size_t kFamilies>
auto JoinTables(std::vector<Table> (*const (&tables_of)[kFamilies])()) {
  std::vector<typename Table::value_type> all;
  for (const auto tables_of_family : tables_of) {
    for (const Table& table : tables_of_family()) all.insert(all.end(), table.begin(), table.end());
  }
  std::ranges::stable_sort(all, {}, &Table::value_type::op);
  return all;
}

}  // namespace tally
