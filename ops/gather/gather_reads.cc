// The elements that one element of a gather reads of operands of which it reads many.
#include "ops/gather/rules.h"

namespace tally {

// steps and parents [T, B, W]: the beams that the last one came by may be any.
Region BeamsOfBatch(const ReadContext& c, int operand) {
  Region region = WholeOf(c.shape(operand));
  region.Set(1, c.place()[1]);
  return region;
}

}  // namespace tally
