// Which engine runs a module, with what, and within which limits: the options of every command that runs one.
//
//   AddEngineOptions(*run, options.engine);
//   AddLimitOptions(*run, options.engine);
//   ASSIGN_OR_RETURN(const auto plan, options.engine.MakePlan(module));
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "vm/plan.h"
#include "vm/valid_module.h"

namespace tally::cli {

struct EngineOptions {
  std::string name = "cpu";
  // The highest set of instructions that kernels may use; empty: TALLY_ARCH, or all there are.
  std::string level;
  int64_t threads = 1;
  int64_t gas_limit = std::numeric_limits<int64_t>::max();
  int64_t memory_limit = std::numeric_limits<int64_t>::max();

  // Errors: those of tally::MakePlan.
  absl::StatusOr<std::unique_ptr<const Plan>> MakePlan(std::shared_ptr<const ValidModule> module) const;
  ExecuteOptions limits() const { return {.gas_limit = gas_limit, .memory_limit_bytes = memory_limit}; }
};

// --engine.
void AddEngine(CLI::App& command, std::string& name);
// --engine, --level, which may be written --arch, and --threads.
void AddEngineOptions(CLI::App& command, EngineOptions& options);
// --gas-limit and --memory-limit.
void AddLimitOptions(CLI::App& command, EngineOptions& options);

}  // namespace tally::cli
