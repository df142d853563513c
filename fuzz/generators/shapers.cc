#include "fuzz/generators/shapers.h"

namespace tally {

Shaper FindShaper(Opcode op) {
  for (const auto find : {FindControlShaper, FindElementwiseShaper, FindLayoutShaper, FindLinearShaper,
                          FindRescaleShaper}) {
    if (const Shaper shaper = find(op)) return shaper;
  }
  return nullptr;
}

}  // namespace tally
