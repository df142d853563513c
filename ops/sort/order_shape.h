// The one order of this family: by value, equal ones by position.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tally {

// The positions 0 .. n - 1 such that those for which `before(i, j)` come first, and of equals the lower
// position. A total order, so that every sort gives the same result.
template <typename Before>
std::vector<int64_t> OrderOf(int64_t n, const Before& before) {
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int64_t i, int64_t j) { return before(i, j) || (!before(j, i) && i < j); });
  return order;
}

}  // namespace tally
