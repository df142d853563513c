// The elements that one element of a detection operator reads.
#include "ops/detection/rules.h"

namespace tally {

// The batch is the first axis of every result.
Region PartOfBatch(const ReadContext& c, int operand) {
  Region region = WholeOf(c.shape(operand));
  region.Set(0, c.place()[0]);
  return region;
}

// x [T, N, C] or a mask [T, N].
Region StepsOfSequence(const ReadContext& c, int operand) {
  Region region = WholeOf(c.shape(operand));
  region.Set(1, c.place()[0]);
  return region;
}

}  // namespace tally
