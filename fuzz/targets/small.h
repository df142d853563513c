// The modules that a fuzz target executes: those that take milliseconds.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "fuzz/generators/module_generator.h"
#include "fuzz/oracles/execution.h"
#include "fuzz/targets/check.h"

namespace tally {

// The valid parts of a faulty or foreign file may be large.
inline bool IsSmall(const ValidModule& module) {
  constexpr int64_t kMaxBytes = 1 << 20;
  return module.gas() <= kSmallModules.limits.max_gas && module.arena_bytes() <= kMaxBytes;
}

// Tries part `part` of the law of execution on `module`, with inputs drawn from `e`.
inline void CheckEngines(EntropySource& e, ValidModule module, uint64_t part) {
  const std::vector<Tensor> inputs = GenerateInputs(e, module.entry());
  const auto shared = std::make_shared<const ValidModule>(std::move(module));
  Check(CheckExecution(shared, ViewsOf(inputs), part));
}

}  // namespace tally
