// When the steps of runs began and ended.
//
//   StepTimes times(*plan);
//   how.step_observer = times.Observer();
//   plan->Execute(inputs, how);
//   times.Milliseconds(3);  // the median of all runs, for step 3
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "vm/plan.h"

namespace tally::cli {

class StepTimes {
 public:
  // A step's, in milliseconds since the first step of its run began.
  struct Span {
    double begin = 0, end = 0;
  };

  explicit StepTimes(const Plan& plan);

  // For ExecuteOptions; lives as long as this.
  std::function<void(size_t)> Observer();

  // Those of the entry: what a step of another function takes is part of the step that calls it.
  const std::vector<PlanStep>& steps() const { return steps_; }
  double Milliseconds(size_t step) const;
  // By step, of the last run; empty before a run.
  const std::vector<Span>& last() const { return spans_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<PlanStep> steps_;
  std::vector<std::vector<double>> durations_;  // by step, then by run
  std::vector<Span> spans_;
  Clock::time_point start_, before_;
};

}  // namespace tally::cli
