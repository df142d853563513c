#include "cli/sample_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tally::cli {
namespace {

using Numbers = std::vector<int64_t>;

TEST(SampleParts, OneSampleIsForAll) {
  const SampleParts parts = PartsOf(1, false);
  EXPECT_EQ(parts.ranges, (Numbers{0}));
  EXPECT_EQ(parts.search, (Numbers{0}));
  EXPECT_EQ(parts.verdict, (Numbers{0}));
  EXPECT_FALSE(parts.verdict_is_unseen());
}

TEST(SampleParts, OfTwoTheVerdictHasItsOwn) {
  const SampleParts parts = PartsOf(2, false);
  EXPECT_EQ(parts.ranges, (Numbers{0}));
  EXPECT_EQ(parts.search, (Numbers{0}));
  EXPECT_EQ(parts.verdict, (Numbers{1}));
  EXPECT_TRUE(parts.verdict_is_unseen());
}

TEST(SampleParts, ShareNoSample) {
  for (const bool in_order : {false, true}) {
    for (int64_t count = 3; count < 200; ++count) {
      const SampleParts parts = PartsOf(count, in_order);
      Numbers all;
      for (const Numbers* part : {&parts.ranges, &parts.search, &parts.verdict}) {
        EXPECT_FALSE(part->empty()) << count;
        EXPECT_TRUE(std::ranges::is_sorted(*part)) << count;
        all.insert(all.end(), part->begin(), part->end());
      }
      std::ranges::sort(all);
      ASSERT_EQ(std::ssize(all), count);
      for (int64_t i = 0; i < count; ++i) EXPECT_EQ(all[static_cast<size_t>(i)], i);
      EXPECT_LE(std::ssize(parts.verdict), std::max<int64_t>(count / 4, 1));
      EXPECT_LE(std::ssize(parts.search), std::max<int64_t>(count / 8, 1));
    }
  }
}

// Samples that are sorted by class are of all classes in each part.
TEST(SampleParts, AreFromAllOver) {
  const SampleParts parts = PartsOf(160, false);
  for (const Numbers* part : {&parts.ranges, &parts.search, &parts.verdict}) {
    for (int64_t tenth = 0; tenth < 10; ++tenth) {
      const auto is_of = [&](int64_t number) { return number / 16 == tenth; };
      EXPECT_TRUE(std::ranges::any_of(*part, is_of)) << tenth;
    }
  }
}

TEST(SampleParts, AreRunsWhereNeighboursAreAlike) {
  const SampleParts parts = PartsOf(32, true);
  EXPECT_EQ(parts.ranges.back() + 1, parts.search.front());
  EXPECT_EQ(parts.search.back() + 1, parts.verdict.front());
  EXPECT_EQ(parts.verdict.back(), 31);
}

TEST(SampleParts, SaysHowManyAVerdictNeeds) {
  EXPECT_EQ(std::ssize(PartsOf(SamplesForVerdict(20), false).verdict), 20);
}

}  // namespace
}  // namespace tally::cli
