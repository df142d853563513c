#include <utility>
#include <vector>

#include "fuzz/generators/call_generators.h"

namespace tally {
namespace {

// A condition for each element, or for each row.
Attempt DrawWhere(CallContext& c) {
  const DraftId x = c.Operand({});
  const DraftId y = c.Operand({.shape = c.shape(x)});
  const bool rows = c.shape(x).rank() > 0 && c.e.OneIn(2);
  const Shape condition = rows ? ShapeOf({c.shape(x)[0]}) : c.shape(x);
  return {{c.Operand({.shape = condition, .within = {-2, 2}}), x, y}};
}

// Any of the three may be the one that the others broadcast to.
Attempt DrawSelect(CallContext& c) {
  const DraftId widest = c.Operand({});
  std::vector<DraftId> operands = {widest, c.Operand({.shape = BroadcastPartner(c, c.shape(widest))}),
                                   c.Operand({.shape = BroadcastPartner(c, c.shape(widest))})};
  std::swap(operands[0], operands[static_cast<size_t>(c.e.Between(0, 2))]);
  return {operands};
}

}  // namespace

CallGenerator FindComparisonCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kBroadcastGreater:
    case Opcode::kCompare: return DrawBroadcast;
    case Opcode::kWhere: return DrawWhere;
    case Opcode::kSelect: return DrawSelect;
    default: return nullptr;
  }
}

}  // namespace tally
