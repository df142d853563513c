// A long softmax in steps.
#pragma once

#include <cstdint>

#include "ops/common/softmax_row.h"
#include "ops/expansion.h"

namespace tally {

// Columns of ExponentialSum: of x, which has `x.length` integers of `lo` at least, by the table that is
// operand `table`.
struct SoftmaxSteps {
  Column max, exponentials, sum;
};

template <typename Int>
SoftmaxSteps ExponentialsOf(Expansion<Int>& e, Column x, int64_t lo, size_t table) {
  SoftmaxSteps steps;
  steps.max = e.Fold(
      x.length, Int(lo), [x](const StepReads<Int>& r, int64_t i) { return r(x, i); }, Greater<Int>);
  const Column max = steps.max;
  steps.exponentials = e.Map(x.length, [=](const StepReads<Int>& r, int64_t i) {
    return Exponential<Int>(r.operand(table), Int(r(max) - r(x, i)));
  });
  const Column exponentials = steps.exponentials;
  steps.sum =
      e.SumOf(x.length, [exponentials](const StepReads<Int>& r, int64_t i) { return r(exponentials, i); });
  return steps;
}

}  // namespace tally
