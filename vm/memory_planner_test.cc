#include "vm/memory_planner.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "vm/limits.h"

namespace tally {
namespace {

using Offsets = std::vector<int64_t>;

MemoryPlan PlanOf(const std::vector<BufferRequest>& requests) {
  const auto plan = PlanMemory(requests);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *plan : MemoryPlan{};
}

TEST(MemoryPlanner, NothingNeedsNothing) {
  const MemoryPlan plan = PlanOf({});
  EXPECT_EQ(plan.offsets, Offsets{});
  EXPECT_EQ(plan.arena_bytes, 0);
  EXPECT_EQ(plan.largest_live_bytes, 0);
}

TEST(MemoryPlanner, RoundsSizesUpToTheAlignment) {
  const MemoryPlan plan = PlanOf({{65, 0, 1}, {1, 1, 2}});
  EXPECT_EQ(plan.offsets, (Offsets{0, 128}));
  EXPECT_EQ(plan.arena_bytes, 192);
  EXPECT_EQ(plan.largest_live_bytes, 192);
}

TEST(MemoryPlanner, BuffersThatAreNeverLiveTogetherShareBytes) {
  EXPECT_EQ(PlanOf({{64, 0, 1}, {64, 2, 3}}).offsets, (Offsets{0, 0}));
}

TEST(MemoryPlanner, TheLastStepOfARangeStillHolds) {
  EXPECT_EQ(PlanOf({{64, 0, 2}, {64, 2, 3}}).offsets, (Offsets{0, 64}));
}

TEST(MemoryPlanner, PlacesTheLargestFirst) {
  EXPECT_EQ(PlanOf({{64, 0, 3}, {128, 0, 3}, {256, 0, 3}}).offsets, (Offsets{384, 256, 0}));
}

TEST(MemoryPlanner, TiesGoToTheEarlierFirstStepThenToTheLowerIndex) {
  EXPECT_EQ(PlanOf({{64, 1, 3}, {64, 0, 3}, {64, 1, 3}}).offsets, (Offsets{64, 0, 128}));
  // 1 and 64 bytes have the same footprint, so they tie.
  EXPECT_EQ(PlanOf({{1, 0, 1}, {64, 0, 1}}).offsets, (Offsets{0, 64}));
}

TEST(MemoryPlanner, FillsTheLowestGapThatIsLargeEnough) {
  // Placed in the order 3, 0, 1, 2, 4; 2 goes after 1 although 0 has ended, and 4 goes where 1 was.
  const MemoryPlan plan = PlanOf({{320, 0, 1}, {192, 2, 5}, {128, 2, 9}, {512, 0, 9}, {64, 6, 9}});
  EXPECT_EQ(plan.offsets, (Offsets{512, 512, 704, 0, 512}));
  EXPECT_EQ(plan.arena_bytes, 832);
  EXPECT_EQ(plan.largest_live_bytes, 832);
}

TEST(MemoryPlanner, GreedMayCostMoreThanTheLargestLiveSet) {
  // The last one finds a gap of 64 bytes between its neighbours, half of what it needs.
  const MemoryPlan plan = PlanOf({{128, 1, 3}, {128, 3, 4}, {192, 1, 1}, {128, 2, 3}});
  EXPECT_EQ(plan.offsets, (Offsets{192, 320, 0, 0}));
  EXPECT_EQ(plan.arena_bytes, 448);
  EXPECT_EQ(plan.largest_live_bytes, 384);
}

TEST(MemoryPlanner, NeverOverlapsLiveBuffers) {
  std::mt19937 random(20260101);  // its output is fixed by the standard
  for (int round = 0; round < 200; ++round) {
    std::vector<BufferRequest> requests(random() % 24);
    for (BufferRequest& request : requests) {
      request.size_bytes = static_cast<int64_t>(random() % 1000) + 1;
      request.first = static_cast<int32_t>(random() % 12);
      request.last = request.first + static_cast<int32_t>(random() % 6);
    }
    const MemoryPlan plan = PlanOf(requests);
    ASSERT_GE(plan.arena_bytes, plan.largest_live_bytes);
    for (size_t a = 0; a < requests.size(); ++a) {
      ASSERT_EQ(plan.offsets[a] % kBufferAlignment, 0);
      ASSERT_LE(plan.offsets[a] + requests[a].size_bytes, plan.arena_bytes);
      for (size_t b = 0; b < a; ++b) {
        const bool live_together =
            requests[a].first <= requests[b].last && requests[b].first <= requests[a].last;
        const bool apart = plan.offsets[a] + requests[a].size_bytes <= plan.offsets[b] ||
                           plan.offsets[b] + requests[b].size_bytes <= plan.offsets[a];
        ASSERT_TRUE(!live_together || apart) << "round " << round << ": " << a << " and " << b;
      }
    }
  }
}

TEST(MemoryPlanner, RefusesMorePairsThanItCanCompare) {
  // 2896 buffers make 4191960 pairs, one more makes 4194856.
  static_assert(2896 * 2895 / 2 <= kMaxLivePairs && 2897 * 2896 / 2 > kMaxLivePairs);
  EXPECT_EQ(PlanOf(std::vector<BufferRequest>(2896, {1, 0, 1})).arena_bytes, 2896 * 64);
  EXPECT_EQ(ErrorLabel(PlanMemory(std::vector<BufferRequest>(2897, {1, 0, 1})).status()), "live_pairs_limit");
  // Buffers of different times are no pairs.
  std::vector<BufferRequest> chain(10000);
  for (int32_t i = 0; i < 10000; ++i) chain[i] = {1, i, i + 1};
  EXPECT_EQ(PlanOf(chain).arena_bytes, 128);
}

TEST(MemoryPlanner, RefusesASumBeyondTheArenaLimit) {
  EXPECT_EQ(PlanOf({{kMaxArenaBytes, 0, 1}}).arena_bytes, kMaxArenaBytes);
  for (const std::vector<BufferRequest>& requests : {
           std::vector<BufferRequest>{{kMaxArenaBytes + 1, 0, 1}},
           std::vector<BufferRequest>{{INT64_MAX, 0, 1}},
           std::vector<BufferRequest>{{kMaxArenaBytes, 0, 1}, {1, 2, 3}},  // the sum counts, not what is live
       }) {
    EXPECT_EQ(ErrorLabel(PlanMemory(requests).status()), "memory_limit_of_module");
  }
}

}  // namespace
}  // namespace tally
