#include "vm/call_path.h"

namespace tally {

size_t FunctionAt(const Module& module, std::span<const CallSite> path) {
  size_t function = 0;
  for (const CallSite& site : path) {
    const Instruction& instruction = module.functions[function].body[site.step];
    // An if names a function for each invocation, a loop one for all.
    int64_t named = 0;
    ForEachFunction(InfoOf(instruction.op).attributes, instruction.attributes, [&](int64_t number) {
      if (named++ <= site.invocation) function = static_cast<size_t>(number);
    });
  }
  return function;
}

}  // namespace tally
