#include "quant/accuracy/output_error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace tally::quant {

int64_t Choice(std::span<const double> row) { return std::ranges::max_element(row) - row.begin(); }

void ValueError::Add(double e, double a) {
  expected_squares_ += e * e;
  actual_squares_ += a * a;
  products_ += e * a;
  noise_ += (e - a) * (e - a);
  largest_ = std::max(largest_, std::abs(e - a));
}

void OutputError::Add(std::span<const double> expected, std::span<const double> actual, int64_t row) {
  for (size_t i = 0; i < expected.size(); ++i) {
    ValueError::Add(expected[i], actual[i]);
    equal_ += expected[i] == actual[i] ? 1 : 0;
  }
  elements_ += std::ssize(expected);
  const auto length = static_cast<size_t>(row);
  for (size_t first = 0; first < expected.size(); first += length) {
    expected_choices_.push_back(Choice(expected.subspan(first, length)));
    choices_.push_back(Choice(actual.subspan(first, length)));
  }
}

double ValueError::sqnr_db() const {
  if (noise_ == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(expected_squares_ / noise_);
}

double ValueError::cosine() const {
  if (expected_squares_ == 0 && actual_squares_ == 0) return 1;
  if (expected_squares_ == 0 || actual_squares_ == 0) return 0;
  return products_ / std::sqrt(expected_squares_) / std::sqrt(actual_squares_);
}

double OutputError::agreement() const { return ShareEqual(expected_choices_, choices_); }

double OutputError::share_equal() const {
  return elements_ == 0 ? 1 : static_cast<double>(equal_) / static_cast<double>(elements_);
}

double ShareEqual(std::span<const int64_t> a, std::span<const int64_t> b) {
  if (a.empty()) return 1;
  const int64_t equal =
      std::inner_product(a.begin(), a.end(), b.begin(), int64_t{0}, std::plus(), std::equal_to());
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

}  // namespace tally::quant
