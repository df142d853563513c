// Real numbers of 200 bits, by which tests measure the error of an integer result.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace tally {

using Real = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<200, boost::multiprecision::digit_base_2>>;

// floor(v + 1/2), |v| < 2^62
inline int64_t Nearest(const Real& v) { return static_cast<int64_t>(floor(v + Real(0.5))); }

// The scale m 2^-s that an attribute gives as [m, s].
inline Real ScaleOf(const std::vector<int64_t>& scale) {
  return ldexp(Real(scale[0]), -static_cast<int>(scale[1]));
}

// `count` values in [lo, hi], the same for a seed everywhere.
inline std::vector<int64_t> Noise(uint32_t seed, int64_t count, int64_t lo, int64_t hi) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(lo + static_cast<int64_t>(random() % static_cast<uint64_t>(hi - lo + 1)));
  }
  return values;
}

}  // namespace tally
