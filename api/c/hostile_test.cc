// Callers that do what they should not: closed handles, closing while running, threads, fork.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "api/c/testing/c_case.h"

namespace tally::api {
namespace {

// y = -x of 2 x 3; "" or the label.
std::string Negate(tally_plan plan, int8_t first) {
  std::vector<int8_t> x(6, first), y(6);
  const tally_tensor input = Dense(x), result = Dense(y);
  Error error;
  tally_plan_run(plan, &input, 1, &result, 1, nullptr, &error);
  if (error.status == TALLY_OK) {
    EXPECT_EQ(y, std::vector<int8_t>(6, static_cast<int8_t>(-first)));
  }
  return error.label;
}

// The threads of this process.
int64_t CountThreads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads));
}

TEST(Hostile, HandlesOfNothing) {
  const tally_module module = Load(kNegative);
  const tally_plan plan = MakePlan(kNegative);
  EXPECT_EQ(Negate({0}, 1), "api_handle");
  EXPECT_EQ(Negate({module.handle}, 1), "api_handle");  // a module's
  EXPECT_EQ(tally_plan_close({module.handle}), TALLY_INVALID_ARGUMENT);
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
  EXPECT_EQ(Negate(plan, 1), "api_handle");
  EXPECT_EQ(tally_plan_close(plan), TALLY_INVALID_ARGUMENT);
  const tally_plan other = MakePlan(kNegative);
  EXPECT_EQ(Negate(plan, 1), "api_handle");  // although another plan is where it was
  EXPECT_EQ(Negate(other, 1), "");
  EXPECT_EQ(tally_plan_close(other), TALLY_OK);
  EXPECT_EQ(tally_plan_close({0}), TALLY_OK);
  EXPECT_EQ(tally_module_close(module), TALLY_OK);
}

TEST(Hostile, PointersToNothing) {
  const tally_plan plan = MakePlan(kNegative);
  std::vector<int8_t> x(6), y(6);
  const tally_tensor input = Dense(x), result = Dense(y), nowhere = {.data = nullptr, .bytes = 6};
  const auto label = [&](const tally_tensor* inputs, size_t count, const tally_tensor* results) {
    Error error;
    EXPECT_NE(tally_plan_run(plan, inputs, count, results, 1, nullptr, &error), TALLY_OK);
    return std::string(error.label);
  };
  EXPECT_EQ(label(nullptr, 1, &result), "api_null");
  EXPECT_EQ(label(&input, 1, nullptr), "api_null");
  EXPECT_EQ(label(&nowhere, 1, &result), "api_null");
  EXPECT_EQ(label(&input, 1, &nowhere), "api_null");
  EXPECT_EQ(label(&input, ~size_t{0}, &result), "api_option");  // not one of which is read
  EXPECT_EQ(tally_plan_run(plan, &input, 1, &result, 1, nullptr, nullptr), TALLY_OK);
  EXPECT_EQ(tally_plan_get_info(plan, nullptr, nullptr), TALLY_INVALID_ARGUMENT);
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
}

TEST(Hostile, ManyThreadsOnOnePlan) {
  const tally_plan plan = MakePlan(kNegative, "cpu", 2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) EXPECT_EQ(Negate(plan, static_cast<int8_t>((t * 31 + i) % 100)), "");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
}

// Runs that are in flight end by themselves, those that come later are refused, and nothing else happens.
TEST(Hostile, ClosingWhileRunning) {
  for (int round = 0; round < 50; ++round) {
    const tally_plan plan = MakePlan(kNegative, "cpu", 2);
    std::atomic<int> ran = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        std::string label;
        for (; label.empty(); label = Negate(plan, 1)) ++ran;
        EXPECT_EQ(label, "api_handle");
      });
    }
    while (ran < 10) std::this_thread::yield();
    EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(Hostile, CancellingALongRunWhosePlanIsClosed) {
  const tally_plan plan = MakePlan(kLong);
  tally_cancellation cancellation = {};
  ASSERT_EQ(tally_cancellation_make(&cancellation, nullptr), TALLY_OK);
  std::thread runs([&] {
    int8_t x = 1, y = 0;
    const tally_tensor input = {.data = &x, .bytes = 1}, result = {.data = &y, .bytes = 1};
    tally_run_options options = {};
    options.size = sizeof options;
    options.cancellation = cancellation;
    Error error;
    EXPECT_EQ(tally_plan_run(plan, &input, 1, &result, 1, &options, &error), TALLY_CANCELLED);
    EXPECT_STREQ(error.label, "cancelled");
    EXPECT_STREQ(error.stage, "refused");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
  EXPECT_EQ(tally_cancel(cancellation, nullptr), TALLY_OK);
  runs.join();
  EXPECT_EQ(tally_cancellation_close(cancellation), TALLY_OK);
  EXPECT_EQ(tally_cancel(cancellation, nullptr), TALLY_INVALID_ARGUMENT);
}

// Modules are the child's too, plans are not: it makes its own, with threads of its own, and exits as any
// process does.
TEST(Hostile, Forking) {
  const tally_module module = Load(kNegative);
  tally_plan_options options = {};
  options.size = sizeof options;
#if defined(__SANITIZE_THREAD__)
  options.threads = 1;  // ThreadSanitizer ends a child that starts threads
#else
  options.threads = 2;
#endif
  tally_plan plan = {};
  ASSERT_EQ(tally_plan_make(module, &options, &plan, nullptr), TALLY_OK);
  EXPECT_EQ(Negate(plan, 1), "");
  const pid_t child = fork();
  if (child == 0) {
    tally_plan own = {};
    const auto is_parallel = [&] { return options.threads == 1 || CountThreads() == 2; };
    const bool ok = Negate(plan, 1) == "api_forked" &&
                    tally_plan_make(module, &options, &own, nullptr) == TALLY_OK && Negate(own, 3).empty() &&
                    is_parallel() && tally_plan_close(own) == TALLY_OK && tally_plan_close(plan) == TALLY_OK;
    std::exit(ok ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Negate(plan, 2), "");
  EXPECT_EQ(tally_plan_close(plan), TALLY_OK);
  EXPECT_EQ(tally_module_close(module), TALLY_OK);
}

TEST(Hostile, MessagesAreCutBetweenCharacters) {
  tally_module module = {};
  Error error;
  std::string path;
  for (int i = 0; i < 400; ++i) path += "\u00e9";
  EXPECT_NE(tally_module_load_file(path.c_str(), nullptr, &module, &error), TALLY_OK);
  const std::string message = error.message;
  EXPECT_GE(message.size(), 437u);
  EXPECT_EQ(message.substr(message.size() - 2), "\u00e9");
}

}  // namespace
}  // namespace tally::api
