// Of the families that read at computed places: gather and table.
#include "fuzz/generators/shapers.h"
#include "ops/gather/attrs.h"
#include "ops/table/attrs.h"

namespace tally {
namespace {

Attempt ShapeTake(ShapeContext& c) {
  TakeAttrs attrs;
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3});
  if (!c.e.OneIn(3)) attrs.axis = {c.Axis(c.shape(x).rank())};
  return {{x, c.Operand({.max_rank = 2, .within = {-4, 12}})}, Pack(attrs)};
}

Attempt ShapeCvmLut(ShapeContext& c) {
  const DraftId index = c.Operand({.within = {-300, 300}});
  const DraftId table = c.Operand({.min_rank = 1, .max_rank = 2});
  return {{index, table}, Pack(CvmLutAttrs{.in_dim = c.shape(table).num_elements()})};
}

Attempt ShapeTable(ShapeContext& c) {
  const DraftId x = c.Operand({.within = {-(1 << 17), 1 << 17}});
  const DraftId table = c.Operand({.min_rank = 1, .max_rank = 1, .source = Source::kConstant});
  const int64_t offset = c.e.OneIn(2) ? c.type(x).interval.lo : c.e.Between(-200, 200);
  return {{x, table}, Pack(TableAttrs{.offset = offset})};
}

}  // namespace

Shaper FindLookupShaper(Opcode op) {
  switch (op) {
    case Opcode::kTake: return ShapeTake;
    case Opcode::kCvmLut: return ShapeCvmLut;
    case Opcode::kTable: return ShapeTable;
    default: return nullptr;
  }
}

}  // namespace tally
