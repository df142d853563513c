// A run on the cpu engine allocates nothing once it has run before, whatever tensors look like.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "api/c/testing/c_case.h"

namespace {
std::atomic<int> allocations{0};

void* Allocate(size_t size, size_t alignment) {
  ++allocations;
  void* const bytes = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (bytes == nullptr) throw std::bad_alloc();
  return bytes;
}
}  // namespace

void* operator new(size_t size) { return Allocate(size, 16); }
void* operator new(size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* bytes) noexcept { std::free(bytes); }
void operator delete(void* bytes, size_t) noexcept { std::free(bytes); }
void operator delete(void* bytes, std::align_val_t) noexcept { std::free(bytes); }
void operator delete(void* bytes, size_t, std::align_val_t) noexcept { std::free(bytes); }

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
    const int before = allocations;
    ASSERT_EQ(run(), TALLY_OK) << error.message;
    EXPECT_EQ(allocations, before) << threads;
    EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
    EXPECT_GT(allocations, 0);
  }
}

}  // namespace
}  // namespace tally::api
