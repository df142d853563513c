#include "quant/calibrate/histogram.h"

#include <algorithm>
#include <cmath>

namespace tally::quant {

void ValueHistogramBuilder::Add(std::span<const float> elements) {
  float largest = 0;
  for (const float x : elements) largest = std::max(largest, std::abs(x));
  if (largest != 0) {
    int exponent = 0;
    std::frexp(largest, &exponent);
    Widen(exponent - kLogBins);
  }
  // A product with a power of two, in double, has no rounding.
  const double bins_of_one = std::ldexp(1.0, -exponent_);
  int64_t zeros = 0;
  for (const float x : elements) {  // without branches, which nothing could predict
    // Toward 0, and negative ones one below.
    const int bin = static_cast<int>(x * bins_of_one) - (x < 0 ? 1 : 0);
    ++counts_[static_cast<size_t>(bin + kBins)];
    zeros += x == 0 ? 1 : 0;
  }
  zeros_ += zeros;
}

void ValueHistogramBuilder::Widen(int exponent) {
  if (!has_exponent_ || exponent <= exponent_) {
    exponent_ = has_exponent_ ? exponent_ : exponent;
    has_exponent_ = true;
    return;
  }
  const int merged = std::min(exponent - exponent_, kLogBins + 1);
  exponent_ = exponent;
  for (int64_t k = 1; k < kBins; ++k) {  // upwards, so that no bin is moved twice
    for (const int64_t bin : {kBins + k, kBins - 1 - k}) {
      const int64_t to = bin >= kBins ? kBins + (k >> merged) : kBins - 1 - (k >> merged);
      if (to == bin) continue;
      counts_[static_cast<size_t>(to)] += counts_[static_cast<size_t>(bin)];
      counts_[static_cast<size_t>(bin)] = 0;
    }
  }
}

ValueHistogram ValueHistogramBuilder::Build() const {
  ValueHistogram histogram = {.exponent = exponent_, .zeros = zeros_, .first = 0, .counts = {}};
  auto counts = counts_;
  counts[kBins] -= zeros_;
  const auto is_used = [](int64_t count) { return count != 0; };
  const auto begin = std::ranges::find_if(counts, is_used);
  if (begin == counts.end()) return histogram;
  auto end = counts.end();
  while (end[-1] == 0) --end;
  histogram.first = (begin - counts.begin()) - kBins;
  histogram.counts.assign(begin, end);
  return histogram;
}

}  // namespace tally::quant
