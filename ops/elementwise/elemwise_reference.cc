#include "ops/reference.h"

namespace tally {

template <typename Int>
void ReferenceElemwiseAdd(const ReferenceContext<Int>& c) {
  for (const int64_t i : c.elements()) c.results[0].Set(i, Int(c.operands[0][i] + c.operands[1][i]));
}

TALLY_REFERENCE(ElemwiseAdd);

template <typename Int>
void ReferenceElemwiseSub(const ReferenceContext<Int>& c) {
  for (const int64_t i : c.elements()) c.results[0].Set(i, Int(c.operands[0][i] - c.operands[1][i]));
}

TALLY_REFERENCE(ElemwiseSub);

}  // namespace tally
