// From the functions of a module to programs of the cuda engine.
#pragma once

#include <vector>

#include "vm/engines/cuda/constants.h"
#include "vm/engines/cuda/program.h"
#include "vm/engines/observed_functions.h"
#include "vm/valid_module.h"

namespace tally::cuda {

struct CompileOptions {
  Arch arch = Arch::kSm80;                                  // of the device
  const std::vector<ObservedFunction>* observed = nullptr;  // what runs show, or null
  bool roots = false;                                       // of what they show: the root of its tree
  // Of each function as the module is published, if operators have been lowered since (vm/engine_memory.h).
  std::vector<int64_t> memory_bounds;
};

// One program for each function. A pure function of both; `programs` and `constants` then point into the module.
void Compile(const ValidModule& module, const CompileOptions& options, std::vector<Program>& programs,
             Constants& constants);

}  // namespace tally::cuda
