// Where the time of runs goes, step by step, beside what the machine can do at most.
//
// A step's products are compared with a loop of 8-bit dot products on registers. Its bytes are compared with
// plain reads of as many, over and over, from the cache that holds them. Whichever share is large bounds it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cpu_flags.h"
#include "cli/json_output.h"
#include "cli/profile/step_times.h"

namespace tally::cli {

struct StepRate {
  size_t step = 0;  // its place among the entry's
  double milliseconds = 0;
  double share = 0;                   // all steps take 1
  double gops = 0, of_loop = 0;       // two operations for a product and its addition; 0 where there are none
  double gigabytes = 0, of_read = 0;  // a second, of operands, weights and results; 0 where there are none
};

struct StepProfile {
  std::vector<PlanStep> steps;
  std::vector<StepRate> rates;  // by step
  std::string loop;             // the level of the loop; empty where this machine has none
  double loop_gops = 0;
};

// Measures the machine for as long as a second or two. `threads`: of the runs, and of the loop; reads are one
// thread's.
StepProfile ProfileOf(const StepTimes& times, CpuFlags flags, int threads);

// For people: a line for each step, the slowest first; the last without an end.
std::string ProfileTable(const StepProfile& profile);

// steps (a list of objects: step, kernel, notes, milliseconds, share, multiply_adds, gops, of_loop, bytes,
// gigabytes_per_second, of_read), loop and loop_gops.
Json ProfileToJson(const StepProfile& profile);

// The last run in the JSON of Chrome's tracing, which Perfetto shows (ui.perfetto.dev).
std::string TraceOfLastRun(const StepTimes& times, const std::string& name);

}  // namespace tally::cli
