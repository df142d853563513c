// Which operand, parameter and result of a loop is what (ops/control/spec.md#loop).
//
//   operands            [condition] state...  fixed...  scanned...
//   body's parameters   index       state...  fixed...  slice...
//   body's results      [go on]     state...  output...
//   the loop's results              state...  stacked output... [trips]
#pragma once

#include <cstddef>

#include "ops/control/attrs.h"

namespace tally {

struct LoopShape {
  LoopShape(const LoopAttrs& attrs, size_t operands, size_t results)
      : flags(attrs.condition ? 1 : 0),
        states(static_cast<size_t>(attrs.states)),
        scanned(static_cast<size_t>(attrs.scanned)),
        fixed(operands - flags - states - scanned),
        outputs(results - flags - states) {}

  size_t flags;  // 1 with a condition, else 0
  size_t states;
  size_t scanned;
  size_t fixed;
  size_t outputs;

  size_t arguments() const { return states + fixed + scanned; }
  // The parameter of argument a, which is operand flags + a.
  static size_t param(size_t a) { return 1 + a; }
};

}  // namespace tally
