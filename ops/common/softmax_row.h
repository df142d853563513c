// One row of a softmax, with e_i = E[max - x_i], or 0 where the table E has no such entry.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/rescale.h"
#include "ops/reference.h"

namespace tally {

template <typename Int>
Int Exponential(const Operand<Int>& table, const Int& distance) {
  return distance < Int(table.size()) ? table[static_cast<int64_t>(distance)] : Int(int64_t{0});
}

// The greatest x and S = the sum of the e_i: at least E[0].
template <typename Int>
struct ExponentialSum {
  Int max;
  Int sum = Int(int64_t{0});

  template <typename At>
  ExponentialSum(const Operand<Int>& table, int64_t length, At x) : max(x(0)) {
    for (int64_t i = 1; i < length; ++i) max = std::max(max, Int(x(i)));
    for (int64_t i = 0; i < length; ++i) sum = Int(sum + Exponential<Int>(table, Int(max - x(i))));
  }
};

// e * 2^bits / S by the rounded reciprocal r of S: e * r < 2^62, because e <= S.
template <typename Int>
Int ReciprocalOf(const Int& sum) {
  return Int(Int(Int(int64_t{1} << 61) + FloorShift<Int>(sum, 1)) / sum);
}
template <typename Int>
Int Probability(const Int& e, const Int& reciprocal, int64_t bits) {
  return RoundShift<Int>(Rounding::kHalfUp, Int(e * reciprocal), static_cast<int>(61 - bits), false);
}

template <typename Int>
class SoftmaxRow {
 public:
  template <typename At>
  SoftmaxRow(const Operand<Int>& table, int64_t length, int64_t bits, At x)
      : table_(table), row_(table, length, x), bits_(bits), reciprocal_(ReciprocalOf<Int>(row_.sum)) {}

  Int operator()(const Int& x) const {
    return Probability<Int>(Exponential<Int>(table_, Int(row_.max - x)), reciprocal_, bits_);
  }

 private:
  const Operand<Int>& table_;
  ExponentialSum<Int> row_;
  int64_t bits_;
  Int reciprocal_;
};

}  // namespace tally
