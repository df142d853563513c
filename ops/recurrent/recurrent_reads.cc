// The elements that one element of a recurrent operator reads: all of its sequence, in its direction.
#include "ops/recurrent/attrs.h"
#include "ops/recurrent/recurrent_shape.h"
#include "ops/recurrent/rules.h"

namespace tally {

using recurrent::kMx;
using recurrent::kTables;
using recurrent::kX;
using recurrent::OperandsOf;
using recurrent::OptionalOperands;

template <typename Attrs>
Region PartOfSequence(const ReadContext& c, int operand) {
  const OptionalOperands at = OperandsOf(c.attrs<Attrs>());
  const Index d = c.place();
  // y is [T, D, B, P], the last states are [D, B, ..].
  const int64_t direction = d[c.result == 0 ? 1 : 0], sequence = d[c.result == 0 ? 2 : 1];
  Region region = WholeOf(c.shape(operand));
  if (operand == kX) {
    region.Set(1, sequence);
  } else if (operand == at.lengths) {
    region.Set(0, sequence);
  } else if (operand == at.initial_h || operand == at.initial_c) {
    region.Set(0, direction);
    region.Set(1, sequence);
  } else if (operand < kTables || operand == at.peephole || operand == at.projection ||
             operand == at.projection_m || operand == at.reset_bias) {
    region.Set(0, direction);
  }
  return region;
}
template Region PartOfSequence<RnnAttrs>(const ReadContext&, int);
template Region PartOfSequence<LstmAttrs>(const ReadContext&, int);
template Region PartOfSequence<GruAttrs>(const ReadContext&, int);

}  // namespace tally
