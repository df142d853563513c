// Logarithms of softmaxes and norms of rows for devices: one warp for each row.
#pragma once

#include "ops/common/binade.h"
#include "ops/cuda/primitives/softmax_device.h"
#include "ops/normalization/normalizer.h"

namespace tally::cuda {

struct LogSoftmaxParams {
  RowShape shape;
  Exponentials exponentials;
  Storage logarithms;
  int64_t multiplier;
  Requantization requantization;
};

// Memory: x, the exponentials, the logarithms, the result.
TALLY_DEVICE void LogSoftmax(const Thread& t, const Memory& m, const LogSoftmaxParams& p) {
  const RowOfWarp row(t, m, p.shape);
  const ExponentialsOfRow e(row, p.exponentials);
  const StoredList logarithms = {p.logarithms, m.at[2]};
  const Binade<int64_t> binade(e.sum);
  const int64_t log =
      (binade.exponent - 30) * logarithms[kBinadeEntries - 1] + binade.Interpolate(logarithms);
  row.ForEach([&](int64_t i) {
    const int64_t exact = (row.x(i) - e.greatest) * p.multiplier - log;
    row.Store(m.at[3], i, Requantize<int64_t>(exact, p.requantization));
  });
}

struct NormParams {
  RowShape shape;
  bool centred;  // around the mean; else around zero
  int64_t zero;
  int64_t guard, epsilon;
  EpsilonMode epsilon_mode;
  Storage multipliers, biases;
  Requantization requantization;
};

// n = length * d - S, the sum of d being S where the row is centred and 0 where it is not. Distances d are
// those from the first element or from `zero`. Memory: x, the multipliers, the biases, the result.
TALLY_DEVICE void NormOfRows(const Thread& t, const Memory& m, const NormParams& p) {
  const RowOfWarp row(t, m, p.shape);
  const int64_t origin = p.centred ? row.x(0) : p.zero;
  int64_t sum = 0;
  if (p.centred) {
    row.ForEach([&](int64_t i) { sum += row.x(i) - origin; });
    sum = row.Sum(sum);
  }
  const auto n = [&](int64_t i) { return row.length() * (row.x(i) - origin) - sum; };
  int64_t variance = 0;
  row.ForEach([&](int64_t i) { variance = WrapAdd(variance, WrapMul(n(i), row.x(i) - origin)); });
  const Normalizer<int64_t> normalize(row.Sum(variance), p.guard, p.epsilon, p.epsilon_mode);
  row.ForEach([&](int64_t i) {
    const int64_t parameter = row.first.parameter + OffsetsIn(p.shape.elements, i).parameter;
    const int64_t scaled =
        normalize(n(i)) * Load(p.multipliers, m.at[1], parameter) + Load(p.biases, m.at[2], parameter);
    row.Store(m.at[3], i, Requantize<int64_t>(scaled, p.requantization));
  });
}

}  // namespace tally::cuda
