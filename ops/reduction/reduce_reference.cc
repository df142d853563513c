#include <algorithm>

#include "ops/reduction/reduction_slices.h"
#include "ops/reference.h"

namespace tally {
namespace {

// y[o] = op(op(x0, x1), ...) over row o: whether the reduced axes are removed or kept leaves the position of
// a result unchanged. Starting from the first element serves operators without a neutral one.
template <typename Int, typename Op>
void Fold(const ReferenceContext<Int>& c, AxisSet axes, Op op) {
  const Operand<Int>& x = c.operands[0];
  const ReductionSlices rows(x.shape(), axes);
  for (const int64_t o : c.elements()) {
    Int acc = x[rows.at(o, 0)];
    for (int64_t k = 1; k < rows.length(); ++k) acc = op(acc, x[rows.at(o, k)]);
    c.results[0].Set(o, acc);
  }
}

template <typename Int>
Int Add(const Int& a, const Int& b) {
  return Int(a + b);
}
template <typename Int>
Int Multiply(const Int& a, const Int& b) {
  return Int(a * b);
}
template <typename Int>
Int Greater(const Int& a, const Int& b) {
  return std::max(a, b);
}
template <typename Int>
Int Lesser(const Int& a, const Int& b) {
  return std::min(a, b);
}

}  // namespace

template <typename Int>
void ReferenceSum(const ReferenceContext<Int>& c) {
  Fold(c, AxesToReduce(c.template attrs<CvmReduceAttrs>(), c.operands[0].shape().rank()), Add<Int>);
}

template <typename Int>
void ReferenceMax(const ReferenceContext<Int>& c) {
  Fold(c, AxesToReduce(c.template attrs<CvmReduceAttrs>(), c.operands[0].shape().rank()), Greater<Int>);
}

template <typename Int>
void ReferenceReduce(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<ReduceAttrs>();
  const AxisSet axes = AxesToReduce(attrs, c.operands[0].shape().rank());
  switch (attrs.kind) {
    case ReduceKind::kSum: return Fold(c, axes, Add<Int>);
    case ReduceKind::kMax: return Fold(c, axes, Greater<Int>);
    case ReduceKind::kMin: return Fold(c, axes, Lesser<Int>);
    case ReduceKind::kProduct: return Fold(c, axes, Multiply<Int>);
  }
}

// y[o] = the first or the last k whose element is the greatest or the least: a later one replaces it if it is
// better, and if it is equal when the highest position wins.
template <typename Int>
void ReferenceArgExtreme(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<ArgExtremeAttrs>();
  const Operand<Int>& x = c.operands[0];
  const ReductionSlices rows(x.shape(), AxesToReduce(attrs, x.shape().rank()));
  for (const int64_t o : c.elements()) {
    int64_t best = 0;
    for (int64_t k = 1; k < rows.length(); ++k) {
      const Int candidate = x[rows.at(o, k)], leader = x[rows.at(o, best)];
      const bool better = attrs.kind == Extreme::kMax ? candidate > leader : candidate < leader;
      if (better || (attrs.ties == Ties::kHighest && candidate == leader)) best = k;
    }
    c.results[0].Set(o, Int(best));
  }
}

TALLY_REFERENCE(Sum);
TALLY_REFERENCE(Max);
TALLY_REFERENCE(Reduce);
TALLY_REFERENCE(ArgExtreme);

}  // namespace tally
