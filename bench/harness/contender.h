// One way to run one work, and rounds in which several take turns.
//
//   std::vector<Contender*> contenders = {&ours, &theirs};
//   ASSIGN_OR_RETURN(const std::vector<Samples> samples, TakeTurns(contenders, {.rounds = 9}));
//   samples[1].min() / samples[0].min();
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/harness/samples.h"
#include "bench/harness/stopwatch.h"

namespace tally::bench {

class Contender {
 public:
  virtual ~Contender() = default;

  virtual std::string name() const = 0;
  virtual std::vector<std::string> kernels() const { return {}; }

  // Milliseconds of each of `iterations` runs, one after the other.
  virtual absl::StatusOr<std::vector<double>> Run(int iterations, Clock clock) = 0;
};

struct TurnOptions {
  Clock clock = Clock::kWall;
  int rounds = 7;
  double turn_ms = 60;  // a turn is as many runs as fill this, one at least
  double pause_ms = 0;  // between turns: threads that spin for more work fall asleep
};

// After each has run a while to warm up, in every round each has one turn; who begins changes from round to
// round.
// Errors: those of the contenders.
absl::StatusOr<std::vector<Samples>> TakeTurns(std::span<Contender* const> contenders,
                                               const TurnOptions& options);

}  // namespace tally::bench
