#include "ops/reference.h"

namespace tally {

// y = the module's constant, which the caller presents as the one operand. Engines read the constant in place
// instead of running this.
template <typename Int>
void ReferenceConstant(const ReferenceContext<Int>& c) {
  for (const int64_t i : c.elements()) c.results[0].Set(i, c.operands[0][i]);
}

TALLY_REFERENCE(Constant);

}  // namespace tally
