#include "quant/accuracy/right_count.h"

#include <cmath>
#include <cstddef>

namespace tally::quant {

ShareBounds ShareOf(int64_t count, int64_t total) {
  if (total == 0) return {};
  constexpr double z = 1.959964;
  const double n = static_cast<double>(total), p = static_cast<double>(count) / n;
  const double center = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {p, center - half, center + half};
}

void RightCount::Add(std::span<const double> row, int64_t right) {
  const size_t place = static_cast<size_t>(right);
  int64_t before = 0;
  for (size_t i = 0; i < row.size(); ++i)
    before += row[i] > row[place] || (row[i] == row[place] && i < place) ? 1 : 0;
  ++rows_;
  first_ += before < 1 ? 1 : 0;
  five_ += before < 5 ? 1 : 0;
}

}  // namespace tally::quant
