#include "bench/harness/contender.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/status_macros.h"

namespace tally::bench {
namespace {

constexpr int kMaxIterations = 10000;

// Runs that fill a turn, judged by runs that warm it up.
absl::StatusOr<int> WarmUp(Contender& contender, double turn_ms, Clock clock) {
  int iterations = 1;
  for (double spent = 0;;) {
    ASSIGN_OR_RETURN(const std::vector<double> times, contender.Run(iterations, clock));
    double total = 0;
    for (const double ms : times) total += ms;
    spent += total;
    const double mean = std::max(total / iterations, 1e-4);
    const int fill = static_cast<int>(std::clamp(turn_ms / mean, 1.0, static_cast<double>(kMaxIterations)));
    if (spent >= turn_ms || iterations >= fill) return fill;
    iterations = std::min(2 * iterations, fill);
  }
}

}  // namespace

absl::StatusOr<std::vector<Samples>> TakeTurns(std::span<Contender* const> contenders,
                                               const TurnOptions& options) {
  const size_t count = contenders.size();
  std::vector<int> iterations;
  for (Contender* contender : contenders) {
    ASSIGN_OR_RETURN(const int fill, WarmUp(*contender, options.turn_ms, options.clock));
    iterations.push_back(fill);
  }
  std::vector<Samples> samples(count);
  for (int round = 0; round < options.rounds; ++round) {
    for (size_t turn = 0; turn < count; ++turn) {
      const size_t i = (turn + static_cast<size_t>(round)) % count;
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(options.pause_ms));
      ASSIGN_OR_RETURN(const std::vector<double> times, contenders[i]->Run(iterations[i], options.clock));
      samples[i].Add(times);
    }
  }
  return samples;
}

}  // namespace tally::bench
