// Turns the functions of a module into programs: one pass over the instructions, in order.
#pragma once

#include <vector>

#include "base/cpu_flags.h"
#include "vm/engines/cpu/program.h"
#include "vm/engines/observed_functions.h"
#include "vm/valid_module.h"

namespace tally::cpu {

struct CompileOptions {
  CpuFlags flags;
  int threads = 1;
  const std::vector<ObservedFunction>* observed = nullptr;  // what runs show, or null
  // As the module is published, if operators have been lowered since: what a run of each function may need, and what
  // the plan may keep (vm/engine_memory.h).
  std::vector<int64_t> memory_bounds;
  int64_t kept_bound = 0;
};

// By number of the function. The programs refer to `module` and to each other: neither may move.
void Compile(const ValidModule& module, const CompileOptions& options, std::vector<Program>& programs);

}  // namespace tally::cpu
