#include "vm/engines/cpu/thread_pool.h"

namespace tally {

ThreadPool::ThreadPool(int threads) {
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

void ThreadPool::Run(int parts, const std::function<void(int)>& part) {
  const std::unique_lock owner(owner_, std::try_to_lock);
  if (parts == 1 || workers_.empty() || !owner.owns_lock()) {
    for (int p = 0; p < parts; ++p) part(p);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    part_ = &part;
    parts_ = parts;
    running_ = static_cast<int>(workers_.size());
    ++round_;
  }
  start_.notify_all();
  for (int p = 0; p < parts; p += threads()) part(p);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return running_ == 0; });
}

void ThreadPool::Work(int worker) {
  uint64_t seen = 0;
  for (;;) {
    std::unique_lock lock(mutex_);
    start_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_) return;
    seen = round_;
    const auto* part = part_;
    const int parts = parts_;
    lock.unlock();
    for (int p = worker; p < parts; p += threads()) (*part)(p);
    lock.lock();
    if (--running_ == 0) done_.notify_one();
  }
}

}  // namespace tally
