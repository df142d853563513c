#include "ops/reference.h"

namespace tally {
namespace {

// flat(y)[i] = flat(x)[i]
template <typename Int>
void KeepOrder(const ReferenceContext<Int>& c) {
  for (const int64_t i : c.elements()) c.results[0].Set(i, c.operands[0][i]);
}

}  // namespace

template <typename Int>
void ReferenceReshape(const ReferenceContext<Int>& c) {
  KeepOrder(c);
}

template <typename Int>
void ReferenceFlatten(const ReferenceContext<Int>& c) {
  KeepOrder(c);
}

template <typename Int>
void ReferenceExpandDims(const ReferenceContext<Int>& c) {
  KeepOrder(c);
}

template <typename Int>
void ReferenceSqueeze(const ReferenceContext<Int>& c) {
  KeepOrder(c);
}

TALLY_REFERENCE(Reshape);
TALLY_REFERENCE(Flatten);
TALLY_REFERENCE(ExpandDims);
TALLY_REFERENCE(Squeeze);

}  // namespace tally
