#include "quant/tensor/broadcast_index.h"

#include <gtest/gtest.h>

namespace tally::quant {
namespace {

using Indices = std::vector<int64_t>;

TEST(BroadcastIndex, RepeatsDimensionsOfOneAndMissingOnes) {
  EXPECT_EQ(BroadcastIndex({}, {}), (Indices{0}));
  EXPECT_EQ(BroadcastIndex({}, {3}), (Indices{0, 0, 0}));
  EXPECT_EQ(BroadcastIndex({3}, {2, 3}), (Indices{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(BroadcastIndex({2, 1}, {2, 3}), (Indices{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(BroadcastIndex({2, 1, 2}, {2, 2, 2}), (Indices{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(BroadcastIndex({2, 2}, {2, 2}), (Indices{0, 1, 2, 3}));
}

}  // namespace
}  // namespace tally::quant
