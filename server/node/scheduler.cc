#include "server/node/scheduler.h"

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "server/labels.h"

namespace tally::server {
namespace {

using Clock = std::chrono::steady_clock;

// How late a run may be ended: it is looked at so often.
constexpr std::chrono::milliseconds kTick(20);

absl::Status LateOf(const Job& job) {
  if (Clock::now() < job.deadline) return absl::OkStatus();
  return MakeError(label::request_deadline, "the deadline passed while the request waited");
}

}  // namespace

Scheduler::Scheduler(int workers) : running_(static_cast<size_t>(workers)) {
  for (Running& running : running_) workers_.emplace_back([this, &running] { Work(running); });
  watch_ = std::thread([this] { WatchDeadlines(); });
}

Scheduler::~Scheduler() { Drain(); }

absl::Status Scheduler::Add(std::shared_ptr<const ServedModel> model, Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (ends_) return MakeError(label::server_ends, "the server is ending");
    Queue& queue = queues_[model.get()];
    const int64_t most = model->config().queue;
    if (static_cast<int64_t>(queue.jobs.size()) >= most)
      return MakeError(label::queue_full,
                       absl::StrCat(most, " requests for model '", model->name(), "' wait"));
    if (queue.jobs.empty()) {
      turns_.push_back(model.get());
      queue.model = std::move(model);
    }
    queue.jobs.push_back(std::move(job));
  }
  arrived_.notify_one();
  return absl::OkStatus();
}

bool Scheduler::RunNow(const Job& job) {
  {
    const std::lock_guard lock(mutex_);
    if (ends_ || !turns_.empty()) return false;
    ++running_now_;
  }
  job.run(LateOf(job), Cancellation());
  const std::lock_guard lock(mutex_);
  if (--running_now_ == 0 && ends_) ended_.notify_all();
  return true;
}

void Scheduler::Work(Running& running) {
  for (;;) {
    std::vector<Job> jobs;
    std::shared_ptr<const ServedModel> model;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [&] { return ends_ || !turns_.empty(); });
      if (turns_.empty()) return;
      const auto found = queues_.find(turns_.front());
      turns_.pop_front();
      Queue& queue = found->second;
      model = queue.model;
      while (!queue.jobs.empty() && static_cast<int64_t>(jobs.size()) < model->config().batch) {
        jobs.push_back(std::move(queue.jobs.front()));
        queue.jobs.pop_front();
      }
      if (queue.jobs.empty()) {
        queues_.erase(found);
      } else {
        turns_.push_back(model.get());
      }
    }
    for (const Job& job : jobs) {
      Cancellation cancellation;
      {
        const std::lock_guard lock(running.mutex);
        running.deadline = job.deadline;
        running.cancellation = &cancellation;
      }
      job.run(LateOf(job), cancellation);
      const std::lock_guard lock(running.mutex);
      running.cancellation = nullptr;
    }
  }
}

void Scheduler::WatchDeadlines() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kTick, [&] { return !watching_; })) {
    lock.unlock();
    const Clock::time_point now = Clock::now();
    for (Running& running : running_) {
      const std::lock_guard of_job(running.mutex);
      if (running.cancellation != nullptr && now >= running.deadline) running.cancellation->Cancel();
    }
    lock.lock();
  }
}

void Scheduler::Drain() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  arrived_.notify_all();
  for (std::thread& worker : workers_) {
    if (worker.joinable()) worker.join();
  }
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return running_now_ == 0; });
    watching_ = false;
  }
  ended_.notify_all();
  if (watch_.joinable()) watch_.join();
}

}  // namespace tally::server
