#include "ops/precision.h"

#include <algorithm>

namespace tally {

std::vector<int> PrecisionOfFirst(const PrecisionContext& c) { return {c.operand(0)}; }

std::vector<int> PrecisionOfWidest(const PrecisionContext& c) {
  const auto& p = c.infer->precisions;
  return {*std::max_element(p.begin(), p.end())};
}

std::vector<int> PrecisionOfSum(const PrecisionContext& c) {
  return {std::max(c.operand(0), c.operand(1)) + 1};
}

}  // namespace tally
