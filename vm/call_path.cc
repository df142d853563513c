#include "vm/call_path.h"

#include <algorithm>
#include <vector>

namespace tally {

size_t FunctionAt(const Module& module, std::span<const CallSite> path) {
  size_t function = 0;
  for (const CallSite& site : path) {
    const Instruction& instruction = module.functions[function].body[site.step];
    std::vector<int64_t> named;
    ForEachFunction(InfoOf(instruction.op).attributes, instruction.attributes,
                    [&](int64_t number) { named.push_back(number); });
    // An if names a function for each invocation, a loop one for all.
    function = named[std::min<size_t>(site.invocation, named.size() - 1)];
  }
  return function;
}

}  // namespace tally
