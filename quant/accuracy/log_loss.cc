#include "quant/accuracy/log_loss.h"

#include <algorithm>
#include <cmath>

namespace tally::quant {

void LogLoss::Add(std::span<const double> row, int64_t right) {
  const double largest = *std::ranges::max_element(row);
  double sum = 0;
  for (const double x : row) sum += std::exp(x - largest);
  sum_ += std::log(sum) - (row[static_cast<size_t>(right)] - largest);
  ++count_;
}

double LogLoss::perplexity() const { return count_ == 0 ? 1 : std::exp(sum_ / static_cast<double>(count_)); }

}  // namespace tally::quant
