#include "fuzz/generators/shapers.h"
#include "ops/control/attrs.h"

namespace tally {
namespace {

// A second yield of some constant.
Attempt ShapeConstant(ShapeContext& c) {
  if (c.draft.num_constants() == 0) c.Operand({.source = Source::kConstant});
  return {{}, Pack(ConstantAttrs{.index = c.e.Between(0, c.draft.num_constants() - 1)})};
}

}  // namespace

Shaper FindControlShaper(Opcode op) { return op == Opcode::kConstant ? ShapeConstant : nullptr; }

}  // namespace tally
