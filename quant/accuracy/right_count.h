// How often what is right is the largest element of a row, and among the five largest.
//
//   RightCount count;
//   for (...) count.Add(row, right);
//   count.first();     // {.share = 0.76, .low = 0.72, .high = 0.79}
#pragma once

#include <cstdint>
#include <span>

namespace tally::quant {

// Between what the share of many rows is, with a probability of 95 %: Wilson, Probable inference, the law
// of succession, and statistical inference, 1927. 0 to 1 of none.
struct ShareBounds {
  double share = 1, low = 0, high = 1;
};
ShareBounds ShareOf(int64_t count, int64_t total);

class RightCount {
 public:
  // `right`: a place of the row. Of equal elements the first is the largest.
  void Add(std::span<const double> row, int64_t right);

  int64_t rows() const { return rows_; }
  ShareBounds first() const { return ShareOf(first_, rows_); }
  ShareBounds five() const { return ShareOf(five_, rows_); }

 private:
  int64_t rows_ = 0, first_ = 0, five_ = 0;
};

}  // namespace tally::quant
