#include "bench/harness/samples.h"

#include <algorithm>
#include <cstddef>

namespace tally::bench {

double Samples::min() const { return *std::min_element(times_.begin(), times_.end()); }

double Samples::median() const {
  std::vector<double> times = times_;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  if (times.size() % 2 == 1) return *middle;
  return (*std::max_element(times.begin(), middle) + *middle) / 2;
}

}  // namespace tally::bench
