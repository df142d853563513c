#include "quant/calibrate/list_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace tally::quant {
namespace {

using Counts = std::vector<int64_t>;

TEST(ListText, CountsHaveRuns) {
  EXPECT_EQ(CountsToText({3, 0, 0, 0, 7}), "3 0*3 7");
  EXPECT_EQ(CountsToText({1, 1, 2, 2, 2, 2}), "1 1 2*4");
  EXPECT_EQ(CountsToText({}), "");
  const int64_t largest = std::numeric_limits<int64_t>::max();
  for (const Counts& counts :
       {Counts{}, Counts{0}, Counts{5, 5}, Counts{5, 5, 5}, Counts{largest, 0, largest}}) {
    EXPECT_EQ(CountsFromText(CountsToText(counts), 3), counts);
  }
}

TEST(ListText, OtherTextIsNoListOfCounts) {
  EXPECT_EQ(CountsFromText("1 2*2", 3), (Counts{1, 2, 2}));
  EXPECT_EQ(CountsFromText("1 2*2", 2), std::nullopt);
  for (const char* text : {"1  2", " 1", "1 ", "x", "-1", "1.5", "1*", "*2", "1*-1", "1*99999999999999999999",
                           "+1", "9223372036854775808", "1*18446744073709551615", "1 * 2", "1*2*3", "0x1"}) {
    EXPECT_EQ(CountsFromText(text, 100), std::nullopt) << text;
  }
}

TEST(ListText, FloatsReadBackAsThemselves) {
  const std::vector<float> floats = {0.1f, -3, 1e-45f, std::numeric_limits<float>::max(), 0};
  EXPECT_EQ(FloatsFromText(FloatsToText(floats)), floats);
  EXPECT_EQ(FloatsToText({0.1f, -3}), "0.1 -3");
  for (const char* text : {"1  2", "nan", "inf", "1e39", "1,2", "0x1p3", "1 "}) {
    EXPECT_EQ(FloatsFromText(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tally::quant
