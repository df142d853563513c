// How far a sequence in fixed point drifts from one in real numbers: measured for one network, and printed.
// It depends on the weights, so the specification states no bound.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>

#include "ops/recurrent/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

constexpr int kSteps = 200, kInputs = 4, kUnits = 8;

TestOperand Table(double (*f)(double)) {
  Ints entries;
  for (int64_t v = -kState; v < kState; ++v) {
    entries.push_back(std::llround(std::ldexp(f(std::ldexp(static_cast<double>(v), -12)), 15)));
  }
  return Constant({2 * kState}, entries);
}
double Sigmoid(double v) { return 1 / (1 + std::exp(-v)); }
double Tanh(double v) { return std::tanh(v); }

struct Network {
  Ints x, w, r;  // x in steps of 1/64, weights in steps of 1/256
};

// The states of every step, in real numbers.
std::vector<double> RealStates(const Network& n) {
  std::vector<double> h(kUnits, 0), c(kUnits, 0), states;
  for (int t = 0; t < kSteps; ++t) {
    const std::vector<double> before = h;
    const auto gate = [&](int row) {
      double sum = 0;
      for (int i = 0; i < kInputs; ++i) sum += n.w[row * kInputs + i] / 256.0 * n.x[t * kInputs + i] / 64.0;
      for (int i = 0; i < kUnits; ++i) sum += n.r[row * kUnits + i] / 256.0 * before[i];
      return sum;
    };
    for (int j = 0; j < kUnits; ++j) {
      c[j] = Sigmoid(gate(2 * kUnits + j)) * c[j] + Sigmoid(gate(j)) * std::tanh(gate(3 * kUnits + j));
      h[j] = Sigmoid(gate(kUnits + j)) * std::tanh(c[j]);
    }
    states.insert(states.end(), h.begin(), h.end());
  }
  return states;
}

TEST(Lstm, DriftOfOneNetworkIsSmall) {
  std::mt19937_64 random(1);
  const auto noise = [&](int64_t count) {
    Ints values;
    for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<int64_t>(random() % 255) - 127);
    return values;
  };
  constexpr int kRows = 4 * kUnits;
  const Network n = {noise(kSteps * kInputs), noise(kRows * kInputs), noise(kRows * kUnits)};
  const TestOperand sigmoid = Table(Sigmoid), tanh = Table(Tanh);
  // Gates in Q3.12: x W has 14 bits below its point, h R 23.
  LstmAttrs attrs;
  attrs.shift = 11;
  const auto y =
      RunOp({.op = Opcode::kLstm,
             .operands = {Values({kSteps, 1, kInputs}, n.x), Constant({1, kRows, kInputs}, n.w),
                          Constant({1, kRows, kUnits}, n.r), Constant({1, kRows}, Ints(kRows, 1 << 9)),
                          Constant({1, kRows}, Ints(kRows, 1)), Constant({1, kRows}, Ints(kRows, 0)), sigmoid,
                          tanh, tanh},
             .attributes = Pack(attrs)});
  ASSERT_TRUE(y.ok()) << y.status();
  const std::vector<double> exact = RealStates(n);
  double largest = 0;
  for (int t = 0; t < kSteps; ++t) {
    for (int j = 0; j < kUnits; ++j) {
      const size_t i = static_cast<size_t>(t) * kUnits + j;
      largest = std::max(largest, std::abs(static_cast<double>(y->values[0][i]) - std::ldexp(exact[i], 15)));
    }
    if (t == 0 || t == 9 || t == 99 || t == kSteps - 1) {
      std::cout << "largest drift of h in " << t + 1 << " steps: " << largest << " * 2^-15\n";
    }
  }
  EXPECT_LT(largest, 8);
}

}  // namespace
}  // namespace tally
