#include "cli/shell/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tally::cli {
namespace {

const std::vector<std::string> kNames = {"run", "trace", "quantize", "--calibrate", "--calibration"};

TEST(NearestName, AllowsAThirdOfTheLetters) {
  EXPECT_EQ(NearestName("quantise", kNames), "quantize");
  EXPECT_EQ(NearestName("qantze", kNames), "quantize");
  EXPECT_EQ(NearestName("rnu", kNames), "run") << "a swap is one step";
  EXPECT_EQ(NearestName("rn", kNames), "run");
  EXPECT_EQ(NearestName("--calibrat", kNames), "--calibrate");
  EXPECT_EQ(NearestName("--calibratoin", kNames), "--calibration");
}

TEST(NearestName, SuggestsNothingFarAway) {
  EXPECT_EQ(NearestName("xyz", kNames), "");
  EXPECT_EQ(NearestName("", kNames), "");
  EXPECT_EQ(NearestName("quant", kNames), "") << "three of five letters would change";
  EXPECT_EQ(NearestName(std::string(1000, 'r'), kNames), "");
  EXPECT_EQ(NearestName("run", {}), "");
}

}  // namespace
}  // namespace tally::cli
