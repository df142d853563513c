#include "cli/profile/step_times.h"

#include <algorithm>
#include <utility>

namespace tally::cli {

StepTimes::StepTimes(const Plan& plan) {
  for (PlanStep& step : plan.steps()) {
    if (step.function == 0) steps_.push_back(std::move(step));
  }
  durations_.resize(steps_.size());
}

std::function<void(size_t)> StepTimes::Observer() {
  return [this](size_t done) {
    const Clock::time_point now = Clock::now();
    const auto since_start = [&](Clock::time_point at) {
      return std::chrono::duration<double, std::milli>(at - start_).count();
    };
    if (done == 0) {
      start_ = now;
      spans_.clear();
    } else {
      spans_.push_back({since_start(before_), since_start(now)});
      durations_[done - 1].push_back(spans_.back().end - spans_.back().begin);
    }
    before_ = Clock::now();  // without what this took
  };
}

double StepTimes::Milliseconds(size_t step) const {
  std::vector<double> sorted = durations_[step];
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

}  // namespace tally::cli
