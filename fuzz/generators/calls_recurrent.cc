#include "fuzz/generators/call_generators.h"
#include "ops/recurrent/attrs.h"

namespace tally {
namespace {

constexpr Interval kRecurrentFactor = {-32768, 32767};
constexpr Interval kStates = {-kState, kState - 1};

DraftId Constants(CallContext& c, const std::vector<int64_t>& dims, int64_t lo, int64_t hi) {
  const Shape shape = ShapeOf(dims);
  std::vector<int64_t> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) values.push_back(c.e.Between(lo, hi));
  return c.Constant(shape, values);
}

// The operands that every operator has, its tables and the initial states.
struct Common {
  Attempt attempt;
  int64_t directions, steps, batch, units, states;
};

Common DrawCommon(CallContext& c, RnnAttrs& attrs, int64_t gates, int tables, int64_t least_entry,
                  bool projected) {
  attrs.direction = static_cast<Direction>(c.e.Between(0, 2));
  attrs.shift = c.e.Between(0, 30);
  attrs.initial_state = c.e.OneIn(2);
  attrs.lengths = c.e.OneIn(3);
  Common common;
  common.directions = attrs.direction == Direction::kBidirectional ? 2 : 1;
  common.units = c.e.Between(1, 2);
  common.states = projected ? c.e.Between(1, 2) : common.units;
  const DraftId x = c.Operand({.min_rank = 3, .max_rank = 3, .within = kRecurrentFactor});
  common.steps = c.shape(x)[0];
  common.batch = c.shape(x)[1];
  const int64_t d = common.directions, rows = gates * common.units;
  const int64_t most = c.e.OneIn(4) ? 40000 : 127;  // the first is more than kernels take
  common.attempt.operands = {x,
                             Constants(c, {d, rows, c.shape(x)[2]}, -most, most),
                             Constants(c, {d, rows, common.states}, -127, 127),
                             Constants(c, {d, rows}, -999, 999),
                             Constants(c, {d, rows}, -999, 999),
                             Constants(c, {d, rows}, -99999, 99999)};
  for (int i = 0; i < tables; ++i) {
    common.attempt.operands.push_back(
        Constants(c, {2 * c.e.Between(1, 3)}, i == 0 ? least_entry : -kState, kState));
  }
  return common;
}

void AddState(CallContext& c, Common& common, int64_t width) {
  common.attempt.operands.push_back(
      c.Operand({.shape = ShapeOf({common.directions, common.batch, width}), .within = kStates}));
}

void AddLengths(CallContext& c, Common& common) {
  common.attempt.operands.push_back(Constants(c, {common.batch}, 0, common.steps));
}

Attempt DrawRnn(CallContext& c) {
  RnnAttrs attrs;
  Common common = DrawCommon(c, attrs, 1, 1, -kState, false);
  if (attrs.initial_state) AddState(c, common, common.units);
  if (attrs.lengths) AddLengths(c, common);
  common.attempt.attributes = Pack(attrs);
  return common.attempt;
}

Attempt DrawGru(CallContext& c) {
  GruAttrs attrs;
  Common common = DrawCommon(c, attrs, 3, 2, 0, false);
  attrs.reset_after = c.e.OneIn(2);
  if (attrs.initial_state) AddState(c, common, common.units);
  if (attrs.lengths) AddLengths(c, common);
  if (attrs.reset_after) {
    common.attempt.operands.push_back(Constants(c, {common.directions, common.units}, -99999, 99999));
  }
  common.attempt.attributes = Pack(attrs);
  return common.attempt;
}

Attempt DrawLstm(CallContext& c) {
  LstmAttrs attrs;
  attrs.projection = c.e.OneIn(3);
  Common common = DrawCommon(c, attrs, 4, 3, -kState, attrs.projection);
  attrs.peephole = c.e.OneIn(3);
  attrs.coupled = c.e.OneIn(3);
  attrs.cell_bits = c.e.Between(0, 15);
  attrs.cell_lo = -c.e.Between(0, kState);
  attrs.cell_hi = c.e.Between(0, kState - 1);
  attrs.output_shift = c.e.Between(15, 30);
  attrs.projection_shift = c.e.Between(0, 20);
  if (attrs.initial_state) {
    AddState(c, common, common.states);
    AddState(c, common, common.units);
  }
  if (attrs.lengths) AddLengths(c, common);
  const int64_t d = common.directions;
  std::vector<DraftId>& operands = common.attempt.operands;
  if (attrs.peephole) operands.push_back(Constants(c, {d, 3 * common.units}, -999, 999));
  if (attrs.projection) {
    operands.push_back(Constants(c, {d, common.states, common.units}, -127, 127));
    operands.push_back(Constants(c, {d, common.states}, -99, 99));
  }
  common.attempt.attributes = Pack(attrs);
  return common.attempt;
}

}  // namespace

CallGenerator FindRecurrentCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kRnn: return DrawRnn;
    case Opcode::kLstm: return DrawLstm;
    case Opcode::kGru: return DrawGru;
    default: return nullptr;
  }
}

}  // namespace tally
