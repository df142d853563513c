#include <utility>
#include <vector>

#include "fuzz/generators/shapers.h"

namespace tally {
namespace {

// A condition for each element, or for each row.
Attempt ShapeWhere(ShapeContext& c) {
  const DraftId x = c.Operand({});
  const DraftId y = c.Operand({.shape = c.shape(x)});
  const bool rows = c.shape(x).rank() > 0 && c.e.OneIn(2);
  const Shape condition = rows ? ShapeOf({c.shape(x)[0]}) : c.shape(x);
  return {{c.Operand({.shape = condition, .within = {-2, 2}}), x, y}};
}

// Any of the three may be the one that the others broadcast to.
Attempt ShapeSelect(ShapeContext& c) {
  const DraftId widest = c.Operand({});
  std::vector<DraftId> operands = {widest, c.Operand({.shape = BroadcastPartner(c, c.shape(widest))}),
                                   c.Operand({.shape = BroadcastPartner(c, c.shape(widest))})};
  std::swap(operands[0], operands[static_cast<size_t>(c.e.Between(0, 2))]);
  return {operands};
}

}  // namespace

Shaper FindComparisonShaper(Opcode op) {
  switch (op) {
    case Opcode::kBroadcastGreater:
    case Opcode::kCompare: return ShapeBroadcast;
    case Opcode::kWhere: return ShapeWhere;
    case Opcode::kSelect: return ShapeSelect;
    default: return nullptr;
  }
}

}  // namespace tally
