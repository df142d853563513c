// Times of one contender, and what is quoted of them: the minimum and the median.
#pragma once

#include <vector>

namespace tally::bench {

class Samples {
 public:
  void Add(const std::vector<double>& times) { times_.insert(times_.end(), times.begin(), times.end()); }
  bool empty() const { return times_.empty(); }

  // The least of at least one time.
  double min() const;
  double median() const;

 private:
  std::vector<double> times_;
};

}  // namespace tally::bench
