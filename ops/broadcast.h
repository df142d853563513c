// The loop of every binary reference under numpy broadcasting.
//
//   template <typename Int>
//   void ReferenceBroadcastAdd(const ReferenceContext<Int>& c) {
//     ForEachBroadcast(c, [](const Int& a, const Int& b) { return Int(a + b); });
//   }
#pragma once

#include "ops/elements.h"
#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {

// y[d] = op(a[d], b[d]), where the shape of y is BroadcastShape of both.
template <typename Int, typename Op>
void ForEachBroadcast(const ReferenceContext<Int>& c, Op op) {
  const Operand<Int>&a = c.operands[0], &b = c.operands[1];
  const Result<Int>& y = c.results[0];
  const StridedView in_a = BroadcastView(a.shape(), y.shape()), in_b = BroadcastView(b.shape(), y.shape());
  ForEachElement(c, [&](int64_t i, const Index& d) { y.Set(i, op(a[in_a.At(d)], b[in_b.At(d)])); });
}

}  // namespace tally
