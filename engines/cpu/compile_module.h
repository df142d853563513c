// Turns the functions of a module into programs.
#pragma once

#include <vector>

#include "base/cpu_flags.h"
#include "engines/compile/passes.h"
#include "vm/valid_module.h"

namespace tally::cpu {

struct CompileOptions {
  // The module as its users have it, whose bounds of memory hold (engines/shared/engine_memory.h): its
  // operators may have been lowered since.
  const ValidModule& published;
  CpuFlags flags;
  int threads;
  bool takes_small_layers = false;                          // see CpuPlanOptions
  const std::vector<ObservedFunction>* observed = nullptr;  // values that runs show, or null
  ShowAs show_as = ShowAs::kHeld;                           // kHeld or kCommitted
  PassObserver after = nullptr;
};

// By number of the function. The programs refer to `module` and to each other: neither may move.
void Compile(const ValidModule& module, const CompileOptions& options, std::vector<Schedule>& programs);

}  // namespace tally::cpu
