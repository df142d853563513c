// The reference of operators that only move elements of their operands.
//
//   // y[n,c,h,w] = x[n, c, h / s, w / s]
//   Move(c, [&](Index d) { return Index{d[0], d[1], d[2] / s, d[3] / s}; });
#pragma once

#include "ops/elements.h"
#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {

// y[d] = x[source(d)] for every index d of the result; x is the first operand.
template <typename Int, typename Source>
void Move(const ReferenceContext<Int>& c, Source source) {
  const Operand<Int>& x = c.operands[0];
  const Result<Int>& y = c.results[0];
  ForEachElement(c, [&](int64_t i, const Index& d) { y.Set(i, x[Flatten(source(d), x.shape())]); });
}

// The same where the source of d is at view.At(d).
template <typename Int>
void MoveView(const ReferenceContext<Int>& c, const StridedView& view) {
  const Result<Int>& y = c.results[0];
  ForEachElement(c, [&](int64_t i, const Index& d) { y.Set(i, c.operands[0][view.At(d)]); });
}

}  // namespace tally
