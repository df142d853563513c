#include <utility>
#include <vector>

#include "ops/recurrent/attrs.h"
#include "ops/recurrent/recurrent_shape.h"
#include "ops/recurrent/recurrent_steps.h"
#include "ops/reference.h"

namespace tally {

using recurrent::DimsOf;
using recurrent::ForEachStep;
using recurrent::GateSums;
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
  const GateSums<Int> sums(c, dims);
  ForEachStep(c, attrs, dims, {at.initial_h}, at.lengths, [&](const Step& step, auto& states) {
    std::vector<Int> next;
    for (int64_t j = 0; j < dims.units; ++j) {
      const Int gate = Int(sums.Input(step, j) + sums.State(step, j, states[0]));
      next.push_back(Activate<Int>(c.operands[kTables], HalfUpShift<Int>(gate, attrs.shift)));
    }
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
  const GateSums<Int> sums(c, dims);
  const int64_t H = dims.units;
  ForEachStep(c, attrs, dims, {at.initial_h}, at.lengths, [&](const Step& step, auto& states) {
    const std::vector<Int>& h = states[0];
    const auto gate = [&](int64_t g) {
      const Int sum = Int(sums.Input(step, g) + sums.State(step, g, h));
      return Activate<Int>(c.operands[kTables], HalfUpShift<Int>(sum, attrs.shift));
    };
    std::vector<Int> z, r, reset, next;
    for (int64_t j = 0; j < H; ++j) {
      z.push_back(gate(j));
      r.push_back(gate(H + j));
      reset.push_back(ResetState<Int>(r[j], h[j]));
    }
    for (int64_t j = 0; j < H; ++j) {
      const Int input = sums.Input(step, 2 * H + j);
      Int v;
      if (attrs.reset_after) {
        const Int state =
            Int(sums.State(step, 2 * H + j, h) + c.operands[at.reset_bias][step.direction * H + j]);
        v = ResetAfter<Int>(input, r[j], state, attrs.shift);
      } else {
        v = HalfUpShift<Int>(Int(input + sums.State(step, 2 * H + j, reset)), attrs.shift);
      }
      const Int n = Activate<Int>(c.operands[kTables + 1], v);
      next.push_back(BlendedState<Int>(z[j], h[j], n));
    }
    states[0] = std::move(next);
  });
}

TALLY_REFERENCE(Gru);

}  // namespace tally
