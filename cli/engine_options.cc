#include "cli/engine_options.h"

#include <utility>

#include "base/cpu_flags.h"
#include "engines/engine.h"

namespace tally::cli {

absl::StatusOr<std::unique_ptr<const Plan>> EngineOptions::MakePlan(
    std::shared_ptr<const ValidModule> module) const {
  return tally::MakePlan(name, std::move(module), {.threads = static_cast<int>(threads), .level = level});
}

void AddEngine(CLI::App& command, std::string& name) {
  command.add_option("--engine", name, "formal, reference, cpu (default) or cuda");
}

void AddEngineOptions(CLI::App& command, EngineOptions& options) {
  AddEngine(command, options.name);
  command.add_option(
      "--level,--arch", options.level,
      "highest instruction set that kernels may use: " + AllCpuLevels() + "; results are the same");
  command.add_option("--threads", options.threads, "threads of the engine; scalar engines use one")
      ->check(CLI::Range(1, 1024));
}

void AddLimitOptions(CLI::App& command, EngineOptions& options) {
  command.add_option("--gas-limit", options.gas_limit, "refuse to run a module that costs more gas")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--memory-limit", options.memory_limit, "refuse to run a module whose arena has more bytes")
      ->check(CLI::NonNegativeNumber);
}

}  // namespace tally::cli
