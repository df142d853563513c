// The dims and the operands of a recurrent operator, for its rule and its reference.
#pragma once

#include <cstdint>
#include <span>

#include "base/shape.h"
#include "ops/recurrent/attrs.h"

namespace tally::recurrent {

// Positions of the operands that every operator has; its tables follow, then those that the attributes ask
// for.
enum RecurrentOperand { kX, kW, kR, kMx, kMh, kB, kTables };

struct RecurrentDims {
  int64_t steps, batch, inputs, directions, gates, units, states;  // T, B, I, D, G, H, P
};

// The sizes of x [T, B, I] and R [D, G * H, P].
inline RecurrentDims DimsOf(const Shape& x, const Shape& r, int64_t gates) {
  return {x[0], x[1], x[2], r[0], gates, r[1] / gates, r[2]};
}

// Which operand is which after the tables, or -1 for one that is absent.
struct OptionalOperands {
  int initial_h = -1, initial_c = -1, lengths = -1;
  int peephole = -1, projection = -1, projection_m = -1;  // lstm
  int reset_bias = -1;                                    // gru
  int count = 0;                                          // all operands together
};

inline OptionalOperands OperandsOf(const RnnAttrs& attrs, int tables, bool has_cell) {
  OptionalOperands o;
  o.count = kTables + tables;
  if (attrs.initial_state) o.initial_h = o.count++;
  if (attrs.initial_state && has_cell) o.initial_c = o.count++;
  if (attrs.lengths) o.lengths = o.count++;
  return o;
}
inline OptionalOperands OperandsOf(const RnnAttrs& attrs) { return OperandsOf(attrs, 1, false); }
inline OptionalOperands OperandsOf(const LstmAttrs& attrs) {
  OptionalOperands o = OperandsOf(attrs, 3, true);
  if (attrs.peephole) o.peephole = o.count++;
  if (attrs.projection) o.projection = o.count++;
  if (attrs.projection) o.projection_m = o.count++;
  return o;
}
inline OptionalOperands OperandsOf(const GruAttrs& attrs) {
  OptionalOperands o = OperandsOf(attrs, 2, false);
  if (attrs.reset_after) o.reset_bias = o.count++;
  return o;
}

}  // namespace tally::recurrent
