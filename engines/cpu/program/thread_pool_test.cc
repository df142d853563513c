#include "engines/cpu/program/thread_pool.h"

#include <gtest/gtest.h>

#include <barrier>
#include <set>
#include <vector>

namespace tally {
namespace {

TEST(ThreadPool, IsOneForTheProcessAndGrows) {
  const auto two = ThreadPool::Shared(2), eight = ThreadPool::Shared(8);
  EXPECT_EQ(two, eight);
  // Eight parts that wait for one another need eight threads.
  std::barrier all(8);
  ThreadPool::Caller(*two).Run(8, [&](int) { all.arrive_and_wait(); });
}

TEST(ThreadPool, GivesAThreadTheSamePartInEveryStep) {
  constexpr int kParts = 70;  // more than a word of bits
  const auto pool = ThreadPool::Shared(kParts);
  ThreadPool::Caller caller(*pool);
  std::vector<std::thread::id> first(kParts), now(kParts);
  const auto step = [&](std::vector<std::thread::id>& threads) {
    std::barrier all(kParts);  // so that nobody takes two
    caller.Run(kParts, [&](int part) {
      threads[part] = std::this_thread::get_id();
      all.arrive_and_wait();
    });
  };
  step(first);
  for (int i = 0; i < 5; ++i) {
    step(now);
    EXPECT_EQ(now, first);
  }
}

TEST(ThreadPool, EndsWithItsLastHolder) {
  std::weak_ptr<ThreadPool> pool = ThreadPool::Shared(4);
  EXPECT_TRUE(pool.expired());
}

TEST(ThreadPool, CallersWhoAreAsManyAsItsThreadsWorkAlone) {
  const auto pool = ThreadPool::Shared(2);
  ThreadPool::Caller first(*pool), second(*pool);
  std::set<std::thread::id> threads;  // written by this thread only, or TSan would see it
  for (int step = 0; step < 100; ++step) {
    first.Run(3, [&](int) { threads.insert(std::this_thread::get_id()); });
  }
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

// More callers than the pool has threads, and than it has jobs: each has a counter for each part.
TEST(ThreadPool, EveryPartOfEveryCallerRunsOnce) {
  constexpr int kCallers = 40, kSteps = 300, kParts = 5;
  for (const int threads : {1, 2, 3, 8, 64}) {
    const auto pool = ThreadPool::Shared(threads);
    std::vector<std::vector<int>> counts(kCallers, std::vector<int>(kParts));
    std::vector<std::thread> callers;
    for (int c = 0; c < kCallers; ++c) {
      callers.emplace_back([&, c] {
        for (int run = 0; run < 3; ++run) {
          ThreadPool::Caller caller(*pool);
          for (int step = 0; step < kSteps; ++step) caller.Run(kParts, [&](int part) { ++counts[c][part]; });
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(counts, std::vector(kCallers, std::vector<int>(kParts, 3 * kSteps))) << threads << " threads";
  }
}

}  // namespace
}  // namespace tally
