// The position of a step in a run: the instructions that are being executed around it.
//
// A run executes the body of the entry; `call`, `if` and `loop` execute bodies inside it. The path from the
// entry to a body, with the value's number in that function, names a value of a run: the same on every
// engine.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "vm/module.h"

namespace tally {

struct CallSite {
  int64_t step = 0;        // position of the instruction in the body of its function
  int64_t invocation = 0;  // which call of the instruction: the iteration of a loop; of an if 0 then, 1 else

  friend auto operator<=>(const CallSite&, const CallSite&) = default;
};

// The number of the function whose body runs at `path`, which belongs to a run of `module`; 0 for no path.
size_t FunctionAt(const Module& module, std::span<const CallSite> path);

}  // namespace tally
