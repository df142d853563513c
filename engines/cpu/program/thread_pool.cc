#include "engines/cpu/program/thread_pool.h"

#include <unistd.h>

#include <bit>
#include <mutex>

#include "base/held_signals.h"

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

void ThreadPool::Job::Post(int parts, const std::function<void(int)>& run) {
  part = &run;
  unfinished = parts;
  untaken = parts;
  for (int w = 0; w * kWord < parts; ++w) {
    const int count = std::min(parts - w * kWord, kWord);
    free[w] = ~uint64_t{0} >> (kWord - count);
  }
}

bool ThreadPool::Job::RunOne(int own) {
  for (int i = 0; i < kWords && untaken > 0; ++i) {
    const int w = (own / kWord + i) % kWords;
    const uint64_t own_bit = i == 0 ? uint64_t{1} << own % kWord : 0;
    for (uint64_t left = free[w]; left != 0; left = free[w]) {
      const uint64_t bit = (left & own_bit) != 0 ? own_bit : left & -left;
      if ((free[w].fetch_and(~bit) & bit) == 0) continue;  // somebody else was faster
      --untaken;
      (*part)(w * kWord + std::countr_zero(bit));
      if (--unfinished == 0) unfinished.notify_one();
      return true;
    }
  }
  return false;
}

std::shared_ptr<ThreadPool> ThreadPool::Shared(int threads) {
  static std::mutex mutex;
  static std::weak_ptr<ThreadPool> shared;
  static pid_t process = 0;
  const std::lock_guard lock(mutex);
  if (process != getpid()) shared.reset();  // after fork() the workers are not here
  process = getpid();
  std::shared_ptr<ThreadPool> pool = shared.lock();
  if (pool == nullptr) shared = pool = std::make_shared<ThreadPool>();
  pool->Grow(threads);
  return pool;
}

void ThreadPool::Grow(int threads) {
  if (size_ >= threads) return;  // to count the processors is to read a file
  const HeldSignals held;
  for (; size_ < threads; ++size_) {
    workers_[size_ - 1].thread = std::thread([this, number = size_ - 1] { Work(number); });
  }
  spins_ = size_ <= static_cast<int>(std::thread::hardware_concurrency());
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  for (int w = 0; w < size_ - 1; ++w) {
    workers_[w].asleep = 0;
    workers_[w].asleep.notify_one();
    workers_[w].thread.join();
  }
}

template <typename Done>
bool ThreadPool::Spin(Done done) const {
  for (int look = 0; spins_ && look < kLooks; ++look) {
    if (done()) return true;
    Pause();
  }
  return done();
}

ThreadPool::Caller::Caller(ThreadPool& pool) : pool_(pool) {
  ++pool_.runs_;
  for (Job& job : pool_.jobs_) {
    if (job.is_taken.exchange(true)) continue;
    job_ = &job;
    return;
  }
}

ThreadPool::Caller::~Caller() {
  if (job_ != nullptr) job_->is_taken = false;
  --pool_.runs_;
}

void ThreadPool::Caller::Run(int parts, const std::function<void(int)>& part) {
  const int helpers = std::min(parts - 1, pool_.Helpers());
  if (helpers <= 0 || job_ == nullptr) {
    for (int p = 0; p < parts; ++p) part(p);
    return;
  }
  job_->Post(parts, part);
  ++pool_.posted_;
  for (int w = 0; w < helpers; ++w) {
    std::atomic<int>& asleep = pool_.workers_[w].asleep;
    if (asleep != 0 && asleep.exchange(0) != 0) asleep.notify_one();
  }
  while (job_->RunOne(0)) continue;
  const auto done = [this] { return job_->unfinished == 0; };
  if (pool_.Spin(done)) return;
  for (int left = job_->unfinished; left != 0; left = job_->unfinished) job_->unfinished.wait(left);
}

void ThreadPool::Work(int number) {
  uint64_t seen = 0;
  const auto may_work = [&] { return number < Helpers(); };
  const auto called = [&] { return stop_ || (posted_ != seen && may_work()); };
  std::atomic<int>& asleep = workers_[number].asleep;
  while (!stop_) {
    if (!Spin([&] { return called() || !may_work(); }) || !called()) {
      asleep = 1;  // whoever posts from here on sees it
      if (!called()) asleep.wait(1);
      asleep = 0;
      continue;
    }
    seen = posted_;
    // Runs take the first jobs that are free. Workers begin at different ones.
    const int first = number % std::clamp<int>(runs_, 1, kJobs);
    for (int j = 0; j < kJobs && may_work();) {
      if (!jobs_[(first + j) % kJobs].RunOne(number + 1)) ++j;
    }
  }
}

}  // namespace tally
