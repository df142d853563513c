// Where the values of one sample of many may end, by how the ends of those that were seen differ.
//
//   EndSpread above;
//   for (...) above.Add(largest of the sample);
//   above.Reach()  // at least the largest of all
//
// The ends of samples are draws of a normal distribution. A new one is within `kDeviations` standard
// deviations of their mean, widened by what a mean of n draws is off by. Few ends show little of a spread, so
// a prior of a quarter of their mean magnitude counts as three of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tally::quant {

class EndSpread {
 public:
  // `end`: how far the sample goes from 0 in this direction; at least 0.
  void Add(double end) {
    ++count_;
    sum_ += end;
    squares_ += end * end;
    largest_ = std::max(largest_, end);
  }

  // At least 0. With one end of 1 it is 2.4; with many ends of 1 it is 1.
  double Reach() const {
    constexpr double kDeviations = 4, kPriorShare = 0.25, kPriorCount = 3;
    if (count_ == 0) return 0;
    const double n = static_cast<double>(count_), mean = sum_ / n;
    const double prior = kPriorShare * std::abs(mean);
    const double around_mean = std::max(0.0, squares_ - n * mean * mean);
    const double variance = (kPriorCount * prior * prior + around_mean) / (kPriorCount + n - 1);
    return std::max(largest_, mean + kDeviations * std::sqrt(variance * (1 + 1 / n)));
  }

 private:
  int64_t count_ = 0;
  double sum_ = 0, squares_ = 0, largest_ = 0;
};

}  // namespace tally::quant
