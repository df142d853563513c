// Runs jobs on a number of workers: a bounded queue for each model, which take turns.
//
//   Scheduler scheduler(2);
//   RETURN_IF_ERROR(scheduler.Add(model, {.deadline = deadline, .run = run}));
//
// A worker takes as many waiting jobs of one model as its configuration says (`batch`), and runs one after
// the other: weights and code stay in its caches. Each job is a run of its own, so that results cannot depend
// on which jobs were taken together.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "server/models/served_model.h"
#include "vm/cancellation.h"

namespace tally::server {

struct Job {
  std::chrono::steady_clock::time_point deadline;
  // Called once, by a worker. `late`: error request_deadline where the deadline passed before; the run need
  // not take place. The cancellation is called when it passes later.
  std::function<void(const absl::Status& late, const Cancellation& cancellation)> run;
};

class Scheduler {
 public:
  explicit Scheduler(int workers);
  ~Scheduler();  // Drain

  // Errors: queue_full, server_ends. The job is not run then.
  absl::Status Add(std::shared_ptr<const ServedModel> model, Job job);

  // Runs the job in this thread, unless jobs wait or the scheduler ends: then it returns false and does
  // nothing. For jobs that take less than passing them to a worker does.
  bool RunNow(const Job& job);

  // Takes no more jobs, and returns when those that it has have run.
  void Drain();

 private:
  struct Queue {
    std::shared_ptr<const ServedModel> model;
    std::deque<Job> jobs;
  };
  // The job that a worker runs.
  struct Running {
    std::mutex mutex;
    std::chrono::steady_clock::time_point deadline;
    Cancellation* cancellation = nullptr;
  };

  void Work(Running& running);
  void WatchDeadlines();

  std::mutex mutex_;
  std::condition_variable arrived_, ended_;
  std::map<const ServedModel*, Queue> queues_;
  std::deque<const ServedModel*> turns_;  // models with jobs; no worker is taking them out
  int running_now_ = 0;
  bool ends_ = false, watching_ = true;
  std::deque<Running> running_;
  std::vector<std::thread> workers_;
  std::thread watch_;
};

}  // namespace tally::server
