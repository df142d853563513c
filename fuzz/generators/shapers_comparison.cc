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

}  // namespace

Shaper FindComparisonShaper(Opcode op) {
  switch (op) {
    case Opcode::kBroadcastGreater: return ShapeBroadcast;
    case Opcode::kWhere: return ShapeWhere;
    default: return nullptr;
  }
}

}  // namespace tally
