// Milliseconds on the clock on the wall, or of the processor.
//
//   const Stopwatch watch;
//   Run();
//   watch.Milliseconds();
#pragma once

#include <ctime>

namespace tally::bench {

// The clock of the processor runs for the threads of this process only, so that on a busy machine others
// count for less in figures of one thread. It says nothing about latency with several.
enum class Clock { kWall, kProcessor };

class Stopwatch {
 public:
  explicit Stopwatch(Clock clock = Clock::kWall) : id_(IdOf(clock)), start_(Now()) {}

  double Milliseconds() const { return Now() - start_; }

 private:
  static clockid_t IdOf(Clock clock) {
    return clock == Clock::kWall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
  }
  double Now() const {
    timespec time;
    clock_gettime(id_, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  }

  clockid_t id_;
  double start_;
};

}  // namespace tally::bench
