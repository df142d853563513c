#include "fuzz/generators/values.h"

#include <gtest/gtest.h>

#include <limits>

namespace tally {
namespace {

constexpr Interval kAll = {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};

TEST(RandomValues, KeepTheirLimits) {
  const std::vector<uint8_t> noise = NoiseBytes(7, 20000);
  EntropySource e(noise);
  const std::vector<Interval> limits = {{0, 0},      {-3, 5}, {kAll.lo, kAll.lo}, {kAll.hi, kAll.hi},
                                        {-128, 127}, kAll};
  while (!e.exhausted()) {
    const Shape shape = RandomShape(e, 1, 4, 40);
    EXPECT_TRUE(1 <= shape.rank() && shape.rank() <= 4) << shape.ToString();
    EXPECT_LE(shape.num_elements(), 40);
    const Interval limit = e.PickFrom(limits);
    const Interval interval = RandomInterval(e, limit);
    EXPECT_LE(interval.lo, interval.hi);
    EXPECT_TRUE(limit.Contains(interval)) << interval.ToString() << " of " << limit.ToString();
    const Tensor tensor = RandomTensor(e, {shape, interval});
    EXPECT_EQ(tensor.shape(), shape);
    EXPECT_EQ(tensor.storage(), NarrowestStorage(interval));
    EXPECT_TRUE(interval.Contains(tensor.view().Bounds())) << interval.ToString();
  }
}

TEST(RandomValues, FavourTheEndsOfAnInterval) {
  const std::vector<uint8_t> noise = NoiseBytes(8, 4000);
  EntropySource e(noise);
  int ends = 0;
  constexpr int kDraws = 400;
  for (int i = 0; i < kDraws; ++i) {
    const int64_t value = RandomValue(e, {-1000000, 1000000});
    ends += value == -1000000 || value == 1000000;
  }
  EXPECT_GT(ends, kDraws / 8);
}

}  // namespace
}  // namespace tally
