// Those who run a plan: each with inputs and memory for results of its own.
#pragma once

#include <vector>

#include "base/aligned_vector.h"
#include "base/tensor.h"
#include "vm/plan.h"

namespace tally::bench {

class Caller {
 public:
  // `plan` outlives the caller. Inputs are random, from `seed`.
  Caller(const Plan& plan, uint64_t seed);
  absl::Status Run() { return plan_.ExecuteInto(views_, spans_, {}); }

 private:
  const Plan& plan_;
  std::vector<Tensor> inputs_;
  std::vector<AlignedVector<uint8_t>> results_;
  std::vector<TensorView> views_;
  std::vector<std::span<uint8_t>> spans_;
};

// Runs a second, by `callers` at once, for at least `enough_ms`.
absl::StatusOr<double> MeasureThroughput(const Plan& plan, int callers, double enough_ms);

}  // namespace tally::bench
