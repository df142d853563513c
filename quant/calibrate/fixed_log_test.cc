#include "quant/calibrate/fixed_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tally::quant {
namespace {

TEST(FixedLog2, IsTheLogarithmToItsLastBits) {
  for (int bit = 0; bit < 64; ++bit) EXPECT_EQ(FixedLog2(uint64_t{1} << bit), int64_t{bit} << kLogFraction);
  const auto expect_close = [](uint64_t x) {
    const double exact = std::log2(static_cast<double>(x)) * 0x1p32;
    EXPECT_NEAR(static_cast<double>(FixedLog2(x)), exact, 3) << x;
  };
  for (uint64_t x = 1; x < 3000; ++x) expect_close(x);
  for (uint64_t x = 3; x < uint64_t{1} << 62; x = x * 7 / 3 + 1) expect_close(x);
  EXPECT_EQ(FixedLog2(3), 6807362105);  // floor(1.58496250072115618 2^32)
  EXPECT_LT(FixedLog2(std::numeric_limits<uint64_t>::max()), int64_t{64} << kLogFraction);
}

}  // namespace
}  // namespace tally::quant
