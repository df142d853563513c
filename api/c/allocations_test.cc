// A run on the cpu engine allocates nothing once it has run before, whatever tensors look like.
#include <gtest/gtest.h>

#include <vector>

#include "api/c/testing/c_case.h"
#include "base/testing/counting_new.h"

namespace tally::api {
namespace {

TEST(Allocations, ARunHasNoneOnceItHasRun) {
  for (const int threads : {1, 2}) {
    const tally_plan plan = MakePlan(kTwo, "cpu", threads);
    std::vector<int8_t> a(4), b(8);
    std::vector<int16_t> sum(8);
    std::vector<int32_t> negative(4);
    const int64_t b_strides[] = {2}, sum_strides[] = {-4};
    tally_tensor inputs[] = {Dense(a), Dense(b)}, results[] = {Dense(sum), Dense(negative)};
    inputs[1].strides = b_strides;
    results[0].strides = sum_strides;
    results[0].offset = 12;
    tally_cancellation cancellation = {};
    ASSERT_EQ(tally_cancellation_make(&cancellation, nullptr), TALLY_OK);
    tally_run_options options = {};
    options.size = sizeof options;
    options.cancellation = cancellation;
    Error error;
    const auto run = [&] { return tally_plan_run(plan, inputs, 2, results, 2, &options, &error); };
    ASSERT_EQ(run(), TALLY_OK) << error.message;
    const int64_t before = allocated_bytes;
    ASSERT_EQ(run(), TALLY_OK) << error.message;
    EXPECT_EQ(allocated_bytes, before) << threads;
    EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
    EXPECT_GT(before, 0);
  }
}

}  // namespace
}  // namespace tally::api
