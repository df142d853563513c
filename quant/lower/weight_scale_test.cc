#include "quant/lower/weight_scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "quant/grid/quantized_type.h"

namespace tally::quant {
namespace {

double SquaredError(const std::vector<float>& weights, double scale) {
  double sum = 0;
  for (const double weight : weights) {
    sum += std::pow(weight - scale * std::clamp(std::round(weight / scale), -127.0, 127.0), 2);
  }
  return sum;
}

TEST(ChooseWeightScale, HasNoMoreErrorThanTheScaleOfTheLargest) {
  std::mt19937 random(9);
  bool gained = false;
  for (int round = 0; round < 40; ++round) {
    std::vector<float> weights;
    for (int i = 0; i < 20000; ++i) weights.push_back(static_cast<float>(random() % 20001) / 10000 - 1);
    weights[0] = 1 + static_cast<float>(round) / 40;  // alone further out
    const double chosen = ChooseWeightScale(weights);
    const double widest = ChooseSymmetric(weights[0], 8).scale;
    EXPECT_LE(chosen, widest);
    EXPECT_LE(SquaredError(weights, chosen), SquaredError(weights, widest) * (1 + 1e-9));
    gained |= SquaredError(weights, chosen) < 0.99 * SquaredError(weights, widest);
  }
  EXPECT_TRUE(gained);
}

TEST(ChooseWeightScale, ClipsOneOutlierAmongMany) {
  std::vector<float> weights(100000, 0);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 997) / 997 * 0.5f;
  weights[7] = 0.75f;
  EXPECT_LT(ChooseWeightScale(weights), 0.74 / 127);
}

TEST(ChooseWeightScale, WeightsThatAreCodesStayExact) {
  std::vector<float> weights;
  for (int code = -127; code <= 127; ++code) weights.push_back(static_cast<float>(code) / 64);
  EXPECT_EQ(ChooseWeightScale(weights), 1.0 / 64);
}

TEST(ChooseWeightScale, ZerosHaveAScale) { EXPECT_GT(ChooseWeightScale(std::vector<float>(3)), 0); }

}  // namespace
}  // namespace tally::quant
