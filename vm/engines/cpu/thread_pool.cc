#include "vm/engines/cpu/thread_pool.h"

namespace tally {
namespace {

// About 50 us: a step of a network is shorter, and to sleep and wake costs as much as a small one.
constexpr int kLooks = 1000;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // `yield` takes no time on most processors
#else
  std::this_thread::yield();
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads)
    : spins_(threads <= static_cast<int>(std::thread::hardware_concurrency())) {
  for (int worker = 1; worker < threads; ++worker) {
    workers_.emplace_back([this, worker] { Work(worker); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

template <typename Done>
bool ThreadPool::Spin(Done done) const {
  for (int look = 0; spins_ && look < kLooks; ++look) {
    if (done()) return true;
    Pause();
  }
  return done();
}

void ThreadPool::Run(int parts, const std::function<void(int)>& part) {
  const std::unique_lock owner(owner_, std::try_to_lock);
  if (parts == 1 || workers_.empty() || !owner.owns_lock()) {
    for (int p = 0; p < parts; ++p) part(p);
    return;
  }
  {
    const std::lock_guard lock(mutex_);  // or a worker could go to sleep on the round before
    part_ = &part;
    parts_ = parts;
    running_ = static_cast<int>(workers_.size());
    ++round_;
  }
  start_.notify_all();
  for (int p = 0; p < parts; p += threads()) part(p);
  const auto done = [this] { return running_ == 0; };
  if (Spin(done)) return;
  std::unique_lock lock(mutex_);
  done_.wait(lock, done);
}

void ThreadPool::Work(int worker) {
  uint64_t seen = 0;
  const auto called = [&] { return stop_ || round_ != seen; };
  for (;;) {
    if (!Spin(called)) {
      std::unique_lock lock(mutex_);
      start_.wait(lock, called);
    }
    if (stop_) return;
    seen = round_;
    const auto* part = part_;
    const int parts = parts_;
    for (int p = worker; p < parts; p += threads()) (*part)(p);
    if (--running_ == 0) {
      const std::lock_guard lock(mutex_);  // or the caller could go to sleep on the running worker
      done_.notify_one();
    }
  }
}

}  // namespace tally
