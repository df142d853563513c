#include <utility>
#include <vector>

#include "ops/recurrent/attrs.h"
#include "ops/recurrent/recurrent_shape.h"
#include "ops/recurrent/recurrent_steps.h"
#include "ops/reference.h"

namespace tally {

using recurrent::DimsOf;
using recurrent::ForEachStep;
using recurrent::GateCell;
using recurrent::GruCell;
using recurrent::OperandsOf;
using recurrent::OptionalOperands;
using recurrent::RecurrentDims;
using recurrent::Step;
using enum recurrent::RecurrentOperand;

// h' = F[round((W x * m_x + R h * m_h + b) / 2^shift)]
template <typename Int>
void ReferenceRnn(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<RnnAttrs>();
  const OptionalOperands at = OperandsOf(attrs);
  const RecurrentDims dims = DimsOf(c.operands[kX].shape(), c.operands[kR].shape(), 1);
  const GateCell<Int> cell(c.operands, dims, attrs.shift);
  ForEachStep(c, attrs, dims, {at.initial_h}, at.lengths, [&](const Step& step, auto& states) {
    std::vector<Int> next;
    for (int64_t j = 0; j < dims.units; ++j) next.push_back(cell.Gate(step, j, states[0]));
    states[0] = std::move(next);
  });
}

TALLY_REFERENCE(Rnn);

// z = F[..], r = F[..], n = G[..] of the rows z, r, n; h' = round((z * h + (2^15 - z) * n) / 2^15).
template <typename Int>
void ReferenceGru(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<GruAttrs>();
  const OptionalOperands at = OperandsOf(attrs);
  const RecurrentDims dims = DimsOf(c.operands[kX].shape(), c.operands[kR].shape(), 3);
  const GruCell<Int> cell(c.operands, dims, attrs);
  const int64_t H = dims.units;
  ForEachStep(c, attrs, dims, {at.initial_h}, at.lengths, [&](const Step& step, auto& states) {
    const std::vector<Int>& h = states[0];
    std::vector<Int> z, r, reset, next;
    for (int64_t j = 0; j < H; ++j) {
      z.push_back(cell.Gate(step, j, h));
      r.push_back(cell.Gate(step, H + j, h));
      reset.push_back(ResetState<Int>(r[j], h[j]));
    }
    for (int64_t j = 0; j < H; ++j) next.push_back(cell.Next(step, j, z[j], r[j], h, reset));
    states[0] = std::move(next);
  });
}

TALLY_REFERENCE(Gru);

}  // namespace tally
