// Threads that run the parts of one step at a time.
//
//   ThreadPool pool(4);
//   pool.Run(4, [&](int part) { ... });
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tally {

class ThreadPool {
 public:
  // `threads` - 1 workers; the caller of Run is one more.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // part(0) .. part(parts - 1), spread over the threads; returns when all are done. One caller at a time has the
  // workers: another one that comes meanwhile runs its parts itself, with the same result.
  void Run(int parts, const std::function<void(int)>& part);

 private:
  void Work(int worker);
  // Looks at `done` for as long as the next step may take to come, where every thread has a processor.
  template <typename Done>
  bool Spin(Done done) const;

  const bool spins_;
  std::mutex owner_;  // held by the caller that has the workers
  std::mutex mutex_;  // of those who sleep
  std::condition_variable start_, done_;
  // Written ahead of round_, and read behind it.
  const std::function<void(int)>* part_ = nullptr;
  int parts_ = 0;
  std::atomic<uint64_t> round_ = 0;
  std::atomic<int> running_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace tally
