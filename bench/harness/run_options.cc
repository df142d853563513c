#include "bench/harness/run_options.h"

#include "bench/models/works.h"

namespace tally::bench {

void AddRunOptions(CLI::App& app, RunOptions& options) {
  app.add_option("--engine", options.engine, "cpu or reference")->capture_default_str();
  app.add_option("--rounds", options.turns.rounds)->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--turn-ms", options.turns.turn_ms, "what each contender runs for in a round")
      ->capture_default_str();
  app.add_flag_callback(
      "--processor-time", [&options] { options.turns.clock = Clock::kProcessor; },
      "of one thread, for a busy machine; else the clock on the wall");
  app.add_flag("!--no-pin", options.pin, "let the system move threads between processors");
  app.add_option("--batch", options.model.batch)->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--scale", options.model.scale, "divides every size, to try the program out")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
}

void AddWorkOptions(CLI::App& app, WorkOptions& options) {
  AddRunOptions(app, options);
  app.add_option("--threads", options.threads)->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--work", options.works, "names, else all");
  app.final_callback([&options] {
    RefuseProcessorTime(options, options.threads);
    if (!options.works.empty()) return;
    for (const WorkInfo& info : AllWorks()) options.works.emplace_back(info.name);
  });
}

void RefuseProcessorTime(const RunOptions& options, int threads) {
  if (options.turns.clock == Clock::kProcessor && threads > 1) {
    throw CLI::ValidationError("--processor-time", "it is of one thread");
  }
}

}  // namespace tally::bench
