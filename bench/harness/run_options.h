// The options of every program that times networks and layers.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/harness/contender.h"
#include "bench/models/model_options.h"

namespace tally::bench {

struct RunOptions {
  std::string engine = "cpu";
  bool pin = true;
  TurnOptions turns;
  ModelOptions model;
};

// `app` fills `options` when it parses; both must live until then. Errors of the command line are
// CLI::ParseError.
void AddRunOptions(CLI::App& app, RunOptions& options);

// The same for programs that run works of bench/models on one number of threads.
struct WorkOptions : RunOptions {
  int threads = 1;
  std::vector<std::string> works;  // all of them, if none are named
};
void AddWorkOptions(CLI::App& app, WorkOptions& options);

// For options whose programs list several numbers of threads: time of the processor is that of one.
void RefuseProcessorTime(const RunOptions& options, int threads);

}  // namespace tally::bench
