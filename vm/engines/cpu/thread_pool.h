// Threads that run the parts of one step at a time.
//
//   ThreadPool pool(4);
//   pool.Run(4, [&](int part) { ... });
#pragma once

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

  std::mutex owner_;  // held by the caller that has the workers
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(int)>* part_ = nullptr;
  int parts_ = 0;
  uint64_t round_ = 0;
  int running_ = 0;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace tally
