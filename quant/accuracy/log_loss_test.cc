#include "quant/accuracy/log_loss.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace tally::quant {
namespace {

TEST(LogLoss, IsTheMeanSurprise) {
  LogLoss loss;
  EXPECT_EQ(loss.perplexity(), 1);
  loss.Add(std::array{0.0, 0.0, 0.0, 0.0}, 2);
  EXPECT_DOUBLE_EQ(loss.perplexity(), 4);
  loss.Add(std::array{std::log(3.0), 0.0}, 0);  // 3/4
  EXPECT_DOUBLE_EQ(loss.perplexity(), std::sqrt(4 * 4 / 3.0));
}

TEST(LogLoss, TakesLogitsOfAnySize) {
  LogLoss loss;
  loss.Add(std::array{5000.0, 5000.0}, 1);
  EXPECT_DOUBLE_EQ(loss.perplexity(), 2);
  LogLoss wrong;
  wrong.Add(std::array{-300.0, 300.0}, 0);
  EXPECT_DOUBLE_EQ(wrong.perplexity(), std::exp(600.0));
}

}  // namespace
}  // namespace tally::quant
