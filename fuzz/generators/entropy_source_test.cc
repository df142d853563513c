#include "fuzz/generators/entropy_source.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace tally {
namespace {

TEST(EntropySource, BehindTheLastByteEveryChoiceIsTheSimplest) {
  EntropySource e({});
  EXPECT_TRUE(e.exhausted());
  EXPECT_EQ(e.Between(-7, 9), -7);
  EXPECT_EQ(e.Between(INT64_MIN, INT64_MAX), INT64_MIN);
  EXPECT_FALSE(e.OneIn(2));
  EXPECT_EQ(e.Pick({3, 4, 5}), 3);
}

TEST(EntropySource, TakesAsManyBytesAsTheRangeNeeds) {
  const uint8_t bytes[] = {5, 1, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  EntropySource e(bytes);
  EXPECT_EQ(e.Between(8, 8), 8) << "no choice, no byte";
  EXPECT_EQ(e.Between(0, 255), 5);
  EXPECT_EQ(e.Between(0, 65535), 0x0102);
  EXPECT_EQ(e.Between(INT64_MIN, INT64_MAX), INT64_MAX);
  EXPECT_TRUE(e.exhausted());
}

TEST(EntropySource, ReachesEveryValueOfASmallRange) {
  const std::vector<uint8_t> noise = NoiseBytes(1, 200);
  EntropySource e(noise);
  std::set<int64_t> seen;
  while (!e.exhausted()) seen.insert(e.Between(-2, 2));
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2}));
}

TEST(NoiseBytes, AreTheSameOnEveryMachine) {
  // splitmix64 of seed 0 starts with 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f.
  EXPECT_EQ(NoiseBytes(0, 3), (std::vector<uint8_t>{0xe2, 0x6e, 0x06}));
}

}  // namespace
}  // namespace tally
