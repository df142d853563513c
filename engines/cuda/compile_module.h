// From the functions of a module to programs of the cuda engine.
#pragma once

#include <vector>

#include "engines/compile/passes.h"
#include "engines/cuda/constants.h"
#include "engines/cuda/program.h"
#include "vm/valid_module.h"

namespace tally::cuda {

struct CompileOptions {
  // The module as its users have it, whose bounds of memory hold (engines/shared/engine_memory.h): its
  // operators may have been lowered since.
  const ValidModule& published;
  Arch arch = Arch::kSm80;                                  // the device's
  const std::vector<ObservedFunction>* observed = nullptr;  // values that runs show, or null
  ShowAs show_as = ShowAs::kOwnTypes;                       // kOwnTypes or kRoots
  PassObserver after = nullptr;
};

// One program for each function. A pure function of both; `programs` and `constants` then point into the
// module, and at each other: none may move.
void Compile(const ValidModule& module, const CompileOptions& options, std::vector<Program>& programs,
             Constants& constants);

}  // namespace tally::cuda
