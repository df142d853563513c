// The threads of the cpu engine: one pool for all of its plans.
//
//   const std::shared_ptr<ThreadPool> pool = ThreadPool::Shared(4);
//   ThreadPool::Caller caller(*pool);                // while a run is in flight
//   caller.Run(4, [&](int part) { ... });            // a step
//
// A caller never depends on the pool: it takes parts of its step until none is left, and workers take others
// meanwhile. Active callers and active workers together never exceed the pool's size, unless callers alone
// do. So concurrent runs share the workers, possibly none, and no thread spins without a processor.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace tally {

class ThreadPool {
 public:
  static constexpr int kMaxThreads = 1024;

 private:
  static constexpr int kWord = 64, kWords = kMaxThreads / kWord;

  // The state that one caller shares.
  struct alignas(64) Job {
    std::atomic<bool> is_taken = false;  // by a caller
    // A bit for each part that nobody has taken. Who took one may read `part`: it stays until nothing is
    // unfinished.
    std::array<std::atomic<uint64_t>, kWords> free = {};
    std::atomic<int> untaken = 0;  // as many bits, or more for a moment
    const std::function<void(int)>* part = nullptr;
    std::atomic<int> unfinished = 0;

    void Post(int parts, const std::function<void(int)>& run);
    // Runs a part that nobody has taken yet, if there is one: `own` before others.
    bool RunOne(int own);
  };

 public:
  // The pool of this process, as long as somebody holds it, with at least `threads` - 1 workers: at most
  // kMaxThreads. A process that was forked gets its own; plans of its parent must not run in it.
  static std::shared_ptr<ThreadPool> Shared(int threads);

  ThreadPool() = default;
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // A run in flight, on one thread.
  class Caller {
   public:
    explicit Caller(ThreadPool& pool);
    ~Caller();
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;

    // part(0) .. part(parts - 1), on this thread and on workers that are free; returns when all are done. A
    // thread begins with the same part in every step, whose data its cache holds. `parts`: at most
    // kMaxThreads.
    void Run(int parts, const std::function<void(int)>& part);

   private:
    ThreadPool& pool_;
    Job* job_ = nullptr;  // none where more callers than jobs are there
  };

 private:
  struct alignas(64) Worker {
    std::atomic<int> asleep = 0;  // 0 or 1: what a futex can wait for
    std::thread thread;
  };
  static constexpr int kJobs = 32;

  void Grow(int threads);
  void Work(int number);
  // How many workers may be at work besides the callers.
  int Helpers() const { return size_ - std::max(1, runs_.load()); }
  // Looks at `done` for as long as the next step may take to come, where that keeps nobody from working.
  template <typename Done>
  bool Spin(Done done) const;

  std::array<Worker, kMaxThreads> workers_;  // size_ - 1 of them run
  std::atomic<int> size_ = 1;
  std::atomic<bool> spins_ = true;    // every thread has a processor
  std::atomic<int> runs_ = 0;         // in flight
  std::atomic<uint64_t> posted_ = 0;  // jobs so far
  std::atomic<bool> stop_ = false;
  std::array<Job, kJobs> jobs_;
};

}  // namespace tally
