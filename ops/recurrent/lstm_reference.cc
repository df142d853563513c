#include <vector>

#include "ops/recurrent/attrs.h"
#include "ops/recurrent/recurrent_shape.h"
#include "ops/recurrent/recurrent_steps.h"
#include "ops/reference.h"

namespace tally {
namespace {

using recurrent::DimsOf;
using recurrent::ForEachStep;
using recurrent::LstmCell;
using recurrent::OperandsOf;
using recurrent::OptionalOperands;
using recurrent::RecurrentDims;
using recurrent::Step;
using enum recurrent::RecurrentOperand;

// The next h and c.
template <typename Int>
void Advance(const LstmCell<Int>& unit, const LstmAttrs& attrs, const RecurrentDims& dims, const Step& step,
             std::vector<std::vector<Int>>& states) {
  const std::vector<Int> h = states[0];
  std::vector<Int> output;
  for (int64_t j = 0; j < dims.units; ++j) {
    Int& cell = states[1][j];
    const Int i = unit.Input(step, j, h, cell);
    const Int f = unit.Forget(step, j, h, cell, i);
    const Int g = unit.Candidate(step, j, h);
    cell = NextCell<Int>(attrs.cell(), i, f, g, cell);
    output.push_back(unit.Output(step, j, h, cell));
  }
  states[0] = output;
  if (!attrs.projection) return;
  states[0].clear();
  for (int64_t p = 0; p < dims.states; ++p) states[0].push_back(unit.Projected(step, p, output));
}

}  // namespace

// i, o, f = F[..], g = G[..], c' = clamp(round((f * c * 2^(15 - cell_bits) + i * g) / 2^(30 - cell_bits))),
// h' = round(o * H[c'] / 2^output_shift), or a projection of it.
template <typename Int>
void ReferenceLstm(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<LstmAttrs>();
  const OptionalOperands at = OperandsOf(attrs);
  const RecurrentDims dims = DimsOf(c.operands[kX].shape(), c.operands[kR].shape(), 4);
  const LstmCell<Int> unit(c.operands, dims, attrs);
  ForEachStep(c, attrs, dims, {at.initial_h, at.initial_c}, at.lengths,
              [&](const Step& step, auto& states) { Advance(unit, attrs, dims, step, states); });
}

TALLY_REFERENCE(Lstm);

}  // namespace tally
