#include <vector>

#include "ops/elements.h"
#include "ops/gather/attrs.h"
#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {

// With k_0 < k_1 < .. the positions where mask is not 0: y[.., i, ..] = x[.., k_i, ..], or value where there
// is no k_i.
template <typename Int>
void ReferenceCompact(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<CompactAttrs>();
  const Operand<Int>&x = c.operands[0], &mask = c.operands[1];
  const Result<Int>&y = c.results[0], &count = c.results[1];
  const int64_t axis = attrs.axis < 0 ? attrs.axis + x.shape().rank() : attrs.axis;
  std::vector<int64_t> kept;
  for (int64_t k = 0; k < mask.size(); ++k) {
    if (mask[k] != Int(0)) kept.push_back(k);
  }
  count.Set(0, Int(std::ssize(kept)));
  if (!c.Wants(0)) return;
  ForEachElement(c, [&](int64_t i, Index d) {
    const bool exists = d[axis] < std::ssize(kept);
    if (exists) d[axis] = kept[d[axis]];
    y.Set(i, exists ? x[Flatten(d, x.shape())] : Int(attrs.value));
  });
}

TALLY_REFERENCE(Compact);

}  // namespace tally
