#include "bench/cuda/callers.h"

#include <memory>
#include <thread>

#include "base/status_macros.h"
#include "bench/harness/stopwatch.h"
#include "bench/models/random_source.h"

namespace tally::bench {

Caller::Caller(const Plan& plan, uint64_t seed) : plan_(plan) {
  const ValidModule& module = plan.module();
  inputs_ = RandomInputs(module.entry().params, seed);
  for (const ValueId id : module.entry().results) results_.emplace_back(module.types()[id].size_bytes());
  for (const Tensor& input : inputs_) views_.push_back(input.view());
  for (AlignedVector<uint8_t>& bytes : results_) spans_.emplace_back(bytes);
}

absl::StatusOr<double> MeasureThroughput(const Plan& plan, int callers, double enough_ms) {
  struct Thread {
    std::unique_ptr<Caller> caller;
    absl::Status failure;
    int64_t runs = 0;
    std::thread thread;
  };
  std::vector<Thread> threads(static_cast<size_t>(callers));
  for (size_t c = 0; c < threads.size(); ++c) {
    threads[c].caller = std::make_unique<Caller>(plan, c);
    RETURN_IF_ERROR(threads[c].caller->Run());
  }
  const Stopwatch watch;
  for (Thread& thread : threads) {
    thread.thread = std::thread([&] {
      do {
        thread.failure = thread.caller->Run();
        ++thread.runs;
      } while (thread.failure.ok() && watch.Milliseconds() < enough_ms);
    });
  }
  for (Thread& thread : threads) thread.thread.join();
  const double seconds = 1e-3 * watch.Milliseconds();
  int64_t runs = 0;
  for (const Thread& thread : threads) {
    RETURN_IF_ERROR(thread.failure);
    runs += thread.runs;
  }
  return static_cast<double>(runs) / seconds;
}

}  // namespace tally::bench
