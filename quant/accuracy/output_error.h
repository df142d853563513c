// How far what a module computes is from what its float network computes.
//
//   OutputError error;
//   for (...) error.Add(expected, actual, classes);
//   error.sqnr_db();
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tally::quant {

// The error of one value.
class ValueError {
 public:
  void Add(double expected, double actual);

  // 10 log10(sum of expected^2 / sum of (expected - actual)^2), the signal to quantization noise ratio.
  // Infinite where nothing differs.
  double sqnr_db() const;
  // The cosine of the two as vectors; 1 where both are 0 throughout.
  double cosine() const;
  // The largest |expected - actual|.
  double largest() const { return largest_; }

 private:
  double expected_squares_ = 0, actual_squares_ = 0, products_ = 0, noise_ = 0, largest_ = 0;
};

// The error of one output, whose rows are choices among their elements.
class OutputError : public ValueError {
 public:
  // The elements of one sample, in rows of `row` elements; spans of one length, a multiple of `row`.
  void Add(std::span<const double> expected, std::span<const double> actual, int64_t row);

  // The place of the first largest element of each row, in the order of Add.
  const std::vector<int64_t>& expected_choices() const { return expected_choices_; }
  const std::vector<int64_t>& choices() const { return choices_; }
  // The share of rows in which both are the same; 1 of none.
  double agreement() const;
  // The share of elements that are the same; 1 of none.
  double share_equal() const;

 private:
  int64_t elements_ = 0, equal_ = 0;
  std::vector<int64_t> expected_choices_, choices_;
};

// The place of the first largest element of a row that is not empty.
int64_t Choice(std::span<const double> row);

// The share of places at which two lists of one length are the same; 1 of none.
double ShareEqual(std::span<const int64_t> a, std::span<const int64_t> b);

}  // namespace tally::quant
