// How often a value of a float graph held what, in bins of a power of two.
//
//   ValueHistogramBuilder builder;
//   for (...) builder.Add(tensor.data);
//   const ValueHistogram histogram = builder.Build();
//
// The width is 2^-10 of the least power of two above the largest magnitude, as if that had been known at the
// start: bins widen by merging pairs, which is exact. So a histogram does not depend on the order of
// elements, nor on which part of them was counted first, and needs the same memory for any number of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tally::quant {

constexpr int kLogBins = 10;
constexpr int64_t kBins = int64_t{1} << kLogBins;  // per sign

// The range of the exponents of bins of floats.
constexpr int kLeastExponent = -148 - kLogBins, kLargestExponent = 128 - kLogBins;

// Bin k of the positive elements holds those in [k, k + 1) widths, bin -1 - k of the negative ones those in
// (-k - 1, -k]. Zeros, which any grid represents, are in none.
struct ValueHistogram {
  int exponent = 0;  // a bin is 2^exponent wide
  int64_t zeros = 0;
  int64_t first = 0;            // the bin of counts[0]; in [-kBins, kBins)
  std::vector<int64_t> counts;  // neither first nor last are 0; empty where all elements are 0

  bool operator==(const ValueHistogram&) const = default;
};

class ValueHistogramBuilder {
 public:
  // Finite elements.
  void Add(std::span<const float> elements);
  ValueHistogram Build() const;

 private:
  void Widen(int exponent);

  bool has_exponent_ = false;  // an element was not 0
  int exponent_ = 0;
  int64_t zeros_ = 0;
  std::array<int64_t, 2 * kBins> counts_ = {};  // bins -kBins .. kBins - 1; bin 0 has the zeros too
};

}  // namespace tally::quant
